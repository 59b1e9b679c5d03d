//! The same council again, from what was written down.

use council_protocol::message::TurnId;
use council_protocol::{Failure, FailureKind, JudgeId, Millis};

use super::journal::JournalEntry;
use super::resume::settled_turn;
use crate::council::{Action, Council, Input, Outcome, Plan};

/// What a judge had said in a turn that has no answer in the journal.
pub(crate) struct SaidInTurn {
    pub(crate) judge: JudgeId,
    pub(crate) turn: TurnId,
    /// Whole texts, each as it was kept. Untrusted.
    pub(crate) texts: Vec<String>,
}

/// Why a journal gives no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReplayError {
    /// The run was broken off.
    #[error(
        "the journal ends after {inputs} inputs, {at} ms into the run, and the council was not over"
    )]
    Unfinished {
        /// How many inputs there are.
        inputs: usize,
        /// When the last one came.
        at: Millis,
    },
}

/// Feeds recorded inputs to a council of this plan. The engine reads no clock, so that the outcome is that of the run.
pub(crate) fn replay_council(plan: Plan, entries: &[JournalEntry]) -> Result<Outcome, ReplayError> {
    let (mut council, actions) = Council::convene(plan);
    let mut outcome = find_conclusion(actions);
    for JournalEntry { at, input } in entries {
        if outcome.is_some() {
            break;
        }
        outcome = find_conclusion(council.handle(input.clone(), *at));
    }
    outcome.ok_or_else(|| ReplayError::Unfinished {
        inputs: entries.len(),
        at: entries.last().map_or(0, |entry| entry.at),
    })
}

/// What a council of this plan had come to when its run was broken off: `said` in turns that were under way is heard as of
/// judges that got no further.
pub(crate) fn replay_cut_council(
    plan: Plan,
    entries: &[JournalEntry],
    said: Vec<SaidInTurn>,
) -> Outcome {
    let (mut council, _) = Council::convene(plan);
    for JournalEntry { at, input } in entries {
        council.handle(input.clone(), *at);
    }
    let settled: Vec<TurnId> = entries
        .iter()
        .filter_map(|entry| settled_turn(&entry.input))
        .collect();
    let last = entries.last().map_or(0, |entry| entry.at);
    for SaidInTurn { judge, turn, texts } in said {
        if !settled.contains(&turn) {
            let why = "its process was ended before it had answered";
            let failure = Failure::new(FailureKind::Died, why).with_drafts(texts);
            let turn = Some(turn);
            council.handle(
                Input::Failed {
                    judge,
                    turn,
                    failure,
                },
                last,
            );
        }
    }
    council.outcome_so_far()
}

fn find_conclusion(actions: Vec<Action>) -> Option<Outcome> {
    actions.into_iter().find_map(|action| match action {
        Action::Conclude { outcome } => Some(*outcome),
        _ => None,
    })
}
