//! The procedures. Each is a value of one engine: who speaks, what each is sent, what may stop the rounds.
//!
//! `quick`, `review` and `debate` (seeds 000 and 003) are here; `cross-examination` (seed 001) and `staged` (seed 002) take
//! their places beside them, on the same hooks. `duel` (seed 004) has a transcript instead of a bench: [`super::duel`].

mod debate;
mod quick;
mod review;

use council_protocol::Answer;

use super::bench::{Ask, Chair};
use super::floor::{Floor, RoundPlan};
use super::plan::Procedure;

/// The rules of one procedure.
pub(super) trait Rules: Sync {
    /// The next round, once the last one is over and its quotes are searched; none: the rounds are over.
    fn next(&self, floor: &mut Floor) -> Option<RoundPlan>;

    /// What an accepted answer leads to within its round.
    fn heard(&self, _floor: &mut Floor, _chair: Chair, _answer: &Answer) -> Vec<(Chair, Ask)> {
        Vec::new()
    }

    /// What is still to be asked when everybody is done with pass `pass` of the round (from 0).
    fn quiet(&self, _floor: &mut Floor, _pass: u8) -> Vec<(Chair, Ask)> {
        Vec::new()
    }
}

/// The rules of a procedure.
pub(super) fn rules(procedure: Procedure) -> &'static dyn Rules {
    match procedure {
        Procedure::Quick => &quick::Quick,
        Procedure::Review => &review::Review,
        Procedure::Debate | Procedure::Duel => &debate::Debate,
    }
}
