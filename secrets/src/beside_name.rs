//! Drawn values on a line with a name such as `password`, however the two are joined: every language has its own way.

use std::ops::Range;
use std::sync::LazyLock;

use crate::calls::{is_called, is_conversion, is_pair_call, takes_password};
use crate::matcher::PLACEHOLDER;
use crate::name_words::{ends_in_description, names_beside};
use crate::named::{NameKind, kind_of_name, names_code};
use crate::open_name::is_value_field;
use crate::public_value::{is_account, is_coin, is_cursor_name, is_of_public_value};
use crate::value::{is_drawn_value, is_generated_name};
use crate::word_finder::WordFinder;

/// A shorter value may be a name.
const MIN_VALUE: usize = 10;

/// A shorter value has to be scattered, and to have no other key: it may be a name with a number.
const MIN_LONG: usize = 16;

/// How often a value that is no longer goes on in another class of signs: in letters of the other case, in digits.
const MIN_CHANGES: usize = 4;

/// Shorter hexadecimal may be the name of a commit.
const MIN_HEX: usize = 32;

/// How far a value may stand behind its name, and before it, in bytes.
const FAR_BEHIND: usize = 80;
const FAR_BEFORE: usize = 24;

/// The most bytes of a line that somebody wrote.
const MAX_LINE: usize = 2_000;

/// Where the drawn values of a line stand, each with the name that it stands beside.
pub(crate) fn drawn_beside_names(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    if line.len() > MAX_LINE || line.len() < MIN_VALUE {
        return Vec::new();
    }
    // Most lines with such a name have no such word, and names are dear to read.
    let mut words = words(line).chain(signed_words(line)).peekable();
    if words.peek().is_none() {
        return Vec::new();
    }
    let names: Vec<Range<usize>> = names_in(line).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let values = words.filter(|word| is_value(line, word));
    let beside = values.filter_map(|value| {
        let is_near = |name: &&Range<usize>| match name.end <= value.start {
            true => value.start - name.end <= FAR_BEHIND,
            false => name.start >= value.end && name.start - value.end <= FAR_BEFORE,
        };
        let name = names.iter().find(is_near)?.clone();
        let kind = |name: &Range<usize>| kind_of_name(&line[name.clone()]);
        let is_public = || {
            let text = &line[value.clone()];
            let is_address = is_account(text) || is_coin(text, &line[name.clone()]);
            is_address || (kind(&name) == Some(NameKind::Described) && is_generated_name(text))
        };
        let is_of_secret = || {
            let mut near = names.iter().filter(is_near);
            near.any(|name| kind(name) == Some(NameKind::Secret))
        };
        (!is_public() || is_of_secret()).then_some((value.clone(), name.clone()))
    });
    beside.collect()
}

/// The names of a line that say secret.
fn names_in(line: &str) -> impl Iterator<Item = Range<usize>> {
    static FINDER: LazyLock<Option<WordFinder>> =
        LazyLock::new(|| WordFinder::new(names_beside()).ok());
    let found = FINDER
        .iter()
        .flat_map(move |finder| finder.for_text(line).find_overlapping_iter(line));
    found.filter_map(move |found| name_at(line, found.range()))
}

/// Whether such a name stands in a line.
pub(crate) fn has_name(line: &str) -> bool {
    names_in(line).next().is_some()
}

/// The whole name around such a word. None: the word goes on (`tokenizer`), or the name is that of something else.
fn name_at(line: &str, word: Range<usize>) -> Option<Range<usize>> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
    let bytes = line.as_bytes();
    let before = bytes[..word.start]
        .iter()
        .rev()
        .take_while(|b| is_name(b))
        .count();
    let behind = bytes[word.end..].iter().take_while(|b| is_name(b)).count();
    let name = word.start - before..word.end + behind;
    let rest = line[word.end..name.end].trim_start_matches(['s', 'S']);
    if rest.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let is_other = ends_in_description(line[name.clone()].trim_end_matches(['.', '-', '_']));
    // An action, a module or an image is named so, and pinned by what stands behind its `@`.
    let is_pinned = line[name.end..].starts_with(['@', '/']) || line[..name.start].ends_with('/');
    // What stands for a secret names its kind.
    let is_placeholder = line[..word.start]
        .rfind(PLACEHOLDER)
        .is_some_and(|at| !line[at..word.start].contains(']'));
    let is_name =
        || kind_of_name(&line[name.clone()]).is_some() && !is_cursor_name(&line[name.clone()]);
    (!is_placeholder && !is_other && !is_pinned && is_name()).then_some(name)
}

