//! The check run: in progress at the start, completed at every ending, annotations in batches.

use serde_json::{Value, json};

use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::council::readable_description;
use crate::packet::sha256;
use crate::report::{CheckConclusion, Report, lone_state, markdown, other_readings};
use crate::text::{self, Untrusted};

use super::action::PublishAction;
use super::seen::ExistingCheck;
use super::wishes::PublishOptions;

/// Annotations of one request.
const BATCH: usize = 50;

/// The most annotations of one check: ten requests.
const MAX_ANNOTATIONS: usize = 200;

/// The most characters of a summary or text (65,535), with a margin.
const MAX_TEXT: usize = 65_000;

/// The most characters of an annotation's title, and bytes of its message and details.
const MAX_TITLE: usize = 255;
const MAX_MESSAGE: usize = 16_000;

/// The word of the API.
pub(super) fn conclusion_word(conclusion: CheckConclusion) -> &'static str {
    match conclusion {
        CheckConclusion::Success => "success",
        CheckConclusion::Neutral => "neutral",
        CheckConclusion::Failure => "failure",
        CheckConclusion::ActionRequired => "action_required",
        CheckConclusion::Cancelled => "cancelled",
        CheckConclusion::TimedOut => "timed_out",
        CheckConclusion::Skipped => "skipped",
    }
}

/// A check that begins.
pub(crate) fn begin_check(wishes: &PublishOptions, started: &str) -> Value {
    let mut body = json!({
        "name": wishes.check_name,
        "head_sha": wishes.head,
        "status": "in_progress",
        "started_at": started,
        "external_id": id_prefix(&wishes.council),
        "output": { "title": "the council sits", "summary": "The judges are at work." },
    });
    add_details_url(&mut body, wishes);
    body
}

/// A check that ends without a report: the run broke down, or the pull request has moved on.
pub(crate) fn break_off_check(
    council: &str,
    conclusion: CheckConclusion,
    title: &str,
    why: &str,
) -> Value {
    let word = conclusion_word(conclusion);
    let mut body = json!({
        "status": "completed",
        "conclusion": word,
        "output": { "title": text::clip_chars(title, MAX_TITLE), "summary": Untrusted::new(why).prose() },
    });
    if conclusion == CheckConclusion::Failure {
        // Whoever reviews the commit next sees by its name that it has failed.
        body["external_id"] = format!("{}{word}:kept", id_prefix(council)).into();
    }
    body
}

/// Who made a check.
pub(super) fn id_prefix(council: &str) -> String {
    format!("git-council:{council}:")
}

/// The name that we give a check: who made it, how it ended, and what it tells of which change.
pub(super) fn external_id(report: &Report, wishes: &PublishOptions) -> String {
    let conclusion = conclusion_word(report.bottom_line(wishes.gate).conclusion);
    let told = told_id(report);
    format!("{}{conclusion}:{told}", id_prefix(&wishes.council))
}

/// What a check tells: the verdict and each finding that counts, and the change that they are about.
fn told_id(report: &Report) -> String {
    let outcome = &report.outcome;
    let findings = outcome.findings.iter();
    let findings = findings.filter_map(|f| Some(format!("{} {:?}", f.fingerprint, f.level?)));
    let mut told = vec![format!("{:?} {:?}", outcome.verdict, outcome.reason)];
    told.extend(findings);
    let key = report.receipt.run.recognition_key.as_deref();
    let key = key.unwrap_or_default();
    let digest = sha256(told.join("\n").as_bytes());
    format!("{}:{}", &digest[..12], key.get(..32).unwrap_or(key))
}

/// Whether a check is the one of this report: a report on a page that people can edit is believed no further.
pub(crate) fn is_witness(check: &ExistingCheck, report: &Report) -> bool {
    let has_key = report.receipt.run.recognition_key.is_some();
    check.completed
        && has_key
        && check
            .external_id
            .ends_with(&format!(":{}", told_id(report)))
}

