//! Characters that nobody sees, written out for judges that read text.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Characters that a reader cannot see, or that change the order of what it sees, as their code points (`<U+202E>`):
/// instructions hidden in tag characters, Trojan Source. Joiners of emoji stay. For readers that take everything
/// literally, so in a form that no source code has.
pub(crate) fn mark_hidden(text: Cow<'_, str>) -> Cow<'_, str> {
    // At the end of a line it belongs to the end. Within one it is the end for some readers, so that what stands behind it
    // looks like a line of the file.
    let is_lone = |at: usize| !matches!(text.as_bytes().get(at + 1), None | Some(b'\n'));
    let is_written_out = |c: char| c == '\r' || c != '\n' && is_marked(c);
    let mut found = text
        .match_indices(is_written_out)
        .filter(|(at, c)| *c != "\r" || is_lone(*at))
        .peekable();
    // Text of many megabytes is not copied for characters that it does not have.
    if found.peek().is_none() {
        drop(found);
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut end = 0;
    for (at, c) in found {
        out.push_str(&text[end..at]);
        end = at + c.len();
        // Writing to a string cannot fail.
        let _ = c
            .chars()
            .try_for_each(|c| write!(out, "<U+{:04X}>", u32::from(c)));
    }
    out.push_str(&text[end..]);
    out.into()
}

/// Whether [`mark_hidden`] writes a character out wherever it stands, where it is not a newline: that is left to whoever
/// holds lines.
pub(crate) fn is_marked(c: char) -> bool {
    match c {
        '\t' | '\r' | ' '..='~' => false,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_without_hidden_characters_is_not_copied() {
        for text in ["", "x", "a\nb\r\n\tc\n", "é\n👩\u{200d}💻\n"] {
            assert!(
                matches!(mark_hidden(text.into()), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn hidden_characters_are_written_out_one_by_one(text in "(\\PC|\n|\t|\u{202e}|\u{1b}|\u{e0041}|é){0,24}") {
            let one = |c| if c != '\n' && is_marked(c) { format!("<U+{:04X}>", u32::from(c)) } else { c.to_string() };
            let plain: String = text.chars().map(one).collect();
            prop_assert_eq!(mark_hidden(Cow::Borrowed(&text)), plain.as_str());
            let again = mark_hidden(Cow::Borrowed(&plain));
            prop_assert!(matches!(again, Cow::Borrowed(_)));
        }

        /// No carriage return is left that some reader takes for the end of a line which is none, and none is lost that ends one.
        #[test]
        fn a_carriage_return_stays_at_the_end_of_a_line_alone(text in "(a|\r|\n|\u{200b}){0,16}") {
            let marked = mark_hidden(Cow::Borrowed(&text)).into_owned();
            let bytes = marked.as_bytes();
            let lone = |at: usize| bytes[at] == b'\r' && !matches!(bytes.get(at + 1), None | Some(b'\n'));
            prop_assert!(!(0..bytes.len()).any(lone), "{marked:?}");
            let back = marked.replace("<U+000D>", "\r").replace("<U+200B>", "\u{200b}");
            prop_assert_eq!(back, text);
        }
    }
}
