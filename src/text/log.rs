//! GitHub's log commands: `::error file=…,line=…::message`.

use super::visible;

/// The part behind the second `::`.
pub(super) fn escape_message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push_str("%0A");
        }
        out.push_str(&visible::code_line(line).replace('%', "%25"));
    }
    out
}

/// The value of a property.
pub(super) fn escape_property(text: &str) -> String {
    visible::visible_name(text)
        .replace('%', "%25")
        .replace(':', "%3A")
        .replace(',', "%2C")
}
