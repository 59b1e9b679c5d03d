//! Whether a tool says in its own words that it did not read a file. Tools tell it at any level, and as a success.

/// Phrases that say by themselves that something could not be read as code.
const UNPARSED: &[&str] = &[
    "syntax error",
    "syntax errors",
    "syntaxerror",
    "lexical error",
    "parse error",
    "parse errors",
    "parse failure",
    "parsing error",
    "parsing errors",
    "parsing failed",
    "failed parsing",
    "partial parsing",
    "partialparsing",
    "partially parsed",
    "could not parse",
    "couldn't parse",
    "cannot parse",
    "can't parse",
    "failed to parse",
    "unable to parse",
    "not parsed",
    "be parsed",
    "could not read",
    "cannot read",
    "failed to read",
    "unable to read",
    "be read",
    "not read",
    "could not process",
    "could not analyze",
    "could not extract",
    "failed to extract",
    "not analyzed",
    "not analysed",
    "not scanned",
    "not checked",
    "not processed",
    "not extracted",
    "not linted",
    "no such file or directory",
    "permission denied",
    "timed out",
    "timeout",
    "out of memory",
    "outofmemory",
    "too large",
    "too big",
];

/// Words that say that something was left out.
const LEFT_OUT: &[&str] = &[
    "skip",
    "skipped",
    "skipping",
    "skips",
    "ignored",
    "ignoring",
    "excluded",
    "excluding",
];

/// What a tool leaves out: rules are left out, too.
const FILES: &[&str] = &["file", "files"];

/// Small letters, one blank around each word.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

fn has_any(spaced: &str, phrases: &[&str]) -> bool {
    phrases
        .iter()
        .any(|phrase| spaced.contains(&format!(" {phrase} ")))
}

/// Whether words about a known file say that it was not read, or not as a whole.
pub(super) fn says_unread(text: &str) -> bool {
    let words = spaced(text);
    has_any(&words, UNPARSED) || has_any(&words, LEFT_OUT)
}

/// Whether words that name no file say that one was not read.
pub(super) fn says_file_unread(text: &str) -> bool {
    let words = spaced(text);
    let is_left_out = has_any(&words, LEFT_OUT) && has_any(&words, FILES);
    (has_any(&words, UNPARSED) || is_left_out) && !has_any(&words, &["0 files"])
}

/// The words of a message that may be paths: without quotes around them, and without a place behind them.
pub(super) fn named_paths(text: &str) -> impl Iterator<Item = &str> {
    let is_around = |c: char| c.is_whitespace() || "`'\"()[]{}<>,;".contains(c);
    let words = text.split(is_around);
    words.map(without_place).filter(|word| is_path(word))
}

/// `a.py` for `a.py:3:7:` and `a.py.`.
fn without_place(word: &str) -> &str {
    word.trim_end_matches(|c: char| {
        c == ':' || c == '.' || c == '-' || c.is_ascii_digit() && word.contains(':')
    })
}

/// Whether a word looks like the path of a file.
fn is_path(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_ending = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !stem.is_empty() && (1..=5).contains(&ending.len()) && is_ending
    });
    has_ending && word.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_a_message_with_its_place_and_without() {
        for (text, wanted) in [
            (
                "Syntax error at line src/a.js:3:\n `foo(x` was unexpected",
                "src/a.js",
            ),
            ("Timeout when running r on \"lib/b.py\".", "lib/b.py"),
            ("skipped (c.go)", "c.go"),
            ("d.rs:10:2: cannot parse", "d.rs"),
        ] {
            assert_eq!(named_paths(text).next(), Some(wanted), "{text}");
        }
        assert_eq!(named_paths("Skipped 3 files in 1.2 seconds.").count(), 0);
    }

    #[test]
    fn a_rule_that_is_left_out_is_no_file() {
        assert!(!says_file_unread("Skipped rule a.b: it needs a login"));
        assert!(says_file_unread("Skipped 3 files"));
        assert!(!says_file_unread("Skipped 0 files"));
        assert!(says_file_unread("One file could not be parsed"));
        assert!(says_unread(
            "File ignored because of a matching ignore pattern."
        ));
        assert!(!says_unread("Unused eslint-disable directive"));
        assert!(!says_unread("Successfully extracted"));
    }
}
