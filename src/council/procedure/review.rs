//! Several judges, one round; a second one where the mode of debate says so (seed 003, default and `--deep`).

use super::quick::independent;
use super::{Rules, debate};
use crate::council::floor::{Floor, RoundPlan};
use crate::council::plan::DebateMode;

/// `review`.
pub(super) struct Review;

impl Rules for Review {
    fn next(&self, floor: &mut Floor) -> Option<RoundPlan> {
        match (floor.completed, floor.plan.debate) {
            (0, _) => Some(independent(floor)),
            (1, DebateMode::Auto) if debate::is_worth_it(floor) => debate::second_round(floor),
            (1, DebateMode::Force) => debate::second_round(floor),
            _ => None,
        }
    }
}
