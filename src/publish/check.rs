//! The check run: in progress at the start, completed at every ending, annotations in batches (peers.md 5.1).

use serde_json::{Value, json};

use crate::council::outcome::{JudgedFinding, Level};
use crate::report::{CheckConclusion, Report, markdown};
use crate::text::{self, Untrusted};

use super::action::Action;
use super::wishes::Wishes;

/// Annotations of one request.
const BATCH: usize = 50;

/// The most annotations of one check: ten requests.
const MOST_ANNOTATIONS: usize = 200;

/// The most characters of a summary or text (65,535), with a margin.
const MOST_TEXT: usize = 65_000;

/// The most characters of an annotation's title, and bytes of its message and details.
const MOST_TITLE: usize = 255;
const MOST_MESSAGE: usize = 16_000;

/// The word of the API.
pub(super) fn word(conclusion: CheckConclusion) -> &'static str {
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
pub fn begin(wishes: &Wishes, started: &str) -> Value {
    let mut body = json!({
        "name": wishes.check_name,
        "head_sha": wishes.head,
        "status": "in_progress",
        "started_at": started,
        "external_id": external_id(&wishes.council, ""),
        "output": { "title": "the council sits", "summary": "The judges are at work." },
    });
    link(&mut body, wishes);
    body
}

/// A check that ends without a report: the run broke down, or the pull request has moved on.
pub fn broken_off(conclusion: CheckConclusion, title: &str, why: &str) -> Value {
    json!({
        "status": "completed",
        "conclusion": word(conclusion),
        "output": { "title": text::clip(title, MOST_TITLE), "summary": Untrusted::new(why).prose() },
    })
}

/// Who made a check and of which state it is.
pub(super) fn external_id(council: &str, key: &str) -> String {
    format!("git-council:{council}:{}", key.get(..32).unwrap_or(key))
}

/// Everything that the check is told at the end; the last one concludes it. `inline` says which findings stand elsewhere.
pub(super) fn conclude(
    report: &Report,
    wishes: &Wishes,
    id: Option<u64>,
    inline: &dyn Fn(&JudgedFinding) -> bool,
) -> Vec<Action> {
    let all: Vec<Value> = report
        .findings
        .iter()
        .filter(|found| found.level.is_some() && !inline(found))
        .filter_map(annotation)
        .collect();
    let left = all.len().saturating_sub(MOST_ANNOTATIONS);
    let output = output(report, left);
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
            finish(&mut body, report, wishes);
        }
        if at > 0 || id.is_some() {
            return Action::UpdateCheck { id, body };
        }
        body["name"] = wishes.check_name.as_str().into();
        body["head_sha"] = wishes.head.as_str().into();
        body["external_id"] = key(report, wishes).into();
        if at != last {
            body["status"] = "in_progress".into();
        }
        link(&mut body, wishes);
        Action::CreateCheck { body }
    };
    batches.iter().enumerate().map(step).collect()
}

fn finish(body: &mut Value, report: &Report, wishes: &Wishes) {
    body["status"] = "completed".into();
    body["conclusion"] = word(report.bottom_line(wishes.gate).conclusion).into();
    body["external_id"] = key(report, wishes).into();
}

fn key(report: &Report, wishes: &Wishes) -> String {
    external_id(
        &wishes.council,
        report
            .receipt
            .run
            .recognition_key
            .as_deref()
            .unwrap_or_default(),
    )
}

fn link(body: &mut Value, wishes: &Wishes) {
    if let Some(url) = &wishes.details_url {
        body["details_url"] = url.as_str().into();
    }
}

/// Title, summary and text, each within its bound.
fn output(report: &Report, left: usize) -> Value {
    let options = |max_bytes| markdown::Options {
        frontmatter: false,
        max_bytes: Some(max_bytes),
        fold: false,
    };
    let mut summary = markdown::head(report);
    if left > 0 {
        summary.push_str(&format!(
            "\n\n{left} more findings stand in the text below and have no annotation."
        ));
    }
    json!({
        "title": text::clip(&report.headline(), MOST_TITLE),
        "summary": summary,
        "text": markdown::render(report, options(MOST_TEXT)),
    })
}

/// A finding beside its lines; none for a path that no API can name.
fn annotation(found: &JudgedFinding) -> Option<Value> {
    let finding = &found.finding;
    let path = std::str::from_utf8(finding.location.path.as_bytes()).ok()?;
    let start = finding.location.line.max(1);
    let level = match found.level {
        Some(Level::Fail) => "failure",
        Some(Level::Warn) => "warning",
        _ => "notice",
    };
    let title = format!("{} · {}", found.id, finding.severity.word());
    let mut json = json!({
        "path": path,
        "start_line": start,
        "end_line": finding.location.end_line.unwrap_or(start).max(start),
        "annotation_level": level,
        "title": text::clip(&Untrusted::new(&title).line(), MOST_TITLE - 1),
        "message": message(found),
    });
    if !finding.quote.trim().is_empty() {
        let quote: Vec<String> = Untrusted::new(&finding.quote)
            .code_lines()
            .take(20)
            .collect();
        json["raw_details"] = text::clip(&quote.join("\n"), MOST_MESSAGE).into();
    }
    Some(json)
}

/// What, why and fix in plain text.
pub(super) fn message(found: &JudgedFinding) -> String {
    let finding = &found.finding;
    let parts = [
        ("", &finding.description),
        ("Why: ", &finding.why),
        ("Fix: ", &finding.fix),
    ];
    let filled = parts
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty());
    let lines: Vec<String> = filled
        .map(|(name, text)| format!("{name}{}", Untrusted::new(text).line()))
        .collect();
    text::clip(&lines.join("\n"), MOST_MESSAGE / 4).into_owned()
}
