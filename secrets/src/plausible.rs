//! What tells a secret from a placeholder, a template or a plain word.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::filler::has_one_case;
use crate::matcher::PLACEHOLDER;
use crate::template::{is_template, is_variable};
use crate::word_finder::WordFinder;

/// Shannon entropy in bits per character: about 4 and more for random letters and digits, 3 and less for words.
pub fn shannon_entropy(text: &str) -> f64 {
    // Nearly all that is asked about is ASCII, and a file may hold a hundred thousand values.
    let (mut ascii, mut others) = ([0_u32; 128], HashMap::<char, u32>::new());
    for c in text.chars() {
        match ascii.get_mut(c as usize) {
            Some(count) => *count += 1,
            None => *others.entry(c).or_default() += 1,
        }
    }
    let counts = ascii.into_iter().filter(|count| *count > 0);
    let counts: Vec<f64> = counts.chain(others.into_values()).map(f64::from).collect();
    let total: f64 = counts.iter().sum();
    let mut shares: Vec<f64> = counts.iter().map(|count| count / total).collect();
    // The order of a map is drawn anew for each process; sums of floats depend on it.
    shares.sort_by(f64::total_cmp);
    -shares.iter().map(|p| p * p.log2()).sum::<f64>()
}

/// Whether a value stands for a secret rather than being one: an example, a template, a counting sequence.
pub fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 19] = [
        "example",
        "placeholder",
        "changeme",
        "change_me",
        "change-me",
        "your",
        "xxxx",
        "****",
        "....",
        "dummy",
        "fake",
        "sample",
        "redacted",
        "insert",
        "replace",
        "todo",
        "notreal",
        "secret_key_here",
        "abcdefgh",
    ];
    const SEQUENCES: [&str; 5] = ["1234567", "7654321", "0000000", "aaaaaa", "deadbeef"];
    static MARKS: LazyLock<Option<WordFinder>> = LazyLock::new(|| {
        let marks = WORDS.iter().chain(&SEQUENCES);
        WordFinder::new(marks.copied()).ok()
    });
    let mut marks = MARKS
        .iter()
        .flat_map(|marks| marks.for_text(value).find_iter(value));
    marks.any(|mark| has_one_case(&value[mark.range()])) || is_template(value)
}

/// Whether a value is written out rather than taken from somewhere, and no filler.
pub(crate) fn is_literal(value: &str) -> bool {
    const PLACES: [&str; 3] = [PLACEHOLDER, "os.environ", "process.env"];
    const FILLERS: &[&str] = &[
        "xxxx",
        "****",
        "....",
        "example",
        "changeme",
        "placeholder",
        "dummy",
    ];
    const WORDS: &[&str] = &[
        "pass", "password", "passwd", "pwd", "secret", "token", "test",
    ];
    let lower = value.to_ascii_lowercase();
    let has_filler = |filler: &&str| {
        let mut found = lower.match_indices(*filler);
        found.any(|(at, _)| has_one_case(&value[at..at + filler.len()]))
    };
    !is_template(value)
        && !is_variable(value)
        && !PLACES.iter().any(|place| value.contains(place))
        && !FILLERS.iter().any(has_filler)
        && !WORDS.contains(&lower.as_str())
}

/// A literal that is no plain word: digits or symbols beside letters, or mixed case at length.
pub(crate) fn is_mixed_literal(value: &str) -> bool {
    let (mut digits, mut upper, mut lower) = (0, 0, 0);
    for byte in value.bytes() {
        digits += usize::from(byte.is_ascii_digit());
        upper += usize::from(byte.is_ascii_uppercase());
        lower += usize::from(byte.is_ascii_lowercase());
    }
    let symbols = value.bytes().any(|b| b"!@$%^&*+/=~?#".contains(&b));
    let mixed = (digits > 0 || symbols) && upper + lower > 0;
    is_literal(value)
        && !is_scheme(value)
        && !is_list_of_checks(value)
        && (mixed || (value.len() >= 16 && upper > 2 && lower > 2))
}

/// Whether a value names an encoding or a digest: `password.encode("latin1")`.
pub(crate) fn is_scheme(value: &str) -> bool {
    const SCHEMES: [&str; 20] = [
        "latin1",
        "latin-1",
        "utf8",
        "utf-8",
        "utf16",
        "utf-16",
        "utf-16le",
        "iso-8859-1",
        "iso8859-1",
        "cp1252",
        "windows-1252",
        "us-ascii",
        "base64",
        "base64url",
        "md5",
        "sha1",
        "sha-1",
        "sha256",
        "sha-256",
        "sha512",
    ];
    SCHEMES.contains(&value.to_ascii_lowercase().as_str())
}

