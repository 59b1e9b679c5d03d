//! One judge, one round (`--quick`).

use council_protocol::Task;

use super::rules::ProcedureRules;
use crate::judges::{QueuedTask, SeatIndex};
use crate::state::{DebateState, RoundPlan};

pub(super) struct QuickRules;

impl ProcedureRules for QuickRules {
    fn next_round(&self, state: &mut DebateState) -> Option<RoundPlan> {
        (state.completed == 0).then(|| independent_round(state))
    }
}

/// R1: everybody reviews alone, at once.
pub(super) fn independent_round(state: &DebateState) -> RoundPlan {
    ask_everybody(state, |_, _| Task::Review)
}

/// R1 of any procedure: everybody is asked at once.
pub(super) fn ask_everybody(
    state: &DebateState,
    task: impl Fn(&DebateState, SeatIndex) -> Task,
) -> RoundPlan {
    let asks = state.judges.sitting_seats().into_iter();
    let asks = asks
        .map(|seat| (seat, vec![QueuedTask::new(task(state, seat))]))
        .collect();
    RoundPlan::at_once(asks, state.plan.timeouts.r1_ms)
}
