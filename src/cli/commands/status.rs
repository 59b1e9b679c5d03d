//! `git council status`: reviews that go on.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::background::{self, BackgroundState};
use crate::run::proposals;
use crate::run::store::{self, RunState};

/// List the reviews that are running or were interrupted
#[derive(Debug, Clone, Args)]
pub(crate) struct StatusArgs {}

pub(crate) fn run(_: &StatusArgs, start: &CommandContext) -> Result<(), RunError> {
    start.console.print(&describe_status(start)?)
}

/// What goes on, what was cut off, and what waits for a decision.
pub(crate) fn describe_status(start: &RunContext) -> Result<String, RunError> {
    let mut out = String::new();
    for (past, report) in store::list_runs(start)? {
        // Whoever was interrupted in good order has left a report of how far it came.
        let is_incomplete = report.is_some_and(|report| report.incomplete);
        let line = match past.state() {
            RunState::GoingOn => "is running".to_owned(),
            RunState::Finished if !is_incomplete => continue,
            RunState::CutOff | RunState::Finished => format!(
                "was interrupted; `git council resume {}` continues it",
                past.name
            ),
        };
        out.push_str(&format!("{}  {line}\n", past.name));
    }
    match background::background_state(start)? {
        BackgroundState::Waiting(why) => out.push_str(&format!(
            "a review of the last commit is waiting: {why}; `git council wait` starts it\n"
        )),
        BackgroundState::GivenUp(why) => out.push_str(&format!(
            "the review of the last commit was given up: {why}; `git council wait` starts it\n"
        )),
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
