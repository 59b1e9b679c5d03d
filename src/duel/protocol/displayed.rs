//! What of a statement is shown as it is written.

use std::borrow::Cow;

/// A text without its code in backticks; where those are not certain, the whole text.
pub(super) fn outside_code(text: &str) -> Cow<'_, str> {
    let parts: Vec<&str> = text.split('`').collect();
    // An escaped backtick begins no code, and one without another ends none.
    if parts.len() == 1 || parts.len().is_multiple_of(2) || text.contains("\\`") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(parts.into_iter().step_by(2).collect::<Vec<_>>().join(" x "))
}
