//! The findings as GitLab's code quality report.

use serde_json::{Value, json};

use super::rule_of;
use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::bottom_line::GatePolicy;
use crate::report::verdict_entry::{self, VerdictEntry};
use crate::report::whole::Report;
use crate::report::words;
use crate::text::{Untrusted, json_safe};
use council_protocol::Severity;

/// Every finding that counts, ended by a newline.
pub(crate) fn render(report: &Report, gate: GatePolicy) -> String {
    let counted = report.outcome.findings.iter().filter(|f| f.level.is_some());
    let verdict = VerdictEntry::of(report, gate);
    let verdict = verdict.iter().map(verdict_issue);
    let issues: Vec<Value> = verdict.chain(counted.map(issue)).collect();
    let json = crate::text::pretty_json(&issues).unwrap_or_default();
    json_safe(&json) + "\n"
}

/// The verdict where it is worse than its findings.
fn verdict_issue(entry: &VerdictEntry) -> Value {
    json!({
        "description": entry.message,
        "check_name": verdict_entry::RULE,
        "fingerprint": verdict_entry::FINGERPRINT,
        "severity": if entry.fails { "blocker" } else { "major" },
        "location": { "path": entry.path, "lines": { "begin": 1, "end": 1 } },
    })
}

fn issue(found: &JudgedFinding) -> Value {
    let finding = &found.finding;
    let line = finding.location.line.max(1);
    // GitLab's words are about weight, so a critical finding that nobody else confirmed is no blocker.
    let severity = match (found.level, finding.severity) {
        (Some(FindingLevel::Fail), _) => "blocker",
        (Some(FindingLevel::Warn), Severity::Critical) => "critical",
        (Some(FindingLevel::Warn), _) => "major",
        _ => "minor",
    };
    json!({
        "description": Untrusted::new(&words::whole_sentence(found)).line(),
        "check_name": rule_of(finding),
        "fingerprint": found.fingerprint,
        "severity": severity,
        "location": {
            "path": finding.location.path.display(),
            "lines": { "begin": line, "end": finding.location.end_line.unwrap_or(line).max(line) },
        },
    })
}
