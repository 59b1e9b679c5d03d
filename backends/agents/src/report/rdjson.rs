//! rdjson, reviewdog's diagnostic format.

use council_protocol::{Failure, Severity};
use serde::Deserialize;

use super::Hit;

#[derive(Deserialize)]
struct Log {
    diagnostics: Vec<Diagnostic>,
    #[serde(default)]
    severity: Option<Level>,
}

#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    location: Place,
    severity: Option<Level>,
    code: Option<Code>,
    #[serde(default)]
    suggestions: Vec<Suggestion>,
}

#[derive(Deserialize)]
struct Place {
    path: String,
    range: Option<Range>,
}

#[derive(Deserialize, PartialEq)]
struct Range {
    start: Option<Position>,
    end: Option<Position>,
}

#[derive(Deserialize, PartialEq)]
struct Position {
    #[serde(default)]
    line: u32,
    /// From 1; none: the whole line.
    column: Option<u32>,
}

#[derive(Deserialize)]
struct Code {
    value: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct Suggestion {
    range: Option<Range>,
    text: Option<String>,
}

/// A word, or the number that the format's own encoders also write.
#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum Level {
    Word(Word),
    Number(u8),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Word {
    UnknownSeverity,
    Error,
    Warning,
    Info,
}

/// What the log reports.
pub(super) fn hits(text: &str) -> Result<Vec<Hit>, Failure> {
    let log: Log = super::read(text, "rdjson")?;
    let otherwise = log.severity;
    Ok(log
        .diagnostics
        .into_iter()
        .map(|diagnostic| hit(diagnostic, otherwise))
        .collect())
}

fn hit(diagnostic: Diagnostic, otherwise: Option<Level>) -> Hit {
    let range = diagnostic.location.range.as_ref();
    let line = |position: &Option<Position>| position.as_ref().map(|p| p.line).filter(|l| *l > 0);
    let suggestion = diagnostic
        .suggestions
        .iter()
        .find(|suggestion| suggestion.range.as_ref() == range && range.is_some_and(is_whole_lines));
    let code = diagnostic.code;
    Hit {
        severity: severity(diagnostic.severity.or(otherwise)),
        rule: code.as_ref().and_then(|code| code.value.clone()),
        message: diagnostic.message,
        line: range.and_then(|range| line(&range.start)).unwrap_or(0),
        end_line: range.and_then(|range| line(&range.end)),
        suggestion: suggestion.and_then(|suggestion| suggestion.text.clone()),
        page: code.and_then(|code| code.url),
        path: diagnostic.location.path,
    }
}

/// Our suggestions replace whole lines; one for a part of a line would replace too much.
fn is_whole_lines(range: &Range) -> bool {
    let is_whole = |position: &Option<Position>| {
        position
            .as_ref()
            .is_none_or(|position| position.column.is_none())
    };
    is_whole(&range.start) && is_whole(&range.end)
}

fn severity(level: Option<Level>) -> Severity {
    match level {
        Some(Level::Word(Word::Error) | Level::Number(1)) => Severity::Critical,
        Some(Level::Word(Word::Info) | Level::Number(3)) => Severity::Minor,
        _ => Severity::Significant,
    }
}
