//! Surfaces of the job itself: summary, annotations in the log, outputs.

use council_protocol::Location;

use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::{Report, markdown};
use crate::text::Untrusted;

use super::check;
use super::wishes::PublishOptions;

/// The most bytes of a step's summary (1 MiB), with a margin for the step's other output.
const MAX_SUMMARY: usize = (1 << 20) - 4096;

/// Annotations of one kind that a step shows.
const MAX_PER_LEVEL: usize = 10;

/// The job's summary.
pub(super) fn job_summary(report: &Report, place: markdown::ReadingPlace) -> String {
    let options = markdown::MarkdownOptions {
        frontmatter: false,
        max_bytes: Some(MAX_SUMMARY),
        fold: true,
        links: None,
        place,
        update: None,
        council: None,
        headless: false,
    };
    markdown::render(report, options)
}

/// Log commands for the worst findings, as many as are shown.
pub(super) fn log_annotations(report: &Report) -> Vec<String> {
    let kind = |level: FindingLevel| {
        report
            .outcome
            .findings
            .iter()
            .filter(move |f| f.level == Some(level))
            .take(MAX_PER_LEVEL)
    };
    let levels = [FindingLevel::Fail, FindingLevel::Warn, FindingLevel::Note];
    levels.into_iter().flat_map(kind).map(log_command).collect()
}

fn log_command(found: &JudgedFinding) -> String {
    let word = match found.level {
        Some(FindingLevel::Fail) => "error",
        Some(FindingLevel::Warn) => "warning",
        _ => "notice",
    };
    let title = format!("{} {}", found.id, check::severity_words(found));
    format!(
        "::{word} file={},{}title={}::{}",
        Untrusted::new(&found.finding.location.path.display()).log_property(),
        lines_property(&found.finding.location),
        Untrusted::new(&title).log_property(),
        Untrusted::new(&check::annotation_message(found)).log_message(),
    )
}

/// Where the log leads to; nothing for what has no line of the new side: another one says nothing of it.
fn lines_property(location: &Location) -> String {
    match location.line {
        0 => String::new(),
        line => {
            let last = location.end_line.unwrap_or(line).max(line);
            format!("line={line},endLine={last},")
        }
    }
}

/// The action's outputs that follow from the report.
pub(super) fn action_outputs(
    report: &Report,
    wishes: &PublishOptions,
) -> Vec<(&'static str, String)> {
    let count = |is: fn(&JudgedFinding) -> bool| {
        report
            .outcome
            .findings
            .iter()
            .filter(|f| is(f))
            .count()
            .to_string()
    };
    let who = report.receipt.participation;
    let usage = report.receipt.usage.as_ref();
    let tokens = usage.and_then(|u| Some(u.input_tokens?.saturating_add(u.output_tokens?)));
    let mut pairs = vec![
        (
            "verdict",
            report.outcome.verdict.as_str().to_ascii_lowercase(),
        ),
        ("reason", report.outcome.reason.as_str().to_owned()),
        (
            "conclusion",
            check::conclusion_word(report.bottom_line(wishes.gate).conclusion).to_owned(),
        ),
        ("findings", count(|f| f.level.is_some())),
        ("blocking", count(|f| f.level == Some(FindingLevel::Fail))),
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
        (
            "recognised",
            report.receipt.run.recognised.is_some().to_string(),
        ),
    ];
    pairs.extend(wishes.outputs.iter().cloned());
    pairs
}
