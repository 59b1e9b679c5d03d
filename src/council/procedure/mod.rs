//! The procedures. Each is a value of one engine: who speaks, what each is sent, what may stop the rounds.
//!
//! `quick`, `review` and `debate` are of seeds 000 and 003, `cross-examination` of seed 001, `staged` of seed 002. `duel` (seed 004) has a transcript instead of a bench: [`super::duel`].

mod cross_examination;
mod debate;
mod quick;
mod review;
mod staged;

use council_protocol::{Answer, Task};

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

    /// What is wanting in a usable answer, in words for the judge: it is sent back once, and counts if no better one comes.
    fn objects(
        &self,
        _floor: &Floor,
        _chair: Chair,
        _task: &Task,
        _answer: &Answer,
    ) -> Option<String> {
        None
    }
}

/// The longest text that one judge has passed on to another, in characters.
const MOST_CHARS: usize = 4_000;

/// The rules of a procedure.
pub(super) fn rules(procedure: Procedure) -> &'static dyn Rules {
    match procedure {
        Procedure::Quick => &quick::Quick,
        Procedure::Review => &review::Review,
        Procedure::Debate | Procedure::Duel => &debate::Debate,
        Procedure::CrossExamination => &cross_examination::CrossExamination,
        Procedure::Staged => &staged::Staged,
    }
}
