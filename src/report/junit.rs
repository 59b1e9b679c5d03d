//! The report as JUnit's XML: a file is a suite, a finding that weighs is a failed test of it.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

use super::rule_of;
use super::words::{self, FindingRemarks};
use crate::council::outcome::{JudgedFinding, Verdict};
use crate::report::bottom_line::GatePolicy;
use crate::report::verdict_entry::{RULE, VerdictEntry};
use crate::report::whole::Report;
use crate::text::Untrusted;

/// The first line of every XML file.
pub(super) const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The report's findings by file, and the verdict as a suite of its own: a run without a verdict must not look green, nor a
/// failed one have a green test for its verdict.
pub(crate) fn render(report: &Report, gate: GatePolicy) -> String {
    let mut suites: BTreeMap<String, Vec<&JudgedFinding>> = BTreeMap::new();
    for found in report.weighty_findings() {
        let path = found.finding.location.path.display().into_owned();
        suites.entry(path).or_default().push(found);
    }
    let failures = suites.values().map(Vec::len).sum::<usize>();
    let verdict = VerdictState::of(report, gate, failures);
    let (tests, failed) = (failures + verdict.tests(), failures + verdict.failures);
    let page = html! {
        (PreEscaped(XML))
        testsuites name="git-council" tests=(tests) failures=(failed) errors=(verdict.errors) {
            (verdict_suite(report, &verdict))
            @for (path, found) in &suites { (file_suite(path, found)) }
        }
    };
    page.into_string() + "\n"
}

/// How the test called `verdict` ends: where no finding is a failed test, it is the one that fails. Where findings are, there
/// is none: it could only pass, beside a run that fails.
struct VerdictState {
    /// Whether a run has no other test: servers take a file without tests for a broken one.
    passes: bool,
    failures: usize,
    errors: usize,
    /// Why it fails.
    message: String,
}

impl VerdictState {
    fn of(report: &Report, gate: GatePolicy, failures: usize) -> Self {
        let no_verdict = report.outcome.verdict == Verdict::Inconclusive;
        let entry = VerdictEntry::of(report, gate).filter(|_| no_verdict || failures == 0);
        let fails = entry.is_some() && !no_verdict;
        Self {
            passes: !fails && !no_verdict && failures == 0,
            failures: usize::from(fails),
            errors: usize::from(no_verdict),
            message: entry.map_or_else(|| report.headline(), |entry| entry.message),
        }
    }

    fn tests(&self) -> usize {
        usize::from(self.passes) + self.failures + self.errors
    }
}

fn verdict_suite(report: &Report, verdict: &VerdictState) -> Markup {
    let headline = report.headline();
    let seconds = words::format_seconds(report.receipt.run.duration_ms);
    html! {
        testsuite name="verdict" tests=(verdict.tests()) failures=(verdict.failures) errors=(verdict.errors)
            time=(seconds) {
            @if verdict.tests() > 0 {
                testcase classname="git-council" name=(RULE) time=(seconds) {
                    @if verdict.errors > 0 {
                        error type="INCONCLUSIVE" message=(headline) { (verdict.message) }
                    } @else if verdict.failures > 0 {
                        failure type=(report.outcome.verdict.as_str()) message=(headline) { (verdict.message) }
                    }
                }
            }
            system-out {
                (headline) "\n"
                @for note in &report.outcome.notes { (Untrusted::new(note).line()) "\n" }
            }
        }
    }
}

fn file_suite(path: &str, found: &[&JudgedFinding]) -> Markup {
    html! {
        testsuite name=(Untrusted::new(path).name()) tests=(found.len()) failures=(found.len()) errors="0" {
            @for found in found { (test_case(found)) }
        }
    }
}

fn test_case(found: &JudgedFinding) -> Markup {
    let finding = &found.finding;
    let place = Untrusted::new(&words::location_text(&finding.location)).name();
    let what = Untrusted::new(&words::whole_sentence(found)).line();
    let FindingRemarks { why, fix, .. } = words::finding_remarks(finding);
    html! {
        testcase classname=(rule_of(finding)) name=(format!("{place} {what}")) {
            failure type=(finding.severity.as_str()) message=(what) {
                (place) ": " (what)
                @for (label, text) in [("why", why), ("fix", fix)] {
                    @if !text.trim().is_empty() { "\n" (label) ": " (Untrusted::new(text).line()) }
                }
            }
        }
    }
}
