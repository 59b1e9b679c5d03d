//! A change about which nobody need be asked.

use council_protocol::coverage::FileCoverage;
use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, CoverageState};

use crate::council::outcome::Reason;
use crate::report::{Report, RunFacts, Subject};
use crate::session::{Moment, Places, RealWorld, RunRef, World as _};

use super::error::CliError;
use super::hold::facts;
use super::prepare::Prepared;

/// Why there is nothing to review, if there is nothing.
pub(super) fn nothing(prepared: &Prepared) -> Option<(Reason, String)> {
    if let Some(why) = &prepared.change.nothing {
        return Some((Reason::NothingToReview, why.clone()));
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
        .then(|| (Reason::AllSkipped, all_skipped(coverage)))
}

/// The most skipped files that are named.
const MOST_NAMED: usize = 3;

fn all_skipped(coverage: &Coverage) -> String {
    let one = |file: &FileCoverage| match &file.state {
        CoverageState::Skipped { reason } => format!("{}: {reason}", file.path.display()),
        _ => file.path.display().into_owned(),
    };
    let mut named: Vec<String> = coverage.files.iter().take(MOST_NAMED).map(one).collect();
    match coverage.files.len().saturating_sub(MOST_NAMED) {
        0 => {}
        more => named.push(format!("and {more} more")),
    }
    format!("every changed file is left out ({})", named.join("; "))
}

/// A report without a run: nothing was asked, so nothing is kept.
pub(super) fn skipped(
    prepared: Prepared,
    reason: Reason,
    why: String,
    moment: &Moment,
    world: &RealWorld,
) -> Result<Report, CliError> {
    let run = RunRef::create(
        world,
        &Places::default(),
        &prepared.packet.target.slug,
        moment,
    )?;
    let facts = RunFacts {
        duration_ms: world.now_ms(),
        ..facts(&run)
    };
    let subject = Subject::of(&prepared.packet);
    let mut report = Report::skipped(
        subject,
        prepared.packet.coverage.clone(),
        reason,
        why,
        facts,
    );
    report.notes = prepared.notes;
    Ok(report)
}
