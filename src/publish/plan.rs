//! From a report and what is there to what is done: pure, so that a dry run shows exactly what would be sent, and that a
//! second run finds nothing to do.

use std::collections::BTreeMap;

use serde_json::json;

use crate::council::outcome::JudgedFinding;
use crate::report::markdown::ReadingPlace;
use crate::report::{CheckConclusion, Report, ReportSource, Talks};
use crate::text;

use super::action::{PublishAction, Surface};
use super::inline::PlacedFindings;
use super::marker::{self, MarkerKind};
use super::memory::ReviewState;
use super::seen::{ForgeState, ReviewThread, follow_findings};
use super::wishes::PublishOptions;
use super::{check, comment, inline, local};

/// The state of a status that is still to be decided.
const WAITING: &str = "pending";

/// The most characters of a status's description.
const MAX_DESCRIPTION: usize = 140;

/// What is to be done so that every surface shows the report.
pub fn plan_actions(
    report: &Report,
    seen: &ForgeState,
    wishes: &PublishOptions,
) -> Vec<PublishAction> {
    let seen = &seen.following(report);
    let is_overruled = is_overruled(report, seen, wishes);
    let wants = |surface: Surface| {
        wishes.surfaces.contains(&surface) && (surface.is_of_job() || !is_overruled)
    };
    let placed = placed_findings(report, seen, wishes);
    let talks = talks_there(report, seen, wishes);
    let place = inline::reading_place(talks);
    let mut actions = Vec::new();
    if wants(Surface::Check) {
        actions.extend(plan_check(report, seen, wishes, (&placed, place)));
    }
    if let Some(pull) = &seen.pull {
        if wants(Surface::Review) {
            actions.extend(inline::plan_review(report, &placed, pull, seen, wishes));
        }
        if wants(Surface::Comment) {
            actions.extend(plan_comment(report, seen, wishes, pull.number, place));
        }
    }
    if wants(Surface::Status) {
        actions.push(plan_status(report, wishes));
    }
    if wants(Surface::Summary) {
        actions.push(PublishAction::Summary {
            markdown: local::job_summary(report, place),
        });
    }
    if wants(Surface::Annotations) {
        actions.push(PublishAction::Annotate {
            lines: local::log_annotations(report),
        });
    }
    if wants(Surface::Outputs) {
        actions.push(PublishAction::Outputs {
            pairs: local::action_outputs(report, wishes),
        });
    }
    actions
}

/// Whether a review with more rights has spoken of the same commit: what a job without them says leaves that as it is.
fn is_overruled(report: &Report, seen: &ForgeState, wishes: &PublishOptions) -> bool {
    // A claim that fails nothing leaves a status that waits.
    let by_status = seen.status.as_ref().is_some_and(|state| state != WAITING);
    // Of a claim no key is kept.
    let by_check = seen
        .check
        .as_ref()
        .is_some_and(|check| check.completed && !check.external_id.ends_with(':'));
    let by_comment = || {
        let states = seen.comments.iter().filter_map(|comment| comment.state());
        states
            .into_iter()
            .any(|state| state.head == wishes.head && state.key.is_some())
    };
    report.source == ReportSource::UnprivilegedJob && (by_check || by_status || by_comment())
}

/// Which of the findings that fail the change have a conversation once everything is published as it was asked for.
pub(crate) fn talks_about(report: &Report, seen: &ForgeState, wishes: &PublishOptions) -> Talks {
    talks_there(report, &seen.following(report), wishes)
}

fn talks_there(report: &Report, seen: &ForgeState, wishes: &PublishOptions) -> Talks {
    let may_be = |found: &JudgedFinding| inline::has_place(found, &wishes.lines);
    if seen.pull.is_none() {
        return Talks::None;
    }
    if seen.threads.is_none() {
        // Nobody knows what is there already.
        return match report.failing_findings().any(may_be) {
            true => Talks::Unknown,
            false => Talks::None,
        };
    }
    let posts = wishes.surfaces.contains(&Surface::Review) && !is_overruled(report, seen, wishes);
    let placed = PlacedFindings::choose(report, seen, wishes);
    let is_placed = |found: &JudgedFinding| match posts {
        true => placed.is_placed(found),
        false => placed.is_known(found),
    };
    match inline::talks_of(report, &is_placed) {
        Talks::None if !posts && report.failing_findings().all(may_be) => Talks::Possible,
        talks => talks,
    }
}

/// The findings that stand beside a line, where they are wanted there.
fn placed_findings<'a>(
    report: &'a Report,
    seen: &ForgeState,
    wishes: &PublishOptions,
) -> PlacedFindings<'a> {
    match (&seen.pull, wishes.surfaces.contains(&Surface::Review)) {
        (Some(_), true) => PlacedFindings::choose(report, seen, wishes),
        _ => PlacedFindings::default(),
    }
}

