//! Characters that nobody sees, written out for judges that read text.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Characters that a reader cannot see, or that change the order of what it sees, as their code points (`<U+202E>`):
/// instructions hidden in tag characters, Trojan Source. Joiners of emoji stay. For readers that take everything
/// literally, so in a form that no source code has.
pub(crate) fn mark_hidden(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_written_out = |c: char| c != '\n' && is_marked(c);
    // Text of many megabytes is not copied for characters that it does not have.
    if !text.contains(is_written_out) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut end = 0;
    for (at, c) in text.match_indices(is_written_out) {
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

/// Whether [`mark_hidden`] writes a character out where it is not a newline: that is left to whoever holds lines.
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
    }
}
