//! The report for a coding agent: a few lines of a stable form, tab-separated, worst first. docs/report.md defines them.

use super::removed::removed_words;
use super::verdict_entry;
use super::words::{self, FindingRemarks, JudgeNames};
use crate::council::outcome::{Disposition, JudgedFinding};
use crate::council::readable_description;
use crate::report::bottom_line::GatePolicy;
use crate::report::whole::Report;
use crate::text::{Untrusted, clip_chars};

/// The version of the form, told on its first line.
const FORM: &str = "git-council 1";

/// The most findings that are listed.
const MAX_FINDINGS: usize = 50;

/// The most characters of a field.
const MAX_FIELD: usize = 300;

/// The verdict, a line for each finding that weighs with its reason and fix, what was not read, and what to do next.
pub(crate) fn render(report: &Report, gate: GatePolicy) -> String {
    let line = report.bottom_line(gate);
    let mut out = format!(
        "{FORM}\t{}\texit {}\nsummary\t{}\n",
        report.outcome.verdict.as_str(),
        line.exit_code,
        field(&line.headline)
    );
    let weighty: Vec<&JudgedFinding> = report.weighty_findings().collect();
    for found in weighty.iter().take(MAX_FINDINGS) {
        push_finding(&mut out, report, "finding", found);
    }
    for found in report
        .note_findings()
        .take(MAX_FINDINGS.saturating_sub(weighty.len()))
    {
        push_finding(&mut out, report, "note", found);
    }
    let all = weighty.len() + report.note_findings().count();
    if all > MAX_FINDINGS {
        out.push_str(&format!("more\t{}\n", all - MAX_FINDINGS));
    }
    if report.outcome.reason.is_by_votes() {
        let names = JudgeNames::of(&report.outcome.judges);
        for objection in verdict_entry::objections(report, &names) {
            out.push_str(&format!("told\t{}\n", field(&objection)));
        }
    }
    for note in report.outcome.notes.iter().take(MAX_FINDINGS) {
        out.push_str(&format!("told\t{}\n", field(note)));
    }
    for (path, why) in words::unread_files(&report.outcome.coverage)
        .into_iter()
        .take(MAX_FINDINGS)
    {
        out.push_str(&format!("unread\t{}\t{}\n", name_field(&path), field(&why)));
    }
    out
}

/// `finding  F1  critical  confirmed  src/db.py:12  sentence`, then its reason and its fix.
fn push_finding(out: &mut String, report: &Report, kind: &str, found: &JudgedFinding) {
    let finding = &found.finding;
    let became = match words::is_lone(report, found) {
        true => Disposition::Unconfirmed,
        false => found.disposition,
    };
    out.push_str(&format!(
        "{kind}\t{}\t{}\t{}\t{}\t{}\n",
        field(&found.id),
        finding.severity.as_str(),
        words::disposition_word(became),
        name_field(&words::location_text(&finding.location)),
        field(&readable_description(&finding.description))
    ));
    for other in words::other_readings(found)
        .into_iter()
        .chain(removed_words(found))
    {
        out.push_str(&format!("also\t{}\t{}\n", field(&found.id), field(&other)));
    }
    let FindingRemarks { why, fix, .. } = words::finding_remarks(finding);
    for (label, text) in [("why", why), ("fix", fix)] {
        if !text.trim().is_empty() {
            out.push_str(&format!("{label}\t{}\t{}\n", field(&found.id), field(text)));
        }
    }
}

/// One line without tabs.
fn field(text: &str) -> String {
    bounded(&Untrusted::new(&clip_chars(text, MAX_FIELD)).line())
}

/// A place: what cannot be seen in a name is written out, as a blank for it would be the name of another file.
fn name_field(text: &str) -> String {
    bounded(&Untrusted::new(&clip_chars(text, MAX_FIELD)).name())
}

/// What is written out takes more room than what it stands for.
fn bounded(text: &str) -> String {
    match text.chars().count() {
        0..=MAX_FIELD => text.to_owned(),
        _ => clip_chars(text, MAX_FIELD - 1).into_owned(),
    }
}
