//! Surfaces of the job itself: summary, annotations in the log, outputs (peers.md 5.6).

use crate::council::outcome::{JudgedFinding, Level};
use crate::report::{Report, markdown};
use crate::text::Untrusted;

use super::check;
use super::wishes::Wishes;

/// The most bytes of a step's summary (1 MiB), with a margin for the step's other output.
const MOST_SUMMARY: usize = (1 << 20) - 4096;

/// Annotations of one kind that a step shows.
const MOST_OF_A_KIND: usize = 10;

/// The job's summary.
pub(super) fn summary(report: &Report) -> String {
    let options = markdown::Options {
        frontmatter: false,
        max_bytes: Some(MOST_SUMMARY),
        fold: true,
    };
    markdown::render(report, options)
}

/// Log commands for the worst findings, as many as are shown.
pub(super) fn annotations(report: &Report) -> Vec<String> {
    let kind = |level: Level| {
        report
            .findings
            .iter()
            .filter(move |f| f.level == Some(level))
            .take(MOST_OF_A_KIND)
    };
    let levels = [Level::Fail, Level::Warn, Level::Note];
    levels.into_iter().flat_map(kind).map(command).collect()
}

fn command(found: &JudgedFinding) -> String {
    let location = &found.finding.location;
    let word = match found.level {
        Some(Level::Fail) => "error",
        Some(Level::Warn) => "warning",
        _ => "notice",
    };
    let line = location.line.max(1);
    let title = format!("{} {}", found.id, found.finding.severity.word());
    format!(
        "::{word} file={},line={line},endLine={},title={}::{}",
        Untrusted::new(&location.path.display()).log_property(),
        location.end_line.unwrap_or(line).max(line),
        Untrusted::new(&title).log_property(),
        Untrusted::new(&check::message(found)).log_message(),
    )
}

/// The action's outputs that follow from the report.
pub(super) fn outputs(report: &Report, wishes: &Wishes) -> Vec<(&'static str, String)> {
    let count = |is: fn(&JudgedFinding) -> bool| {
        report.findings.iter().filter(|f| is(f)).count().to_string()
    };
    let who = report.receipt.participation;
    let usage = report.receipt.usage.as_ref();
    let tokens = usage.and_then(|u| Some(u.input_tokens?.saturating_add(u.output_tokens?)));
    let mut pairs = vec![
        ("verdict", report.verdict.word().to_ascii_lowercase()),
        ("reason", report.reason.word().to_owned()),
        (
            "conclusion",
            check::word(report.bottom_line(wishes.gate).conclusion).to_owned(),
        ),
        ("findings", count(|f| f.level.is_some())),
        ("blocking", count(|f| f.level == Some(Level::Fail))),
        ("judges-answered", who.answered.to_string()),
        ("judges-expected", who.asked.to_string()),
        (
            "cost-usd",
            usage
                .and_then(|u| u.cost_usd)
                .map_or("unknown".to_owned(), |cost| cost.to_string()),
        ),
        (
            "tokens",
            tokens.map_or("unknown".to_owned(), |tokens| tokens.to_string()),
        ),
        (
            "digest",
            report
                .receipt
                .run
                .recognition_key
                .clone()
                .unwrap_or_default(),
        ),
        ("head", wishes.head.clone()),
    ];
    pairs.extend(wishes.outputs.iter().cloned());
    pairs
}
