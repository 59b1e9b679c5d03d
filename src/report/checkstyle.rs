//! The findings as Checkstyle's XML.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

use super::junit::XML;
use super::rule_of;
use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::bottom_line::GatePolicy;
use crate::report::verdict_entry::{self, VerdictEntry};
use crate::report::whole::Report;
use crate::report::words;
use crate::text::Untrusted;

/// Every finding that counts, by file.
pub(crate) fn render(report: &Report, gate: GatePolicy) -> String {
    let mut files: BTreeMap<String, Vec<&JudgedFinding>> = BTreeMap::new();
    for found in report.outcome.findings.iter().filter(|f| f.level.is_some()) {
        let path = found.finding.location.path.display().into_owned();
        files.entry(path).or_default().push(found);
    }
    let page = html! {
        (PreEscaped(XML))
        checkstyle version="4.3" {
            @if let Some(entry) = VerdictEntry::of(report, gate) { (verdict_file(&entry)) }
            @for (path, found) in &files {
                file name=(Untrusted::new(path).name()) {
                    @for found in found { (error(found)) }
                }
            }
        }
    };
    page.into_string() + "\n"
}

/// The verdict where it is worse than its findings, beside the first line of a changed file.
fn verdict_file(entry: &VerdictEntry) -> Markup {
    html! {
        file name=(Untrusted::new(&entry.path).name()) {
            error line="1" severity=(if entry.fails { "error" } else { "warning" }) message=(entry.message)
                source=(format!("git-council.{}", verdict_entry::RULE)) {}
        }
    }
}

fn error(found: &JudgedFinding) -> Markup {
    let finding = &found.finding;
    let severity = match found.level {
        Some(FindingLevel::Fail) => "error",
        Some(FindingLevel::Warn) => "warning",
        _ => "info",
    };
    html! {
        error line=(finding.location.line.max(1)) severity=(severity)
            message=(Untrusted::new(&words::whole_sentence(found)).line())
            source=(format!("git-council.{}", rule_of(finding))) {}
    }
}
