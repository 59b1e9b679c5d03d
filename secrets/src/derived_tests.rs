//! A value that is known leaves in no form, and ordinary words stay.

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use proptest::prelude::*;

use crate::Redactor;

/// A redactor that has seen these lines of a file.
fn knowing(path: &str, text: &str) -> Redactor {
    Redactor::default().knowing([(Some(Cow::Borrowed(path)), text.lines())])
}

/// The places where a change may hold a value: a password in an address, a literal, a setting.
fn redactor_of(place: usize, value: &str) -> Redactor {
    match place {
        0 => knowing(
            "a.rs",
            &format!("open(\"postgres://app:{value}@db.internal/x\")"),
        ),
        1 => knowing("a.py", &format!("password = \"{value}\"")),
        _ => knowing(".env", &format!("DB_PASSWORD={value}")),
    }
}

fn base64(bytes: &[u8]) -> String {
    crate::encoded_key::tests::encode(bytes)
}

type Writer = fn(&str) -> String;

fn each_letter(value: &str, write: impl Fn(char) -> String) -> String {
    value.chars().map(write).collect()
}

fn parted(value: &str, sign: &str) -> String {
    let letters: Vec<String> = value.chars().map(String::from).collect();
    letters.join(sign)
}

fn halves(value: &str, between: &str) -> String {
    let (first, second) = value.split_at(value.len() / 2);
    format!("{first}{between}{second}")
}

/// Every form that SECURITY.md names.
const FORMS: [(&str, Writer); 28] = [
    ("as written", |v| v.to_owned()),
    ("in capitals", str::to_uppercase),
    ("in small letters", str::to_lowercase),
    ("percent", |v| {
        each_letter(v, |c| format!("%{:02x}", c as u32))
    }),
    ("PERCENT", |v| {
        each_letter(v, |c| format!("%{:02X}", c as u32))
    }),
    ("percent twice", |v| {
        each_letter(v, |c| format!("%25{:02x}", c as u32))
    }),
    ("\\x", |v| {
        each_letter(v, |c| format!("\\x{:02x}", c as u32))
    }),
    ("\\u", |v| {
        each_letter(v, |c| format!("\\u{:04x}", c as u32))
    }),
    ("\\u{}", |v| {
        each_letter(v, |c| format!("\\u{{{:x}}}", c as u32))
    }),
    ("entities", |v| {
        each_letter(v, |c| format!("&#{};", c as u32))
    }),
    ("0x", |v| {
        each_letter(v, |c| format!("0x{:02x}, ", c as u32))
    }),
    ("hexadecimal", |v| hex::encode(v)),
    ("HEXADECIMAL", |v| hex::encode_upper(v)),
    ("hexadecimal, parted", |v| {
        each_letter(v, |c| format!("{:02x} ", c as u32))
    }),
    ("base64", |v| base64(v.as_bytes())),
    ("base64, one before", |v| base64(format!("a{v}").as_bytes())),
    ("base64, two before", |v| {
        base64(format!("a:{v}").as_bytes())
    }),
    ("base64, more behind", |v| {
        base64(format!("a:b{v}@c.d").as_bytes())
    }),
    ("base64 for addresses", |v| {
        base64(v.as_bytes()).replace('+', "-").replace('/', "_")
    }),
    ("with blanks", |v| parted(v, " ")),
    ("with hyphens", |v| parted(v, "-")),
    ("with dots", |v| parted(v, "\u{b7}")),
    ("with what nobody sees", |v| parted(v, "\u{200b}")),
    ("backwards", |v| v.chars().rev().collect()),
    ("over two lines", |v| halves(v, "\n  ")),
    ("over two quoted lines", |v| halves(v, "\"\n+ \"")),
    ("over an escaped line break", |v| halves(v, "\\n")),
    ("joined", |v| halves(v, "\" + \"")),
];

/// The same without the first and without the last letter.
fn shortened(value: &str) -> [&str; 3] {
    [value, &value[1..], &value[..value.len() - 1]]
}

