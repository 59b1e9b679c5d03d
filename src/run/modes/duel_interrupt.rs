//! What ends a duel before its end: Ctrl-C, SIGTERM, the death of whoever started a side, and a side that gives no more
//! section. Nobody is asked any more, and what was said until then is a run.

use crate::council::CancelCause;
use crate::council::outcome::{Outcome, Verdict, VerdictReason};
use crate::duel::DuelRole;
use crate::run::modes::side_purse::SideSpending;

/// What ended a duel before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DuelCut {
    /// Ctrl-C or SIGTERM.
    Interrupted,
    /// Sides gave no more section: who, and why, in words.
    BrokenOff(Vec<String>),
}

impl DuelCut {
    /// Sides that broke off, with why, as far as they told.
    pub(super) fn by(spent: &[SideSpending; 2]) -> Self {
        let sides = [DuelRole::A, DuelRole::B].into_iter().zip(spent);
        let told = sides.filter_map(|(role, spent)| {
            let why = spent.failure.as_ref()?;
            Some(format!("{role} gave no section: {why}"))
        });
        Self::BrokenOff(told.collect())
    }

    /// The outcome of what was said until then.
    pub(super) fn cut_outcome(&self, outcome: &mut Outcome, next: String) {
        match self {
            Self::Interrupted => interrupt_outcome(outcome),
            Self::BrokenOff(why) => {
                outcome.verdict = Verdict::Inconclusive;
                outcome.reason = VerdictReason::DuelBrokenOff;
                outcome
                    .notes
                    .extend(why.iter().map(|why| format!("The duel broke off: {why}.")));
            }
        }
        outcome.notes.push(next);
    }
}

/// A duel that was interrupted has no verdict, unless it is FAIL already.
fn interrupt_outcome(outcome: &mut Outcome) {
    if outcome.verdict != Verdict::Fail {
        outcome.verdict = Verdict::Inconclusive;
        outcome.reason = VerdictReason::from(CancelCause::Interrupted);
    }
}
