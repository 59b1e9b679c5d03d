//! Private keys whose bytes are spelled out one by one: `0x2d, 0x2d`, `\x30\x82`, `45, 45`, `2d2d2d`, as arrays of firmware
//! and dumps have them.

use std::ops::Range;
use std::sync::LazyLock;

use crate::encoded_key::{contains, is_key_structure};
use crate::word_finder::WordFinder;

/// How a key may begin, in each of the spellings: five dashes, or a sequence in DER.
const BEGINS: [(&str, Spelling); 36] = [
    ("0x2d, 0x2d", Spelling::Prefixed),
    ("0x2d,0x2d", Spelling::Prefixed),
    ("0x30, 0x8", Spelling::Prefixed),
    ("0x30,0x8", Spelling::Prefixed),
    ("0x30, 0x2e", Spelling::Prefixed),
    ("0x30,0x2e", Spelling::Prefixed),
    ("0x30, 0x77", Spelling::Prefixed),
    ("0x30,0x77", Spelling::Prefixed),
    ("\\x2d\\x2d", Spelling::Escaped),
    ("\\x30\\x8", Spelling::Escaped),
    ("\\x30\\x2e", Spelling::Escaped),
    ("\\x30\\x77", Spelling::Escaped),
    ("45, 45", Spelling::Decimal),
    ("45,45", Spelling::Decimal),
    ("48, 13", Spelling::Decimal),
    ("48,13", Spelling::Decimal),
    ("48, 46, 2", Spelling::Decimal),
    ("48,46,2", Spelling::Decimal),
    ("48, 119, 2", Spelling::Decimal),
    ("48,119,2", Spelling::Decimal),
    ("2d2d2d2d2d", Spelling::Plain),
    ("2d2d 2d2d", Spelling::Plain),
    ("2d 2d 2d", Spelling::Plain),
    ("2d:2d:2d", Spelling::Plain),
    ("3081", Spelling::Plain),
    ("3082", Spelling::Plain),
    ("30 81", Spelling::Plain),
    ("30 82", Spelling::Plain),
    ("30:81", Spelling::Plain),
    ("30:82", Spelling::Plain),
    ("30:2e:02:01", Spelling::Plain),
    ("30:77:02:01", Spelling::Plain),
    ("302e0201", Spelling::Plain),
    ("30 2e 02 01", Spelling::Plain),
    ("30770201", Spelling::Plain),
    ("30 77 02 01", Spelling::Plain),
];

/// As many bytes say what begins there.
const MAX_HEAD: usize = 64;

/// As many lines are looked at for as many bytes.
const MAX_HEAD_LINES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// `0x2d`
    Prefixed,
    /// `\x2d`
    Escaped,
    /// `45`
    Decimal,
    /// `2d`
    Plain,
}

static MARKS: LazyLock<Option<WordFinder>> =
    LazyLock::new(|| WordFinder::new(spelled_marks()).ok());

/// How such a key may begin.
pub(crate) fn spelled_marks() -> impl Iterator<Item = &'static str> {
    BEGINS.iter().map(|(mark, _)| *mark)
}

/// Whether a key may begin in a text of many lines.
pub(crate) fn may_spell_key(text: &str) -> bool {
    MARKS
        .as_ref()
        .is_none_or(|marks| marks.for_text(text).is_match(text))
}

/// Whether a line begins a private key that is spelled byte by byte; `below` are the lines that follow.
pub fn begins_spelled_key<'l>(line: &str, below: impl IntoIterator<Item = &'l str>) -> bool {
    let mut reader = SpelledKey::default();
    if reader.read_line(line).is_some() {
        return true;
    }
    let mut below = below.into_iter().take(MAX_HEAD_LINES);
    while reader.is_undecided() {
        match below.next() {
            Some(line) if reader.read_line(line).is_some() => return true,
            Some(_) => {}
            None => return false,
        }
    }
    false
}

/// What is read of such a key, line after line.
#[derive(Debug, Clone, Default)]
pub(crate) enum SpelledKey {
    #[default]
    Outside,
    /// Behind bytes of which nobody can tell yet what they begin.
    Head(HeadBytes),
    /// Behind those of a private key.
    Body(SpellingOfBody),
}

