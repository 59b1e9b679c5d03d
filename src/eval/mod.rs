//! Which council is worth its money on this repository: changes whose defects are known, and how councils did on them.
//!
//! [`collect`] labels changes from the repository's own history; [`trials`] are what councils said of them; [`compare`]
//! sets councils beside each other and beside chance.

mod chance;
pub(crate) mod collect;
pub(crate) mod compare;
#[cfg(test)]
mod compare_laws;
pub(crate) mod knowledge;
pub(crate) mod labelled;
pub(crate) mod measures;
pub(crate) mod statistics;
pub(crate) mod trials;
