//! What lies in the repository and was no part of a review: a PASS over a part is not one over all of the agent's work.

use council_protocol::packet::TargetKind;

use super::conduct::prepare_target;
use crate::council::outcome::VerdictReason;
use crate::git;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::convene::standing_objection;
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::PreparedReview;
use crate::run::request::RequestedTarget;
use crate::text::Untrusted;

/// A sentence for each part of the agent's work that the review did not read.
pub(super) fn describe_left_out(report: &Report, start: &RunContext) -> Vec<String> {
    // What cannot be read is reported by the review of it.
    let read = |target| {
        let prepared = prepare_target(target, Vec::new(), start).ok()?;
        reason_to_skip(&prepared).is_none().then_some(prepared)
    };
    let mut told = Vec::new();
    let kind = report.target.kind;
    if kind != TargetKind::Worktree {
        told.extend(unread_everywhere(start));
    }
    if kind != TargetKind::Worktree
        && let Some(worktree) = read(RequestedTarget::Worktree)
        && !is_change_of(report, &worktree)
    {
        let what = match kind {
            TargetKind::Staged => "What is changed and not staged",
            _ => "What is not committed",
        };
        told.push(format!(
            "{what} is not part of this: `review` with target `worktree` reads it."
        ));
    }
    if !matches!(kind, TargetKind::Branch)
        && let Some(branch) = read(RequestedTarget::Branch)
        && !is_range_of(report, &branch)
    {
        let (what, it) = match kind {
            TargetKind::Staged | TargetKind::Worktree => ("Commits of the branch are", "them"),
            _ => ("The branch as a whole is", "it"),
        };
        told.push(format!(
            "{what} not part of this: `review` with target `branch` reads {it}."
        ));
    }
    if kind == TargetKind::Branch {
        told.extend(pushed_part(report, start));
    }
    told
}

/// What is not committed where no review reads it: a lockfile, say.
fn unread_everywhere(start: &RunContext) -> Option<String> {
    let prepared = prepare_target(RequestedTarget::Worktree, Vec::new(), start).ok()?;
    let (reason, why) = reason_to_skip(&prepared)?;
    let told = match reason {
        VerdictReason::AllSkipped => why,
        _ => {
            let notes = prepared.notes.iter();
            let own = notes.filter(|note| git::is_of_inner_repository(note));
            let own: Vec<&str> = own.map(String::as_str).collect();
            (!own.is_empty()).then(|| own.join("; "))?
        }
    };
    let told = Untrusted::new(&told).line();
    Some(format!(
        "What is not committed is not part of this, and no review of this repository reads it: {told}."
    ))
}

/// What of the branch its upstream has already, and that models or rules failed it: a PASS over the commits on top is none
/// over the branch.
fn pushed_part(report: &Report, start: &RunContext) -> Vec<String> {
    let default = git::default_branch_name(&start.dir, &start.git_environment());
    let Ok(Some(default)) = default else {
        return Vec::new();
    };
    let whole = format!("{default}...HEAD");
    let prepared = prepare_target(RequestedTarget::Revision(whole.clone()), Vec::new(), start);
    let Ok(prepared) = prepared else {
        return Vec::new();
    };
    if reason_to_skip(&prepared).is_some() || is_range_of(report, &prepared) {
        return Vec::new();
    }
    let mut told = vec![format!(
        "Commits of the branch that are pushed already are not part of this: `review` with target `{whole}` reads them."
    )];
    told.extend(standing_objection(&prepared, start).map(|failed| {
        let run = &failed.receipt.run.name;
        format!(
            "{run} failed what is still part of the branch: {}",
            failed.headline()
        )
    }));
    told
}

/// Whether the very change was reviewed, by another name.
fn is_change_of(report: &Report, prepared: &PreparedReview) -> bool {
    let change = git::recognition_key(&prepared.change, &prepared.packet.files);
    report.receipt.run.digests.change.as_deref() == Some(change.as_str())
}

fn is_range_of(report: &Report, prepared: &PreparedReview) -> bool {
    let (reviewed, branch) = (&report.target, &prepared.packet.target);
    (&reviewed.base, &reviewed.head) == (&branch.base, &branch.head) && reviewed.only.is_empty()
}
