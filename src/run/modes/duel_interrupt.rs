//! What becomes of a duel that is interrupted: its turn is ended, and nobody is asked any more.

use crate::council::CancelCause;
use crate::council::outcome::{Outcome, Verdict, VerdictReason};

/// What a duel that was interrupted came to: no verdict, unless it is FAIL already.
pub(super) fn cut_outcome(outcome: &mut Outcome, next: String) {
    if outcome.verdict != Verdict::Fail {
        outcome.verdict = Verdict::Inconclusive;
        outcome.reason = VerdictReason::from(CancelCause::Interrupted);
    }
    outcome.notes.push(next);
}
