//! The engine, sans-IO: inputs in, actions out. It names no clock, runtime, file or socket.
//!
//! [`Council`] drives the rounds; `procedure` says who is asked what; [`consensus::judge`] is the verdict as a pure
//! function of findings, votes, participation and coverage.

mod anonymity;
pub(crate) mod at_once;
mod bearing;
mod brought;
mod challenge;
mod check;
mod closing;
mod cluster;
pub(crate) mod consensus;
mod contention;
mod disagreement;
mod dismissal;
mod disposition;
mod engine;
mod evidence;
pub(crate) mod exchange;
mod explorers;
pub(crate) mod extract;
mod findings;
mod fingerprint;
mod judges;
mod keys;
pub(crate) mod ledger;
mod lost_answer;
mod merge;
mod moderator;
mod notes;
mod objections;
mod opinions;
pub(crate) mod outcome;
pub(crate) mod plan;
mod position;
mod procedure;
mod proof;
pub(crate) mod reproduction;
mod state;
mod summary;
pub(crate) mod support;
mod turns;
mod verdict;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use dismissal::ReconsideredVerdict;
pub use engine::Council;
pub use exchange::{Action, Input};
pub(crate) use exchange::{CancelCause, ClaimId, NearestLine, TimerId};
pub(crate) use extract::object_of;
pub(crate) use objections::PART_MARK;
pub(crate) use outcome::Outcome;
pub use plan::Plan;
pub(crate) use plan::{Dismissal, DismissalGround};
pub(crate) use verdict::NO_ANSWER;
