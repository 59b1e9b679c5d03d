//! Drawn values on a line with a name such as `password`, however the two are joined: every language has its own way.

use std::ops::Range;
use std::sync::LazyLock;

use crate::calls::{is_called, is_conversion, is_pair_call, takes_password};
use crate::matcher::PLACEHOLDER;
use crate::name_words::{ends_in_description, names_beside};
use crate::named::says_a_name;
use crate::value::{is_drawn_value, is_hex};
use crate::word_finder::WordFinder;

/// A shorter value may be a name.
const MIN_VALUE: usize = 16;

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
    let names: Vec<Range<usize>> = names_in(line).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let values = words(line).filter(|word| is_value(line, word));
    let beside = values.filter_map(|value| {
        let is_near = |name: &&Range<usize>| match name.end <= value.start {
            true => value.start - name.end <= FAR_BEHIND,
            false => name.start >= value.end && name.start - value.end <= FAR_BEFORE,
        };
        let name = names.iter().find(is_near)?.clone();
        Some((value, name))
    });
    beside.collect()
}

/// The names of a line that say secret.
fn names_in(line: &str) -> impl Iterator<Item = Range<usize>> {
    static FINDER: LazyLock<Option<WordFinder>> =
        LazyLock::new(|| WordFinder::new(names_beside()).ok());
    let found = FINDER
        .iter()
        .flat_map(move |finder| finder.for_text(line).find_iter(line));
    found.filter_map(move |found| name_at(line, found.range()))
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
    let goes_on = rest.starts_with(|c: char| c.is_ascii_lowercase());
    let is_other = ends_in_description(line[name.clone()].trim_end_matches(['.', '-', '_']));
    // An action, a module or an image is named so, and pinned by what stands behind its `@`.
    let is_pinned = line[name.end..].starts_with(['@', '/']) || line[..name.start].ends_with('/');
    // What stands for a secret names its kind.
    let is_placeholder = line[..word.start]
        .rfind(PLACEHOLDER)
        .is_some_and(|at| !line[at..word.start].contains(']'));
    (!is_placeholder && !goes_on && !is_other && !is_pinned).then_some(name)
}

/// The words of a line between blanks, quotes, brackets and other signs of code.
fn words(line: &str) -> impl Iterator<Item = Range<usize>> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || "_+/=.!@#-".contains(c));
    line.split(is_end)
        .filter(|word| word.len() >= MIN_VALUE)
        .map(|word| {
            // `NAME=value` and `?secret=value` are two words.
            let inner = word.trim_end_matches('=');
            let value = inner.rsplit('=').next().unwrap_or(inner);
            let start = value.as_ptr() as usize - line.as_ptr() as usize;
            let end = start + value.len() + word.len() - inner.len();
            // The end of a sentence is no part of it.
            start..start + line[start..end].trim_end_matches('.').len()
        })
}

fn is_value(line: &str, place: &Range<usize>) -> bool {
    let value = &line[place.clone()];
    let behind = line[place.end..].trim_start();
    // A call, an element, and what gets a value itself.
    let is_code = behind.starts_with(['(', '[', ':', '=']) || value.contains(['.', '@', '/', '#']);
    let is_long_hex = !is_hex(value) || value.len() >= MIN_HEX;
    value.len() >= MIN_VALUE
        && is_drawn_value(value)
        && is_long_hex
        && !says_a_name(value)
        && !is_code
        && !is_argument(line, place)
        && !is_called(line, place)
        && !is_run(line, &line[..place.start])
        && !is_digest(&line[..place.start])
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
        let is_pair = is_pair_call(callee) && names_in(inside).next().is_some();
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
        .trim_end_matches(['"', '\'', '-', ':', '=', ' '])
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
