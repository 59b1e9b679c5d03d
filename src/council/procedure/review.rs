//! Several judges, one round; a second one where the mode of debate says so (seed 003, default and `--deep`).

use super::quick::independent_round;
use super::{ProcedureRules, debate};
use crate::council::floor::{DebateState, RoundPlan};
use crate::council::plan::DebateMode;

/// `review`.
pub(super) struct ReviewRules;

impl ProcedureRules for ReviewRules {
    fn next_round(&self, floor: &mut DebateState) -> Option<RoundPlan> {
        match (floor.completed, floor.plan.debate) {
            (0, _) => Some(independent_round(floor)),
            (1, DebateMode::Auto) if debate::is_worth_it(floor) => debate::second_round(floor),
            (1, DebateMode::Force) => debate::second_round(floor),
            _ => None,
        }
    }
}
