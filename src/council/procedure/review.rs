//! Several judges, one round; a second one where the mode of debate says so (the default, and `--deep`).

use council_protocol::Answer;

use super::agenda::DebateAgenda;
use super::debate;
use super::quick::independent_round;
use super::rules::ProcedureRules;
use crate::judges::{QueuedTask, SeatIndex};
use crate::plan::DebateMode;
use crate::state::{DebateState, RoundPlan};

pub(super) struct ReviewRules;

impl ProcedureRules for ReviewRules {
    fn next_round(&self, state: &mut DebateState) -> Option<RoundPlan> {
        match (state.completed, state.plan.debate) {
            (0, _) => Some(independent_round(state)),
            (1, DebateMode::Auto) if debate::is_worth_it(state) => {
                let agenda = DebateAgenda::open_points(state);
                debate::second_round(state, &agenda)
            }
            (1, DebateMode::Force) => debate::second_round(state, &DebateAgenda::Everything),
            _ => None,
        }
    }

    fn on_answer(
        &self,
        state: &mut DebateState,
        seat: SeatIndex,
        answer: &Answer,
    ) -> Vec<(SeatIndex, QueuedTask)> {
        debate::note_questions(state, seat, answer);
        Vec::new()
    }
}
