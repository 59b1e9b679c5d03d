//! One judge, one round (seed 003, `--quick`).

use council_protocol::Task;

use super::Rules;
use crate::council::bench::Ask;
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
    let everybody = 0..floor.bench.judges.len();
    RoundPlan {
        asks: everybody
            .map(|chair| (chair, vec![Ask::new(Task::Review)]))
            .collect(),
        timeout_ms: floor.plan.timeouts.r1_ms,
    }
}
