//! Characters that nobody sees, written out for judges that read text.

use std::borrow::Cow;

/// Characters that a reader cannot see, or that change the order of what it sees, as their code points (`<U+202E>`):
/// instructions hidden in tag characters, Trojan Source. Joiners of emoji stay. For readers that take everything
/// literally, so in a form that no source code has.
pub(crate) fn mark_hidden(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.chars().any(is_marked) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_marked(c) && c != '\n' {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out.into()
}

/// Whether [`mark_hidden`] writes a character out; a newline is left to whoever holds lines.
pub(crate) fn is_marked(c: char) -> bool {
    match c {
        '\t' | '\r' | ' '..='~' => false,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}
