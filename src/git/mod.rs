//! Git: what is under review, read from objects and nothing else.
//!
//! No checkout, no filter, no textconv, no external diff, no hook, and none of the reviewed side's attributes. Trees are
//! walked and renames found by our own code over an [`object_store`]; libgit2 compares the two texts of a file.
//! [`read_change`] makes a [`ReviewedChange`]; [`ReviewedChange::fill_hunks`] adds the hunks of one file.

mod change;
mod commit;
mod config;
mod content;
mod decode;
mod diff;
mod document;
mod env;
mod error;
pub mod fetch;
mod git_cli;
mod id;
mod libgit2;
mod limits;
mod notes;
mod object_hash;
mod object_store;
mod objects;
mod open;
mod parallel;
pub mod patch;
mod path_bytes;
mod pathspec;
mod push;
mod read;
mod recognition;
mod repository;
mod repository_paths;
mod request;
mod resolve;
mod revision;
mod signature;
mod target;
mod tree;
mod tree_item;
mod trusted;
mod worktree;

pub use change::ReviewedChange;
pub use config::{ConfigOrigin, ConfigValue, config_values};
pub use env::{GitEnvironment, is_local};
pub use error::GitError;
pub use git_cli::runner;
pub use git_cli::user::UserGit;
pub use notes::{CouncilNotes, NOTES_REF, add_line};
pub use parallel::map_parallel;
pub use push::{MAX_PUSHED_COMMITS, PushedRange, RefUpdate, is_zero, pushed_ranges};
pub use read::{commit_at, read_change, tree_at};
pub use recognition::recognition_key;
pub use repository_paths::RepositoryPaths;
pub use request::ChangeRequest;
pub use signature::{NoteSignature, SignError, sign_text, signing_key};
pub use target::{Proposal, TargetSpec};
pub use trusted::TrustedTree;

#[cfg(test)]
mod tests;
