//! What can go wrong on the way to a change, and what to do about it.

use std::path::PathBuf;

use super::git_cli::runner::RunError;
use super::limits::MAX_FILES;
use super::patch::error::PatchError;

/// Why a change could not be read. Each message names the thing and the cause; [`hints`](Self::hints) the next step.
///
/// Names of revisions and files in a message are untrusted text.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// No repository at the directory or above it.
    #[error("{} is not inside a git repository", dir.display())]
    NotARepository {
        /// Where the search began.
        dir: PathBuf,
    },
    /// The repository belongs to another user and no `safe.directory` allows it.
    #[error("the repository at {} belongs to another user", dir.display())]
    Owner {
        /// The directory that git would name.
        dir: PathBuf,
    },
    /// A file that tells another history than the commits do.
    #[error("{} gives commits other parents than they have, so that what a change is cannot be told", file.display())]
    Grafts {
        /// `info/grafts`.
        file: PathBuf,
    },
    /// A format that cannot be read yet.
    #[error("cannot read this repository: {feature}")]
    Unsupported {
        /// What it uses, in words.
        feature: String,
    },
    /// A name of a tree where a commit is asked for: it has no parent to compare it with.
    #[error("{rev:?} is a tree, not a commit")]
    Tree {
        /// As the user named it.
        rev: String,
        /// Its object id.
        id: String,
    },
    /// A name of a blob where a commit or a tree is asked for: a tag may name one.
    #[error("{rev:?} is the content of a file, neither a commit nor a tree")]
    FileContent {
        /// As it was given.
        rev: String,
        id: String,
    },
    /// More files than are reviewed at once.
    #[error("the change has {count} files, but at most {MAX_FILES} can be reviewed at once")]
    TooManyFiles {
        /// How many it has.
        count: usize,
    },
    /// A bare repository among another repository's tracked files, not asked for by name.
    #[error("{} is a bare repository among the tracked files of {}", dir.display(), outer.display())]
    NestedBare {
        /// The bare repository.
        dir: PathBuf,
        /// The worktree around it.
        outer: PathBuf,
    },
    /// A worktree that the repository's own configuration names, and that is not the one around the command.
    #[error(
        "the repository at {} names {} as its worktree, which is not its own",
        git_dir.display(),
        workdir.display()
    )]
    ForeignWorktree {
        /// The git directory with that configuration.
        git_dir: PathBuf,
        /// What it names.
        workdir: PathBuf,
    },
    /// The current branch has no commit yet.
    #[error("branch {branch} has no commit yet")]
    Unborn { branch: String },
    /// Nothing to compare the current branch with.
    #[error("nothing to compare {head} with: {why}")]
    NoBase {
        /// The branch, or `HEAD (detached at …)`.
        head: String,
        why: String,
        /// What works instead, the best first.
        hints: Vec<String>,
    },
    /// No such revision.
    #[error("{rev:?} is not a commit, branch or tag of this repository")]
    UnknownRevision {
        /// What was asked for.
        rev: String,
        /// How to fetch it, if it is a branch of a remote; none without a remote.
        fetch: Option<String>,
    },
    /// A revision that could be several, or that is not well formed.
    #[error("{rev:?} cannot be resolved: {cause}")]
    BadRevision {
        /// What was asked for.
        rev: String,
        /// What git's library says.
        cause: String,
    },
    /// The history ends before the base is reached, because the clone is shallow.
    #[error("this clone is shallow and does not contain {what}")]
    Shallow {
        /// What is missing.
        what: String,
    },
    /// Two histories without a common commit.
    #[error("{old} and {new} have no common ancestor")]
    NoCommonAncestor {
        /// The base side.
        old: String,
        /// The reviewed side.
        new: String,
    },
    /// A target that needs a worktree, in a bare repository.
    #[error("{target} needs a worktree, but this repository is bare")]
    NeedsWorktree {
        /// `--staged` or `--worktree`.
        target: &'static str,
    },
    /// The index holds a merge that is not resolved.
    #[error("{path} has an unresolved merge conflict in the index")]
    Unmerged {
        /// The first such file.
        path: String,
    },
    /// An object is not there.
    #[error("object {id} is not in this repository")]
    MissingObject {
        /// Its id as hex.
        id: String,
        /// Whether the clone is a partial one, which leaves objects at the remote.
        partial: bool,
    },
    /// An object or file that cannot be what it claims to be.
    #[error("{what} is damaged: {cause}")]
    Damaged {
        what: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A bound was passed.
    #[error("{what} is too large to review: {size}, but at most {limit} can be read")]
    TooLarge {
        what: String,
        /// How large it is, with its unit.
        size: String,
        /// The bound, with its unit.
        limit: String,
    },
    /// A file of the worktree changed while it was read, or cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: String },
    /// A file of the worktree that differs, while the index tells git to overlook it.
    #[error("{path} differs from the index, but git is told to overlook it ({mark})")]
    Overlooked {
        /// The file. Untrusted text.
        path: String,
        /// As `git update-index` spells it.
        mark: &'static str,
    },
    /// A folder of the worktree with a `.git` that is no repository: git would take its files.
    #[error("{path} has a .git that is no repository, so its files are not read")]
    NoRepository {
        /// The folder. Untrusted text.
        path: String,
    },
    /// A patch holds a file with the name of a text as binary.
    #[error("{path} is text or has the name of a text file, and the patch holds it as binary")]
    BinaryText {
        /// The file. Untrusted text.
        path: String,
    },
    /// A binary file of a patch cannot be unpacked.
    #[error("{path}: its binary content in the patch cannot be read: {cause}")]
    BinaryPatch {
        /// The file. Untrusted text.
        path: String,
        /// Why, in words.
        cause: String,
    },
    /// A file that says that it is text and holds other bytes: something may hide in it.
    #[error(
        "{path} has the name or the beginning of a text file, but is not text in any known encoding"
    )]
    NoText {
        /// The file. Untrusted text.
        path: String,
    },
    /// A pathspec that cannot be understood.
    #[error("pathspec {spec:?}: {cause}")]
    Pathspec {
        /// As it was given.
        spec: String,
        cause: String,
    },
    /// Pathspecs that mean nothing of what changed.
    #[error("no changed file matches the pathspecs ({changed} changed)")]
    NothingMatches {
        /// How many files changed.
        changed: usize,
    },
    /// A patch that cannot be read.
    #[error("{label}: {cause}")]
    Patch {
        /// The patch's name.
        label: String,
        /// What is wrong with it.
        cause: PatchError,
    },
    /// The `git` command failed.
    #[error(transparent)]
    Runner(#[from] RunError),
    /// Anything else that git's library reports.
    #[error("cannot {doing}: {cause}")]
    Library {
        /// What was being done.
        doing: String,
        /// What the library says.
        cause: String,
    },
}

