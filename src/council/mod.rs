//! The engine, sans-IO: inputs in, actions out. It names no clock, runtime, file or socket.
//!
//! [`Council`] drives the rounds; `procedure` says who is asked what; [`consensus::judge`] is the verdict as a pure
//! function of findings, votes, participation and coverage.

mod anonymity;
mod answer_fields;
pub mod at_once;
mod bearing;
mod benches;
mod brought;
mod carried;
mod challenge;
mod check;
mod claims;
mod closing;
mod cluster;
pub mod consensus;
pub mod consent;
mod contention;
mod denials;
mod disagreement;
mod dismissal;
mod disposition;
mod drafts;
mod engine;
mod evidence;
pub mod exchange;
mod explorers;
pub mod extract;
mod findings;
mod fingerprint;
mod in_place;
mod judges;
mod keys;
pub mod ledger;
mod loose_ballot;
mod loose_forms;
mod loose_proofs;
mod lost_answer;
mod lost_findings;
mod meant_ids;
mod merge;
mod moderator;
mod notes;
mod objections;
mod opinions;
pub mod outcome;
mod own_words;
mod parts;
pub mod plain_words;
pub mod plan;
mod position;
mod procedure;
mod proof;
pub mod quorum;
mod quoted_lines;
mod raw_fields;
mod raw_objects;
mod readings;
mod reason;
mod references;
mod reply_object;
pub mod reproduction;
mod responses;
mod said_problem;
mod said_vote;
mod said_words;
mod same_problem;
mod stances;
mod state;
mod summary;
pub mod support;
mod told_fields;
mod turns;
mod unclear_reply;
mod unread;
mod unseen_words;
mod verdict;

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used)] // A test ends where its helper fails.
pub mod testing;
#[cfg(test)]
mod tests;

pub use carried::add_carried;
pub use check::{meant_path, unmarked_path};
pub use dismissal::{ReconsideredVerdict, SupportedVote, is_outgrown, votes_after_dismissals};
pub use engine::Council;
pub use exchange::{Action, Input};
pub use exchange::{CancelCause, ClaimId, NearestLine, TimerId};
pub use fingerprint::{is_named_by, readable_description, rest_words};
pub use in_place::proven_place;
pub use lost_answer::{objects_beyond, says_objection};
pub use notes::{NOBODY_ANSWERED, TESTS_BROKE_OFF};
pub use objections::{PART_MARK, bench_judge};
pub use outcome::Outcome;
pub use parts::meant_classes;
pub use plan::Plan;
pub use plan::{Dismissal, DismissalGround};
pub use procedure::CANNOT_BE_ASKED_AGAIN;
pub use quoted_lines::QuotedLines;
pub use reason::is_reason;
pub use reply_object::object_of;
pub use said_problem::SaidProblem;
pub use same_problem::{is_namesake, means_same, says_one_problem};
pub use unread::{is_for_lost_readers, is_read_by_few};
pub use verdict::UNASKED;