#[derive(Debug, Clone)]
pub(crate) struct HeadBytes {
    spelling: Spelling,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SpellingOfBody(Spelling);

impl SpelledKey {
    /// Whether nothing of a key was read in the lines above.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self, Self::Outside)
    }

    fn is_undecided(&self) -> bool {
        matches!(self, Self::Head(_))
    }

    /// Reads the next line: what of it is secret.
    pub(crate) fn read_line(&mut self, line: &str) -> Option<Range<usize>> {
        match std::mem::take(self) {
            Self::Outside => self.find_head(line),
            Self::Head(mut head) => {
                let Some((bytes, range)) = continued(line, head.spelling) else {
                    return self.find_head(line);
                };
                head.bytes.extend(bytes);
                self.decide(head, range)
            }
            Self::Body(body) => match continued(line, body.0) {
                Some((_, range)) => {
                    *self = Self::Body(body);
                    Some(range)
                }
                None => self.find_head(line),
            },
        }
    }

    fn find_head(&mut self, line: &str) -> Option<Range<usize>> {
        let marks = MARKS.as_ref()?.for_text(line);
        let mut end = 0;
        for mark in marks.find_iter(line) {
            // A mark within what was read is no other beginning.
            if mark.start() < end {
                continue;
            }
            let spelling = BEGINS[mark.pattern().as_usize()].1;
            let (bytes, range) = read_bytes(line, mark.start(), spelling);
            end = range.end;
            let secret = self.decide(HeadBytes { spelling, bytes }, range);
            if secret.is_some() || (self.is_undecided() && is_edge(&line[end..])) {
                return secret;
            }
            *self = Self::Outside;
        }
        None
    }

    fn decide(&mut self, mut head: HeadBytes, range: Range<usize>) -> Option<Range<usize>> {
        head.bytes.truncate(MAX_HEAD);
        let is_framed = head
            .bytes
            .starts_with(b"-----BEGIN ".get(..head.bytes.len().min(11))?);
        if is_key_structure(&head.bytes) || (is_framed && contains(&head.bytes, b"PRIVATE KEY")) {
            *self = Self::Body(SpellingOfBody(head.spelling));
            return Some(range);
        }
        if head.bytes.len() < MAX_HEAD && (is_framed || head.bytes.len() < 16) {
            *self = Self::Head(head);
        }
        None
    }
}

/// The bytes of a line that goes on with a list of them.
fn continued(line: &str, spelling: Spelling) -> Option<(Vec<u8>, Range<usize>)> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || "\"'{[(".contains(c));
    let mut start = line.len() - text.len();
    // A dump begins with the place of its bytes.
    let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    let is_place = spelling == Spelling::Plain && digits >= 7;
    if is_place && (text[digits..].starts_with(':') || text[digits..].starts_with("  ")) {
        start += digits + 1;
    }
    let (bytes, range) = read_bytes(line, start, spelling);
    (!bytes.is_empty()).then_some((bytes, range))
}

/// Bytes, from a place on; of a long list the first ones.
fn read_bytes(line: &str, from: usize, spelling: Spelling) -> (Vec<u8>, Range<usize>) {
    let text = line.as_bytes();
    let (mut at, mut end, mut bytes) = (from, from, Vec::new());
    while let Some((byte, next)) = next_byte(text, at, spelling) {
        if bytes.len() < MAX_HEAD {
            bytes.push(byte);
        }
        end = next;
        at = next + between(&text[next..]);
    }
    (bytes, from..end)
}

/// What stands between two bytes.
fn between(text: &[u8]) -> usize {
    text.iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b',' | b':' | b'"' | b'\'' | b'+'))
        .count()
}

