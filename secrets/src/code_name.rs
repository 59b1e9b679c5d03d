//! Names of classes, modules, algorithms and settings, which no generator of passwords draws: most of their letters are
//! those of words that code is made of, each where a capital, a sign or a digit sets it off.
//!
//! Pairs of letters alone (`words.rs`) cannot tell them: with digits and capitals within, as in `PBKDF2WithHmacSHA1`,
//! one of fifty drawn values would pass for such a name. Whole words within their borders are hardly ever drawn.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of identifiers: those that most projects in several languages use.
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    include_str!("code_words.txt")
        .split_ascii_whitespace()
        .collect()
});

/// Algorithms, standards and protocols, which are written in capitals, with a number behind them or between them.
const STANDARDS: &str = "A AES AWS BASE BCRYPT CBC CFB CHACHA CRYPT CTR DES DSA EC ECB ECDH ECDHE ECDSA ED EDDSA \
    EIP ERC ES GCM HKDF HMAC HS HTTP ISO KDF KEM KW MD MLKEM OAEP OAUTH P PBES PBKDF PKCS POLY PS RC RFC RIPEMD RS RSA \
    SAML SCRYPT SHA SHAKE SSHA SSL TLS TR UTF V X XXH";

/// The fewest letters of words that make a name.
const MIN_KNOWN: usize = 7;

/// The most letters of a word that is none of those.
const MAX_UNKNOWN: usize = 12;

/// The most bytes of a name.
const MAX_NAME: usize = 160;

/// How many letters of a text are those of known words, and of any.
#[derive(Debug, Default)]
struct LetterCount {
    known: usize,
    all: usize,
    /// Numbers of standards: `SHA256`, `ERC20`.
    standards: usize,
}

/// Whether a text is the name of a class, of a module or of an algorithm: `app.hashers.SHA256PasswordHasher`.
pub(crate) fn is_code_name(text: &str) -> bool {
    count_letters(text)
        .is_some_and(|count| count.known >= MIN_KNOWN && count.known * 2 >= count.all)
}

/// Whether a text names an algorithm or a standard, beside words at most: `PBKDF2WithHmacSHA1`, `A128CBC-HS256`.
pub(crate) fn names_standard(text: &str) -> bool {
    count_letters(text).is_some_and(|count| count.standards > 0 && count.known * 3 >= count.all * 2)
}

/// Whether a text is a path of names with dots between: `com.example.auth.TokenStore`.
pub(crate) fn is_dotted_name(text: &str) -> bool {
    let names = text.split('.');
    let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic());
    names.clone().count() >= 3 && names.clone().all(is_name) && is_code_name(text)
}

/// The letters of a text that has the form of a name. None: it has another one.
fn count_letters(text: &str) -> Option<LetterCount> {
    let text = text.trim_start_matches(['$', '_', '#', '+']);
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"_-.:$".contains(&b);
    if text.len() < 6 || text.len() > MAX_NAME || !text.bytes().all(is_sign) {
        return None;
    }
    let mut count = LetterCount::default();
    for run in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        count_run(run, &mut count)?;
    }
    Some(count)
}

/// Counts the letters of a run without signs.
fn count_run(run: &str, count: &mut LetterCount) -> Option<()> {
    let mut rest = run;
    let mut before = "";
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(end_of_piece(rest));
        match piece.as_bytes()[0].is_ascii_digit() {
            true => count_number(piece, before, behind, count)?,
            false => count_word(piece, before, behind, count)?,
        }
        (before, rest) = (piece, behind);
    }
    Some(())
}

/// Where the word, the acronym or the number ends that a run begins with.
fn end_of_piece(run: &str) -> usize {
    let bytes = run.as_bytes();
    let count = |is_one: fn(&u8) -> bool| bytes.iter().take_while(|b| is_one(b)).count();
    if run.starts_with("OAuth") {
        return "OAuth".len();
    }
    let (digits, upper) = (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase));
    let lower = bytes[upper..]
        .iter()
        .take_while(|b| b.is_ascii_lowercase())
        .count();
    match (digits, upper) {
        (1.., _) => digits,
        (_, 0 | 1) => upper + lower,
        // The last capital of `HTTPServer` begins a word; the small letter of `URLs` does not.
        _ if lower > 1 => upper - 1,
        _ => upper + lower,
    }
}