/// The words of a line between blanks, quotes, brackets and other signs of code, of which any may be drawn.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || "_+/=.!@#-".contains(c));
    let words = line.split(is_end).filter(|word| may_be_drawn(word));
    words.map(|word| {
        // `NAME=value` and `?secret=value` are two words.
        let inner = word.trim_end_matches('=');
        let value = inner.rsplit('=').next().unwrap_or(inner);
        let start = value.as_ptr() as usize - line.as_ptr() as usize;
        let end = start + value.len() + word.len() - inner.len();
        // The end of a sentence is no part of it.
        start..start + line[start..end].trim_end_matches('.').len()
    })
}

/// The literals that a generator of passwords may have drawn with its signs.
fn signed_words(line: &str) -> impl Iterator<Item = Range<usize>> {
    const SIGNS: &str = "@#$%^&*~?";
    let is_sign = |c: char| c.is_ascii_alphanumeric() || SIGNS.contains(c) || "_+!-".contains(c);
    let literals = line.split(['"', '\'', '`']).skip(1).step_by(2);
    let is_signed = move |word: &&str| {
        may_be_drawn(word) && word.contains(|c| SIGNS.contains(c)) && word.chars().all(is_sign)
    };
    literals.filter(is_signed).map(|word| {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        start..start + word.len()
    })
}

/// Whether a word is long enough and of more than one class of signs.
fn may_be_drawn(word: &str) -> bool {
    let has = |class: fn(&u8) -> bool| word.bytes().any(|b| class(&b));
    let is_mixed =
        || has(u8::is_ascii_digit) || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    word.len() >= MIN_VALUE && has(u8::is_ascii_alphabetic) && is_mixed()
}

fn is_value(line: &str, place: &Range<usize>) -> bool {
    let value = &line[place.clone()];
    let before = &line[..place.start];
    let behind = line[place.end..].trim_start();
    // A call, an element, and what gets a value itself.
    let is_path = value.contains(['.', '/'])
        || (value.contains(['@', '#']) && !is_clear_literal(line, place));
    let is_code = behind.starts_with(['(', '[', ':', '='])
        || is_path
        || value.starts_with(['$', '%', '&', '@', '#']);
    let is_long_hex = value.len() >= MIN_HEX || !value.bytes().all(|b| b.is_ascii_hexdigit());
    // The classes of a pattern have each sign once.
    let is_pattern = ["a-z", "A-Z", "0-9"]
        .iter()
        .any(|class| value.contains(class));
    let is_clear = || value.len() >= MIN_LONG || (is_scattered(value) && !has_other_key(before));
    value.len() >= MIN_VALUE
        && !is_pattern
        && is_drawn_value(value.trim_end_matches('='))
        && is_clear()
        && is_long_hex
        && !names_code(value)
        && !is_code
        && !is_argument(line, place)
        && !is_called(line, place)
        && !is_run(line, before)
        && !is_digest(before)
        && !is_revision(value, before)
        && !is_end_of_letter(value, before)
        && !is_of_public_value(line, place)
}

/// Whether a value is the commit that a dependency is held at: `ref: "…"`, `rev = "…"`.
fn is_revision(value: &str, before: &str) -> bool {
    let is_hex = value.bytes().all(|b| b.is_ascii_hexdigit());
    let key = before.trim_end_matches(['"', '\'', '`', '\\', ':', '=', '>', ' ']);
    is_hex && ["ref", "rev", "tag", "tree"].contains(&last_word(key))
}

