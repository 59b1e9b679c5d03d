//! The report as a versioned JSON object (`--json`, and the run's `report.json`).

use schemars::JsonSchema;
use serde::Serialize;

use super::{BottomLine, Gate, REPORT_VERSION, Report};
use crate::text;

/// A report with its bottom line, which is never read back: it follows from the rest.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "git-council report")]
struct Document<'a> {
    #[serde(flatten)]
    bottom_line: BottomLine,
    #[serde(flatten)]
    report: &'a Report,
}

/// The report as indented JSON, ended by a newline. Hidden characters stand in it as `\u` escapes.
pub fn render(report: &Report, gate: Gate) -> String {
    let document = Document {
        bottom_line: report.bottom_line(gate),
        report,
    };
    // A report has string keys only and no fallible serializer in it.
    let json = serde_json::to_string_pretty(&document).unwrap_or_default();
    text::json_safe(&json) + "\n"
}

/// Reads a report that was written by this or an older version.
///
/// # Errors
///
/// When it is no report, or one of a version that this program does not know.
pub fn parse(json: &str) -> Result<Report, ParseError> {
    let report: Report = serde_json::from_str(json).map_err(ParseError::Shape)?;
    if report.schema_version != REPORT_VERSION {
        return Err(ParseError::Version {
            found: report.schema_version,
        });
    }
    Ok(report)
}

/// The JSON Schema of what [`render`] writes.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Document<'static>)
}

/// Why text is not a report.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// It does not fit the schema.
    #[error("this is not a report: {0}")]
    Shape(serde_json::Error),
    /// Another version wrote it.
    #[error(
        "the report has schema version {found}, and this program reads {REPORT_VERSION}: update git-council"
    )]
    Version {
        /// What it says.
        found: u32,
    },
}
