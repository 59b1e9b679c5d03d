//! The report as a versioned JSON object (`--json`, and the run's `report.json`).

use std::collections::BTreeSet;

use council_protocol::packet::TargetKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::outcome::{FindingLevel, JudgedFinding, ReviewedBy, Verdict, VerdictReason};
use crate::council::plan::ConsensusRule;
use crate::council::quorum::Attendance;
use crate::report::bottom_line::{BottomLine, GatePolicy};
use crate::report::facts::Participation;
use crate::report::whole::{REPORT_VERSION, Report};
use crate::text;

/// A report with its bottom line, which is never read back: it follows from the rest.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "git-council report")]
struct ReportDocument<'a> {
    #[serde(flatten)]
    bottom_line: BottomLine,
    #[serde(flatten)]
    report: &'a Report,
}

/// The report as indented JSON, ended by a newline. Hidden characters stand in it as `\u` escapes.
pub fn render(report: &Report, gate: GatePolicy) -> String {
    let document = ReportDocument {
        bottom_line: report.bottom_line(gate),
        report,
    };
    // A report has string keys only and no fallible serializer in it.
    let json = crate::text::pretty_json(&document).unwrap_or_default();
    text::json_safe(&json) + "\n"
}

/// Reads a report that was written by this or an older version.
///
/// # Errors
///
/// When it is no report, one of a version that this program does not know, or one whose verdict is better than what
/// stands in it: an artefact may come from somebody who wants it green.
pub fn parse(json: &str) -> Result<Report, ParseError> {
    let version: VersionOnly =
        serde_json::from_slice(json.as_bytes()).map_err(ParseError::Shape)?;
    if version.schema_version != REPORT_VERSION {
        return Err(ParseError::Version {
            found: version.schema_version,
        });
    }
    let mut report: Report = serde_json::from_slice(json.as_bytes()).map_err(ParseError::Shape)?;
    // Follows from the judges; a report of an earlier version does not say it, and a forged one may say anything.
    report.outcome.reviewed_by = ReviewedBy::of_records(&report.outcome.judges);
    match contradiction(&report) {
        Some(what) => Err(ParseError::Contradiction {
            verdict: report.outcome.verdict,
            what,
        }),
        None => Ok(report),
    }
}

/// What is read first, so that a later version is named and not misread.
#[derive(Deserialize)]
struct VersionOnly {
    schema_version: u32,
}

/// Whether judges were convened over something that has no verdict. A change always has one.
fn asks_for_no_verdict(report: &Report) -> bool {
    let text = matches!(report.target.kind, TargetKind::Topic | TargetKind::Stage);
    text && report.outcome.reason == VerdictReason::NoVerdict
}

/// Whether a name such as `F1` means one finding: `dismiss F1` must not hit another one.
fn is_each_named_once(findings: &[JudgedFinding]) -> bool {
    let names: BTreeSet<String> = findings.iter().map(|f| f.id.to_ascii_lowercase()).collect();
    names.len() == findings.len()
}

/// What in a report speaks against its verdict, if anything does.
pub(crate) fn contradiction(report: &Report) -> Option<&'static str> {
    let green = matches!(report.outcome.verdict, Verdict::Pass | Verdict::Warn);
    let skipped = report.outcome.verdict == Verdict::Skipped;
    let who = Participation::of(&report.outcome.judges, report.receipt.participation.quorum);
    let worst = report.outcome.findings.iter().filter_map(|f| f.level).max();
    let most = match report.outcome.verdict {
        Verdict::Pass => FindingLevel::Note,
        Verdict::Warn => FindingLevel::Warn,
        _ => FindingLevel::Fail,
    };
    if !is_each_named_once(&report.outcome.findings) {
        Some("two of its findings have one name")
    } else if who != report.receipt.participation {
        Some("its receipt counts other judges than it lists")
    } else if (green || skipped) && is_cut_short(report) {
        Some("the run was cut short")
    } else if green && lacks_quorum(report) {
        Some("too few judges counted")
    } else if skipped && !report.outcome.judges.is_empty() && !asks_for_no_verdict(report) {
        Some("judges were convened")
    } else if report.outcome.consensus == Some(ConsensusRule::Findings) && worst > Some(most) {
        Some("a finding in it weighs more")
    } else {
        None
    }
}

/// Whether fewer judges counted than had to; rules stand in for no model that was asked.
fn lacks_quorum(report: &Report) -> bool {
    let quorum = report.receipt.participation.quorum.max(1) as usize;
    Attendance::of_records(&report.outcome.judges).towards_quorum(quorum) < quorum
}

/// The JSON Schema of what [`render`] writes.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(ReportDocument<'static>)
}

fn is_cut_short(report: &Report) -> bool {
    report.incomplete
        || report.receipt.run.cut_short.is_some()
        || report.outcome.reason.is_cut_short()
}

/// Why text is not a report.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// It does not fit the schema.
    #[error("this is not a report: {0}")]
    Shape(serde_json::Error),
    /// Its verdict does not follow from it.
    #[error("the report says {}, but {what}: git-council did not write it like this", verdict.as_str())]
    Contradiction {
        /// The verdict that it claims.
        verdict: Verdict,
        /// What speaks against it.
        what: &'static str,
    },
    /// Another version wrote it.
    #[error(
        "the report has schema version {found}, and this program reads {REPORT_VERSION}: update git-council"
    )]
    Version {
        /// What it says.
        found: u32,
    },
}
