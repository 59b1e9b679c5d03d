//! Which commits each merge of a main line brings: those that nothing before it on the main line holds.

use std::collections::{BinaryHeap, HashSet};

use super::commit::CommitObject;
use super::id::ObjectId;
use super::objects::ObjectReader;

/// A merge of more commits is an import, or joins two histories: nobody names them one by one.
const MAX_BROUGHT: usize = 2_000;

/// A commit that a merge of the main line brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroughtCommit {
    /// Its id in hexadecimal.
    pub id: String,
    /// Whether it is a merge itself.
    pub is_merge: bool,
    /// Its whole message. Untrusted.
    pub message: String,
}

/// Follows a main line, oldest commit first, and knows what it holds so far.
///
/// What is older than the first commit of the walk is looked at only as far back as a branch began: commits are met newest
/// first on both sides, by their dates. Where clocks were wrong a commit too many is taken to be brought, so that one who
/// reverts all the others does not revert the merge.
pub(super) struct BroughtWalk<'o> {
    objects: &'o ObjectReader,
    held: HashSet<ObjectId>,
    /// Held commits whose parents were not looked at, by their dates.
    border: BinaryHeap<(i64, ObjectId)>,
}

impl<'o> BroughtWalk<'o> {
    /// Before the first commit of the walk the main line held `base`, and all before it.
    pub(super) fn behind(objects: &'o ObjectReader, base: ObjectId) -> Self {
        let seconds = objects.commit(base).map_or(i64::MIN, |base| base.seconds);
        Self {
            objects,
            held: HashSet::from([base]),
            border: BinaryHeap::from([(seconds, base)]),
        }
    }

    /// What the next commit of the main line brings beside itself. Nothing where not all of it is here: a part of it would
    /// be taken for the whole.
    pub(super) fn brought_by(&mut self, id: ObjectId, commit: &CommitObject) -> Vec<BroughtCommit> {
        let others = commit.parents.get(1..).unwrap_or_default();
        let brought = self.not_held(others).unwrap_or_default();
        self.held.insert(id);
        self.held.extend(brought.iter().map(|(id, _)| *id));
        let told = brought.into_iter().map(|(id, commit)| BroughtCommit {
            id: id.to_hex(),
            is_merge: commit.parents.len() > 1,
            message: commit.message,
        });
        told.collect()
    }

    /// The commits from `tips` back that are not held; none where one is missing, or they are too many.
    fn not_held(&mut self, tips: &[ObjectId]) -> Option<Vec<(ObjectId, CommitObject)>> {
        let mut found = Vec::new();
        let mut met: HashSet<ObjectId> = HashSet::new();
        let mut next = BinaryHeap::new();
        let mut parents = tips.to_vec();
        loop {
            for parent in parents.drain(..).filter(|parent| met.insert(*parent)) {
                next.push((self.objects.commit(parent).ok()?.seconds, parent));
            }
            let Some((seconds, id)) = next.pop() else {
                return Some(found);
            };
            self.look_back(seconds);
            if self.held.contains(&id) {
                continue;
            }
            let commit = self.objects.commit(id).ok()?;
            parents.clone_from(&commit.parents);
            found.push((id, commit));
            if found.len() > MAX_BROUGHT {
                return None;
            }
        }
    }

    /// Takes note of what was held before, back to this date.
    fn look_back(&mut self, seconds: i64) {
        while self.border.peek().is_some_and(|(date, _)| *date >= seconds) {
            let Some((_, id)) = self.border.pop() else {
                return;
            };
            let parents = self.objects.commit(id).map(|commit| commit.parents);
            for parent in parents.unwrap_or_default() {
                if self.held.insert(parent) {
                    let known = self.objects.commit(parent);
                    self.border
                        .extend(known.map(|known| (known.seconds, parent)));
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "tests/brought_commits.rs"]
mod tests;
