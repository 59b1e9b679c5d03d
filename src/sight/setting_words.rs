//! The names in settings: keys, and values that name something. Words of prose, of commands and of paths name nothing.

use council_syntax::language::Language;

use super::words::{CodeWord, WordUse, is_compound, is_name};

/// A run of text between the signs of a line of settings.
struct Token<'t> {
    text: &'t str,
    /// Whether a sign follows that gives it a value.
    is_key: bool,
}

/// The names on a line of which comments are cut off.
pub(super) fn read_settings<'t>(code: &'t str, words: &mut Vec<CodeWord<'t>>) {
    for token in tokens_of(code) {
        // `export NAME=`, `ENV NAME=`, `NAME +=`.
        let key = token
            .text
            .trim_end_matches(['+', '?', ' '])
            .rsplit(' ')
            .next();
        match key.filter(|_| token.is_key) {
            Some(key) if is_key(key) => words.push(CodeWord {
                text: key,
                how: WordUse::Key,
            }),
            _ if !token.is_key && names_something(token.text) => words.push(CodeWord {
                text: token.text,
                how: WordUse::Named,
            }),
            _ => {}
        }
    }
    let known: Vec<&str> = words.iter().map(|word| word.text).collect();
    words.extend(variables_of(code).filter(|word| !known.contains(&word.text)));
}

/// The parts of `app.views.handler` and of `app.server:run` by which its definition and its uses are found.
pub(super) fn parts_of(name: &str) -> Vec<&str> {
    const LEAST: usize = 3;
    let mut parts = vec![name];
    let is_file = Language::from_path(name) != Language::Unknown;
    let last = name.rsplit_once(['.', ':']).map(|(_, last)| last);
    parts.extend(last.filter(|last| last.len() >= LEAST && !is_file));
    parts
}

fn is_key(text: &str) -> bool {
    const LEAST: usize = 3;
    let fits =
        |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-' || b == b'.' || b >= 0x80;
    text.len() >= LEAST
        && text.bytes().all(fits)
        && text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a value is a name of code: one of several words, a path of names with dots, or what a package starts by
/// (`app.server:run`).
fn names_something(text: &str) -> bool {
    let is_word = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_name)
    };
    let has_dots = text.contains('.');
    let has_start = text.matches(':').count() < 2;
    has_start && text.split(['.', ':']).all(is_word) && (has_dots || is_compound(text))
}

/// `$NAME` and `${NAME}`, wherever they stand.
fn variables_of(code: &str) -> impl Iterator<Item = CodeWord<'_>> {
    const LEAST: usize = 3;
    let starts = code.match_indices('$').map(|(at, _)| &code[at + 1..]);
    let names = starts.map(|rest| {
        let rest = rest.trim_start_matches(['{', '(']);
        &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]
    });
    names
        .filter(|name| name.len() >= LEAST)
        .map(|text| CodeWord {
            text,
            how: WordUse::Named,
        })
}

fn tokens_of(code: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while let Some(sign) = code[at..].chars().next() {
        let rest = &code[at..];
        match sign {
            '"' | '\'' => {
                let inner = &rest[1..];
                let end = inner.find(sign).unwrap_or(inner.len());
                tokens.push(Token {
                    text: &inner[..end],
                    is_key: false,
                });
                at += (end + 2).min(rest.len());
            }
            ':' | '=' => {
                if let Some(last) = tokens.last_mut() {
                    last.is_key = true;
                }
                at += 1;
            }
            '{' | '}' | '[' | ']' | ',' => at += 1,
            c if c.is_whitespace() => at += c.len_utf8(),
            _ => {
                let end = bare_end(rest);
                let text = rest[..end].trim();
                tokens.push(Token {
                    text: text.strip_prefix("- ").unwrap_or(text).trim(),
                    is_key: false,
                });
                at += end;
            }
        }
    }
    tokens
}

/// Where text without quotes ends. A colon within a word is part of it: `host:80`.
fn bare_end(text: &str) -> usize {
    let is_end = |(at, c): &(usize, char)| match c {
        '{' | '}' | '[' | ']' | ',' | '=' | '"' | '\'' => true,
        ':' => text[at + 1..].starts_with([' ', '=']) || text.len() == at + 1,
        _ => false,
    };
    let first = text.chars().next().map_or(1, char::len_utf8);
    let end = text.char_indices().skip(1).find(is_end);
    end.map_or(text.len(), |(at, _)| at).max(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(code: &str) -> Vec<&str> {
        let mut words = Vec::new();
        read_settings(code, &mut words);
        words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn keys_and_names_are_read_and_prose_is_not() {
        for (code, expected) in [
            (
                "description: \"Build the image, then publish it\"",
                &["description"][..],
            ),
            ("path: src/store/handler.py", &["path"]),
            (
                "handler: app.views.show_owner",
                &["handler", "app.views.show_owner"],
            ),
            (
                "{\"title\": \"Install it\", \"retry_delay\": 5}",
                &["title", "retry_delay"],
            ),
            (
                "export SERVER_URL=http://${SERVER_HOST}:80",
                &["SERVER_URL", "SERVER_HOST"],
            ),
            ("  - name: Install packages and run every check", &["name"]),
            ("command: [\"python\", \"-m\", \"server\"]", &["command"]),
            ("CFLAGS += -O2", &["CFLAGS"]),
            ("  image: python:3.12", &["image"]),
        ] {
            assert_eq!(names(code), expected, "{code}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is said in a sentence, none of its words becomes a name.
        #[test]
        fn no_word_of_a_sentence_is_a_name(
            words in prop::collection::vec("[a-zA-Z]?[a-z]{1,8}", 2..7),
            quote in prop::sample::select(&["", "\"", "'"][..]),
        ) {
            let code = format!("note: {quote}{}{quote}", words.join(" "));
            prop_assert_eq!(names(&code), ["note"]);
        }

        #[test]
        fn any_line_is_read_to_its_end(code in "[a-zä:=\\[\\]{}, \"'$.-]{0,40}") {
            names(&code);
        }
    }
}
