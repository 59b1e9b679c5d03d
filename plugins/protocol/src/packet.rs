//! The packet: the immutable input of the judges, addressed by the hash of its bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RepoPath;
use crate::change::FileChange;
use crate::coverage::Coverage;
use crate::task::Framing;

/// Version that every packet carries.
pub const PACKET_VERSION: u32 = 1;

/// The whole change with its context, instructions and coverage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Packet {
    /// The version of this form.
    pub version: u32,
    /// What is under review.
    pub target: Target,
    /// The changed files in path order, hunks extended by context.
    pub files: Vec<FileChange>,
    /// Trusted instructions: never from the reviewed side.
    #[serde(default)]
    pub instructions: Vec<Instruction>,
    /// Every changed file exactly once.
    pub coverage: Coverage,
    /// Author, title and messages: kept apart, sent in R2 only.
    #[serde(default)]
    pub framing: Framing,
}

impl Packet {
    /// The files whose hunks do not hold all lines that the change adds (skipped, opaque, unreadable), with their index
    /// in [`Self::files`]. A judge without a model asks [`BlobSource::visit_added`](crate::BlobSource::visit_added) for
    /// these lines.
    pub fn withheld_files(&self) -> impl Iterator<Item = (usize, &FileChange)> {
        let states = self.coverage.files.iter().map(|covered| &covered.state);
        let files = self.files.iter().enumerate().zip(states);
        files
            .filter(|(_, state)| state.is_withheld())
            .map(|(file, _)| file)
    }
}

/// What kind of thing is under review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// The current branch against its merge base.
    Branch,
    /// `A..B` or `A...B`.
    Range,
    /// One commit against its first parent.
    Commit,
    /// The index against HEAD.
    Staged,
    /// The worktree against HEAD, untracked files included.
    Worktree,
    /// A unified diff from a file or stdin.
    Patch,
    /// A pull request.
    PullRequest,
    /// One file, for plans and topics.
    File,
    /// A question without code.
    Topic,
    /// A stage of a debate: it works on a document instead of a change.
    Stage,
}

/// What is under review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// What kind of change it is.
    pub kind: TargetKind,
    /// How a person would name it, e.g. `main...feature` or `HEAD~3..HEAD`. Untrusted text.
    pub label: String,
    /// Lower case, `[a-z0-9-]`, at most 50 characters: for file names.
    pub slug: String,
    /// Commit (or tree) before, as hex; none for a root commit or a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Commit after, as hex; none for staged, worktree and patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The pathspecs to which the user limited the review, where that left changed files out. Empty: all were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

/// How a change is named that came over standard input.
pub const STANDARD_INPUT: &str = "standard input";

impl Target {
    /// Whether it came over standard input, which can be read once.
    pub fn is_standard_input(&self) -> bool {
        let is_file = matches!(self.kind, TargetKind::Patch | TargetKind::File);
        is_file && self.label == STANDARD_INPUT
    }
}

/// A file of the trusted side that tells reviewers what matters here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Instruction {
    /// Where it lies.
    pub path: RepoPath,
    /// The ref or commit it was read from.
    pub origin: String,
    /// Its text, cut at a bound with a note.
    pub text: String,
}
