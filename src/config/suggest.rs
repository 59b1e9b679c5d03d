//! Finds what may have been meant.

/// The candidate nearest to `word`, if one is near enough: at most a third of its characters differ (two in a short
/// word). A swap of neighbours counts as one difference.
pub(crate) fn nearest_word<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let bound = (word.chars().count() / 3).max(2);
    let scored = candidates
        .into_iter()
        .map(|c| (strsim::osa_distance(word, c), c));
    scored
        .filter(|(d, c)| *d <= bound && *d < c.chars().count())
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
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
}
