//! Bandit's own JSON: of its other formats none says which files it could not read, and it passes over them in silence.

use council_protocol::{Failure, Severity};
use serde::Deserialize;

use super::{FoundHits, ToolHit, parse_json};

#[derive(Deserialize)]
struct BanditReport {
    errors: Vec<BanditError>,
    results: Vec<BanditResult>,
}

/// A file that was not looked at.
#[derive(Deserialize)]
struct BanditError {
    filename: String,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
struct BanditResult {
    filename: String,
    line_number: u32,
    /// Every line of the statement.
    #[serde(default)]
    line_range: Vec<u32>,
    issue_text: String,
    issue_severity: String,
    test_id: String,
    more_info: Option<String>,
}

pub(super) fn parse_hits(text: &str) -> Result<FoundHits, Failure> {
    let report: BanditReport = parse_json(text, "Bandit's JSON")?;
    let unread = report.errors.into_iter().map(|error| ToolHit {
        severity: Severity::Critical,
        rule: None,
        message: format!("Bandit did not read it: {}", error.reason),
        path: without_dots(&error.filename),
        line: 0,
        end_line: None,
        suggestion: None,
        page: None,
    });
    let found = report.results.into_iter().map(|result| ToolHit {
        severity: match result.issue_severity.as_str() {
            "HIGH" => Severity::Critical,
            "MEDIUM" => Severity::Significant,
            _ => Severity::Minor,
        },
        rule: Some(result.test_id),
        message: result.issue_text,
        path: without_dots(&result.filename),
        // Where it begins: the line that it names may be one in the middle.
        line: result
            .line_range
            .iter()
            .copied()
            .fold(result.line_number, u32::min),
        end_line: result.line_range.into_iter().max(),
        suggestion: None,
        page: result.more_info,
    });
    Ok(FoundHits {
        found: found.collect(),
        unread: unread.collect(),
    })
}

/// It writes `././a.py` where it was asked about `./a.py`.
fn without_dots(path: &str) -> String {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path.to_owned()
}
