//! rdjson, reviewdog's diagnostic format.

use council_protocol::{Failure, Severity};
use serde::Deserialize;

use super::ToolHit;

#[derive(Deserialize)]
struct RdjsonReport {
    diagnostics: Vec<RdjsonDiagnostic>,
    #[serde(default)]
    severity: Option<RdjsonLevel>,
}

#[derive(Deserialize)]
struct RdjsonDiagnostic {
    message: String,
    location: RdjsonLocation,
    severity: Option<RdjsonLevel>,
    code: Option<RdjsonCode>,
    #[serde(default)]
    suggestions: Vec<RdjsonSuggestion>,
}

#[derive(Deserialize)]
struct RdjsonLocation {
    path: String,
    range: Option<RdjsonRange>,
}

#[derive(Deserialize, PartialEq)]
struct RdjsonRange {
    start: Option<RdjsonPosition>,
    end: Option<RdjsonPosition>,
}

#[derive(Deserialize, PartialEq)]
struct RdjsonPosition {
    #[serde(default)]
    line: u32,
    /// From 1; none: the whole line.
    column: Option<u32>,
}

#[derive(Deserialize)]
struct RdjsonCode {
    value: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct RdjsonSuggestion {
    range: Option<RdjsonRange>,
    text: Option<String>,
}

/// A word, or the number that the format's own encoders also write.
#[derive(Deserialize, Clone, Copy)]
#[serde(untagged)]
enum RdjsonLevel {
    Word(RdjsonSeverity),
    Number(u8),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum RdjsonSeverity {
    UnknownSeverity,
    Error,
    Warning,
    Info,
}

/// What the log reports.
pub(super) fn parse_hits(text: &str) -> Result<Vec<ToolHit>, Failure> {
    let log: RdjsonReport = super::parse_json(text, "rdjson")?;
    let otherwise = log.severity;
    Ok(log
        .diagnostics
        .into_iter()
        .map(|diagnostic| hit_of(diagnostic, otherwise))
        .collect())
}

fn hit_of(diagnostic: RdjsonDiagnostic, otherwise: Option<RdjsonLevel>) -> ToolHit {
    let range = diagnostic.location.range.as_ref();
    let line =
        |position: &Option<RdjsonPosition>| position.as_ref().map(|p| p.line).filter(|l| *l > 0);
    let suggestion = diagnostic
        .suggestions
        .iter()
        .find(|suggestion| suggestion.range.as_ref() == range && range.is_some_and(is_whole_lines));
    let code = diagnostic.code;
    ToolHit {
        severity: severity_of(diagnostic.severity.or(otherwise)),
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
fn is_whole_lines(range: &RdjsonRange) -> bool {
    let is_whole = |position: &Option<RdjsonPosition>| {
        position
            .as_ref()
            .is_none_or(|position| position.column.is_none())
    };
    is_whole(&range.start) && is_whole(&range.end)
}

fn severity_of(level: Option<RdjsonLevel>) -> Severity {
    match level {
        Some(RdjsonLevel::Word(RdjsonSeverity::Error) | RdjsonLevel::Number(1)) => {
            Severity::Critical
        }
        Some(RdjsonLevel::Word(RdjsonSeverity::Info) | RdjsonLevel::Number(3)) => Severity::Minor,
        _ => Severity::Significant,
    }
}
