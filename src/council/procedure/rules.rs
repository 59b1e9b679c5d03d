//! What a procedure decides.

use council_protocol::{Answer, Task};

use crate::judges::{QueuedTask, SeatIndex};
use crate::state::{DebateState, RoundPlan};

/// The rules of one procedure.
pub(crate) trait ProcedureRules: Sync {
    /// The next round, once the last one is over and its quotes are searched; none: the rounds are over.
    fn next_round(&self, state: &mut DebateState) -> Option<RoundPlan>;

    /// What an accepted answer leads to within its round.
    fn on_answer(
        &self,
        _state: &mut DebateState,
        _chair: SeatIndex,
        _answer: &Answer,
    ) -> Vec<(SeatIndex, QueuedTask)> {
        Vec::new()
    }

    /// What is still to be asked when everybody is done with pass `pass` of the round (from 0).
    fn on_pass_over(&self, _state: &mut DebateState, _pass: u8) -> Vec<(SeatIndex, QueuedTask)> {
        Vec::new()
    }

    /// What is wanting in a usable answer, in words for the judge: it is sent back once, and counts if no better one comes.
    fn find_objection(
        &self,
        _state: &DebateState,
        _chair: SeatIndex,
        _task: &Task,
        _answer: &Answer,
    ) -> Option<String> {
        None
    }
}

/// The longest text that one judge has passed on to another, in characters.
pub(super) const MAX_MESSAGE_CHARS: usize = 4_000;
