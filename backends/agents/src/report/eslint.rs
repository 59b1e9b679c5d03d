//! ESLint's own JSON (`--format json`): its SARIF needs a package that few repositories have.

use council_protocol::{Failure, FailureKind, Severity};
use serde::Deserialize;

use super::{FoundHits, ToolHit, parse_json};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    messages: Vec<EslintMessage>,
    /// How many of the messages are errors.
    #[serde(default)]
    error_count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<u32>,
    end_line: Option<u32>,
}

/// What the report holds. ESLint's "error" is how most style rules are set: no tool's error is critical unless
/// `max-severity` says so.
pub(super) fn parse_hits(text: &str) -> Result<FoundHits, Failure> {
    let files: Vec<EslintFile> = parse_json(text, "ESLint's JSON")?;
    for file in &files {
        let listed = file.messages.iter().filter(|m| m.severity >= 2).count();
        if listed < file.error_count {
            let detail = format!(
                "ESLint counts {} errors in {} and lists {listed}",
                file.error_count, file.file_path
            );
            return Err(Failure::new(FailureKind::Malformed, detail));
        }
    }
    let messages = files.into_iter().flat_map(|file| {
        let path = file.file_path;
        let of_file = file.messages.into_iter();
        of_file.map(move |message| message.into_hit(path.clone()))
    });
    let (unread, found) = messages.partition(is_about_reading);
    Ok(FoundHits { found, unread })
}

/// Whether ESLint says that it did not read a file: of no rule, in no line, and no error.
fn is_about_reading(hit: &ToolHit) -> bool {
    hit.rule.is_none() && hit.line == 0 && hit.severity < Severity::Critical
}

impl EslintMessage {
    fn into_hit(self, path: String) -> ToolHit {
        ToolHit {
            severity: if self.severity >= 2 {
                Severity::Critical
            } else {
                Severity::Minor
            },
            rule: self.rule_id,
            message: self.message,
            path,
            line: self.line.unwrap_or(0),
            end_line: self.end_line,
            suggestion: None,
            page: None,
        }
    }
}
