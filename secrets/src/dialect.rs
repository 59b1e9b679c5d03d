//! Patterns in Go's dialect, in which gitleaks configurations are written.

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// The most bytes of one compiled pattern: gitleaks' own largest one needs about a tenth.
const MAX_COMPILED_BYTES: usize = 64 << 20;

/// Compiles a pattern that was written for Go.
pub(crate) fn compile_pattern(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&translate_pattern(pattern))
        .size_limit(MAX_COMPILED_BYTES)
        .build()
}

/// Compiles patterns of which any may match.
pub(crate) fn compile_set(patterns: &[String]) -> Result<RegexSet, regex::Error> {
    RegexSetBuilder::new(patterns.iter().map(|text| translate_pattern(text)))
        .size_limit(MAX_COMPILED_BYTES)
        .build()
}

/// The same pattern for the `regex` crate. In Go, classes such as `\w` and `\b` are ASCII, a brace that begins no
/// repetition stands for itself, and so does a bracket inside of a class.
pub(crate) fn translate_pattern(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\\' => push_escape(&mut out, rest),
            '[' if !in_class => {
                in_class = true;
                push_class_start(&mut out, rest)
            }
            ']' if in_class => {
                in_class = false;
                push_text(&mut out, "]")
            }
            '[' => push_class_member(&mut out, rest),
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(c);
                1
            }
            '{' if !in_class => push_brace(&mut out, rest),
            _ => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

fn push_text(out: &mut String, text: &str) -> usize {
    out.push_str(text);
    text.len()
}

fn push_escape(out: &mut String, rest: &str) -> usize {
    let Some(c) = rest[1..].chars().next() else {
        return push_text(out, rest);
    };
    let ascii = match c {
        'w' => "[0-9A-Za-z_]",
        'd' => "[0-9]",
        's' => r"[\t\n\x0c\r\x20]",
        'W' => "[^0-9A-Za-z_]",
        'D' => "[^0-9]",
        'S' => r"[^\t\n\x0c\r\x20]",
        'b' => r"(?-u:\b)",
        _ => {
            // `\p{Greek}`, `\x{41}`: the braces belong to the escape.
            let braced = matches!(c, 'p' | 'P' | 'x') && rest[2..].starts_with('{');
            let end = rest.find('}').filter(|_| braced).map(|at| at + 1);
            return push_text(out, &rest[..end.unwrap_or(1 + c.len_utf8())]);
        }
    };
    out.push_str(ascii);
    2
}

fn push_class_start(out: &mut String, rest: &str) -> usize {
    let start = if rest.starts_with("[^") { "[^" } else { "[" };
    out.push_str(start);
    // A bracket that comes first does not end the class.
    if rest[start.len()..].starts_with(']') {
        out.push_str(r"\]");
        return start.len() + 1;
    }
    start.len()
}

/// A bracket inside of a class: a named class, or itself.
fn push_class_member(out: &mut String, rest: &str) -> usize {
    let named = rest
        .strip_prefix("[:")
        .and_then(|inner| inner.find(":]"))
        .map(|at| at + 4);
    match named {
        Some(end) => push_text(out, &rest[..end]),
        None => {
            out.push_str(r"\[");
            1
        }
    }
}

fn push_brace(out: &mut String, rest: &str) -> usize {
    let inner = rest[1..].split_once('}').map_or("", |(inner, _)| inner);
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !least.is_empty() && is_number(least) && is_number(most) {
        return push_text(out, &rest[..inner.len() + 2]);
    }
    out.push_str(r"\{");
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_brackets_stand_for_themselves_where_go_takes_them_so() {
        for (go, rust) in [
            (r"\$?{{[^}]+}}", r"\$?\{\{[^}]+}}"),
            (r"a{2}b{3,}c{4,5}d{x}", r"a{2}b{3,}c{4,5}d\{x}"),
            (r"\p{L}\x{41}[{]\{", r"\p{L}\x{41}[{]\{"),
            (r"[]{[:alpha:]{]{", r"[\]{[:alpha:]{]\{"),
            (r"[^]a[b]&", r"[^\]a\[b]&"),
            (r"[a&&b~~c]", r"[a\&\&b\~\~c]"),
        ] {
            assert_eq!(translate_pattern(go), rust);
            assert!(Regex::new(rust).is_ok(), "{rust}");
        }
    }

    #[test]
    fn classes_are_ascii_and_negations_are_whole_characters() {
        let is_match = |pattern: &str, text: &str| compile_pattern(pattern).unwrap().is_match(text);
        assert!(is_match(r"^\bx\w\d\s[\w-]+$", "xa1 b-c"));
        assert!(!is_match(r"^\w$", "ä"));
        assert!(is_match(r"^[^\w]$", "ä"));
        assert!(is_match(r"^[\s\S]$", "ä"));
    }
}
