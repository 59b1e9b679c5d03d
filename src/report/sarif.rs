//! The findings as SARIF 2.1.0, with what a page of code scanning shows beside them.

use std::collections::BTreeMap;

use council_protocol::{Finding, Location};
use serde_json::{Value, json};

use super::sarif_rule::{rule_descriptor, verdict_descriptor};
use super::words::{self, JudgeNames};
use super::{rule_of, uri};
use crate::council::Dismissal;
use crate::council::outcome::{FindingLevel, JudgedFinding, Verdict};
use crate::report::bottom_line::GatePolicy;
use crate::report::verdict_entry::{self, VerdictEntry};
use crate::report::whole::Report;
use crate::text::{self, Untrusted};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The name under which fingerprints stand; a new one whenever they are computed anew.
const FINGERPRINT: &str = "gitCouncil/v1";

/// Results that GitHub accepts in one run.
const MAX_RESULTS: usize = 25_000;

/// The findings that count as a SARIF log with one run, ended by a newline.
pub(crate) fn render(report: &Report, gate: GatePolicy) -> String {
    let findings: Vec<&JudgedFinding> = report
        .outcome
        .findings
        .iter()
        .filter(|f| f.level.is_some() || f.dismissed.is_some())
        .take(MAX_RESULTS - 1)
        .collect();
    let version = report.receipt.run.version.as_str();
    let rules = collect_rules(&findings);
    let names = JudgeNames::of(&report.outcome.judges);
    let mut results: Vec<Value> = findings
        .iter()
        .map(|f| finding_result(f, &rules, &names))
        .collect();
    let mut descriptors: Vec<Value> = rules
        .iter()
        .map(|(id, (_, about))| rule_descriptor(id, about, version))
        .collect();
    if let Some(entry) = VerdictEntry::of(report, gate) {
        results.push(verdict_result(&entry, descriptors.len()));
        descriptors.push(verdict_descriptor(version));
    }
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "git-council",
                "semanticVersion": report.receipt.run.version,
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": descriptors,
            }},
            "automationDetails": { "id": "git-council/" },
            "invocations": [run_invocation(report)],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    format!("{}\n", text::json_safe(&format!("{log:#}")))
}

/// The rules that occur, by id, each with its index and the finding that describes it.
fn collect_rules<'a>(findings: &[&'a JudgedFinding]) -> BTreeMap<String, (usize, &'a Finding)> {
    let mut rules = BTreeMap::new();
    for found in findings {
        rules
            .entry(rule_of(&found.finding))
            .or_insert((0, &found.finding));
    }
    for (index, (_, (at, _))) in rules.iter_mut().enumerate() {
        *at = index;
    }
    rules
}

/// An INCONCLUSIVE run is no successful one: no results must not look like no problems.
fn run_invocation(report: &Report) -> Value {
    let notes: Vec<Value> = report
        .outcome
        .notes
        .iter()
        .map(|note| json!({ "level": "note", "message": { "text": plain_message(note) } }))
        .collect();
    json!({
        "executionSuccessful": report.outcome.verdict != Verdict::Inconclusive,
        "exitCodeDescription": report.headline(),
        "toolExecutionNotifications": notes,
    })
}

fn finding_result(
    found: &JudgedFinding,
    rules: &BTreeMap<String, (usize, &Finding)>,
    names: &JudgeNames<'_>,
) -> Value {
    let finding = &found.finding;
    let id = rule_of(finding);
    let level = match found.level {
        Some(FindingLevel::Fail) => "error",
        Some(FindingLevel::Warn) => "warning",
        _ => "note",
    };
    let parts = [
        words::whole_sentence(found),
        finding.why.clone(),
        finding.fix.clone(),
    ];
    let text: Vec<String> = parts
        .iter()
        .map(|p| plain_message(p))
        .filter(|p| !p.is_empty())
        .collect();
    let mut result = json!({
        "ruleId": id,
        "ruleIndex": rules.get(&id).map(|(index, _)| index),
        "level": level,
        "message": { "text": text.join("\n\n") },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri::encode_path(finding.location.path.as_bytes()), "uriBaseId": "%SRCROOT%" },
            "region": location_region(&finding.location),
        }}],
        "partialFingerprints": { FINGERPRINT: found.fingerprint },
        "properties": {
            "severity": finding.severity.as_str(),
            "disposition": words::disposition_word(found.disposition),
            "judges": words::holders(found, names),
        },
    });
    if let Some(dismissal) = &found.dismissed {
        result["suppressions"] = dismissal_suppression(dismissal);
    }
    result
}

/// The verdict where it is worse than its findings, beside the first line of a changed file.
fn verdict_result(entry: &VerdictEntry, index: usize) -> Value {
    json!({
        "ruleId": verdict_entry::RULE,
        "ruleIndex": index,
        "level": if entry.fails { "error" } else { "warning" },
        "message": { "text": plain_message(&entry.message) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri::encode_path(entry.path.as_bytes()), "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 1, "endLine": 1 },
        }}],
        "partialFingerprints": { FINGERPRINT: verdict_entry::FINGERPRINT },
    })
}

/// A dismissed finding is a suppressed one (SARIF 3.27.23).
fn dismissal_suppression(dismissal: &Dismissal) -> Value {
    let why = plain_message(&format!(
        "{}: {}",
        dismissal.ground.words(),
        dismissal.because
    ));
    json!([{ "kind": "external", "status": "accepted", "justification": why }])
}

/// Whole lines; the first one for a finding about the file as a whole, because GitHub wants one.
fn location_region(location: &Location) -> Value {
    let start = location.line.max(1);
    json!({ "startLine": start, "endLine": location.end_line.unwrap_or(start).max(start) })
}

/// Plain text; `[text](link)` would be a link (SARIF 3.11.6).
pub(super) fn plain_message(text: &str) -> String {
    let text = Untrusted::new(text).line();
    if text.contains("](") {
        text.replace('[', "\\[")
    } else {
        text
    }
}