impl GitError {
    /// The message and the best next step, for where there is room for one sentence.
    pub fn with_hint(&self) -> String {
        match self.hints().first() {
            Some(hint) => format!("{self}; {hint}"),
            None => self.to_string(),
        }
    }

    /// What to do next, the best first. Never empty for what a user can mend.
    pub fn hints(&self) -> Vec<String> {
        let hint = |text: &str| vec![text.to_owned()];
        match self {
            Self::NotARepository { .. } => hint("run it in a repository, or pass -C DIR"),
            Self::Owner { dir } => vec![format!(
                "if you trust it: git config --global --add safe.directory {}",
                dir.display()
            )],
            Self::Grafts { .. } => hint(
                "remove it; if you wrote it: git replace --convert-graft-file (replacements are for looking at, and no review \
                 obeys them)",
            ),
            Self::Unsupported { .. } => hint(
                "review a patch instead: git diff --binary BASE...HEAD | git council review --patch -",
            ),
            Self::FileContent { id, .. } => hint(&format!(
                "to review it: git cat-file blob {id} | git diff --text --no-index /dev/null - | git council review --patch -"
            )),
            Self::TooManyFiles { .. } => {
                hint("review a part of it at a time: git council review TARGET -- PATHSPEC")
            }
            Self::NestedBare { dir, .. } => vec![format!(
                "to review it all the same: GIT_DIR={}",
                dir.display()
            )],
            Self::ForeignWorktree { git_dir, workdir } => vec![
                format!(
                    "to review what lies around it: git --git-dir={} config --unset core.worktree (git config --show-origin \
                     core.worktree says which file sets it; for a linked worktree that was moved: git worktree repair)",
                    git_dir.display()
                ),
                format!(
                    "if you trust it with that folder: GIT_WORK_TREE={}",
                    workdir.display()
                ),
            ],
            Self::Unborn { .. } => {
                hint("make a commit, or review what is there: --staged or --worktree")
            }
            Self::NoBase { hints, .. } => hints.clone(),
            Self::UnknownRevision { fetch, .. } => fetch.iter().cloned().collect(),
            Self::Tree { id, .. } => vec![
                format!(
                    "to review all of it: git diff --text \"$(git mktree </dev/null)\" {id} | git council review --patch -"
                ),
                format!(
                    "to compare it with another tree or commit: git council review OTHER..{id}"
                ),
            ],
            Self::BadRevision { .. } => {
                hint("write the whole name of the ref, or more digits of the id")
            }
            Self::Shallow { .. } => vec![
                "fetch the history: git fetch --unshallow (in a GitHub workflow: fetch-depth: 0)"
                    .to_owned(),
                "or name a base that this clone has: BASE..HEAD".to_owned(),
            ],
            Self::NoCommonAncestor { old, new } => {
                vec![format!(
                    "compare the two trees as they are, with two dots: {old}..{new}"
                )]
            }
            Self::NeedsWorktree { .. } => hint("name a commit or a range"),
            Self::Unmerged { .. } => {
                hint("resolve it and git add the file, or review a commit or a range")
            }
            Self::MissingObject { partial: true, .. } => hint(
                "fetch it first: git fetch --refetch --no-filter, or git diff --binary BASE...HEAD | git council review --patch -",
            ),
            Self::MissingObject { .. } | Self::Damaged { .. } => {
                hint("git fsck says what else is missing or damaged")
            }
            Self::TooLarge { .. } => {
                hint("narrow the review with -- PATHSPEC, or review smaller ranges")
            }
            Self::Unreadable { .. } => hint("fix its permissions, or leave it out: -- ':!PATH'"),
            Self::Overlooked { path, mark } => vec![format!(
                "to review it: git update-index --no-{mark} {path}; to leave it out: -- ':!{path}'"
            )],
            Self::NoRepository { path } => {
                vec![format!(
                    "remove {path}/.git, or leave the folder out: -- ':!{path}'"
                )]
            }
            Self::BinaryText { .. } => hint("make the patch with git diff --text"),
            Self::BinaryPatch { .. } => hint(
                "review it in the repository that has the file before, or make the patch with git diff --binary --full-index",
            ),
            Self::NoText { .. } => {
                hint("store it as UTF-8, or rename it so that it does not look like a text file")
            }
            Self::Pathspec { .. } => hint(
                "supported forms: PATH, GLOB, ':!PATH', ':/PATH', and the words top, exclude, icase, glob, literal",
            ),
            Self::NothingMatches { .. } => hint(
                "check the spelling; paths are relative to this folder; without a path, all that changed is reviewed",
            ),
            Self::Patch { cause, .. } => hint(cause.hint()),
            Self::Runner(cause) => hint(cause.hint()),
            Self::Library { .. } => Vec::new(),
        }
    }
}
