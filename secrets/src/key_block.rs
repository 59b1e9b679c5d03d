//! Lines of private keys, and lines that are nothing but base64.

use std::ops::Range;

/// Where a reader of private keys stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum KeyBlock {
    #[default]
    Outside,
    /// After `-----BEGIN … PRIVATE KEY-----`.
    Header,
    /// After at least one line of the key itself.
    Body,
}

/// What stands for a line of a key that was redacted before.
const REDACTED: &str = "[redacted: private-key]";

/// What stands in the head of a key before its body.
const HEADERS: [&str; 10] = [
    "Proc-Type:",
    "DEK-Info:",
    "Version:",
    "Comment:",
    "Encryption:",
    "Public-Lines:",
    "Private-Lines:",
    "Private-MAC:",
    "Key-Derivation:",
    "Argon2-",
];

impl KeyBlock {
    /// Reads the next line of a text. Where it is one of a key, or of base64: its kind, and what of the line is secret.
    pub(crate) fn read_line(
        &mut self,
        line: &str,
        holds_secrets: bool,
    ) -> Option<(&'static str, Range<usize>)> {
        if *self == Self::Outside {
            if begins_key(line, holds_secrets) {
                let closed = line.contains("-----END ");
                *self = if closed { Self::Outside } else { Self::Header };
                return None;
            }
            let body = bare_range(line);
            let text = &line[body.clone()];
            let is_token = holds_secrets && is_token_line(text);
            return (is_token || is_base64_line(text)).then_some(("base64", body));
        }
        let body = bare_range(line);
        let text = &line[body.clone()];
        let shortest = if *self == Self::Body { 4 } else { 16 };
        if text.len() >= shortest && text.bytes().all(is_base64) {
            *self = Self::Body;
            return Some(("private-key", body));
        }
        if text.starts_with(REDACTED) {
            *self = Self::Body;
        } else if !is_header(text) {
            *self = Self::Outside;
        }
        None
    }
}

fn begins_key(line: &str, holds_secrets: bool) -> bool {
    let begins = line.contains("-----BEGIN ");
    (begins && (holds_secrets || line.contains("PRIVATE KEY")))
        || line.contains("PuTTY-User-Key-File-")
}

/// PuTTY's keys have headers between their bodies, too.
fn is_header(text: &str) -> bool {
    text.is_empty() || HEADERS.iter().any(|header| text.starts_with(header))
}

/// A line without what source code puts around a piece of a key: white space, quotes, commas, plus signs, `\n`.
fn bare_range(line: &str) -> Range<usize> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '`' | ';');
    let start = line.len() - line.trim_start_matches(is_edge).len();
    let text = line[start..].trim_end_matches(is_edge);
    let text = text.strip_suffix("\\n").unwrap_or(text);
    start..start + text.trim_end_matches(['"', '\'', ' ']).len()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a line is nothing but base64, as in the middle of a key whose head is not shown.
fn is_base64_line(body: &str) -> bool {
    body.len() >= 60
        && body.bytes().all(is_base64)
        && body.bytes().any(|b| b.is_ascii_digit())
        && body.bytes().any(|b| b.is_ascii_uppercase())
        && body.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether a line of a file that holds secrets is one of a key or a token; `NAME=` is none.
fn is_token_line(body: &str) -> bool {
    let padded = !body.ends_with('=') || body.len().is_multiple_of(4);
    let is_name = body.trim_end_matches('=').contains('=');
    body.len() >= 4 && padded && !is_name && body.bytes().all(is_base64)
}
