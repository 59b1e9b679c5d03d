//! Git: what is under review, read from objects and nothing else.
//!
//! No checkout, no filter, no textconv, no external diff, no hook, and none of the reviewed side's attributes. Trees are
//! walked and renames found by our own code over an [`object_store`]; libgit2 compares the two texts of a file.
//! [`read_change`] makes a [`ReviewedChange`]; [`ReviewedChange::fill_hunks`] adds the hunks of one file.

mod any_object;
mod change;
mod commit;
mod config;
mod content;
mod decode;
mod diff;
mod document;
mod env;
mod error;
pub(crate) mod fetch;
mod folders;
mod git_cli;
mod history;
mod id;
mod libgit2;
mod limits;
mod line_map;
mod main_line;
mod notes;
mod object_hash;
mod object_store;
mod objects;
mod open;
mod parallel;
pub(crate) mod patch;
mod path_bytes;
mod pathspec;
mod push;
mod pushed_commits;
mod read;
mod recognition;
mod repository;
mod repository_paths;
mod request;
mod resolve;
mod revision;
mod signature;
mod target;
mod together;
mod tree;
mod tree_item;
mod trusted;
mod worktree;

pub(crate) use any_object::read_any_object;
pub use change::ReviewedChange;
pub(crate) use config::{ConfigOrigin, ConfigValue, config_values};
pub(crate) use decode::decode_text;
pub use env::GitEnvironment;
pub(crate) use env::is_local;
pub(crate) use error::GitError;
pub(crate) use folders::{FileItem, FolderItem, ReviewedTree, TreeFolder};
pub(crate) use git_cli::user::UserGit;
pub(crate) use history::{CommitHistory, HistoryBounds, HistoryFindings, WantedLines};
pub(crate) use main_line::{
    ChangedLines, LineSpan, MainLineCommit, MainLineLimits, walk_main_line,
};
pub(crate) use notes::{CouncilNotes, add_line, add_lines, keep_text};
pub use parallel::map_parallel;
pub(crate) use push::{PushedRange, RefUpdate, pushed_ranges};
pub(crate) use pushed_commits::{PushedCommit, pushed_commits, tag_texts};
pub use read::read_change;
pub(crate) use read::{commit_at, commit_subjects, tree_at};
pub(crate) use recognition::recognition_key;
pub(crate) use repository_paths::RepositoryPaths;
pub use request::ChangeRequest;
pub(crate) use signature::{NoteSignature, sign_text, signing_key};
pub use target::TargetSpec;
pub(crate) use target::{AlteredCommit, EMPTY_TREE, Proposal, make_slug};
pub(crate) use together::TogetherBounds;
pub(crate) use trusted::TrustedTree;

#[cfg(test)]
pub(crate) mod tests;
