//! Which run somebody waits for, and whose report may be shown for it.

use council_protocol::packet::{Target, TargetKind};

use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::background::{BackgroundState, background_queue};
use crate::run::shown::{about_other, verdict_after};
use crate::run::store::{self, RunState, StoredRun};
use crate::text::Untrusted;

/// Whether a review was asked for of whatever lay here, not of a commit or a part that somebody named.
pub(crate) fn means_here(target: &Target) -> bool {
    let is_here = matches!(
        target.kind,
        TargetKind::Worktree | TargetKind::Staged | TargetKind::Branch
    );
    (is_here || names_head(&target.label)) && target.only.is_empty()
}

/// Whether a commit, or the later end of a range, is wherever HEAD is.
pub(crate) fn names_head(label: &str) -> bool {
    let end = label.rsplit("..").next().unwrap_or_default();
    matches!(end, "HEAD" | "@")
}

/// The verdict that was given after the latest run had ended and is not that run's, where nothing is running and nothing was
/// interrupted since.
pub(crate) fn given_since(
    run: Option<&str>,
    past: Option<&StoredRun>,
    start: &RunContext,
) -> Option<Report> {
    let is_open = past.is_some_and(|past| past.state() != RunState::Finished);
    if run.is_some() || is_open {
        return None;
    }
    verdict_after(past, start)
}

/// The report that is about to be shown must not speak for a commit that nobody has reviewed: an older one
/// that is about HEAD would hide what was told last, and a patch is no commit.
pub(crate) fn refuse_other_target(
    report: &Report,
    run: Option<&str>,
    start: &RunContext,
) -> Result<(), RunError> {
    let about = match about_other(report, start) {
        Some(about) => about,
        None => match report.target.kind {
            TargetKind::Patch => "about a patch, not about HEAD".to_owned(),
            TargetKind::File | TargetKind::Topic | TargetKind::Stage => {
                format!(
                    "about {}, not about HEAD",
                    Untrusted::new(&report.target.label).line()
                )
            }
            _ => return Ok(()),
        },
    };
    let error = RunError::run(format!("the last report is {about}"))
        .hint("review what is here now: git council review");
    Err(match run {
        Some(run) => error.hint(format!(
            "the last report all the same: git council wait {run}"
        )),
        None => error,
    })
}

/// Whether a review of a commit is still to come or going on; one that waits or was given up begins now.
pub(crate) fn is_expected(start: &RunContext) -> Result<bool, RunError> {
    let Some(queue) = background_queue(start)? else {
        return Ok(false);
    };
    match queue.current_state() {
        BackgroundState::Idle => return Ok(false),
        BackgroundState::Working => {}
        BackgroundState::Waiting(_) => queue.stop_waiting(),
        BackgroundState::GivenUp(why) => {
            start.notifier.warn(&format!(
                "the review of the last commit was given up ({why}); it starts now"
            ));
            queue.begin_again(start)?;
        }
    }
    Ok(true)
}

/// The named run; else the one that goes on, else the latest. Never an older one with a report in the place of the latest
/// that was interrupted: it would speak for a change that it did not see.
pub(crate) fn find_run(name: Option<&str>, start: &RunContext) -> Result<StoredRun, RunError> {
    if name.is_some() {
        return store::find_run(start, name);
    }
    let mut runs = store::list_own_runs(start)?;
    let is_going_on = |(past, _): &(StoredRun, _)| past.state() == RunState::GoingOn;
    let at = runs.iter().position(is_going_on).unwrap_or_default();
    if runs.is_empty() {
        store::find_run(start, None)
    } else {
        Ok(runs.swap_remove(at).0)
    }
}