/// The comment with links to the conversations that there are by now: those about the new findings began after the plan.
pub(super) fn comment_with_links(
    report: &Report,
    seen: &ForgeState,
    wishes: &PublishOptions,
    threads: &[ReviewThread],
) -> String {
    let (seen, threads) = (&seen.following(report), &follow_findings(threads, report));
    let placed = placed_findings(report, seen, wishes);
    let is_talked_about = |found: &JudgedFinding| {
        let mut threads = threads.iter();
        placed.is_placed(found) && threads.any(|one| one.fingerprint == found.fingerprint)
    };
    let place = inline::reading_place(inline::talks_of(report, &is_talked_about));
    comment::comment_body(report, wishes, seen, threads, place)
}

/// What is done where the report cannot be shown as it was asked for: the summary and the log, and a status for a check.
pub(crate) fn plan_fallback(
    report: &Report,
    seen: &ForgeState,
    wishes: &PublishOptions,
    denied: Surface,
) -> Vec<PublishAction> {
    let mut actions = Vec::new();
    let has_status = wishes.surfaces.contains(&Surface::Status);
    if denied == Surface::Check && !has_status && !is_overruled(report, seen, wishes) {
        actions.push(plan_status(report, wishes));
    }
    if !wishes.surfaces.contains(&Surface::Summary) {
        actions.push(PublishAction::Summary {
            markdown: local::job_summary(report, ReadingPlace::Forge),
        });
    }
    if !wishes.surfaces.contains(&Surface::Annotations) {
        actions.push(PublishAction::Annotate {
            lines: local::log_annotations(report),
        });
    }
    actions
}

/// A check that says the same already is left alone.
fn plan_check(
    report: &Report,
    seen: &ForgeState,
    wishes: &PublishOptions,
    (placed, place): (&PlacedFindings<'_>, ReadingPlace),
) -> Vec<PublishAction> {
    let has_key = report.receipt.run.recognition_key.is_some();
    let is_there = seen.check.as_ref().is_some_and(|check| {
        check.completed && has_key && check.external_id == check::external_id(report, wishes)
    });
    if is_there {
        return Vec::new();
    }
    let id = seen
        .check
        .as_ref()
        .filter(|check| !check.completed)
        .map(|check| check.id);
    let threads = seen.threads.as_deref().unwrap_or_default();
    let links = comment::source_links(report, wishes, threads);
    let beside = |found: &JudgedFinding| placed.is_placed(found);
    check::conclude_check(report, wishes, id, links.as_ref(), (place, &beside))
}

/// One report, however many there are.
fn plan_comment(
    report: &Report,
    seen: &ForgeState,
    wishes: &PublishOptions,
    number: u64,
    place: ReadingPlace,
) -> Vec<PublishAction> {
    let threads = seen.threads.as_deref().unwrap_or_default();
    let body = comment::comment_body(report, wishes, seen, threads, place);
    let mut own = seen.comments.iter();
    let mut actions = Vec::new();
    match own.next() {
        None => actions.push(PublishAction::CreateComment { number, body }),
        Some(first) if is_same(&first.body, &body) => {}
        Some(first) => actions.push(PublishAction::UpdateComment { id: first.id, body }),
    }
    actions.extend(own.map(|second| PublishAction::DeleteComment { id: second.id }));
    actions
}

/// Whether a comment tells of this run's result already: the same bytes, or another run of the same commit, change and rules.
fn is_same(there: &str, body: &str) -> bool {
    let state = |text: &str| {
        let marker = marker::read_marker(MarkerKind::Report, text)?;
        marker::marker_state::<ReviewState>(&marker)
    };
    if there.replace("\r\n", "\n").trim_end() == body.trim_end() {
        return true;
    }
    match (state(there), state(body)) {
        (Some(old), Some(new)) => {
            let apart_from_run = |state: ReviewState| ReviewState {
                run: String::new(),
                report: None,
                shortened: false,
                judged_at: BTreeMap::new(),
                ..state
            };
            let by_review = old.key.is_some() && old.claimed.is_none();
            by_review && apart_from_run(old) == apart_from_run(new)
        }
        _ => false,
    }
}

fn plan_status(report: &Report, wishes: &PublishOptions) -> PublishAction {
    let line = report.bottom_line(wishes.gate);
    let state = match line.conclusion {
        // A status has no neutral: it waits for somebody with more rights.
        CheckConclusion::Neutral if report.source == ReportSource::UnprivilegedJob => WAITING,
        CheckConclusion::Success | CheckConclusion::Neutral | CheckConclusion::Skipped => "success",
        CheckConclusion::Failure => "failure",
        CheckConclusion::ActionRequired
        | CheckConclusion::Cancelled
        | CheckConclusion::TimedOut => "error",
    };
    let mut body = json!({
        "state": state,
        "context": wishes.check_name,
        "description": text::clip_chars(&line.headline, MAX_DESCRIPTION - 1),
    });
    if let Some(url) = &wishes.details_url {
        body["target_url"] = url.as_str().into();
    }
    PublishAction::Status {
        head: wishes.head.clone(),
        body,
    }
}