/// Whether a value begins with the digits of a letter of another language: `\u00e7alera`.
fn is_end_of_letter(value: &str, before: &str) -> bool {
    let digits = value.strip_prefix('u').and_then(|text| text.get(..4));
    before.ends_with('\\') && digits.is_some_and(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether a value by itself looks so drawn that a name near it makes it a secret.
#[cfg(test)]
pub(crate) fn is_clearly_drawn(value: &str) -> bool {
    is_value(value, &(0..value.len()))
}

/// Whether a value is all that stands between quotes, and its letters and digits are those of a drawn one.
fn is_clear_literal(line: &str, place: &Range<usize>) -> bool {
    let is_quote = |c: char| "\"'`".contains(c);
    line[..place.start].ends_with(is_quote)
        && line[place.end..].starts_with(is_quote)
        && is_scattered(&line[place.clone()])
}

/// Whether a short value changes between letters of both cases and digits too often for a name.
pub(crate) fn is_scattered(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit()) && count_changes(value) >= MIN_CHANGES
}

/// How often a value goes on in another class of signs.
pub(crate) fn count_changes(value: &str) -> usize {
    let class = |b: &u8| (b.is_ascii_digit(), b.is_ascii_uppercase());
    let pairs = value.as_bytes().windows(2);
    // A word in the middle of a sentence begins with a capital, and so does each word of a name.
    let is_change = |pair: &&[u8]| class(&pair[0]) != class(&pair[1]);
    pairs.filter(is_change).count()
}

/// Whether a value has a key of its own, which says nothing of a secret: `commit: …`, `id="…"`, `--file …`.
fn has_other_key(before: &str) -> bool {
    let head = before.trim_end_matches(['"', '\'', '`', '\\', ' ', '\t']);
    let option = head.rsplit([' ', '\t', '"', '\'']).next();
    let option = option.filter(|word| word.starts_with('-') && head.len() < before.len());
    let joined = head.strip_suffix('>').unwrap_or(head);
    let key = match (option, joined.strip_suffix([':', '='])) {
        (Some(option), _) => option.trim_start_matches('-'),
        (None, Some(head)) => {
            let head = head.trim_end_matches([':', '=', ' ', '\t']);
            let word = last_word(head.trim_end_matches(['"', '\'', '`', '\\', ']', '|', '?']));
            // An attribute may have a namespace.
            word.rsplit(':').next().unwrap_or(word)
        }
        (None, None) => return false,
    };
    let is_secret = || {
        matches!(
            kind_of_name(key),
            Some(NameKind::Secret | NameKind::Perhaps)
        )
    };
    let is_word = key.starts_with(|c: char| c.is_ascii_alphanumeric());
    is_word && !is_value_field(&key.to_ascii_lowercase()) && !is_secret()
}

/// Whether a value is given to a call that is not known to take a secret: it is loaded, run or looked up.
fn is_argument(line: &str, value: &Range<usize>) -> bool {
    let before = line[..value.start].trim_end_matches(['"', '\'', '`', '\\']);
    if before.len() == value.start {
        return false;
    }
    let is_other = |callee: &str| !is_conversion(callee) && !takes_password(callee);
    // `token = require "…"`
    let head = before.trim_end_matches([' ', '\t']);
    let word = last_word(head);
    let is_word = word.ends_with(|c: char| c.is_ascii_alphanumeric());
    let is_given = head.len() < before.len() && is_word && head.contains('=');
    let is_run = |(callee, inside): (&str, &str)| {
        // Swift has the value before its name.
        let behind = line[value.end..].split(';').next().unwrap_or_default();
        let is_pair = is_pair_call(callee) && (has_name(inside) || has_name(behind));
        !callee.is_empty() && is_other(callee) && !is_pair
    };
    (is_given && is_other(word) && !JOINING.contains(&word))
        || open_call(before).is_some_and(is_run)
}

/// Words between a name and its value that are no calls.
const JOINING: [&str; 8] = ["to", "or", "else", "then", "in", "is", "and", "return"];

/// The innermost call (or table) whose bracket is open at the end of a text, and what stands in it so far. A bracket of
/// no call counts where the name stands in it, too: it is a pair.
pub(crate) fn open_call(before: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' | b']' => depth += 1,
            b'(' | b'[' if depth > 0 => depth -= 1,
            b'(' | b'[' => {
                let (callee, inside) = (last_word(&before[..at]), &before[at + 1..]);
                // `exec(b64decode("…"))` runs what it is given.
                let is_outer = callee.is_empty() || is_conversion(callee);
                if !is_outer || names_in(inside).next().is_some() {
                    return Some((callee, inside));
                }
            }
            _ => {}
        }
    }
    None
}

/// The name at the end of a text, with what it is a part of.
pub(crate) fn last_word(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.:$!?".contains(c);
    &text[text.trim_end_matches(is_name).len()..]
}

/// Whether a word without quotes is run or is the argument of a call: `$(word`, `; word`. A table has cells.
fn is_run(line: &str, before: &str) -> bool {
    let is_table = line.trim_start().starts_with('|');
    let text = before.trim_end();
    text.ends_with([';', '&', '('])
        || (text.ends_with('|') && !is_table)
        || before.ends_with('`') && before.matches('`').count() % 2 == 1 && before.contains('=')
}