fn next_byte(text: &[u8], from: usize, spelling: Spelling) -> Option<(u8, usize)> {
    let at = from + between(&text[from.min(text.len())..]);
    let hex = |at: usize| {
        let digits = std::str::from_utf8(text.get(at..at + 2)?).ok()?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex
            .then(|| u8::from_str_radix(digits, 16).ok())
            .flatten()
    };
    match spelling {
        Spelling::Prefixed => {
            let is_prefixed = matches!(text.get(at..at + 2)?, b"0x" | b"0X");
            let short = || {
                let digit = char::from(*text.get(at + 2)?).to_digit(16)?;
                Some((u8::try_from(digit).ok()?, at + 3))
            };
            let byte = hex(at + 2).map(|byte| (byte, at + 4)).or_else(short)?;
            let goes_on = text.get(byte.1).is_some_and(u8::is_ascii_hexdigit);
            (is_prefixed && !goes_on).then_some(byte)
        }
        Spelling::Escaped => {
            let is_escape = matches!(text.get(at..at + 2)?, b"\\x" | b"\\X");
            hex(at + 2).filter(|_| is_escape).map(|byte| (byte, at + 4))
        }
        Spelling::Plain => hex(at).map(|byte| (byte, at + 2)),
        Spelling::Decimal => {
            let is_below_zero = text.get(at) == Some(&b'-');
            let start = at + usize::from(is_below_zero);
            let digits = text.get(start..)?.iter().take_while(|b| b.is_ascii_digit());
            let end = start + digits.take(4).count();
            let value: u8 = std::str::from_utf8(&text[start..end]).ok()?.parse().ok()?;
            let byte = if is_below_zero {
                value.wrapping_neg()
            } else {
                value
            };
            Some((byte, end))
        }
    }
}

/// Whether nothing stands at the end of a line but what a list may have there.
fn is_edge(text: &str) -> bool {
    text.chars().all(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pem(kind: &str) -> Vec<u8> {
        let body = "aB3dE6gH9kLmN0pQ".repeat(8);
        format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n").into_bytes()
    }

    /// A key of a curve, in DER.
    fn der() -> Vec<u8> {
        let head = [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20];
        head.into_iter().chain(100..206).collect()
    }

    fn spell(bytes: &[u8], in_line: usize, one: impl Fn(u8) -> String) -> Vec<String> {
        let lines = bytes.chunks(in_line);
        lines
            .map(|line| line.iter().map(|&byte| one(byte)).collect())
            .collect()
    }

    fn spellings(bytes: &[u8], in_line: usize) -> Vec<Vec<String>> {
        vec![
            spell(bytes, in_line, |byte| format!("0x{byte:02x}, ")),
            spell(bytes, in_line, |byte| format!("0x{byte:02X},")),
            spell(bytes, in_line, |byte| format!("\\x{byte:02x}")),
            spell(bytes, in_line, |byte| format!("{byte}, ")),
            spell(bytes, in_line, |byte| format!("{byte},")),
            spell(bytes, in_line, |byte| format!("{byte:02x}")),
            spell(bytes, in_line, |byte| format!("{byte:02x} ")),
            spell(bytes, in_line, |byte| format!("{byte:02X}:")),
        ]
    }

    #[test]
    fn however_the_bytes_of_a_key_are_spelled_it_is_one() {
        for bytes in [pem("RSA PRI\u{56}ATE KEY"), pem("PRI\u{56}ATE KEY"), der()] {
            for in_line in [12, 16, 1_000] {
                for lines in spellings(&bytes, in_line) {
                    let mut reader = SpelledKey::default();
                    assert!(reader.read_line("static const char key[] = {").is_none());
                    let framed: Vec<String> =
                        lines.iter().map(|line| format!("  \"{line}\"")).collect();
                    let rest = framed[1..].iter().map(String::as_str);
                    assert!(begins_spelled_key(&framed[0], rest), "{}", framed[0]);
                    let text = framed.join("\n");
                    assert!(may_spell_key(&text), "{text}");
                    // What says whose it is, is no secret yet.
                    let told: Vec<bool> = framed
                        .iter()
                        .map(|line| reader.read_line(line).is_some())
                        .collect();
                    let first = told.iter().position(|told| *told).unwrap();
                    assert!(
                        first * in_line < 36 && told[first..].iter().all(|told| *told),
                        "{text}"
                    );
                    assert!(
                        reader.read_line("};").is_none() && reader.read_line("45, 46").is_none()
                    );
                }
            }
        }
    }

    #[test]
    fn other_bytes_are_none() {
        let public = [0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09].repeat(30);
        for bytes in [pem("CERTIFICATE"), pem("PUBLIC KEY"), public, vec![45; 200]] {
            for lines in spellings(&bytes, 12) {
                let mut reader = SpelledKey::default();
                assert!(
                    lines.iter().all(|line| reader.read_line(line).is_none()),
                    "{lines:?}"
                );
                assert!(!begins_spelled_key(
                    &lines[0],
                    lines[1..].iter().map(String::as_str)
                ));
            }
        }
    }
}
