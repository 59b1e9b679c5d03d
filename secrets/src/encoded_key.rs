//! Private keys that are not written as such: base64 around a key, a key without its frame, a dump of its numbers.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// What a placeholder names them.
pub(crate) const KIND: &str = "private-key";

/// The shortest run of base64 that may hold a key: Ed25519 without its frame has 64 signs.
const MIN_RUN: usize = 60;

/// The secret number of a curve of 256 bits has 43 signs.
pub(crate) const MIN_NUMBER: usize = 42;

/// `-----BEGIN ` in base64, for each of the places at which a group of three bytes may begin.
const FRAMES: [&str; 3] = ["LS0tLS1CRUdJTi", "0tLS0tQkVHSU4g", "tLS0tLUJFR0lOI"];

/// How `openssl … -text` calls the secret numbers of a key.
pub(crate) const NUMBERS: [&str; 7] = [
    "privateExponent:",
    "prime1:",
    "prime2:",
    "exponent1:",
    "exponent2:",
    "coefficient:",
    "priv:",
];

/// How base64 begins the keys that have no frame.
const BARE_BEGINS: [&str; 5] = ["MC4", "MHc", "MIG", "MII", "b3BlbnNzaC1rZXkt"];

/// How OpenSSH begins a private key, whatever it is encrypted with.
const OPENSSH_BEGIN: &[u8] = b"openssh-key-v1\0";

/// Where keys stand in a line that base64 hides, each with all of its run.
pub fn encoded_keys(line: &str) -> Vec<Range<usize>> {
    if line.len() < MIN_NUMBER {
        return Vec::new();
    }
    let is_key = |run: &Range<usize>| {
        let is_long = run.len() >= MIN_RUN;
        (is_long && holds_key(&line.as_bytes()[run.clone()])) || is_named_number(line, run)
    };
    base64_runs(line, MIN_NUMBER).filter(is_key).collect()
}

/// How a JSON Web Key and XML name the secret numbers of a key.
const WEB_NAMES: [&str; 6] = ["d", "p", "q", "dp", "dq", "qi"];
const XML_NAMES: [&str; 6] = ["D", "P", "Q", "DP", "DQ", "InverseQ"];

/// Whether a run of base64 is such a number. Public ones have other names, or are shorter.
fn is_named_number(line: &str, run: &Range<usize>) -> bool {
    let (before, number) = (&line[..run.start], &line[run.clone()]);
    let is_drawn = number.bytes().any(|b| b.is_ascii_digit())
        && number.bytes().any(|b| b.is_ascii_uppercase())
        && number.bytes().any(|b| b.is_ascii_lowercase());
    if !is_drawn {
        return false;
    }
    let quote = |c: char| matches!(c, '"' | '\'' | '`');
    if let Some(tag) = before.strip_suffix('>') {
        let name = tag.rsplit('<').next().unwrap_or_default();
        return number.len() >= MIN_RUN && XML_NAMES.contains(&name);
    }
    let Some(before) = before.strip_suffix(quote) else {
        return false;
    };
    let before = before.trim_end_matches([' ', '\t', '\\']);
    let Some(before) = before
        .strip_suffix([':', '='])
        .or_else(|| before.strip_suffix("=>"))
    else {
        return false;
    };
    let before = before.trim_end_matches(|c: char| c == ' ' || c == '\\' || quote(c));
    let name_start = before.len()
        - before
            .bytes()
            .rev()
            .take_while(u8::is_ascii_alphanumeric)
            .count();
    let (rest, name) = before.split_at(name_start);
    let is_whole = !rest.ends_with(['_', '-', '.', '$']);
    // Of an elliptic curve there is only one.
    is_whole && WEB_NAMES.contains(&name) && (name == "d" || number.len() >= MIN_RUN)
}

/// Whether a line is the heading of a secret number in what `openssl … -text` prints.
pub fn heads_secret_number(line: &str) -> bool {
    let text = line.trim();
    text.ends_with(':') && NUMBERS.iter().any(|name| text.ends_with(name))
}

