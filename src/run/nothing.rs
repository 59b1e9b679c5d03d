//! A change about which nobody need be asked.

use council_protocol::coverage::FileCoverage;
use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, CoverageState};

use crate::council::outcome::VerdictReason;
use crate::council::plan::{ConsensusRule, VerdictPolicy};
use crate::council::{Dismissal, count_carried};
use crate::report::{CarriedReview, Report, ReviewSubject, RunFacts};
use crate::session::{CalendarMoment, RealWorld, RunFolders, RunRef};

use crate::run::error::RunError;
use crate::run::facts::base_facts;
use crate::run::floor::hear_rules_of_skipped;
use crate::run::prepare::PreparedReview;

/// Why there is nothing to review, if there is nothing.
pub(crate) fn reason_to_skip(prepared: &PreparedReview) -> Option<(VerdictReason, String)> {
    if let Some(why) = &prepared.change.nothing {
        return Some((VerdictReason::NothingToReview, why.clone()));
    }
    if prepared.packet.target.kind == TargetKind::Topic {
        return None;
    }
    let coverage = &prepared.packet.coverage;
    let is_skipped = |file: &FileCoverage| matches!(file.state, CoverageState::Skipped { .. });
    coverage
        .files
        .iter()
        .all(is_skipped)
        .then(|| (VerdictReason::AllSkipped, all_skipped(coverage)))
}

/// The most skipped files that are named.
const MAX_NAMED: usize = 3;

fn all_skipped(coverage: &Coverage) -> String {
    let one = |file: &FileCoverage| match &file.state {
        CoverageState::Skipped { reason } => format!("{}: {reason}", file.path.display()),
        _ => file.path.display().into_owned(),
    };
    let mut named: Vec<String> = coverage.files.iter().take(MAX_NAMED).map(one).collect();
    match coverage.files.len().saturating_sub(MAX_NAMED) {
        0 => {}
        more => named.push(format!("and {more} more")),
    }
    format!("every changed file is skipped ({})", named.join("; "))
}

/// A report without a run: nothing was asked, so nothing is kept.
pub(crate) fn skipped_report(
    prepared: &PreparedReview,
    dismissals: &[Dismissal],
    (reason, why): (VerdictReason, String),
    moment: &CalendarMoment,
    world: &RealWorld,
    started_by: Option<String>,
) -> Result<Report, RunError> {
    let run = RunRef::create(
        world,
        &RunFolders::default(),
        &prepared.packet.target.slug,
        moment,
    )?;
    let facts = RunFacts {
        duration_ms: prepared.elapsed_ms(),
        started_by,
        fail_on: Some(prepared.config.settings.review.fail_on),
        ..base_facts(&run)
    };
    let subject = ReviewSubject::of(&prepared.packet);
    let mut report = Report::skipped(
        subject,
        Report::shown_coverage(&prepared.packet.coverage, &prepared.redactor),
        reason,
        why,
        facts,
    );
    report.outcome.notes.clone_from(&prepared.notes);
    if reason == VerdictReason::AllSkipped {
        hear_rules_of_skipped(&mut report.outcome, prepared, dismissals);
    }
    if let Some(earlier) = &prepared.earlier {
        let settings = &prepared.config.settings;
        let terms = (settings.review.consensus, settings.policy());
        carry_over(&mut report, earlier, terms);
    }
    Ok(report)
}

/// What an earlier review left open counts although nobody was asked: a push that leaves nothing to review resolves nothing.
fn carry_over(
    report: &mut Report,
    earlier: &CarriedReview,
    (consensus, policy): (ConsensusRule, VerdictPolicy),
) {
    let outcome = &mut report.outcome;
    count_carried(outcome, &earlier.standing(), consensus, policy);
    report.receipt.run.earlier = Some(earlier.settle_in(outcome));
}
