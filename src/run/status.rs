//! Reviews that go on or were interrupted, and what waits for a decision.

use schemars::JsonSchema;
use serde::Serialize;

use crate::council::outcome::VerdictReason;
use crate::report::Report;
use crate::run::begin_again::command_to_begin_again;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::background::{self, BackgroundState};
use crate::run::proposals;
use crate::run::resume;
use crate::run::store::{self, RunState, StoredRun};
use crate::run::watch::RunWatcher;
use crate::session::ProgressEvent;

/// A run that goes on or was interrupted, or a review that has not begun: an element of `status --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "RunStatus")]
pub(crate) struct RunStatus {
    /// The run's name; absent for a review that has not begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// Why a review in the background has not begun, or was given up; `git council wait` starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<String>,
    /// Whether it goes on; otherwise it was interrupted or ran out of time, and `git council resume` continues it if it can.
    running: bool,
    /// What has happened in it so far, as `review --events` writes it; empty where it was interrupted.
    events: Vec<ProgressEvent>,
}

/// Shows what the judges of a run do now.
pub(crate) type BoardPrinter<'a> = &'a dyn Fn(StoredRun) -> String;

/// What goes on, what was cut off, and what waits for a decision.
pub(crate) fn describe_status(
    start: &RunContext,
    board: Option<BoardPrinter<'_>>,
) -> Result<String, RunError> {
    let mut out = String::new();
    for (past, report) in store::list_runs(start)? {
        // Whoever was interrupted in good order has left a report of how far it came.
        let is_incomplete = report.as_ref().is_some_and(|report| report.incomplete);
        let line = match past.state() {
            RunState::GoingOn => "is running".to_owned(),
            RunState::Finished if !is_incomplete => continue,
            RunState::CutOff | RunState::Finished => {
                format!(
                    "{}; {}",
                    why_ended(report.as_ref()),
                    next_step(&past, start)
                )
            }
        };
        out.push_str(&format!("{}  {line}\n", past.name));
        if past.state() == RunState::GoingOn {
            out.push_str(&board.map_or_else(String::new, |board| board(past)));
        }
    }
    match background::background_state(start)? {
        BackgroundState::Waiting(why) => out.push_str(&format!(
            "a review of the last commit is waiting: {why}; `git council wait` starts it\n"
        )),
        BackgroundState::GivenUp(why) => out.push_str(&format!(
            "the review of the last commit was given up: {why}; `git council wait` starts it\n"
        )),
        // Between two reviews no run is there.
        BackgroundState::Working if out.is_empty() => {
            out.push_str("the review of a commit is about to begin\n");
        }
        BackgroundState::Idle | BackgroundState::Working => {}
    }
    if out.is_empty() {
        out.push_str("no review is running; `git council log` lists finished runs\n");
    }
    match proposals::list_proposals(start)?.len() {
        0 => {}
        1 => out.push_str("1 dismissal proposed by an agent: git council dismiss --proposed\n"),
        many => out.push_str(&format!(
            "{many} dismissals proposed by agents: git council dismiss --proposed\n"
        )),
    }
    Ok(out)
}

/// Why a run ended before it had a verdict.
fn why_ended(report: Option<&Report>) -> &'static str {
    match report.map(|report| report.outcome.reason) {
        Some(VerdictReason::Deadline) => "ran out of time",
        Some(VerdictReason::BackendLost) => "lost its backend",
        _ => "was interrupted",
    }
}

/// What a person can do about it: never a command that refuses.
pub(crate) fn next_step(past: &StoredRun, start: &RunContext) -> String {
    let name = &past.name;
    if resume::check_resumable(past, start).is_ok() {
        return format!("`git council resume {name}` continues it");
    }
    match command_to_begin_again(past) {
        Some(command) => format!("it cannot be continued; begin it again: `{command}`"),
        None => "it cannot be continued; review again: `git council review`".to_owned(),
    }
}

pub(crate) fn collect_status(start: &RunContext) -> Result<Vec<RunStatus>, RunError> {
    let mut found = Vec::new();
    for (past, report) in store::list_runs(start)? {
        let running = past.state() == RunState::GoingOn;
        let is_complete = report.is_some_and(|report| !report.incomplete);
        if !running && is_complete {
            continue;
        }
        let run = Some(past.name.clone());
        let events = if running {
            RunWatcher::new(past, start).poll()
        } else {
            Vec::new()
        };
        found.push(RunStatus {
            run,
            waiting: None,
            running,
            events,
        });
    }
    let waiting = match background::background_state(start)? {
        BackgroundState::Waiting(why) => Some(why),
        BackgroundState::GivenUp(why) => Some(format!("given up: {why}")),
        BackgroundState::Working if found.is_empty() => Some("it is about to begin".to_owned()),
        BackgroundState::Idle | BackgroundState::Working => None,
    };
    found.extend(waiting.map(|why| RunStatus {
        run: None,
        waiting: Some(why),
        running: false,
        events: Vec::new(),
    }));
    Ok(found)
}