/// Whether a line of a text may say of the next one that it is secret: a part of such a key, or the value of a variable.
pub(crate) fn may_go_on(text: &str) -> bool {
    static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let marks = FRAMES.iter().chain(&NUMBERS).chain(&BARE_BEGINS);
        AhoCorasick::new(marks.chain(&["value"])).ok()
    });
    // Without the marks nothing is known of a text: then its lines are read one after another.
    MARKS.as_ref().is_none_or(|marks| marks.is_match(text))
}

/// What is read of a text, line after line, of keys that go on below.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum EncodedBlock {
    #[default]
    Outside,
    /// Below a line of base64 that holds the beginning of a key.
    Base64,
    /// Below the heading of a secret number.
    Number,
}

impl EncodedBlock {
    /// Whether no key goes on below the lines that were read.
    pub(crate) fn is_idle(self) -> bool {
        self == Self::Outside
    }

    /// Reads the next line: what of it is secret.
    pub(crate) fn read_line(&mut self, line: &str) -> Vec<Range<usize>> {
        let goes_on = match *self {
            Self::Outside => None,
            Self::Base64 => whole_run(line),
            Self::Number => bytes_in_hex(line),
        };
        if let Some(part) = goes_on {
            return vec![part];
        }
        let keys = encoded_keys(line);
        *self = if heads_secret_number(line) {
            Self::Number
        } else if keys.last().is_some_and(|key| goes_on_below(line, key)) {
            Self::Base64
        } else {
            Self::Outside
        };
        keys
    }
}

/// Whether a run may go on in the next line: it was broken at the end of a line, and is not padded there.
fn goes_on_below(line: &str, run: &Range<usize>) -> bool {
    const MAX_WRAPPED: usize = 200;
    let rest = line[run.end..].trim_matches(['"', '\'', '\\', '+', ',', ' ', '\r']);
    run.len() <= MAX_WRAPPED && rest.is_empty() && !line[run.clone()].ends_with('=')
}

/// The texts that base64 hides in a line, and where: a value of a Secret of Kubernetes, a file in a script.
pub(crate) fn encoded_texts(line: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    const MAX_TEXT: usize = 64 << 10;
    let is_shown = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
    base64_runs(line, MIN_TEXT).filter_map(move |run| {
        let signs = &line.as_bytes()[run.clone()];
        // Nearly everything else is no text from the first bytes on.
        if signs.len() > MAX_TEXT || !decode_base64(&signs[..12]).iter().all(is_shown) {
            return None;
        }
        let text = decode_base64(signs);
        let text = Some(text).filter(|text| text.iter().all(is_shown))?;
        Some((run, String::from_utf8(text).ok()?))
    })
}

/// A shorter run of base64 holds no token.
pub(crate) const MIN_TEXT: usize = 24;

/// The runs of signs of base64 that are long enough, their padding included.
fn base64_runs(line: &str, shortest: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            // The letter of an escape such as `\n` is no part of a key behind it.
            let is_escape = bytes[at] == b'\\' && at + 1 < bytes.len();
            at += usize::from(is_escape && matches!(bytes[at + 1], b'n' | b'r' | b't')) * 2;
            let start = at;
            while at < bytes.len() && digit(bytes[at]).is_some() {
                at += 1;
            }
            let end = at;
            while at < bytes.len() && bytes[at] == b'=' && at - end < 2 {
                at += 1;
            }
            if end - start >= shortest {
                return Some(start..at);
            }
            at = at.max(start + 1);
        }
        None
    })
}

/// A line that is one run of base64, white space and quotes aside.
fn whole_run(line: &str) -> Option<Range<usize>> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '+' | '\\');
    let start = line.len() - line.trim_start_matches(is_edge).len();
    let text = line[start..].trim_end_matches(is_edge);
    let is_run = text.len() >= 4
        && text
            .trim_end_matches('=')
            .bytes()
            .all(|byte| digit(byte).is_some());
    is_run.then_some(start..start + text.len())
}

/// A line of bytes in hexadecimal with colons between them.
fn bytes_in_hex(line: &str) -> Option<Range<usize>> {
    let text = line.trim();
    let is_hex = |byte: &str| byte.len() <= 2 && byte.bytes().all(|b| b.is_ascii_hexdigit());
    let start = line.len() - line.trim_start().len();
    let is_dump = text.len() >= 2 && text.split(':').all(is_hex);
    is_dump.then_some(start..start + text.len())
}

