//! One judge, one round (seed 003, `--quick`).

use council_protocol::Task;

use super::ProcedureRules;
use crate::council::bench::{QueuedTask, SeatIndex};
use crate::council::floor::{DebateState, RoundPlan};

/// `quick`.
pub(super) struct QuickRules;

impl ProcedureRules for QuickRules {
    fn next_round(&self, floor: &mut DebateState) -> Option<RoundPlan> {
        (floor.completed == 0).then(|| independent_round(floor))
    }
}

/// R1: everybody reviews alone, at once.
pub(super) fn independent_round(floor: &DebateState) -> RoundPlan {
    ask_everybody(floor, |_, _| Task::Review)
}

/// R1 of any procedure: everybody is asked at once.
pub(super) fn ask_everybody(
    floor: &DebateState,
    task: impl Fn(&DebateState, SeatIndex) -> Task,
) -> RoundPlan {
    let asks = floor.bench.sitting_seats().into_iter();
    let asks = asks
        .map(|chair| (chair, vec![QueuedTask::new(task(floor, chair))]))
        .collect();
    RoundPlan::at_once(asks, floor.plan.timeouts.r1_ms)
}