/// Everything that the check is told at the end; the last one concludes it. `beside` says which findings stand beside a
/// line.
pub(super) fn conclude_check(
    report: &Report,
    wishes: &PublishOptions,
    id: Option<u64>,
    links: Option<&markdown::SourceLinks>,
    (place, beside): (markdown::ReadingPlace, &dyn Fn(&JudgedFinding) -> bool),
) -> Vec<PublishAction> {
    let all: Vec<Value> = report
        .outcome
        .findings
        .iter()
        .filter(|found| found.level.is_some() && !beside(found))
        .filter_map(finding_annotation)
        .collect();
    let left = all.len().saturating_sub(MAX_ANNOTATIONS);
    let output = check_output(report, left, place, links);
    let batches: Vec<&[Value]> = all[..all.len() - left].chunks(BATCH).collect();
    let batches = if batches.is_empty() {
        vec![&[][..]]
    } else {
        batches
    };
    let last = batches.len() - 1;
    let step = |(at, batch): (usize, &&[Value])| {
        let mut body = json!({ "output": output.clone() });
        body["output"]["annotations"] = batch.to_vec().into();
        if at == last {
            add_conclusion(&mut body, report, wishes);
            // A check that was begun leads to the job; now there is a page.
            add_details_url(&mut body, wishes);
        }
        if at > 0 || id.is_some() {
            return PublishAction::UpdateCheck { id, body };
        }
        body["name"] = wishes.check_name.as_str().into();
        body["head_sha"] = wishes.head.as_str().into();
        body["external_id"] = external_id(report, wishes).into();
        if at != last {
            body["status"] = "in_progress".into();
        }
        add_details_url(&mut body, wishes);
        PublishAction::CreateCheck { body }
    };
    batches.iter().enumerate().map(step).collect()
}

fn add_conclusion(body: &mut Value, report: &Report, wishes: &PublishOptions) {
    body["status"] = "completed".into();
    body["conclusion"] = conclusion_word(report.bottom_line(wishes.gate).conclusion).into();
    body["external_id"] = external_id(report, wishes).into();
}

fn add_details_url(body: &mut Value, wishes: &PublishOptions) {
    if let Some(url) = &wishes.details_url {
        body["details_url"] = url.as_str().into();
    }
}

/// Title, summary and text, each within its bound. They are read below each other: what one says, the next does not.
fn check_output(
    report: &Report,
    left: usize,
    place: markdown::ReadingPlace,
    links: Option<&markdown::SourceLinks>,
) -> Value {
    let headline = report.headline();
    let title = text::clip_chars(&headline, MAX_TITLE);
    let mut summary = markdown::head(report, place, title == headline);
    if left > 0 {
        summary.push_str(&format!(
            "\n\n{left} more findings stand in the text below and have no annotation."
        ));
    }
    let options = markdown::MarkdownOptions {
        frontmatter: false,
        max_bytes: Some(MAX_TEXT),
        links,
        place,
        headless: true,
        ..markdown::MarkdownOptions::default()
    };
    json!({
        "title": title,
        "summary": summary,
        "text": markdown::render(report, options),
    })
}

/// A finding beside its lines; none for a path that no API can name, and where it has no line of the new side: an annotation
/// beside another line would be about that one.
fn finding_annotation(found: &JudgedFinding) -> Option<Value> {
    let finding = &found.finding;
    let path = std::str::from_utf8(finding.location.path.as_bytes()).ok()?;
    let start = Some(finding.location.line).filter(|line| *line > 0)?;
    let level = match found.level {
        Some(FindingLevel::Fail) => "failure",
        Some(FindingLevel::Warn) => "warning",
        _ => "notice",
    };
    let title = format!("{} · {}", found.id, severity_words(found));
    let mut json = json!({
        "path": path,
        "start_line": start,
        "end_line": finding.location.end_line.unwrap_or(start).max(start),
        "annotation_level": level,
        "title": text::clip_chars(&Untrusted::new(&title).line(), MAX_TITLE - 1),
        "message": annotation_message(found),
    });
    if !finding.quote.trim().is_empty() {
        let quote: Vec<String> = Untrusted::new(&finding.quote)
            .code_lines()
            .take(20)
            .collect();
        json["raw_details"] = text::clip_chars(&quote.join("\n"), MAX_MESSAGE).into();
    }
    Some(json)
}

/// How bad a finding is, and how it stands where that is not all.
pub(super) fn severity_words(found: &JudgedFinding) -> String {
    let severity = found.finding.severity.as_str();
    match lone_state(found).as_str() {
        "" => severity.to_owned(),
        state => format!("{severity} ({state})"),
    }
}

/// What, why and fix in plain text.
pub(super) fn annotation_message(found: &JudgedFinding) -> String {
    let finding = &found.finding;
    let what = readable_description(&finding.description).into_owned();
    let parts = [
        ("", &what),
        ("Why: ", &finding.why),
        ("Fix: ", &finding.fix),
    ];
    let filled = parts
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty());
    let mut lines: Vec<String> = filled
        .map(|(name, text)| format!("{name}{}", Untrusted::new(text).line()))
        .collect();
    let others = other_readings(found);
    lines.extend(others.iter().map(|other| Untrusted::new(other).line()));
    text::clip_chars(&lines.join("\n"), MAX_MESSAGE / 4).into_owned()
}
