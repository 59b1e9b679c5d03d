//! Whose code is run: that of commits which somebody here has taken on, and nobody else's.

use council_protocol::packet::TargetKind;

use super::setup;
use super::suites::suites_of;
use crate::git;
use crate::run::context::RunContext;
use crate::run::prepare::PreparedReview;

/// Why no test is run for what is reviewed; none: it may be. Where somebody else may have asked for the review, or
/// written what is reviewed, their code is not run.
pub(super) fn refusal(start: &RunContext, prepared: &PreparedReview) -> Option<&'static str> {
    let target = &prepared.packet.target;
    if suites_of(&prepared.config.settings.proof).is_empty() {
        return Some(setup::NO_MARK);
    }
    if start.environment.is_ci() {
        return Some("in a job of CI somebody else may have asked for it");
    }
    if target.kind == TargetKind::Patch {
        return Some(
            "a patch has no two sides to run it on (if you trust it, commit it, and review the commit)",
        );
    }
    if !has_two_sides(prepared) {
        return Some("there are no two sides of a repository to run it on");
    }
    let is_request = target.kind == TargetKind::PullRequest || names_fetched_request(&target.label);
    if is_request {
        return Some(
            "it is a pull request, whose code may be a stranger's and is not run (if it is yours or you trust it, \
             review your branch of it instead: git council review BASE..BRANCH)",
        );
    }
    (!is_taken_on(start, prepared)).then_some(
        "no branch of yours has both sides of it, so that code of a stranger may be in them, which is not run (make \
         a branch of it if you trust it)",
    )
}

/// Whether what a person named is a request of others that was fetched: the name of its ref says so.
fn names_fetched_request(label: &str) -> bool {
    let is_numbered = |place: &str| {
        let behind = label.split(place).skip(1);
        behind
            .into_iter()
            .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let refs = ["refs/pull/", "refs/merge-requests/", "FETCH_HEAD"];
    refs.iter().any(|name| label.contains(name))
        || is_numbered("pull/")
        || is_numbered("merge-requests/")
}

/// Whether somebody here has taken on the commits of both sides, whatever they were called, for a test runs on both; of
/// a worktree what it stands on. What cannot be told may be a stranger's.
fn is_taken_on(start: &RunContext, prepared: &PreparedReview) -> bool {
    let target = &prepared.packet.target;
    let sides = [target.head.as_deref(), target.base.as_deref()];
    let mut sides: Vec<&str> = sides.into_iter().flatten().collect();
    if sides.is_empty() {
        sides.push("HEAD");
    }
    // What a first commit is compared with is no commit, and has no code.
    sides.retain(|side| *side != git::EMPTY_TREE);
    let is_own = |commit: &&str| {
        git::is_taken_on(&start.dir, &start.git_environment(), commit).unwrap_or(false)
    };
    sides.iter().all(is_own)
}

/// Whether both sides are there to be exported: a patch has none, a question neither.
fn has_two_sides(prepared: &PreparedReview) -> bool {
    let kind = prepared.packet.target.kind;
    let is_change = !matches!(
        kind,
        TargetKind::Patch | TargetKind::File | TargetKind::Topic | TargetKind::Stage
    );
    is_change && prepared.change.blobs.has_blobs()
}
