//! Every kind of target over real repositories.

pub(crate) mod repo;

mod branches;
mod contents;
mod fetching;
mod hostile;
mod patches;
mod reading;
mod renames;
mod sources;
mod targets;
mod unsupported;
mod worktrees;
