//! The findings as Checkstyle's XML.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};

use super::junit::XML;
use super::rule_of;
use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::whole::Report;
use crate::text::Untrusted;

/// Every finding that counts, by file.
pub(crate) fn render(report: &Report) -> String {
    let mut files: BTreeMap<String, Vec<&JudgedFinding>> = BTreeMap::new();
    for found in report.outcome.findings.iter().filter(|f| f.level.is_some()) {
        let path = found.finding.location.path.display().into_owned();
        files.entry(path).or_default().push(found);
    }
    let page = html! {
        (PreEscaped(XML))
        checkstyle version="4.3" {
            @for (path, found) in &files {
                file name=(Untrusted::new(path).name()) {
                    @for found in found { (error(found)) }
                }
            }
        }
    };
    page.into_string() + "\n"
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
            message=(Untrusted::new(&finding.description).line())
            source=(format!("git-council.{}", rule_of(finding))) {}
    }
}