/// A number: of a standard, of a size, or of two digits at most.
fn count_number(number: &str, before: &str, behind: &str, count: &mut LetterCount) -> Option<()> {
    const SIZES: [&str; 9] = [
        "128", "160", "192", "224", "256", "384", "512", "1024", "2048",
    ];
    let is_of_standard = is_standard(before) && number.len() <= 5;
    let is_telling = before.len() > 2 || number.len() > 2 || before == "MD";
    count.standards += usize::from(is_of_standard && is_telling);
    let is_word_behind = !behind.starts_with(|c: char| c.is_ascii_lowercase())
        || WORDS.contains(&behind[..end_of_piece(behind)]);
    let is_due = is_of_standard || number.len() <= 2 || SIZES.contains(&number);
    (is_due && is_word_behind).then_some(())
}

/// Counts a word or an acronym. None: names have no such part.
fn count_word(word: &str, before: &str, behind: &str, count: &mut LetterCount) -> Option<()> {
    const ENDINGS: [&str; 6] = ["", "s", "d", "ed", "er", "able"];
    let lower = word.to_ascii_lowercase();
    let is_upper = word.bytes().all(|b| b.is_ascii_uppercase());
    let mut stems = ENDINGS.iter().filter_map(|end| lower.strip_suffix(end));
    let is_known = stems.any(|stem| WORDS.contains(stem)) || is_standard(word);
    count.all += word.len();
    // A letter by itself is the end of a name, the number of a thing or a part of an acronym: it says nothing.
    count.known += if is_known && word.len() > 1 {
        word.len()
    } else {
        0
    };
    let is_of_number = before.ends_with(|c: char| c.is_ascii_digit())
        || behind.starts_with(|c: char| c.is_ascii_digit());
    let is_short = word.len() < 3 && !is_upper && is_of_number && !before.is_empty();
    (is_known || (word.len() <= MAX_UNKNOWN && !is_short)).then_some(())
}

/// Whether a word is one of those: a short one only as everybody writes it, for two letters are soon drawn. It is asked of
/// every word of every value that may be a password.
fn is_standard(word: &str) -> bool {
    static AS_WRITTEN: LazyLock<HashSet<&str>> =
        LazyLock::new(|| STANDARDS.split_ascii_whitespace().collect());
    static IN_SMALL: LazyLock<HashSet<String>> = LazyLock::new(|| {
        AS_WRITTEN
            .iter()
            .map(|one| one.to_ascii_lowercase())
            .collect()
    });
    match word.len() {
        0..=2 => AS_WRITTEN.contains(word) || word == "x",
        3 => AS_WRITTEN.contains(word) || IN_SMALL.contains(word),
        _ => IN_SMALL.contains(&word.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_told_from_drawn_values() {
        for name in [
            "django.contrib.auth.hashers.BCryptSHA256PasswordHasher",
            "PBKDF2WithHmacSHA1",
            "UnsaltedSHA1PasswordHasher",
            "ERC20BridgeableMock",
            "MLKEM768X25519PublicKey",
            "x25519.X25519PrivateKey",
            "OAuth2TokenClaimsContext",
            "AddDefaultAuthorizerToCorsPreflight",
            "HTTPPasswordMgrWithDefaultRealm",
            "amzn-s3-demo-bucket",
        ] {
            assert!(is_code_name(name), "{name}");
        }
        for value in [
            "k7Qv2LmZx9Tb4RnW",
            "my-app-tls-8f4b7f2a",
            "Token9Kd2LmQ0aZ",
            "tokenx7q2m9z4",
            "hunter2x9",
            "JBSWY3DPEHPK3PXP",
            "A3B4C5D6E7F8",
            "Password123",
            "wotjyv-8xagqe-Xugwyn",
        ] {
            assert!(!is_code_name(value), "{value}");
        }
        for name in [
            "A128CBC-HS256",
            "SHA256-Crypt",
            "PBKDF2-SHA512",
            "PBKDF2WithHmacSHA256",
        ] {
            assert!(names_standard(name), "{name}");
        }
        for value in [
            "summer256",
            "A1B2C3D4E5",
            "X9K2P4M7",
            "P384x9q2",
            "Es0Kw0A0",
        ] {
            assert!(!names_standard(value), "{value}");
        }
    }
}
