//! Which lines of a quote its finding is about: a judge may quote a whole function for the sake of one of them.

use std::collections::BTreeSet;

/// Words of code that a sentence has as well, and that name nothing.
const COMMON: [&str; 28] = [
    "and", "any", "are", "as", "for", "from", "has", "if", "in", "is", "it", "new", "no", "not",
    "of", "on", "or", "return", "returns", "the", "then", "this", "to", "try", "while", "with",
    "value", "line",
];

/// Words that the head of a function or type has among its first ones.
const HEADS: [&str; 9] = [
    "def",
    "fn",
    "func",
    "fun",
    "function",
    "class",
    "struct",
    "interface",
    "impl",
];

/// The lines of a quote that say anything: braces alone do not.
pub(crate) fn telling_lines(quote: &str) -> Vec<&str> {
    let says_something = |line: &&str| line.contains(char::is_alphanumeric);
    quote.lines().filter(says_something).collect()
}

/// The lines of a quote with names of which its finding speaks (`said`), the head of the function around them left out where
/// there are others; none where that tells no lines apart.
fn decisive_lines<'q>(quote: &'q str, said: &str) -> Option<Vec<&'q str>> {
    let telling = telling_lines(quote);
    let spoken = names_of(said);
    let is_named = |line: &&str| !names_of(line).is_disjoint(&spoken);
    let named: Vec<&str> = telling.iter().copied().filter(is_named).collect();
    let inner: Vec<&str> = named
        .iter()
        .copied()
        .filter(|line| !is_head(line))
        .collect();
    let decisive = if inner.is_empty() { named } else { inner };
    (!decisive.is_empty() && decisive.len() < telling.len()).then_some(decisive)
}

/// Whether a quoted block still stands of which `is_there` says of each line whether it does: as long as those lines do of which
/// the finding speaks (`said`); where nobody can tell which are meant, as long as most of the block does.
pub(crate) fn stands_still(quote: &str, said: &str, is_there: impl Fn(&str) -> bool) -> bool {
    let telling = telling_lines(quote);
    if telling.iter().all(|line| is_there(line)) {
        return true;
    }
    let letters = |lines: &[&str]| -> usize {
        let bare = lines.iter().flat_map(|line| line.chars());
        bare.filter(|c| !c.is_whitespace()).count()
    };
    match decisive_lines(quote, said) {
        Some(lines) => lines.into_iter().all(is_there),
        None => {
            let there: Vec<&str> = telling
                .iter()
                .copied()
                .filter(|line| is_there(line))
                .collect();
            letters(&there) * 2 > letters(&telling)
        }
    }
}

fn names_of(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_name = |word: &String| {
        word.chars().count() > 1
            && !word.starts_with(|c: char| c.is_numeric())
            && !COMMON.contains(&word.as_str())
    };
    words.map(str::to_lowercase).filter(is_name).collect()
}

fn is_head(line: &str) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric());
    let mut first = words.filter(|word| !word.is_empty()).take(4);
    first.any(|word| HEADS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_which_a_finding_speaks_are_told_from_those_around_them() {
        let quote = "def find(name: str):\n    sql = \"select \" + name\n    row = run(sql)\n    return row\n";
        for (said, decisive) in [
            (
                "The name goes into the text unescaped.",
                Some(vec!["    sql = \"select \" + name"]),
            ),
            (
                "`row` may be None.",
                Some(vec!["    row = run(sql)", "    return row"]),
            ),
            ("find() has no timeout.", Some(vec!["def find(name: str):"])),
            ("Ungeprüfte Eingabe.", None),
            (
                "find, sql, row: all of it.",
                Some(vec![
                    "    sql = \"select \" + name",
                    "    row = run(sql)",
                    "    return row",
                ]),
            ),
        ] {
            assert_eq!(decisive_lines(quote, said), decisive, "{said}");
        }
        assert_eq!(
            decisive_lines("run(sql)", "`run` fails"),
            None,
            "one line is the whole"
        );
    }
}
