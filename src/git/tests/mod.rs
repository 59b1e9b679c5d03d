//! Every kind of target over real repositories.

mod applied;
mod branches;
mod contents;
mod fetching;
mod hidden;
mod hostile;
mod patches;
mod reading;
mod reading_laws;
mod renames;
mod sources;
mod targets;
mod unsupported;
mod worktrees;
