//! What earlier commits say of lines: who brought them, and which files change together.
//!
//! One walk answers both, over objects alone: it starts at the side before the change, compares each commit with its
//! parent, and follows wanted lines through hunks and renames until the commit that brought them. The change under
//! review is not part of it, so its author's words cannot come out here.

use std::sync::Arc;

use super::diff::sides::ChangeSides;
use super::history_walk::HistoryWalk;
use super::id::ObjectId;
use super::tree;

/// The commits before a change.
pub struct CommitHistory {
    pub(super) sides: Arc<ChangeSides>,
    pub(super) base: ObjectId,
}

/// Lines of a file as it was before the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedLines {
    /// The path before the change.
    pub path: Vec<u8>,
    /// Numbers from 1, ascending; none: only what changed together with the file is asked for.
    pub lines: Vec<u32>,
}

/// How far history is read.
pub struct HistoryBounds<'a> {
    /// The most commits that are looked at.
    pub commits: usize,
    /// The most commits of the main line that are read for what changes together, also where no line is followed any
    /// more.
    pub together: usize,
    /// Whether time is over; asked before each commit.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

/// What a commit says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitWords {
    /// Its id in hexadecimal.
    pub id: String,
    /// Its message, without the lines that name people by their addresses. Untrusted.
    pub message: String,
    /// The paths that it touched, if they are few.
    pub paths: Vec<Vec<u8>>,
}

/// Lines and the commit that brought them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOrigin {
    /// The path before the change.
    pub path: Vec<u8>,
    /// Numbers before the change, ascending.
    pub lines: Vec<u32>,
    /// Index in [`HistoryFindings::commits`].
    pub commit: usize,
    /// The merges that brought the commit to the line of first parents, the one next to the commit first; indices as well.
    pub merges: Vec<usize>,
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct HistoryFindings {
    /// The commits that are named.
    pub commits: Vec<CommitWords>,
    /// Where wanted lines come from, in the order of the paths.
    pub origins: Vec<LineOrigin>,
    /// The paths of each commit of the main line that touched few, and one of those asked for, newest first.
    pub together: Vec<Vec<Vec<u8>>>,
    /// How many commits were looked at.
    pub walked: usize,
    /// Whether commits or time ran out before everything was answered.
    pub is_cut: bool,
    /// Whether lines were still followed when that happened, or their commit could not be read: nobody is named for
    /// them.
    pub lines_left: bool,
    /// Whether it was the border of a shallow clone that ended it.
    pub is_shallow: bool,
}

impl CommitHistory {
    pub(super) fn before(sides: Arc<ChangeSides>, base: ObjectId) -> Self {
        Self { sides, base }
    }

    /// Follows lines back to the commits that brought them, and notes what changed together on the way. What cannot be
    /// read ends the walk where it stands: history is a help, not a duty.
    pub fn walk_back(&self, wanted: &[WantedLines], bounds: &HistoryBounds<'_>) -> HistoryFindings {
        HistoryWalk::over(&self.sides.objects, wanted, self.base, bounds.together).run(bounds)
    }

    /// The texts of these paths as a commit left them and as it found them, up to `most` bytes; without those that cannot be
    /// read.
    pub fn texts_around(
        &self,
        commit: &CommitWords,
        paths: &[Vec<u8>],
        most: usize,
    ) -> Vec<(Vec<u8>, Arc<[u8]>)> {
        let read = |id| self.sides.objects.commit(id).ok();
        let commit = ObjectId::from_hex(&commit.id).and_then(read);
        let parent = commit
            .as_ref()
            .and_then(|commit| read(*commit.parents.first()?));
        let trees = commit.iter().chain(&parent).map(|commit| commit.tree);
        let mut left = most;
        let mut texts = Vec::new();
        for (root, path) in trees.flat_map(|root| paths.iter().map(move |path| (root, path))) {
            let text = self.text_in(root, path).filter(|text| text.len() <= left);
            left -= text.as_ref().map_or(0, |text| text.len());
            texts.extend(text.map(|text| (path.clone(), text)));
        }
        texts
    }

    fn text_in(&self, root: ObjectId, path: &[u8]) -> Option<Arc<[u8]>> {
        let item = tree::find_in_tree(&self.sides.objects, root, path);
        self.sides.text_of(item.ok().flatten()?).ok().flatten()
    }
}

/// A message without `Signed-off-by: Name <address>` and its like: why lines are there matters to judges, and not whose they
/// were.
pub(super) fn without_people(message: &str) -> String {
    let names_people = |line: &&str| {
        let (key, who) = line.split_once(':').unwrap_or_default();
        let is_key = key.to_ascii_lowercase().ends_with("-by") && !key.contains(' ');
        is_key && who.contains('@')
    };
    let kept: Vec<&str> = message.lines().filter(|line| !names_people(line)).collect();
    kept.join("\n")
}

#[cfg(test)]
#[path = "tests/history.rs"]
mod tests;
