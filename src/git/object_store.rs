//! What reads a repository: the trait below both sources, and the plain data that they hand out.

use super::error::GitError;
use super::id::ObjectId;
use super::tree_item::LocatedItem;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Other,
}

/// Where HEAD stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HeadPosition {
    /// On a branch without commits; its short name.
    Unborn(String),
    /// On no branch.
    Detached(ObjectId),
    /// On a branch; its whole name.
    Branch(String, ObjectId),
}

/// One value of git's configuration.
pub(super) struct ConfigEntry {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) level: ConfigLevel,
}

/// Whose configuration a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigLevel {
    System,
    User,
    Repository,
}

/// Marks of the index that tell git to overlook a file, as `git update-index` spells them.
pub(super) const SKIP_WORKTREE: &str = "skip-worktree";
pub(super) const ASSUME_UNCHANGED: &str = "assume-unchanged";

/// A path on which the worktree may differ from the index.
pub(super) struct TouchedPath {
    pub(super) path: Vec<u8>,
    pub(super) tracked: bool,
    /// The commit that a submodule stands at.
    pub(super) submodule: Option<ObjectId>,
    /// The mark in the index that tells git to overlook the file, as `git update-index` spells it.
    pub(super) overlooked: Option<&'static str>,
}

/// Hears an object's kind and bytes.
pub(super) type ObjectSink<'a> = &'a mut dyn FnMut(ObjectKind, &[u8]);

/// What reads a repository. Nothing of it writes, fetches or executes what a repository configures.
pub(super) trait ObjectStore: Send + Sync {
    /// Where HEAD stands.
    fn read_head(&self) -> Result<HeadPosition, GitError>;
    /// The commit, else the tree, else the blob that a revision names; none when it names nothing.
    fn resolve_name(&self, rev: &str) -> Result<Option<(ObjectId, ObjectKind)>, GitError>;
    /// Those of these refs (whole names) that there are, with the object that each leads to through tags.
    fn refs_named(&self, names: &[String]) -> Result<Vec<(String, ObjectId)>, GitError>;
    /// Whether an id of an object may begin with these digits; a source that cannot tell says yes from seven digits on.
    fn may_abbreviate(&self, digits: &str) -> bool;
    /// The commit that a whole ref name leads to.
    fn commit_of(&self, name: &str) -> Option<ObjectId>;
    /// The ref that a symbolic ref names.
    fn symbolic_target(&self, name: &str) -> Option<String>;
    /// The whole name of a branch's upstream, whether or not it exists.
    fn upstream_of(&self, branch: &str) -> Option<String>;
    /// The names of the remotes.
    fn remote_names(&self) -> Vec<String>;
    /// The best common ancestor; none when there is none.
    fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError>;
    /// Up to `limit` commits reachable from `tip` and from none of `hidden`, newest first.
    fn walk_commits(
        &self,
        tip: ObjectId,
        hidden: &[ObjectId],
        limit: usize,
    ) -> Result<Vec<ObjectId>, GitError>;
    /// The refs whose names begin so and that lead to commits, with those.
    fn refs_below(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError>;
    /// The names of those that stand for another ref.
    fn symbolic_refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError>;
    /// Hands an object to `hear`; false when it is not there. `limit` in bytes.
    fn read_object(
        &self,
        wanted: ObjectId,
        limit: usize,
        hear: ObjectSink<'_>,
    ) -> Result<bool, GitError>;
    /// How many bytes an object has; none when it is not there.
    fn object_size(&self, wanted: ObjectId) -> Result<Option<usize>, GitError>;
    /// A value of git's configuration, whatever level it comes from.
    fn config_value(&self, name: &str) -> Option<String>;
    /// The values of the configuration whose names match a regular expression, weakest first.
    fn config_matching(&self, pattern: &str) -> Result<Vec<ConfigEntry>, GitError>;
    /// Paths on which the worktree may differ from the index, untracked files included, ignored ones not; a path that
    /// ends in a slash is a repository of its own. Nothing is written, not even the index's notes on times.
    /// Files that git is told to overlook are among them, wherever there is a file.
    fn changed_in_worktree(&self) -> Result<Vec<TouchedPath>, GitError>;
    /// Whether rules of git's leave out a folder of the worktree in which nothing is tracked.
    fn is_ignored(&self, folder: &[u8]) -> Result<bool, GitError>;
    /// The entries of the index in path order.
    fn index_entries(&self) -> Result<Vec<LocatedItem>, GitError>;
}