fn holds_key(run: &[u8]) -> bool {
    let head = decode_base64(&run[..run.len().min(96)]);
    is_key_structure(&head) || head.starts_with(OPENSSH_BEGIN) || holds_frame(run)
}

fn holds_frame(run: &[u8]) -> bool {
    let text = std::str::from_utf8(run).unwrap_or_default();
    let begins = FRAMES.iter().filter_map(|frame| text.find(frame));
    begins.into_iter().any(|at| {
        // One of four places is the first of a group of signs.
        (at..at + 4).any(|from| {
            let plain = decode_base64(&run[from..]);
            contains(&plain, b"PRIVATE KEY-----") || contains(&plain, b"PRIVATE KEY BLOCK-----")
        })
    })
}

pub(crate) fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Whether bytes begin as a private key in DER does: a sequence, version 0 or 1, and then an algorithm, the first of the
/// numbers, or the key itself. Certificates and public keys have no version of that value there.
pub(crate) fn is_key_structure(der: &[u8]) -> bool {
    let body = match der {
        [0x30, 0x82, _, _, body @ ..] => body,
        [0x30, 0x81, _, body @ ..] => body,
        [0x30, length, body @ ..] if *length < 0x80 => body,
        _ => return false,
    };
    match body {
        // PKCS #8: an algorithm by its identifier.
        [0x02, 0x01, 0..=1, 0x30, _, 0x06, ..] => true,
        // PKCS #1: a modulus of 512 bits and more.
        [0x02, 0x01, 0..=1, 0x02, 0x81 | 0x82, ..] => true,
        [0x02, 0x01, 0..=1, 0x02, 0x40..=0x7f, ..] => true,
        // SEC 1: the key of a curve.
        [0x02, 0x01, 0x01, 0x04, 0x14..=0x42, ..] => true,
        _ => false,
    }
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// Whether a file of these bytes is nothing but a private key in DER.
pub fn is_private_key(der: &[u8]) -> bool {
    let length = match der {
        [0x30, 0x82, high, low, ..] => 4 + usize::from(u16::from_be_bytes([*high, *low])),
        [0x30, 0x81, length, ..] => 3 + usize::from(*length),
        [0x30, length, ..] => 2 + usize::from(*length),
        _ => return false,
    };
    length == der.len() && is_key_structure(der)
}

pub(crate) fn decode_base64(text: &[u8]) -> Vec<u8> {
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for digit in text.iter().map_while(|&byte| digit(byte)) {
        (bits, held) = ((bits << 6 | u32::from(digit)) & 0xffff, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    #[test]
    fn the_numbers_of_a_key_are_secret_under_the_names_that_formats_give_them() {
        let short = "aB3dE6gH9kLmN0pQ-_rS2tU5vW8xY1zA4bC7dF0gH3j";
        let long = format!("{short}{short}");
        for line in [
            format!("{{\"kty\":\"EC\",\"d\":\"{short}\"}}"),
            format!("  d: '{short}',"),
            format!("  \"dp\" : \"{long}\","),
            format!("\\\"d\\\":\\\"{short}\\\""),
            format!("<D>{}</D>", long.replace(['-', '_'], "/")),
            format!("<InverseQ>{}==</InverseQ>", long.replace(['-', '_'], "/")),
        ] {
            assert_eq!(encoded_keys(&line).len(), 1, "{line}");
        }
        for line in [
            format!("\"n\":\"{long}\",\"e\":\"AQAB\""),
            format!("\"x\": \"{short}\""),
            format!("id: \"{long}\""),
            format!("\"p\": \"{short}\""),
            format!("<Modulus>{}</Modulus>", long.replace(['-', '_'], "/")),
            format!("\"d\": \"{}\"", "a".repeat(60)),
        ] {
            assert!(encoded_keys(&line).is_empty(), "{line}");
        }
    }

    use std::slice::from_ref;

    use super::*;

    pub(crate) fn encode(bytes: &[u8]) -> String {
        const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let group = |group: &[u8]| {
            let sum = (0..3).fold(0_u32, |sum, at| {
                sum << 8 | u32::from(*group.get(at).unwrap_or(&0))
            });
            let signs = (0..=group.len()).map(|at| SIGNS[(sum >> (18 - 6 * at) & 63) as usize]);
            let mut text: Vec<char> = signs.map(char::from).collect();
            text.resize(4, '=');
            text
        };
        bytes.chunks(3).flat_map(group).collect()
    }

    fn framed(kind: &str, body: &str) -> String {
        format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n")
    }

    #[test]
    fn keys_without_their_frame_are_known() {
        let body = "aB3dE6gH9kLmN0pQ".repeat(8);
        for begin in [
            "MC4CAQAwBQYDK2VwBCIEI",
            "MHcCAQEEI",
            "MIGkAgEBBDB",
            "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
            "MIIEpAIBAAKCAQEA3",
            "MIICXAIBAAKBgQC",
            "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB",
        ] {
            let line = format!("client-key-data: {begin}{body}");
            assert_eq!(encoded_keys(&line), from_ref(&(17..line.len())), "{line}");
        }
        for other in [
            "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa",
            "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
            "MIIBCgKCAQEA",
            "iVBORw0KGgoAAAANSUhEUgAA",
        ] {
            assert!(
                encoded_keys(&format!("{other}{body}")).is_empty(),
                "{other}"
            );
        }
        let certificate = encode(framed("CERTIFICATE", &body).as_bytes());
        assert!(encoded_keys(&certificate).is_empty());
    }

    #[test]
    fn a_key_goes_on_below_its_first_line() {
        let text = encode(framed("PRI\u{56}ATE KEY", &"aB3dE6gH9kLmN0pQ".repeat(5)).as_bytes());
        let mut block = EncodedBlock::default();
        for line in text.as_bytes().chunks(70) {
            let line = std::str::from_utf8(line).unwrap();
            assert_eq!(block.read_line(line), from_ref(&(0..line.len())), "{line}");
        }
        assert!(block.read_line("another: line").is_empty());
    }

    /// Lines of other texts are read in any order.
    #[test]
    fn a_text_whose_lines_are_one_is_known() {
        let key = "aB3dE6gH9kLmN0pQ".repeat(4);
        for text in [
            encode(framed("PRI\u{56}ATE KEY", &key).as_bytes()),
            format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7{key}"),
            format!("MC4CAQAwBQYDK2VwBCIEI{key}"),
            "priv:\n    00:e1".to_owned(),
            "- name: DB_PASSWORD\n  value: x".to_owned(),
        ] {
            assert!(may_go_on(&text), "{text}");
        }
        assert!(!may_go_on("fn main() {\n    run();\n}\n"));
    }

    #[test]
    fn the_numbers_of_a_dump_are_secret() {
        let mut block = EncodedBlock::default();
        let dump = [
            ("modulus:", false),
            ("    00:bb:54:95", false),
            ("privateExponent:", false),
            ("    7a:1b:00:", true),
            ("    cd:ef", true),
            ("prime1:", false),
            ("    00:e1:02", true),
            ("end", false),
            ("    00:e1:02", false),
        ];
        for (line, is_secret) in dump {
            assert_eq!(!block.read_line(line).is_empty(), is_secret, "{line}");
        }
    }

    proptest! {
        /// Whatever stands before it in the same run, and whoever wrote it.
        #[test]
        fn base64_hides_no_key(
            before in proptest::collection::vec(any::<u8>(), 0..40),
            kind in prop::sample::select(vec!["PRI\u{56}ATE KEY", "EC PRI\u{56}ATE KEY", "OPENSSH PRI\u{56}ATE KEY"]),
            body in "[A-Za-z0-9+/]{40,200}",
            name in prop::sample::select(vec!["", "key: ", "KEY=", "\"tls.key\": \""]),
        ) {
            let whole = [&before[..], framed(kind, &body).as_bytes()].concat();
            let text = encode(&whole);
            let line = format!("{name}{text}");
            let value = name.len()..line.len();
            prop_assert_eq!(encoded_keys(&line), from_ref(&value), "{}", line);
        }

        #[test]
        fn any_line_is_read(lines in proptest::collection::vec(".{0,200}", 0..8)) {
            let mut block = EncodedBlock::default();
            for line in &lines {
                for part in block.read_line(line) {
                    prop_assert!(line.get(part.clone()).is_some(), "{} {:?}", line, part);
                }
            }
        }
    }
}
