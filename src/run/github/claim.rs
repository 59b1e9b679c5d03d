//! A report that a job without rights left: checked against itself, and against what the built-in judges find.

use crate::config::Settings;
use crate::council::Dismissal;
use crate::git::TargetSpec;
use crate::publish::{GitHubApi, ReviewState};
use crate::report::{ClaimTerms, FailOn, Report, absorb_recheck, accept_claim};
use crate::run::context::RunContext;
use crate::run::convene::{ConveneOptions, convene_review};
use crate::run::error::RunError;
use crate::run::prepare::prepare_spec;
use crate::run::request::ReviewRequest;
use crate::session::InterruptSource;

use super::earlier::carry_over;
use super::request::GitHubRequest;
use super::session::GitHubSession;
use super::subject::PullSubject;

/// A report that nobody here made, and what the last review left on the pull request.
pub(crate) struct ClaimedReview<'a> {
    pub(crate) report: Report,
    pub(crate) before: Option<&'a ReviewState>,
    /// What people dismissed there.
    pub(crate) dismissed: &'a [Dismissal],
}

/// What of a claim may be published. Objects, configuration and policy come from the forge and the trusted branch; the
/// claim has no say in them. What the last review left open counts as after a review.
pub(crate) fn check_claim(
    claimed: ClaimedReview<'_>,
    request: &GitHubRequest,
    subject: &PullSubject,
    forge: &GitHubSession,
    hub: &GitHubApi<'_>,
    start: &RunContext,
) -> Result<Report, RunError> {
    let proposal = subject.fetch_proposal(request, forge, hub, start)?;
    let target = TargetSpec::Proposal(proposal);
    let mut prepared = prepare_spec(&ReviewRequest::default(), start, target)?;
    let settings = &mut prepared.config.settings;
    let consensus = settings.review.consensus;
    let terms = ClaimTerms {
        policy: settings.policy(),
        consensus,
        dismissed: claimed.dismissed,
    };
    let mut claim = accept_claim(claimed.report, &terms).map_err(RunError::usage)?;
    if settings.review.fail_on == FailOn::Warn {
        claim.receipt.run.fail_on = Some(FailOn::Warn);
    }
    use_builtin_judges(settings);
    settings.output.save = false;
    prepared.dismissed = claimed.dismissed.to_vec();
    if let Some(before) = claimed.before {
        carry_over(&mut prepared, before);
    }
    let options = ConveneOptions {
        deep: false,
        fresh: true,
        keeps_objections: false,
        on_named: None,
        interrupts: InterruptSource::Signals,
    };
    let recheck = convene_review(prepared, options, start)?;
    absorb_recheck(&mut claim, &recheck);
    Ok(claim)
}

/// Only judges sit that cost nothing and whose word does not depend on a model.
pub(crate) fn use_builtin_judges(settings: &mut Settings) {
    settings.judge.clear();
    settings.agents.clear();
    settings.review.agents = vec!["builtin".to_owned()];
    settings.review.backend = "auto".to_owned();
    settings.review.judges = None;
    settings.review.quorum = None;
}
