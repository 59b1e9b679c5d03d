//! Which files earlier commits changed together with some: the question of one small review, answered from as few objects
//! as can be. Most commits of a repository are passed by after a look at their top folder.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::GitError;
use super::history::CommitHistory;
use super::id::ObjectId;
use super::objects::ObjectReader;
use super::paired_trees::PairedTrees;
use super::tree;

/// How far history is read.
pub struct TogetherBounds<'a> {
    /// The most commits of the main line that are looked at.
    pub commits: usize,
    /// A path that so many commits changed is not looked for any more.
    pub each: usize,
    /// A commit that changed more files than this does not count.
    pub files: usize,
    /// Whether time is over; asked inside of large commits, too.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

/// The most folders that are kept in memory.
const MAX_KEPT: usize = 2_000;

impl CommitHistory {
    /// The commits of the main line that changed one of `paths`, newest first: each as the paths that it changed. A merge
    /// is what it brought to the main line. What cannot be read, and a boundary of a shallow clone, ends it.
    pub fn changed_together(
        &self,
        paths: &[&[u8]],
        bounds: &TogetherBounds<'_>,
    ) -> Vec<Vec<Vec<u8>>> {
        let mut walk = TogetherWalk {
            objects: &self.sides.objects,
            wanted: paths.iter().map(|path| (*path, 0)).collect(),
            kept: HashMap::new(),
            found: Vec::new(),
        };
        // Nothing rests on history: what stopped it does not matter.
        let _ = walk.walk_back(self.base, bounds);
        walk.found
    }
}

struct TogetherWalk<'a> {
    objects: &'a ObjectReader,
    /// Paths that are still looked for, and how often they were found.
    wanted: Vec<(&'a [u8], usize)>,
    kept: HashMap<ObjectId, Arc<[u8]>>,
    found: Vec<Vec<Vec<u8>>>,
}

impl TogetherWalk<'_> {
    fn walk_back(&mut self, base: ObjectId, bounds: &TogetherBounds<'_>) -> Result<(), GitError> {
        let mut commit = self.objects.commit(base)?;
        for _ in 0..bounds.commits {
            let Some(&first) = commit.parents.first() else {
                break;
            };
            if self.wanted.is_empty() || (bounds.is_over)() {
                break;
            }
            let parent = self.objects.commit(first)?;
            self.visit((parent.tree, commit.tree), bounds)?;
            commit = parent;
        }
        Ok(())
    }

    fn visit(
        &mut self,
        sides: (ObjectId, ObjectId),
        bounds: &TogetherBounds<'_>,
    ) -> Result<(), GitError> {
        let (objects, kept) = (self.objects, &mut self.kept);
        let mut read = |id: ObjectId| {
            if let Some(known) = kept.get(&id) {
                return Ok(Arc::clone(known));
            }
            let bytes = objects.tree(id)?;
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(id, Arc::clone(&bytes));
            Ok(bytes)
        };
        let mut touched = Vec::new();
        let mut trees = PairedTrees::new(objects.store.format, sides);
        for (at, (path, _)) in self.wanted.iter().enumerate() {
            if trees.differ_at(&mut read, path)? {
                touched.push(at);
            }
        }
        if touched.is_empty() {
            return Ok(());
        }
        let gives_up = |found: usize| found > bounds.files || (bounds.is_over)();
        let raws = tree::compare_within(objects, Some(sides.0), Some(sides.1), &gives_up)?;
        let Some(raws) = raws.filter(|raws| raws.len() <= bounds.files) else {
            return Ok(());
        };
        touched.iter().for_each(|&at| self.wanted[at].1 += 1);
        self.wanted.retain(|(_, times)| *times < bounds.each);
        self.found
            .push(raws.into_iter().map(|raw| raw.path).collect());
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/together.rs"]
mod tests;
