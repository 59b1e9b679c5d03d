//! A run of the past over the same change.

use std::sync::Arc;

use crate::packet;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{RequestedTarget, ReviewRequest};

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
    let named = prepare_review(request, start);
    if let Ok(prepared) = named
        && same(&prepared)
    {
        return Ok(prepared);
    }
    let target = &left.journal.header.target;
    let is_commits = matches!(
        request.target,
        RequestedTarget::Branch | RequestedTarget::Revision(_)
    );
    if let (true, Some(base), Some(head)) = (is_commits, &target.base, &target.head) {
        let by_objects = ReviewRequest {
            target: RequestedTarget::Revision(format!("{base}..{head}")),
            ..request.clone()
        };
        let prepared = prepare_review(&by_objects, start)?;
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
