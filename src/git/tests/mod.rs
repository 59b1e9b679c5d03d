//! Every kind of target over real repositories (issue 2, point 1).

pub(crate) mod repo;

mod branches;
mod contents;
mod hostile;
mod patches;
mod renames;
mod sources;
mod targets;
mod unsupported;
mod worktrees;