/// A chosen password, or one that was drawn, with six letters and digits at least. They are mixed at both of its ends.
fn value() -> impl Strategy<Value = String> {
    let is_long = |value: &String| value.chars().filter(|c| c.is_alphanumeric()).count() > 6;
    let value = prop_oneof![
        "[a-z][0-9][a-zA-Z0-9!#]{3,20}[0-9][a-z]",
        "[A-Z][a-z0-9]{2}[0-9][a-z][!#&]?[a-z0-9]{3,9}[0-9][a-z]",
        "[a-zA-Z0-9]{4}[0-9][a-z][a-zA-Z0-9]{12,40}[0-9][a-z]",
    ];
    value.prop_filter("six are left without one", is_long)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_form_of_a_value_is_shown(value in value(), place in 0..3_usize) {
        let redactor = redactor_of(place, &value);
        // A value may look like a placeholder, or like nothing at all.
        prop_assume!(redactor.redact_words(&format!("It is {value}.")).secrets > 0);
        for (name, write) in FORMS {
            for part in shortened(&value) {
                let told = write(part);
                let shown = redactor.redact_words(&format!("It is ({told}), you see.\nReally.")).text;
                let is_shown = shown.contains(&told) || told.lines().all(|line| shown.contains(line));
                prop_assert!(!is_shown, "{name}: {value} as {told:?} in {shown:?}");
                prop_assert!(shown.contains("[redacted: "), "{name}: {shown:?}");
                // The word beside it may begin or end with a letter by which the run goes on.
                let is_rest_shown = shown.starts_with("It ") && shown.ends_with(" see.\nReally.");
                prop_assert!(is_rest_shown, "{name}: {shown:?}");
                prop_assert_eq!(redactor.redact_words(&shown).text, shown, "{}", name);
            }
        }
    }

    /// What of a longer value may stay is said in SECURITY.md: less than half of it, and fewer than eight letters.
    #[test]
    fn no_long_part_of_a_value_is_shown(value in "[a-z][0-9]([a-z]{1,2}[0-9]){4,12}", at in 0..40_usize) {
        let redactor = redactor_of(1, &value);
        prop_assume!(redactor.redact_words(&value).secrets > 0);
        let length = value.len().div_ceil(2).clamp(5, 8);
        let from = at.min(value.len() - length);
        let part = &value[from..from + length];
        let shown = redactor.redact_words(&format!("Around {part} in it.")).text;
        prop_assert!(!shown.contains(part), "{value}: {shown}");
    }

    #[test]
    fn any_text_is_read(value in "\\PC{0,24}", text in "(\\PC|\n|\\[redacted: |[a-z0-9]){0,60}") {
        for place in 0..3 {
            let redactor = redactor_of(place, &value);
            for told in [&text, &value, &format!("{text}{value}{text}")] {
                let shown = redactor.redact_words(told).text;
                prop_assert_eq!(shown.matches('\n').count(), told.matches('\n').count());
                prop_assert_eq!(&redactor.redact_words(&shown).text, &shown);
            }
        }
    }
}

/// The words of a judge must stay readable whatever somebody has chosen for a password.
#[test]
fn words_that_everybody_writes_stay() {
    let prose = concat!(
        "The admin can test the password in production: a secret token, the default for localhost, is in a database.\n",
        "In staging the service starts as root, and the user must change it. Testing takes 10-25 requests,\n",
        "so `client.login(user, password)` fails. To get her data, see 2024-01-01 or admin.example.com/v1/users.\n",
        "Two hunters entered 2 numbers; the first was 7f3a9c, and the sun shines on a monkey bar.",
    );
    for word in [
        "password",
        "test",
        "admin",
        "secret",
        "token",
        "root",
        "production",
        "default",
        "localhost",
        "service",
        "password1",
        "admin123",
        "test1",
        "sunshine",
        "together",
        "20240101",
        "hunter2x",
        "monkeybars7",
        "enter2",
    ] {
        for place in 0..3 {
            let shown = redactor_of(place, word).redact_words(prose);
            assert_eq!(shown.text, prose, "{word}");
        }
    }
}

/// Where a part of a value is a word of its own, it stays only if more than one letter is missing.
#[test]
fn a_word_that_is_nearly_the_password_goes() {
    let words = |value: &str, text: &str| redactor_of(1, value).redact_words(text).text;
    assert_eq!(
        words("dragonfly7", "a Dragonfly there"),
        "a [redacted: secret] there"
    );
    assert_eq!(
        words("dragonfly77", "a dragonfly there"),
        "a dragonfly there"
    );
}

/// Words in whose letters many seeds of a value stand take no longer than others.
#[test]
fn a_long_text_of_pieces_is_read_at_once() {
    let value = "aB3dE6gH9kLmN0pQrS2t".repeat(20);
    let redactor = redactor_of(1, &value);
    for part in [&value[..7], &value[2..17], &value, "x "] {
        let text = part.repeat(400_000 / part.len());
        let begun = std::time::Instant::now();
        redactor.redact_words(&text);
        let took = begun.elapsed();
        assert!(
            took < std::time::Duration::from_secs(20),
            "{part}: {took:?}"
        );
    }
}

/// Of a long value much of the base64 is `+` and `/`, which are no letters: it is none the less known by as many letters.
#[test]
fn signs_that_are_no_letters_neither_end_the_program_nor_make_words_of_a_secret() {
    let value = "\u{fffd}".repeat(60) + "Tr0ub4dor";
    let redactor = knowing("a.py", &format!("password = \"{value}\""));
    let prose =
        "Vv70 and 77977 or 9779 are words, as are those of a longer sentence with 9vv79 in it.";
    assert_eq!(redactor.redact_words(prose).text, prose);
}

proptest! {
    /// A letter with its mark is one character or two, as the editor likes: the value is the same.
    #[test]
    fn a_value_is_one_in_both_forms_of_unicode(
        word in "[a-z]{2}[äöéñ][0-9]{2}[A-Z][a-z]{3}[üêç][0-9]{2}[a-z]{2}", is_composed: bool,
    ) {
        let composed: String = ComposingNormalizerBorrowed::new_nfc().normalize(&word).into_owned();
        let apart: String = DecomposingNormalizerBorrowed::new_nfd().normalize(&word).into_owned();
        let (known, said) = if is_composed { (&composed, &apart) } else { (&apart, &composed) };
        let line = format!("password = \"{known}\"");
        let redactor = Redactor::default().knowing([(None, [line.as_str()])]);
        let shown = redactor.redact_words(&format!("it is {said} there")).text;
        prop_assert_eq!(shown, "it is [redacted: secret] there");
    }
}
