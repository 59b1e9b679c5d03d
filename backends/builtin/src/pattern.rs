//! Regular expressions as constants: compiled at first use, which most runs never come to.
//!
//! `\w`, `\d`, `\s` and `\b` mean ASCII here: code is mostly that, and the tables of Unicode make a pattern ten times as
//! dear to compile. Everything else, `[^…]` and `.` above all, still matches whole characters.

use regex::Regex;

/// `pattern!(NAME, r"…")`: a private static regular expression.
macro_rules! pattern {
    ($(#[doc = $doc:expr])* $name:ident, $text:expr) => {
        $(#[doc = $doc])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| crate::pattern::compile_pattern($text));
    };
}

pub(crate) use pattern;

/// Compiles a pattern that is a constant of this crate; a test compiles them all.
pub(crate) fn compile_pattern(pattern: &str) -> Regex {
    Regex::new(&narrow_to_ascii(pattern)).expect("a constant pattern compiles")
}

/// The pattern with its Perl classes narrowed to ASCII.
fn narrow_to_ascii(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match (c, if c == '\\' { rest.next() } else { None }) {
            ('\\', Some('w')) => out.push_str("[0-9A-Za-z_]"),
            ('\\', Some('d')) => out.push_str("[0-9]"),
            ('\\', Some('s')) => out.push_str(r"[\t\n\x0b\x0c\r\x20]"),
            ('\\', Some('W')) => out.push_str("[^0-9A-Za-z_]"),
            ('\\', Some('S')) => out.push_str(r"[^\t\n\x0b\x0c\r\x20]"),
            ('\\', Some('b')) => out.push_str(r"(?-u:\b)"),
            ('\\', Some(other)) => out.extend(['\\', other]),
            (c, _) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii_and_negations_are_whole_characters() {
        assert!(compile_pattern(r"^\bx\w\d\s[\w-]+$").is_match("xa1 b-c"));
        assert!(!compile_pattern(r"^\w$").is_match("ä"));
        assert!(compile_pattern(r"^[^\w]$").is_match("ä"));
        assert!(compile_pattern(r"^\\w$").is_match(r"\w"));
    }

    #[test]
    fn a_space_in_a_verbose_pattern_stands_only_where_it_is_meant() {
        assert!(compile_pattern(r"(?x) a \s b").is_match("a b"));
    }
}
