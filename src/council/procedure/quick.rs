//! One judge, one round (seed 003, `--quick`).

use council_protocol::Task;

use super::Rules;
use crate::council::bench::{Ask, Chair};
use crate::council::floor::{Floor, RoundPlan};

/// `quick`.
pub(super) struct Quick;

impl Rules for Quick {
    fn next(&self, floor: &mut Floor) -> Option<RoundPlan> {
        (floor.completed == 0).then(|| independent(floor))
    }
}

/// R1: everybody reviews alone, at once.
pub(super) fn independent(floor: &Floor) -> RoundPlan {
    everybody(floor, |_, _| Task::Review)
}

/// R1 of any procedure: everybody is asked at once.
pub(super) fn everybody(floor: &Floor, task: impl Fn(&Floor, Chair) -> Task) -> RoundPlan {
    let asks = floor.bench.sitting().into_iter();
    let asks = asks
        .map(|chair| (chair, vec![Ask::new(task(floor, chair))]))
        .collect();
    RoundPlan::at_once(asks, floor.plan.timeouts.r1_ms)
}
