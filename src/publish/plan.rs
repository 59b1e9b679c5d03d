//! From a report and what is there to what is done: pure, so that a dry run shows exactly what would be sent, and that a
//! second run finds nothing to do.

use serde_json::json;

use crate::report::{CheckConclusion, Report};
use crate::text;

use super::action::{Action, Surface};
use super::inline::Placed;
use super::marker::{self, Kind};
use super::memory::State;
use super::seen::Seen;
use super::wishes::Wishes;
use super::{check, comment, inline, local};

/// The most characters of a status's description.
const MOST_DESCRIPTION: usize = 140;

/// What is to be done so that every surface shows the report.
pub fn plan(report: &Report, seen: &Seen, wishes: &Wishes) -> Vec<Action> {
    let wants = |surface| wishes.surfaces.contains(&surface);
    let placed = match (&seen.pull, wants(Surface::Review)) {
        (Some(_), true) => Placed::choose(report, seen, wishes),
        _ => Placed::default(),
    };
    let mut actions = Vec::new();
    if wants(Surface::Check) {
        actions.extend(checks(report, seen, wishes, &placed));
    }
    if let Some(pull) = &seen.pull {
        if wants(Surface::Review) {
            actions.extend(inline::plan(report, &placed, pull, seen, wishes));
        }
        if wants(Surface::Comment) {
            actions.extend(comments(report, seen, wishes, pull.number));
        }
    }
    if wants(Surface::Status) {
        actions.push(status(report, wishes));
    }
    if wants(Surface::Summary) {
        actions.push(Action::Summary {
            markdown: local::summary(report),
        });
    }
    if wants(Surface::Annotations) {
        actions.push(Action::Annotate {
            lines: local::annotations(report),
        });
    }
    if wants(Surface::Outputs) {
        actions.push(Action::Outputs {
            pairs: local::outputs(report, wishes),
        });
    }
    actions
}

/// What is done where the report cannot be shown as it was asked for: the summary and the log, and a status for a check.
pub fn fallback(report: &Report, wishes: &Wishes, denied: Surface) -> Vec<Action> {
    let mut actions = Vec::new();
    if denied == Surface::Check && !wishes.surfaces.contains(&Surface::Status) {
        actions.push(status(report, wishes));
    }
    if !wishes.surfaces.contains(&Surface::Summary) {
        actions.push(Action::Summary {
            markdown: local::summary(report),
        });
    }
    if !wishes.surfaces.contains(&Surface::Annotations) {
        actions.push(Action::Annotate {
            lines: local::annotations(report),
        });
    }
    actions
}

/// A check that says the same already is left alone.
fn checks(report: &Report, seen: &Seen, wishes: &Wishes, placed: &Placed<'_>) -> Vec<Action> {
    let key = report
        .receipt
        .run
        .recognition_key
        .as_deref()
        .unwrap_or_default();
    let is_there = seen.check.as_ref().is_some_and(|check| {
        check.completed
            && !key.is_empty()
            && check.external_id == check::external_id(&wishes.council, key)
    });
    if is_there {
        return Vec::new();
    }
    let id = seen
        .check
        .as_ref()
        .filter(|check| !check.completed)
        .map(|check| check.id);
    check::conclude(report, wishes, id, &|found| placed.has(found))
}

/// One report, however many there are.
fn comments(report: &Report, seen: &Seen, wishes: &Wishes, number: u64) -> Vec<Action> {
    let body = comment::body(report, wishes);
    let mut own = seen.comments.iter();
    let mut actions = Vec::new();
    match own.next() {
        None => actions.push(Action::CreateComment { number, body }),
        Some(first) if is_same(&first.body, &body) => {}
        Some(first) => actions.push(Action::UpdateComment { id: first.id, body }),
    }
    actions.extend(own.map(|second| Action::DeleteComment { id: second.id }));
    actions
}

/// Whether a comment tells of this run's result already: the same bytes, or another run of the same commit, change and rules.
fn is_same(there: &str, body: &str) -> bool {
    let state = |text: &str| {
        let marker = marker::read(Kind::Report, text)?;
        marker::state::<State>(&marker)
    };
    if there.replace("\r\n", "\n").trim_end() == body.trim_end() {
        return true;
    }
    match (state(there), state(body)) {
        (Some(old), Some(new)) => {
            let apart_from_run = |state: State| State {
                run: String::new(),
                ..state
            };
            old.key.is_some() && apart_from_run(old) == apart_from_run(new)
        }
        _ => false,
    }
}

fn status(report: &Report, wishes: &Wishes) -> Action {
    let line = report.bottom_line(wishes.gate);
    let state = match line.conclusion {
        CheckConclusion::Success | CheckConclusion::Neutral | CheckConclusion::Skipped => "success",
        CheckConclusion::Failure => "failure",
        CheckConclusion::ActionRequired
        | CheckConclusion::Cancelled
        | CheckConclusion::TimedOut => "error",
    };
    let mut body = json!({
        "state": state,
        "context": wishes.check_name,
        "description": text::clip(&line.headline, MOST_DESCRIPTION - 1),
    });
    if let Some(url) = &wishes.details_url {
        body["target_url"] = url.as_str().into();
    }
    Action::Status {
        head: wishes.head.clone(),
        body,
    }
}
