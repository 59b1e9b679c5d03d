//! Prose of a judge, taken apart where it has lines of its own: paragraphs, points of a list, code between fences.
//!
//! What comes out is as untrusted as what went in.

/// A piece of prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Passage<'a> {
    /// Lines that belong together.
    Words(String),
    /// A point of a list, with the mark before it: `-`, or `2.`.
    Point { mark: String, words: String },
    /// Lines between fences, and the language that the first of these names.
    Code { info: &'a str, lines: Vec<&'a str> },
}

/// The pieces in their order. Prose without line breaks is one piece, whatever is in it.
pub(crate) fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut found: Vec<Passage<'_>> = Vec::new();
    let mut is_open = false;
    let mut lines = text.trim().lines();
    if lines.clone().nth(1).is_none() {
        return vec![Passage::Words(text.to_owned())];
    }
    while let Some(line) = lines.next() {
        let words = line.trim();
        if let Some((fence, info)) = opening_fence(words) {
            let inside = lines.by_ref();
            let inside: Vec<&str> = inside.take_while(|line| !closes(line, fence)).collect();
            let lines = without_common_indent(inside);
            found.push(Passage::Code { info, lines });
            is_open = false;
        } else if words.is_empty() {
            is_open = false;
        } else if let Some((mark, words)) = list_point(words) {
            let (mark, words) = (mark.to_owned(), words.to_owned());
            found.push(Passage::Point { mark, words });
            is_open = true;
        } else {
            match found.last_mut().filter(|_| is_open) {
                Some(Passage::Words(before) | Passage::Point { words: before, .. }) => {
                    before.push(' ');
                    before.push_str(words);
                }
                _ => found.push(Passage::Words(words.to_owned())),
            }
            is_open = true;
        }
    }
    found
}

/// The fence that begins a block of code, and the language behind it.
fn opening_fence(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|c| ['`', '~'].contains(c))?;
    let info = line.trim_start_matches(mark);
    let fence = &line[..line.len() - info.len()];
    // With another mark behind it, it is code within a sentence.
    (fence.len() >= 3 && !info.contains('`')).then(|| (fence, info.trim()))
}

/// Whether a line ends the block that `fence` began.
fn closes(line: &str, fence: &str) -> bool {
    let line = line.trim();
    line.len() >= fence.len() && line.starts_with(fence) && line.chars().all(|c| fence.contains(c))
}

/// A fence in a list is indented, and its code with it.
fn without_common_indent<'a>(lines: Vec<&'a str>) -> Vec<&'a str> {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start_matches(' ').len());
    let common = indent.min().unwrap_or(0);
    let cut = |line: &'a str| line.get(common..).unwrap_or_default();
    lines.into_iter().map(cut).collect()
}

/// The mark of a list's point, and what stands behind it.
fn list_point(line: &str) -> Option<(&str, &str)> {
    const MAX_DIGITS: usize = 3;
    let (mark, words) = line.split_once(' ')?;
    let digits = mark.strip_suffix(['.', ')']).unwrap_or_default();
    let is_number =
        (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    match mark {
        "-" | "*" | "+" | "•" => Some(("-", words.trim())),
        _ if is_number => Some((mark, words.trim())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Passage<'_> {
        Passage::Words(text.to_owned())
    }

    fn point<'a>(mark: &str, words: &str) -> Passage<'a> {
        let (mark, words) = (mark.to_owned(), words.to_owned());
        Passage::Point { mark, words }
    }

    #[test]
    fn paragraphs_points_and_code_are_told_apart() {
        let text = "Two things\ngo wrong:\n\n- the handle\n  leaks\n* a lock stays\n2. third\n\nSo:\n\n  ```python\n  if p:\n\n      read(p)\n  ```\nThen close it.";
        let lines = vec!["if p:", "", "    read(p)"];
        assert_eq!(
            passages(text),
            [
                words("Two things go wrong:"),
                point("-", "the handle leaks"),
                point("-", "a lock stays"),
                point("2.", "third"),
                words("So:"),
                Passage::Code {
                    info: "python",
                    lines
                },
                words("Then close it."),
            ]
        );
    }

    #[test]
    fn a_fence_that_is_never_closed_ends_with_the_text() {
        let lines = vec!["a", "``", "b"];
        assert_eq!(
            passages("````\na\n``\nb"),
            [Passage::Code { info: "", lines }]
        );
    }

    proptest! {
        /// Nothing but fences, their languages, marks of lists and blanks is lost.
        #[test]
        fn no_word_is_lost(text in "([a-z]{1,3}|\n|\n\n| |- |1\\. |    |`x`){0,40}") {
            let mut left = String::new();
            for passage in passages(&text) {
                match passage {
                    Passage::Words(words) => left.push_str(&words),
                    Passage::Point { mark, words } => left.extend([mark, words]),
                    Passage::Code { lines, .. } => left.extend(lines),
                }
            }
            let letters = |text: &str| text.replace(char::is_whitespace, "");
            prop_assert_eq!(letters(&left), letters(&text));
        }

        /// Prose on one line is what it was.
        #[test]
        fn one_line_is_one_piece(text in "[a-z`\\-*1. ]{0,40}") {
            prop_assert_eq!(passages(&text), [words(&text)]);
        }
    }
}
