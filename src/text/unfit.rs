//! Which text of a judge may be put into a file of the user's.

/// Why a text that a judge wrote has no business in a file of the user's: neither by `apply` nor by a button of a surface.
pub(crate) fn unfit_text(text: &str) -> Option<&'static str> {
    let is_odd = |c: char| !matches!(c, '\n' | '\t') && (c.is_control() || super::is_marked(c));
    if text.contains("[redacted: ") {
        return Some("a secret of it was redacted, and the placeholder would stand in its place");
    }
    let odd = text.replace("\r\n", "\n").chars().any(is_odd);
    odd.then_some("it holds control, bidirectional or invisible characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_could_see_has_no_business_in_a_file() {
        assert_eq!(unfit_text("let a = 1;\n\tb();\r\n"), None);
        for text in [
            "t = \"[redacted: github-token]\"",
            "z = 1  # \u{1b}[2J",
            "z = 1  # \u{202e}",
            "ad\u{200b}min = 1",
            "a\rb",
        ] {
            assert!(unfit_text(text).is_some(), "{text:?}");
        }
    }
}