/// Whether a value says how another one is checked: `required|min:8|confirmed`.
pub(crate) fn is_list_of_checks(value: &str) -> bool {
    let is_word =
        |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let is_argument = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b',')
    };
    let is_check = |text: &str| match text.split_once(':') {
        Some((name, argument)) => is_word(name) && is_argument(argument) && argument.len() <= 8,
        None => is_word(text),
    };
    value.contains('|') && value.split('|').all(is_check)
}

/// Whether a value looks drawn rather than written: mixed classes of characters in one word, and enough entropy.
pub(crate) fn looks_random(value: &str) -> bool {
    let longest = value
        .split(['-', '_', '.', '/', ':', '@', ','])
        .max_by_key(|word| word.len())
        .unwrap_or_default();
    let count = |test: fn(&char) -> bool| longest.chars().filter(test).count();
    let (digits, upper, lower) = (
        count(char::is_ascii_digit),
        count(char::is_ascii_uppercase),
        count(char::is_ascii_lowercase),
    );
    let hex = longest.len() >= 24 && longest.bytes().all(|b| b.is_ascii_hexdigit()) && digits > 3;
    let mixed =
        longest.len() >= 12 && digits >= 2 && lower >= 2 && (upper >= 2 || longest.len() >= 20);
    (hex || mixed)
        && shannon_entropy(value) >= 3.3
        && !is_placeholder(value)
        && !value.contains("://")
}

/// Whether no piece of a value can be anything but a piece of this secret.
pub(crate) fn is_drawn(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    value.len() >= 16
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !value.contains("://")
        && shannon_entropy(value) >= 3.3
}

/// Whether a password is somebody's: not short, not the user's own name, no word that everybody takes, no placeholder.
pub(crate) fn is_own_password(password: &str, user: &str) -> bool {
    password.len() >= 4
        && password != user
        && !is_common_password(password)
        && !is_placeholder(password)
}

/// The user and the password that a text in base64 holds, as HTTP's `Basic` and Docker's `auth` have them.
pub(crate) fn sign_in_pair(text: &str) -> Option<(String, String)> {
    let (mut bits, mut held, mut bytes) = (0_u32, 0_u32, Vec::new());
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (bits, held) = ((bits << 6 | u32::from(digit)) & 0xffff, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    let pair = String::from_utf8(bytes).ok()?;
    let (user, password) = pair.split_once(':')?;
    let is_text = pair.bytes().all(|b| matches!(b, b' '..=b'~'));
    is_text.then(|| (user.to_owned(), password.to_owned()))
}

/// Words that many people have for a password and nobody for a secret.
pub(crate) fn is_common_password(value: &str) -> bool {
    const COMMON: [&str; 14] = [
        "password",
        "passwd",
        "pass",
        "secret",
        "user",
        "username",
        "postgres",
        "mysql",
        "root",
        "admin",
        "guest",
        "test",
        "token",
        "password123",
    ];
    COMMON.contains(&value.to_ascii_lowercase().as_str())
}

/// Hosts that are nobody's, or the reader's own.
pub(crate) fn is_nobodys_host(host: &str) -> bool {
    let local = !host.contains('.') || host.starts_with("127.") || host == "0.0.0.0";
    local
        || host.contains("example")
        || [".test", ".invalid", ".local", ".localhost"]
            .iter()
            .any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_text_has_more_entropy_than_words() {
        assert!(shannon_entropy("Zk3pQ9vXw2LmT7rB8sYc") > 4.0);
        assert!(shannon_entropy("passwordpassword") < 3.1);
        assert!(shannon_entropy("aaaa") < 0.1);
    }

    #[test]
    fn placeholders_are_known() {
        for value in [
            "AKIAIOSFODNN7EXAMPLE",
            "${TOKEN}",
            "your-token-here",
            "ghp_xxxxxxxxxxxx",
            "<token>",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        assert!(!is_placeholder("Zk3pQ9vXw2LmT7rB8sYc"));
    }

    #[test]
    fn two_words_in_base64_are_read() {
        let pair = |text| sign_in_pair(text).map(|(user, password)| format!("{user} {password}"));
        assert_eq!(
            pair("YWRtaW46aHVudGVyMg==").as_deref(),
            Some("admin hunter2")
        );
        assert_eq!(
            pair("QWxhZGRpbjpPcGVuU2VzYW1l").as_deref(),
            Some("Aladdin OpenSesame")
        );
        for none in ["", "YWRtaW4=", "a.b", "AAAAOgAA"] {
            assert_eq!(pair(none), None, "{none}");
        }
        assert!(is_own_password("hunter2", "admin") && !is_own_password("admin", "admin"));
    }
}
