//! A commit that another review has failed stays failed: whoever writes a check or a status asks here first, and a
//! milder result becomes a FAIL that says so.

use crate::publish::look;
use crate::publish::{ExistingCheck, ForgeState, GitHubApi, GitHubError, PublishOptions, Surface};
use crate::report::{CheckConclusion, Report};
use crate::run::github::meanwhile::{FAILED_BEFORE, FAILED_CHECK, fail_with_commit, has_failed};

/// What another review has made of the check of the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckFailure {
    None,
    /// It was a failure when this review began.
    Before,
    /// A second check of the name failed while this review was at work.
    Beside,
    /// The very check of this review was ended as a failure.
    Own,
}

impl CheckFailure {
    /// What stands there when nobody has begun a check of this review.
    pub(super) fn standing(seen: &ForgeState, wishes: &PublishOptions) -> Self {
        match seen
            .check
            .as_ref()
            .is_some_and(|check| has_failed(check, wishes))
        {
            true => Self::Before,
            false => Self::None,
        }
    }

    /// What became of it while a review was at work whose check is `own`.
    pub(super) fn or_meanwhile(
        self,
        own: Option<&ExistingCheck>,
        latest: Option<&ExistingCheck>,
        wishes: &PublishOptions,
    ) -> Self {
        let own_id = own.map(|own| own.id);
        let was_there = own.is_some_and(|own| own.completed);
        match latest.filter(|check| has_failed(check, wishes)) {
            Some(check) if Some(check.id) != own_id => Self::Beside,
            Some(_) if !was_there => Self::Own,
            _ => self,
        }
    }
}

/// What is known before the forge is asked for the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommitFailure {
    pub(super) check: CheckFailure,
    /// Whether a status is written, also in the place of a check.
    pub(super) asks_status: bool,
    /// Whether the page says that this very commit has failed. Whoever asks judges knows that already.
    pub(super) on_page: bool,
}

/// Whether a status may be written: one that was asked for, or one for a check that nobody could begin.
pub(super) fn may_set_status(wishes: &PublishOptions, has_check: bool) -> bool {
    let wants = |surface| wishes.surfaces.contains(&surface);
    wants(Surface::Status) || wants(Surface::Check) && !has_check
}

/// Leaves a commit failed over which a report fails nothing, and makes the report say so; says whether it does. What
/// was failed before gives way to a dismissal and to `--full`. A status that cannot be read is not written (`troubles`).
pub(super) fn keep_failed(
    report: &mut Report,
    wishes: &mut PublishOptions,
    failure: CommitFailure,
    troubles: &mut Vec<(Surface, GitHubError)>,
    hub: &GitHubApi<'_>,
) -> bool {
    let is_milder = report.bottom_line(wishes.gate).conclusion != CheckConclusion::Failure;
    let mut findings = report.outcome.findings.iter();
    let is_argued = wishes.full || findings.any(|found| found.dismissed.is_some());
    let wants_check = wishes.surfaces.contains(&Surface::Check);
    let (surface, note) = match failure.check {
        _ if !is_milder => return false,
        CheckFailure::Own | CheckFailure::Beside if wants_check => (Surface::Check, FAILED_CHECK),
        _ if is_argued => return false,
        CheckFailure::Before if wants_check => (Surface::Check, FAILED_BEFORE),
        _ if failure.asks_status && is_status_failed(wishes, troubles, hub) => {
            (Surface::Status, FAILED_BEFORE)
        }
        // Votes that no finding carries stand nowhere else.
        _ if failure.on_page && wishes.surfaces.contains(&Surface::Comment) => {
            (Surface::Comment, FAILED_BEFORE)
        }
        _ => return false,
    };
    wishes.surfaces.remove(&surface);
    fail_with_commit(report, note);
    true
}

/// Whether the status of our name on the commit is a failure.
fn is_status_failed(
    wishes: &PublishOptions,
    troubles: &mut Vec<(Surface, GitHubError)>,
    hub: &GitHubApi<'_>,
) -> bool {
    match look::fetch_status(hub, &wishes.head, &wishes.check_name) {
        Ok(state) => state.as_deref() == Some("failure"),
        Err(error) => {
            // Whoever may not read statuses may not write one in the place of a check.
            let is_asked_for = wishes.surfaces.contains(&Surface::Status);
            troubles.extend(is_asked_for.then_some((Surface::Status, error)));
            false
        }
    }
}
