//! The names in code: what a line calls, mentions and spells out as a key.

pub(super) use super::common_words::{
    is_common, is_common_method, is_constructor, is_entry_point, is_unnamed_constructor,
};
use council_syntax::language::Language;
use council_syntax::lexer::{LexSpan, SpanKind};

use super::call_forms as forms;
use super::lexed::LexedLines;
use super::setting_words::read_settings;

/// How a word stands on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum WordUse {
    /// Brackets follow: a call, or the head of a function; or it is a decorator.
    Called,
    /// It stands where Ruby and shells name what they call.
    Command,
    /// It is written as types or constants are.
    Named,
    /// A dot or an arrow stands before it.
    Member,
    /// It is handed on as a value, and no variable of its function: `sort(compare)`, `before_action :authenticate`.
    Handed,
    /// Any other name.
    Plain,
    /// A whole string that could be the key of a setting.
    Key,
    /// A variable or a parameter of the function around it.
    Local,
}

/// A word of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeWord<'t> {
    pub(super) text: &'t str,
    pub(super) how: WordUse,
}

/// The words of every line of a file, comments left out.
pub(super) fn words_by_line<'t>(
    path: &str,
    language: Language,
    lexed: &LexedLines<'t>,
) -> Vec<Vec<CodeWord<'t>>> {
    let is_settings = is_settings(language);
    let is_template = is_template(path);
    let words = lexed.iter().map(|(line, spans)| match language {
        _ if is_settings => words_of_setting(line, spans),
        _ if is_template => words_of_template(line, spans),
        Language::Prose => words_in_backticks(line),
        _ => words_of_line(language, line, spans),
    });
    words.collect()
}

/// Whether a name is spelled as variables of the environment are.
pub(super) fn is_of_environment(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    name.contains('_') && name.len() > 3 && name.bytes().all(fits)
}

/// Whether a file holds settings: its keys are names, whether or not they are quoted.
pub(super) fn is_settings(language: Language) -> bool {
    matches!(
        language,
        Language::Yaml
            | Language::Toml
            | Language::Json
            | Language::Ini
            | Language::Docker
            | Language::Make
    )
}

/// Whether a file says what a service runs for each change.
pub(super) fn is_ci(path: &str) -> bool {
    const FOLDERS: [&str; 4] = [".github/", ".circleci/", ".gitlab/", ".buildkite/"];
    const FILES: [&str; 6] = [
        ".gitlab-ci.yml",
        ".travis.yml",
        "azure-pipelines.yml",
        "appveyor.yml",
        ".appveyor.yml",
        ".pre-commit-config.yaml",
    ];
    FOLDERS.iter().any(|folder| path.starts_with(folder)) || FILES.contains(&path)
}

/// Whether a file is a page that code fills in: it calls what code defines, in attributes and between marks of its own.
pub(super) fn is_template(path: &str) -> bool {
    const ENDINGS: [&str; 30] = [
        "cshtml",
        "ejs",
        "erb",
        "eex",
        "ftl",
        "ftlh",
        "gohtml",
        "gotmpl",
        "haml",
        "handlebars",
        "hbs",
        "heex",
        "htm",
        "html",
        "j2",
        "jade",
        "jinja",
        "jinja2",
        "jsp",
        "jspf",
        "jspx",
        "liquid",
        "mustache",
        "njk",
        "pug",
        "razor",
        "slim",
        "tmpl",
        "tpl",
        "twig",
    ];
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ENDINGS.contains(&ending)) && !path.contains(".min.")
}

/// Of a page only what is called, or is no word of a text, names something.
fn words_of_template<'t>(line: &'t str, spans: &[LexSpan]) -> Vec<CodeWord<'t>> {
    let mut words = Vec::new();
    let mut at = 0;
    for span in spans.iter().filter(|span| span.part == SpanKind::Comment) {
        read_words(Language::Markup, line, at..span.start.max(at), &mut words);
        at = span.end.max(at);
    }
    read_words(Language::Markup, line, at..line.len(), &mut words);
    words.retain(|word| word.how == WordUse::Called || is_compound(word.text));
    words
}

fn words_of_setting<'t>(line: &'t str, spans: &[LexSpan]) -> Vec<CodeWord<'t>> {
    let mut comments = spans.iter().filter(|span| span.part == SpanKind::Comment);
    let end = comments.next().map_or(line.len(), |comment| comment.start);
    let mut words = Vec::new();
    read_settings(line.get(..end).unwrap_or(line), &mut words);
    words
}

/// What a document marks as code: of the rest nobody can say what is a name.
fn words_in_backticks(line: &str) -> Vec<CodeWord<'_>> {
    let mut words = Vec::new();
    for code in line.split('`').skip(1).step_by(2) {
        read_words(Language::Prose, code, 0..code.len(), &mut words);
    }
    words.retain(|word| word.how == WordUse::Called || is_compound(word.text));
    words
}

