//! What ends a duel before its end: Ctrl-C, SIGTERM, the death of whoever started a side, and a side that gives no more
//! section. Nobody is asked any more, and what was said until then is a run.

use council_protocol::Failure;

use crate::council::CancelCause;
use crate::council::outcome::{Outcome, Verdict, VerdictReason, is_lost};
use crate::duel::DuelRole;
use crate::report::Report;
use crate::run::error::RunError;
use crate::run::modes::side_log::read_sides;
use crate::run::modes::side_purse::{SideSpending, failure_in};
use crate::run::store::StoredRun;

/// What ended a duel before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DuelCut {
    /// Ctrl-C or SIGTERM.
    Interrupted,
    /// Sides gave no more section: who, and why.
    BrokenOff(Vec<(DuelRole, Failure)>),
}

impl DuelCut {
    /// Sides that broke off, with why, as far as they told.
    pub(super) fn by(spent: &[SideSpending; 2]) -> Self {
        let sides = [DuelRole::A, DuelRole::B].into_iter().zip(spent);
        let told = sides.filter_map(|(role, spent)| Some((role, spent.failure.clone()?)));
        Self::BrokenOff(told.collect())
    }

    /// Whether asking again may help: nobody broke off by what it did wrong itself.
    pub(super) fn can_go_on(&self) -> bool {
        match self {
            Self::Interrupted => true,
            Self::BrokenOff(why) => why.iter().all(|(_, failure)| is_lost(failure.kind)),
        }
    }

    /// The outcome of what was said until then.
    pub(super) fn cut_outcome(&self, outcome: &mut Outcome, next: String) {
        match self {
            Self::Interrupted => interrupt_outcome(outcome),
            Self::BrokenOff(why) => {
                outcome.verdict = Verdict::Inconclusive;
                outcome.reason = VerdictReason::DuelBrokenOff;
                let told = why.iter().map(|(role, failure)| {
                    format!("The duel broke off: {role} gave no section: {failure}.")
                });
                outcome.notes.extend(told);
            }
        }
        outcome.notes.push(next);
    }
}

/// A duel that was interrupted has no verdict, unless it is FAIL already.
pub(super) fn interrupt_outcome(outcome: &mut Outcome) {
    if outcome.verdict != Verdict::Fail {
        outcome.verdict = Verdict::Inconclusive;
        outcome.reason = VerdictReason::from(CancelCause::Interrupted);
    }
}

/// A duel that left a report goes on where it was interrupted, or lost a side to the machine, the network or the clock.
pub(crate) fn check_cut_duel(past: &StoredRun, report: &Report) -> Result<(), RunError> {
    let name = &past.name;
    let refuse = |why: String| {
        let error = RunError::usage(format!("{name} {why}"));
        Err(error.hint(format!("`git council show {name}` prints its report")))
    };
    let sides = read_sides(&past.folder);
    let last = sides.iter().filter_map(|side| side.told.last());
    let mut failures = last.filter_map(|line| failure_in(line));
    if report.outcome.reason == VerdictReason::DuelBrokenOff {
        return match failures.find(|failure| !is_lost(failure.kind)) {
            None => Ok(()),
            Some(failure) => refuse(format!(
                "cannot be resumed: a side gave no section that counts ({failure})"
            )),
        };
    }
    match report.incomplete {
        true => Ok(()),
        false => refuse("is complete: the duel came to its end".to_owned()),
    }
}
