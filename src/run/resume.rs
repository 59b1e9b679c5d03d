//! A run of the past over the same change.

use std::sync::Arc;

use crate::git::UnmergedRange;
use crate::packet;
use crate::run::begin_again::refuse_other_kinds;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::github::earlier::{leave_out, left_out_of};
use crate::run::kept_rules::with_kept_rules;
use crate::run::loaded::LoadedRun;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{RequestedTarget, ReviewRequest};
use crate::run::store::{self, RunState, StoredRun};
use crate::run::stored_request::StoredRequest;

/// How many runs that cannot be resumed are named, each with the reason.
const MAX_HELD: usize = 3;

/// The run to resume: the one of that name, or the newest that can be resumed, whether it was cut off, lost judges or was
/// stopped by a limit. Where there is none, what holds back each of the newest.
pub(crate) fn find_resumable(
    name: Option<&str>,
    start: &RunContext,
) -> Result<StoredRun, RunError> {
    if name.is_some() {
        let past = store::find_run(start, name)?;
        refuse_other_kinds(&past)?;
        return Ok(past);
    }
    let mut held = Vec::new();
    for (past, _) in store::list_own_runs(start)? {
        let is_free = match past.state() {
            RunState::GoingOn => store::hold_run(&past).map(drop),
            RunState::CutOff | RunState::Finished => Ok(()),
        };
        match is_free.and_then(|()| check_resumable(&past, start)) {
            Ok(()) => return Ok(past),
            Err(error) => held.push(error),
        }
    }
    Err(nothing_to_resume(held))
}

/// The newest run's reason first, and those of the next beside it.
fn nothing_to_resume(held: Vec<RunError>) -> RunError {
    let mut held = held.into_iter().take(MAX_HELD);
    let Some(newest) = held.next() else {
        return RunError::usage("there is no run to resume: this worktree has none yet")
            .hint("start one: git council review");
    };
    held.fold(newest, |told, next| told.hint(next.message))
        .hint("`git council log` lists the runs: git council resume RUN")
}

/// Whether a run has all that it takes to go on.
pub(crate) fn check_resumable(past: &StoredRun, start: &RunContext) -> Result<(), RunError> {
    refuse_other_kinds(past)?;
    let mut left = LoadedRun::load(past.clone(), None).map_err(|error| {
        RunError::usage(format!(
            "{} cannot be resumed: {}",
            past.name, error.message
        ))
    })?;
    left.forget_losses()?;
    let request = StoredRequest::load_request(past, start)?;
    request.restore(start).map(drop)
}

/// The change as it was, told by the names that the run was given.
pub(crate) fn prepare_again(
    request: &ReviewRequest,
    start: &RunContext,
    left: &LoadedRun,
) -> Result<PreparedReview, RunError> {
    let mut prepared = prepare_objects(request, start, left)?;
    let mut packet = (*prepared.packet).clone();
    packet.target = left.journal.header.target.clone();
    packet.framing = left.plan.framing.clone();
    prepared.packet = Arc::new(packet);
    prepared.redactor = with_kept_rules(&prepared.redactor, &left.past)?;
    Ok(prepared)
}

/// The same change; by its objects when the names have moved on.
fn prepare_objects(
    request: &ReviewRequest,
    start: &RunContext,
    left: &LoadedRun,
) -> Result<PreparedReview, RunError> {
    let same = |prepared: &PreparedReview| {
        // The same objects may have other names now.
        let mut packet = packet::for_judges(&prepared.packet);
        packet.target.kind = left.journal.header.target.kind;
        let bytes = packet::to_bytes(&packet);
        bytes == left.packet
    };
    // An update of a pull request left out what was judged before, and goes on without it.
    let left_out = serde_json::from_slice(&left.packet).map(|packet| left_out_of(&packet));
    let left_out = left_out.unwrap_or_default();
    let prepare = |request: &ReviewRequest| {
        let mut prepared = prepare_review(request, start)?;
        if !left_out.is_empty() {
            leave_out(&mut prepared, &left_out);
        }
        Ok::<_, RunError>(prepared)
    };
    if let Ok(prepared) = prepare(request)
        && same(&prepared)
    {
        return Ok(prepared);
    }
    let target = &left.journal.header.target;
    let is_commits = matches!(
        request.target,
        RequestedTarget::Branch | RequestedTarget::Revision(_) | RequestedTarget::Unmerged(_)
    );
    if let (true, Some(base), Some(head)) = (is_commits, &target.base, &target.head) {
        let range = || UnmergedRange {
            from: base.clone(),
            to: head.clone(),
            remote: None,
        };
        let target = match &request.target {
            RequestedTarget::Revision(_) => RequestedTarget::Revision(format!("{base}..{head}")),
            _ => RequestedTarget::Unmerged(range()),
        };
        let by_objects = ReviewRequest {
            target,
            ..request.clone()
        };
        let prepared = prepare(&by_objects)?;
        if same(&prepared) {
            return Ok(prepared);
        }
    }
    let changed = format!(
        "what {} reviewed ({}) has changed or is gone",
        left.past.name, target.label
    );
    Err(RunError::usage(changed).hint("review the current state: git council review"))
}
