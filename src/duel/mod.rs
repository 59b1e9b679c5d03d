//! Two agents argue over one append-only `DEBATE.md`.
//!
//! [`protocol`] is text in, state out: it reads the file, says whose move it is, names violations and writes sections.
//! [`driver`] plays one side over a file and a clock. [`verdict`] judges what both sides wrote by the rules of a council.

#[cfg(test)]
mod agreement_laws;
#[cfg(test)]
mod consent_laws;
pub(crate) mod driver;
mod own_review;
#[cfg(test)]
mod problem_laws;
pub(crate) mod protocol;
#[cfg(test)]
mod shared_words_laws;
#[cfg(test)]
mod simulation;
pub(crate) mod subject;
pub(crate) mod verdict;
mod words_alone;

pub(crate) use protocol::{DuelEnding, DuelRole, resolve_role};
