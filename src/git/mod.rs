//! Git: what is under review, read from objects and nothing else.
//!
//! No checkout, no filter, no textconv, no external diff, no hook, and none of the reviewed side's attributes. Trees are
//! walked and renames found by our own code over an [`object_store`]; libgit2 compares the two texts of a file.
//! [`read_change`] makes a [`ReviewedChange`]; [`ReviewedChange::fill_hunks`] adds the hunks of one file.

mod any_object;
mod brought_commits;
mod change;
mod chosen_base;
mod commit;
mod config;
mod content;
mod decode;
mod default_branch;
mod diff;
mod document;
mod env;
mod error;
pub mod fetch;
mod folders;
mod git_cli;
mod history;
mod history_walk;
mod id;
mod kept_files;
mod libgit2;
mod limits;
mod line_map;
mod main_line;
mod moved_lines;
mod notes;
mod object_hash;
mod object_store;
mod objects;
mod open;
mod opened_files;
mod paired_trees;
mod parallel;
pub mod patch;
mod patch_content;
mod patch_sides;
mod path_bytes;
mod pathspec;
mod push;
mod pushed_commits;
mod range_texts;
mod read;
mod recognition;
mod repository;
mod repository_paths;
mod request;
mod request_refs;
mod resolve;
mod revision;
mod signature;
mod target;
mod text_names;
mod together;
mod tree;
mod tree_item;
mod trusted;
mod worktree;

pub use any_object::read_any_object;
pub use brought_commits::BroughtCommit;
pub use change::ReviewedChange;
pub use config::{ConfigOrigin, ConfigValue, config_values};
pub use decode::decode_text;
pub use env::GitEnvironment;
pub use env::{LOCAL_VARIABLES, is_local};
pub use error::GitError;
pub use folders::{FileItem, FolderItem, PathFilter, ReviewedTree, TreeFolder};
pub use git_cli::user::UserGit;
pub use history::{
    CommitHistory, CommitWords, HistoryBounds, HistoryFindings, LineOrigin, WantedLines,
};
pub use kept_files::brings_files;
pub use line_map::follow_lines;
pub use main_line::{
    ChangedLines, LineSpan, MainLineCommit, MainLineLimits, MainLineWalk, SideTexts, commit_lines,
    walk_main_line,
};
pub use notes::{CouncilNotes, add_line, keep_text, replace_lines};
pub use parallel::map_parallel;
pub use pathspec::ExcludedPaths;
pub use push::{PushedRange, RefUpdate, pushed_ranges, unsent_refs};
pub use pushed_commits::{PushedCommit, pushed_commits, tag_texts};
pub use range_texts::RangeTexts;
pub use read::read_change;
pub use read::{
    BranchSources, branch_sources, commit_at, commit_subjects, default_branch_name, head_holds,
    is_on_branch, leaves_nothing_out, tree_at,
};
pub use recognition::recognition_key;
pub use repository_paths::RepositoryPaths;
pub use request::ChangeRequest;
pub use request_refs::is_taken_on;
pub use signature::{NoteSignature, sign_text, signing_key};
pub use target::{AlteredCommit, EMPTY_TREE, PART_NOTE, Proposal, make_slug};
pub use target::{TargetSpec, UnmergedRange};
pub use together::TogetherBounds;
pub use trusted::TrustedTree;
pub use worktree::is_of_inner_repository;

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used, clippy::new_without_default)] // A test ends where its helper fails.
pub mod testing;
#[cfg(test)]
mod tests;
