//! Finds what may have been meant.

/// The candidate nearest to `word`, if one is near enough: at most a third of its characters differ (two in a short
/// word). A swap of neighbours counts as one difference.
pub fn nearest_word<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let bound = (word.chars().count() / 3).max(2);
    let scored = candidates.into_iter().map(|c| (edit_distance(word, c), c));
    scored
        .filter(|(d, c)| *d <= bound && *d < c.chars().count())
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// The optimal string alignment distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["review.quorum", "review.consensus", "timeouts.r1"];
        assert_eq!(nearest_word("review.qourum", words), Some("review.quorum"));
        assert_eq!(
            nearest_word("review.concensus", words),
            Some("review.consensus")
        );
        assert_eq!(nearest_word("colour.of.the.bike", words), None);
        assert_eq!(nearest_word("", words), None);
    }

    #[test]
    fn distances() {
        assert_eq!(
            [
                edit_distance("", "abc"),
                edit_distance("ab", "ba"),
                edit_distance("kitten", "sitting")
            ],
            [3, 1, 3]
        );
    }
}
