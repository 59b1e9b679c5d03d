//! Regular expressions as constants: compiled at first use, which most runs never come to.

/// `pattern!(NAME, r"…")`: a private static regular expression.
macro_rules! pattern {
    ($(#[doc = $doc:expr])* $name:ident, $text:expr) => {
        $(#[doc = $doc])*
        static $name: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
            regex::Regex::new($text).expect("a constant pattern compiles")
        });
    };
}

pub(crate) use pattern;
