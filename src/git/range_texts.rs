//! What the files of a reviewed range held after each of its commits: a value that one commit adds and a later one takes
//! back stands on neither side of the change, and the words of its authors may repeat it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::packet::Target;

use super::diff::sides::ChangeSides;
use super::error::GitError;
use super::id::ObjectId;
use super::tree;
use super::tree_item::{ItemSort, RawChange, TreeItem};

/// How far a range is read: a review must not wait for the whole of a long branch.
const MAX_COMMITS: usize = 500;
const MAX_FILES: usize = 2_000;
const MAX_FILE_BYTES: usize = 256 << 10;
const MAX_BYTES: usize = 8 << 20;
const MAX_TIME: Duration = Duration::from_secs(3);

/// A file's path, and its text.
type PathText = (Vec<u8>, Arc<[u8]>);

/// The files that the commits of a range touched, as each of them left them, the newest first.
pub struct RangeTexts {
    sides: Arc<ChangeSides>,
    files: Vec<(Vec<u8>, TreeItem)>,
    /// Whether a bound left some of them out.
    pub is_cut: bool,
}

impl RangeTexts {
    /// None: there are no two commits, or they cannot be read.
    pub(super) fn between(sides: &Arc<ChangeSides>, target: &Target) -> Option<Self> {
        let id = |name: &Option<String>| ObjectId::from_hex(name.as_deref()?);
        let (base, tip) = (id(&target.base)?, id(&target.head)?);
        let objects = &sides.objects;
        let commits = objects
            .store
            .walk_commits(tip, &[base], MAX_COMMITS + 1)
            .ok()?;
        if commits.len() < 2 {
            return None;
        }
        let mut texts = Self {
            sides: sides.clone(),
            files: Vec::new(),
            is_cut: commits.len() > MAX_COMMITS,
        };
        texts.collect(&commits[..commits.len().min(MAX_COMMITS)]);
        Some(texts)
    }

    /// The texts; what is binary or cannot be read is left out.
    pub fn read(&self) -> Vec<PathText> {
        let files = self.files.iter();
        let texts = files.filter_map(|(path, item)| {
            let text = self.sides.text_of(*item).ok().flatten()?;
            Some((path.clone(), text))
        });
        texts.collect()
    }

    fn collect(&mut self, commits: &[ObjectId]) {
        let until = Instant::now() + MAX_TIME;
        let (mut seen, mut left) = (HashSet::new(), MAX_BYTES);
        for commit in commits {
            let Ok(files) = self.files_of(*commit) else {
                self.is_cut = true;
                continue;
            };
            for (path, item) in files {
                if !seen.insert((path.clone(), item.id)) {
                    continue;
                }
                let size = self.sides.objects.store.object_size(item.id).ok().flatten();
                let size = size.filter(|size| *size <= MAX_FILE_BYTES.min(left));
                let is_over = self.files.len() >= MAX_FILES || Instant::now() >= until;
                let Some(size) = size.filter(|_| !is_over) else {
                    self.is_cut = true;
                    continue;
                };
                left -= size;
                self.files.push((path, item));
            }
            if Instant::now() >= until {
                self.is_cut = true;
                return;
            }
        }
    }

    /// The files that a commit has otherwise than each of its parents.
    fn files_of(&self, id: ObjectId) -> Result<Vec<(Vec<u8>, TreeItem)>, GitError> {
        let objects = &*self.sides.objects;
        let commit = objects.commit(id)?;
        let tree_of = |id: &ObjectId| objects.commit(*id).map(|commit| commit.tree);
        let parents: Vec<ObjectId> = commit
            .parents
            .iter()
            .map(tree_of)
            .collect::<Result<_, _>>()?;
        let changes = tree::compare_trees(objects, parents.first().copied(), Some(commit.tree))?;
        let file_of = |raw: RawChange| {
            let item = raw.new.filter(|item| item.sort() == ItemSort::File)?;
            let is_same = |root: &ObjectId| {
                let other = tree::find_in_tree(objects, *root, &raw.path);
                other
                    .ok()
                    .flatten()
                    .is_some_and(|other| other.id == item.id)
            };
            let is_taken = parents.iter().skip(1).any(is_same);
            (!is_taken).then_some((raw.path, item))
        };
        Ok(changes.into_iter().filter_map(file_of).collect())
    }
}

#[cfg(test)]
#[path = "tests/range_texts.rs"]
mod tests;
