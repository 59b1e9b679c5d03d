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
    let lines = range.and_then(lines_of);
    let fits = |suggestion: &&RdjsonSuggestion| {
        let own = suggestion.range.as_ref();
        own.is_some_and(is_whole_lines) && lines.is_some() && own.and_then(lines_of) == lines
    };
    let suggestion = diagnostic.suggestions.iter().find(fits);
    let code = diagnostic.code;
    ToolHit {
        severity: severity_of(diagnostic.severity.or(otherwise)),
        rule: code.as_ref().and_then(|code| code.value.clone()),
        message: diagnostic.message,
        line: lines.map_or(0, |(first, _)| first),
        end_line: lines.and_then(|(_, last)| last),
        suggestion: suggestion.and_then(whole_text),
        page: code.and_then(|code| code.url),
        path: diagnostic.location.path,
    }
}

/// The first and the last line of a range, both with something of it: its end is exclusive.
fn lines_of(range: &RdjsonRange) -> Option<(u32, Option<u32>)> {
    let first = range
        .start
        .as_ref()
        .map(|start| start.line)
        .filter(|line| *line > 0)?;
    let last = range.end.as_ref().filter(|end| end.line > 0);
    let last = last.map(|end| end.line - u32::from(end.column == Some(1) && end.line > first));
    Some((first, last.filter(|last| *last > first)))
}

/// Our suggestions replace whole lines; one for a part of a line would replace too much. With columns, lines end where the
/// next one begins.
fn is_whole_lines(range: &RdjsonRange) -> bool {
    let column = |position: &Option<RdjsonPosition>| position.as_ref().and_then(|at| at.column);
    match (column(&range.start), column(&range.end)) {
        (None, None) => true,
        (Some(1), Some(1)) => {
            let line = |position: &Option<RdjsonPosition>| position.as_ref().map(|at| at.line);
            line(&range.start) < line(&range.end)
        }
        _ => false,
    }
}

/// The text of a suggestion without the end of its last line, which columns make a part of it.
fn whole_text(suggestion: &RdjsonSuggestion) -> Option<String> {
    let text = suggestion.text.as_ref()?;
    let end = suggestion
        .range
        .as_ref()
        .and_then(|range| range.end.as_ref());
    let has_end = end.is_some_and(|end| end.column.is_some());
    Some(match text.strip_suffix('\n') {
        Some(rest) if has_end => rest.to_owned(),
        _ => text.clone(),
    })
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