/// Whether what stands before a value says that it is a checksum: it is there to be compared.
fn is_digest(before: &str) -> bool {
    let lower = before
        .trim_end_matches(['"', '\'', '`', '\\', '-', ':', '=', ' '])
        .to_ascii_lowercase();
    [
        "sha1",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "integrity",
        "checksum",
        "digest",
        "sha256sum",
        "fingerprint",
        "commit",
        "revision",
        "uuid",
        "guid",
        "etag",
        "sha",
    ]
    .iter()
    .any(|end| lower.ends_with(end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Redactor;

    /// How languages and people write a password, with `{}` for it.
    const FORMS: [(&str, &str); 38] = [
        (
            "A.java",
            "String body = \"{\\\"user\\\":\\\"bob\\\",\\\"password\\\":\\\"{}\\\"}\";",
        ),
        (
            "a.sh",
            "curl -d \"{\\\"password\\\": \\\"{}\\\"}\" https://h/login",
        ),
        ("a.sh", "curl -d \"user=bob&password={}\" https://h/login"),
        ("a.yml", "root password: {}"),
        ("README.md", "The root password: {}"),
        ("README.md", "| password | {} |"),
        ("README.md", "**Password:** {}"),
        ("README.md", "Password: `{}`"),
        ("CMakeLists.txt", "set(API_TOKEN \"{}\")"),
        ("a.el", "(setq api-token \"{}\")"),
        ("a.clj", "{:user \"bob\" :password \"{}\"}"),
        ("a.py", "HEADERS = [(\"X-Api-Key\", \"{}\")]"),
        ("a.py", "os.environ.setdefault(\"DB_PASSWORD\", \"{}\")"),
        ("a.py", "cfg[\"password\"] = \"{}\""),
        ("a.py", "pw = os.getenv(\"DB_PASSWORD\", \"{}\")"),
        ("a.js", "const k = process.env.API_KEY || \"{}\";"),
        ("a.js", "headers.set(\"X-Api-Key\", \"{}\");"),
        ("a.h", "#define API_KEY \"{}\""),
        ("Makefile", "DB_PASSWORD ?= {}"),
        ("a.sh", "PW=${DB_PASSWORD:-{}}"),
        ("a.js", "const password = prod ? get() : \"{}\";"),
        ("A.kt", "mapOf(\"password\" to \"{}\")"),
        ("a.swift", "let apiKey: String? = \"{}\""),
        ("a.go", "const apiKey string = \"{}\""),
        ("A.cs", "public string ApiKey { get; set; } = \"{}\";"),
        ("a.cpp", "std::string password(\"{}\");"),
        ("a.m", "NSString *apiKey = @\"{}\";"),
        ("a.vb", "Dim password As String = \"{}\""),
        ("a.ts", "apiKey?: string = '{}';"),
        ("Makefile", "API_KEY := {}"),
        ("x.service", "Environment=DB_PASSWORD={}"),
        ("a.plist", "<key>ApiKey</key><string>{}</string>"),
        ("cron", "0 * * * * curl -H 'Token: {}' h"),
        ("a.py", "if '{}' == password:"),
        ("a.txt", "otpauth://totp/x?secret={}"),
        ("wpa.conf", "psk=\"{}\""),
        ("a.hs", "password = pack \"{}\""),
        ("a.ex", "config :app, secret: \"{}\""),
    ];

    /// Lines with such a name and no secret beside it.
    const INNOCENT: [(&str, &str); 8] = [
        (
            "ci.yml",
            "- uses: actions/create-github-app-token@a8d616148505b5069dccd32f177bb87d7f39123b",
        ),
        ("a.py", "token = parseOauth2TokenV1Alpha9(request)"),
        (
            "a.rs",
            "let secret = SecretKeyV2Builder31::from_bytes(bytes);",
        ),
        (
            "a.json",
            "\"jsonwebtoken\": { \"integrity\": \"sha512-PRp66vJ865SSqOlgqS8hujT5U4AOgMfhrwYIuIhfKaoSCZcirr\" }",
        ),
        ("a.py", "token = eval(Kx9Yz7Kx9Yz7ab12CD)"),
        ("a.py", "secret = req.args.get(Kx9Yz7Kx9Yz7ab12CD)"),
        (
            "a.toml",
            "token = { version = \"1.2.3\", path = \"crates/token\" }",
        ),
        ("go.sum", "github.com/x/token v1.0.0 h1:abc"),
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a drawn value beside such a name is shown in no spelling.
        #[test]
        fn a_drawn_value_beside_its_name_is_hidden(value in "[A-Za-z0-9]{20,40}") {
            prop_assume!(is_value(&value, &(0..value.len())) && !crate::is_placeholder(&value));
            for (path, form) in FORMS {
                let line = form.replacen("{}", &value, 1);
                let line = line.replace("{}", &value);
                let shown = Redactor::default().redact_source(Some(path), &line).text;
                prop_assert!(!shown.contains(&value), "{}: {}", path, shown);
            }
        }

        /// Nearly all that is drawn counts as such.
        #[test]
        fn drawn_values_are_no_words(values in prop::collection::vec("[A-Za-z0-9]{20}", 200)) {
            let missed = values.iter().filter(|value| !is_drawn_value(value)).count();
            prop_assert!(missed <= 12, "{missed}");
        }

        #[test]
        fn any_line_is_read(line in "[a-zA-Z0-9\"= é_./@-]{0,120}") {
            for (value, name) in drawn_beside_names(&format!("password {line}")) {
                prop_assert!(value.start < value.end && name.start < name.end);
            }
        }
    }

    #[test]
    fn code_beside_such_a_name_is_shown() {
        for (path, line) in INNOCENT {
            assert_eq!(
                Redactor::default().redact_source(Some(path), line).text,
                line
            );
        }
    }
}
