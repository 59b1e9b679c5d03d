//! What is asked for, typed: what flags, a hook, an event or a kept run come to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::KeyValue;
use crate::git::UnmergedRange;

/// A review that somebody asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReviewRequest {
    pub(crate) target: RequestedTarget,
    /// Only these files (git pathspecs).
    pub(crate) pathspecs: Vec<String>,
    /// The strongest layer of the configuration.
    pub(crate) flags: Vec<KeyValue>,
    /// How far the checkout is followed.
    pub(crate) checkout: CheckoutUse,
    /// Three judges instead of two.
    pub(crate) deep: bool,
    /// Built-in perspectives that every judge with a model looks at beside its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) focus: Vec<String>,
    /// A file for the report; whoever resumes the run writes it, too.
    pub(crate) output: Option<PathBuf>,
}

/// How far `council.toml` of the worktree and `.git/config` are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CheckoutUse {
    /// Where they make the review stricter; all of them where the user's own `trust.worktrees` names the worktree.
    #[default]
    AsConfigured,
    /// Where they make the review stricter, whatever is configured: a hook lets nobody through by a file of the change.
    Stricter,
    /// All of them: `--trust-worktree`.
    Trusted,
    /// Not at all: CI, proposals of others, `--trusted-config`.
    Ignored,
}

/// What is to be reviewed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RequestedTarget {
    /// The current branch since it left its upstream, else the default branch.
    #[default]
    Branch,
    /// A commit, `A..B` or `A...B`.
    Revision(String),
    /// Commits whose base may be as little merged as they are: a push, or a branch whose names have moved since.
    Unmerged(UnmergedRange),
    /// The index against HEAD.
    Staged,
    /// The worktree against HEAD.
    Worktree,
    /// A unified diff from a file; `-` is standard input.
    Patch(PathBuf),
    /// A document; `-` is standard input.
    Document(PathBuf),
    /// A question without code.
    Question(String),
}

impl RequestedTarget {
    /// Whether it came over standard input, which can be read once.
    pub(crate) fn is_standard_input(&self) -> bool {
        matches!(self, Self::Patch(file) | Self::Document(file) if file.as_os_str() == "-")
    }
}
