//! Quotes of lines in which a value is hidden: everybody writes the mark in its place as he likes.

use super::PLACEHOLDER;
use super::search_text::SearchText;

/// The longest mark in the place of a hidden value, in characters.
const MAX_MARK_CHARS: usize = 40;

/// So many letters and digits around a hidden value tell its line from others: its own name does not.
const MIN_LETTERS: usize = 12;

impl SearchText {
    /// A quote with each line as it is shown that is one of these lines but for the mark in the place of a hidden value:
    /// `[REDACTED]`, `***`, another kind. None: there is no such line in it.
    pub(super) fn with_own_marks(&self, quote: &str) -> Option<String> {
        let shown = (0..self.lines.len()).filter_map(|index| self.lines.get(index));
        let shown: Vec<&str> = shown.filter(|line| line.contains(PLACEHOLDER)).collect();
        let mut is_other = false;
        let lines = quote.lines().map(|quoted| {
            let mut shown = shown.iter().copied();
            let meant = shown.find(|shown| is_same_but_marks(shown, quoted));
            is_other |= meant.is_some_and(|meant| meant.trim() != quoted.trim());
            meant.unwrap_or(quoted)
        });
        let lines: Vec<&str> = lines.collect();
        is_other.then(|| lines.join("\n"))
    }
}

/// Whether a quoted line is a shown one with other marks.
fn is_same_but_marks(shown: &str, quoted: &str) -> bool {
    let mut parts = parts_around_marks(shown.trim());
    let letters = parts.concat();
    let (Some(last), quoted) = (parts.pop(), quoted.trim()) else {
        return false;
    };
    let Some((first, middle)) = parts.split_first() else {
        return false;
    };
    let Some(mut rest) = quoted
        .strip_prefix(first)
        .and_then(|rest| rest.strip_suffix(last))
    else {
        return false;
    };
    let is_mark = |mark: &str| mark.chars().count() <= MAX_MARK_CHARS;
    for part in middle {
        let Some(at) = rest.find(part).filter(|at| is_mark(&rest[..*at])) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    is_mark(rest) && letters.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_LETTERS
}

/// What of a shown line stands before, between and behind its marks.
fn parts_around_marks(line: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), line);
    while let Some((before, behind)) = rest.split_once(PLACEHOLDER) {
        parts.push(before);
        rest = behind.split_once(']').map_or("", |(_, behind)| behind);
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever stands in the place of hidden values, the rest of the line tells which one it is; and a line whose rest
        /// differs is another one.
        #[test]
        fn any_mark_stands_for_a_hidden_value(
            mark in prop::sample::select(vec![
                "[REDACTED]", "[redacted]", "***", "<redacted>", "…", "...", "[redacted: token]", "redacted: secret", "xxxx", "",
            ]),
            before in "[a-z]{6,12}\\(token='",
            behind in "'\\); [a-z]{4,9}\\([a-z]\\)",
            twice in any::<bool>(),
        ) {
            let line = |mark: &str| match twice {
                true => format!("{before}{mark}', key='{mark}{behind}"),
                false => format!("{before}{mark}{behind}"),
            };
            let shown = format!("    {}", line("[redacted: secret]"));
            prop_assert!(is_same_but_marks(&shown, &line(mark)));
            let other = format!("{}!", line(mark));
            prop_assert!(!is_same_but_marks(&shown, &other));
            let long = "a value ".repeat(8);
            prop_assert!(!is_same_but_marks(&shown, &line(&long)));
        }
    }

    #[test]
    fn little_around_a_value_names_no_line() {
        assert!(!is_same_but_marks(
            "k = '[redacted: secret]'",
            "k = 'total / 0'"
        ));
    }
}