fn words_of_line<'t>(language: Language, line: &'t str, spans: &[LexSpan]) -> Vec<CodeWord<'t>> {
    let mut words = Vec::new();
    let mut at = 0;
    for span in spans {
        read_words(language, line, at..span.start.max(at), &mut words);
        let inside = line.get(span.start..span.end).unwrap_or_default();
        match span.part {
            SpanKind::Literal if inside.starts_with('`') && inside.contains(":\"") => {
                words.extend(keys_of_tag(inside));
            }
            SpanKind::Literal => words.extend(key_of_literal(inside)),
            SpanKind::Comment => {}
        }
        at = span.end.max(at);
    }
    read_words(language, line, at..line.len(), &mut words);
    words
}

/// The text of a string that could be a key: one word, perhaps with dots and dashes. Paths and media types are none.
fn key_of_literal(literal: &str) -> Option<CodeWord<'_>> {
    const MAX_PREFIX: usize = 2;
    let text = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic() && c.is_lowercase());
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let is_whole =
        literal.len() - text.len() <= MAX_PREFIX && text.len() > 1 && text.ends_with(quote);
    let text = text.trim_matches(quote);
    (is_whole && is_key(text)).then_some(CodeWord {
        text,
        how: WordUse::Key,
    })
}

fn is_key(text: &str) -> bool {
    const MAX_KEY: usize = 60;
    const MEDIA: [&str; 7] = [
        "application",
        "audio",
        "font",
        "image",
        "multipart",
        "text",
        "video",
    ];
    let fits = (3..=MAX_KEY).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/'));
    let is_place = text.split_once('/').is_some_and(|(first, rest)| {
        MEDIA.contains(&first) || Language::from_path(rest) != Language::Unknown
    });
    fits && !is_place && !text.contains("://")
}

/// The keys in a tag of Go: `json:"retries,omitempty"`.
fn keys_of_tag(tag: &str) -> impl Iterator<Item = CodeWord<'_>> {
    let quoted = tag.split('"').skip(1).step_by(2);
    let names = quoted.map(|value| value.split(',').next().unwrap_or_default());
    names.filter(|name| is_key(name)).map(|text| CodeWord {
        text,
        how: WordUse::Key,
    })
}

/// Whether a name is made of several words, or written as constants are: a variable of a function seldom is.
pub(super) fn is_compound(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let is_constant = inner.len() > 2 && !inner.bytes().any(|b| b.is_ascii_lowercase());
    let has_hump = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    inner.contains('_') || has_hump || is_constant
}

/// Whether a name of settings stands among these words as code spells such names: in a string, behind a dot, or as a
/// name of several words. A bare `timeout` is any variable.
pub(super) fn stand_as_key(words: &[CodeWord<'_>], name: &str) -> bool {
    let is_spelled = |word: &CodeWord<'_>| matches!(word.how, WordUse::Key | WordUse::Member);
    words
        .iter()
        .any(|word| is_name_of(word, name) && (is_spelled(word) || is_compound(name)))
}

/// Whether a word is a name, or a key with dots or a colon that ends in it: `app.limit`, `app.server:run`.
pub(super) fn is_name_of(word: &CodeWord<'_>, name: &str) -> bool {
    let is_last = || {
        word.text
            .rsplit_once(['.', ':'])
            .is_some_and(|(_, last)| last == name)
    };
    word.text == name || ((word.how == WordUse::Key || word.text.contains(':')) && is_last())
}

fn read_words<'t>(
    language: Language,
    line: &'t str,
    range: std::ops::Range<usize>,
    words: &mut Vec<CodeWord<'t>>,
) {
    let Some(code) = line.get(range.clone()) else {
        return;
    };
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(start) = code[at..].find(is_name_start).map(|found| found + at) {
        let end = code[start..]
            .find(|c| !is_name(c))
            .map_or(code.len(), |found| found + start);
        let (from, to) = (range.start + start, range.start + end);
        let in_number = from > 0 && bytes[from - 1].is_ascii_digit();
        if !in_number {
            words.push(CodeWord {
                text: &code[start..end],
                how: word_use(language, bytes, from, to),
            });
        }
        at = end;
    }
}

fn word_use(language: Language, line: &[u8], from: usize, to: usize) -> WordUse {
    let word = &line[from..to];
    let behind = line[to..].iter().find(|b| **b != b' ');
    let before = &line[..from];
    let member = before.ends_with(b".") || before.ends_with(b"->") || before.ends_with(b"::");
    let is_called = behind == Some(&b'(')
        || line[to..].starts_with(b"!(")
        || forms::opens_call(language, &line[to..])
        || forms::is_decorator(language, word, before);
    if is_called {
        WordUse::Called
    } else if word.first().is_some_and(u8::is_ascii_uppercase) && word.len() > 2 {
        WordUse::Named
    } else if member {
        WordUse::Member
    } else if forms::is_command(language, before, &line[to..]) {
        WordUse::Command
    } else {
        WordUse::Plain
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && c.is_alphabetic())
}

pub(super) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}
