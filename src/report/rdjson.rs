//! The findings as reviewdog's diagnostic format, for other forges (`rdjson`: one `DiagnosticResult`).

use council_protocol::Location;
use serde_json::{Value, json};

use super::rule_of;
use super::words::{self, JudgeNames};
use crate::council::outcome::{FindingLevel, JudgedFinding, Verdict};
use crate::council::readable_description;
use crate::council::reproduction::SuggestionCheck;
use crate::report::bottom_line::GatePolicy;
use crate::report::verdict_entry::{self, VerdictEntry};
use crate::report::whole::Report;
use crate::text::{self, Untrusted};

/// The findings that count, ended by a newline. Messages are Markdown, since that is what they are posted as.
pub(crate) fn render(report: &Report, gate: GatePolicy) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let counted = report.outcome.findings.iter().filter(|f| f.level.is_some());
    let severity = match report.outcome.verdict {
        Verdict::Fail => "ERROR",
        Verdict::Warn | Verdict::Inconclusive => "WARNING",
        Verdict::Pass | Verdict::Skipped => "INFO",
    };
    let entry = VerdictEntry::of(report, gate);
    let fails = entry.as_ref().is_some_and(|entry| entry.fails);
    let severity = if fails { "ERROR" } else { severity };
    let verdict = entry.iter().map(verdict_diagnostic);
    let diagnostics = verdict.chain(counted.map(|f| finding_diagnostic(f, &names)));
    let result = json!({
        "source": { "name": "git-council", "url": env!("CARGO_PKG_REPOSITORY") },
        "severity": severity,
        "diagnostics": diagnostics.collect::<Vec<Value>>(),
    });
    format!("{}\n", text::json_safe(&format!("{result:#}")))
}

/// The verdict where it is worse than its findings.
fn verdict_diagnostic(entry: &VerdictEntry) -> Value {
    json!({
        "message": Untrusted::new(&entry.message).prose(),
        "severity": if entry.fails { "ERROR" } else { "WARNING" },
        "location": { "path": entry.path },
        "code": { "value": verdict_entry::RULE },
    })
}

fn finding_diagnostic(found: &JudgedFinding, names: &JudgeNames<'_>) -> Value {
    let finding = &found.finding;
    let severity = match found.level {
        Some(FindingLevel::Fail) => "ERROR",
        Some(FindingLevel::Warn) => "WARNING",
        _ => "INFO",
    };
    let mut value = json!({
        "message": finding_message(found, names),
        "severity": severity,
        "location": { "path": finding.location.path.display() },
        "code": { "value": rule_of(finding) },
    });
    if let Some(range) = finding_range(&finding.location) {
        value["location"]["range"] = range.clone();
        // Other programs take it over without a word: not where its own test does not pass with it.
        let check = found.suggestion_check.as_ref();
        let is_fit = !check.is_some_and(SuggestionCheck::is_unfit);
        let text = finding.suggestion.as_deref();
        if let Some(text) =
            text.filter(|text| is_fit && text::unfit_text(text).is_none() && is_plain(text))
        {
            value["suggestions"] = json!([{ "range": range, "text": text }]);
        }
    }
    value
}

/// What, why, fix and who, a paragraph each.
fn finding_message(found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    let finding = &found.finding;
    let what = readable_description(&finding.description).into_owned();
    let named = [
        ("", &what),
        ("**Why:** ", &finding.why),
        ("**Fix:** ", &finding.fix),
    ];
    let mut parts: Vec<String> = named
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| format!("{name}{}", Untrusted::new(text).prose()))
        .collect();
    let others = words::other_readings(found);
    parts.extend(others.iter().map(|other| Untrusted::new(other).prose()));
    let holders = words::holders(found, names).join(", ");
    parts.push(format!(
        "*{}, {}, held by {}.*",
        finding.severity.as_str(),
        words::disposition_word(found.disposition),
        Untrusted::new(&holders).prose()
    ));
    parts.join("\n\n")
}

/// Without columns a range is line-wise and includes its end.
fn finding_range(location: &Location) -> Option<Value> {
    let start = Some(location.line).filter(|&line| line > 0)?;
    let end = location.end_line.unwrap_or(start).max(start);
    Some(json!({ "start": { "line": start }, "end": { "line": end } }))
}

/// Whether a person sees all of a replacement before taking it.
fn is_plain(text: &str) -> bool {
    !text
        .chars()
        .any(|c| text::is_hidden(c) && !matches!(c, '\n' | '\t'))
}
