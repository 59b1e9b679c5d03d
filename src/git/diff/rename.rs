//! Renames, found as git finds them: equal ids first, then the same file name, then the most alike of what is left.
//!
//! Scores, bounds and preferences are git's (`git help diff`, `-M`, `-l`), so that its answers serve as the oracle. Only
//! the counting differs: what a file shares with all candidates comes from one look-up instead of one pass for each.

use std::collections::HashMap;
use std::hash::Hash;

use crate::diff::similarity::{ContentPrint, MAX_SCORE, MIN_SCORE, PieceLookup};
use crate::error::GitError;
use crate::id::ObjectId;
use crate::objects::ObjectReader;
use crate::parallel::map_parallel;
use crate::tree_item::{ItemSort, RawChange, TreeItem};

/// Up to this many files on either side are compared by content, as the square of it (`diff.renameLimit`).
pub(crate) const RENAME_LIMIT: usize = 1000;

/// The least score for a pair that has nothing but its unique file name in common: 75 %.
const SAME_NAME_SCORE: u64 = MIN_SCORE + (MAX_SCORE - MIN_SCORE) / 2;

/// How many candidates are kept for each new file.
const MAX_CANDIDATES: usize = 4;

/// A pair of a removed and an added path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RenamePair {
    /// Index of the removed path.
    pub(crate) from: usize,
    /// Index of the added path.
    pub(crate) to: usize,
    /// Of [`MAX_SCORE`].
    pub(crate) score: u64,
}

/// What was found, and whether everything was looked at.
#[derive(Debug, Default)]
pub(crate) struct RenameSearchResult {
    pub(crate) renames: Vec<RenamePair>,
    /// Removed and added files that were not compared by content, because there are too many.
    pub(crate) left: Option<(usize, usize)>,
}

/// Finds the renames among the removed and the added paths of a change.
pub(crate) fn find_renames(
    objects: &ObjectReader,
    raws: &[RawChange],
) -> Result<RenameSearchResult, GitError> {
    let mut search = RenameSearch::new(raws);
    search.pair_equal_content();
    search.only_files();
    let mut prints = HashMap::new();
    search.pair_unique_names(objects, &mut prints)?;
    search.only_free();
    if search.removed.is_empty() || search.added.is_empty() {
        return Ok(search.found);
    }
    if search.removed.len().saturating_mul(search.added.len()) > RENAME_LIMIT * RENAME_LIMIT {
        search.found.left = Some((search.removed.len(), search.added.len()));
        return Ok(search.found);
    }
    search.pair_most_alike(objects, &mut prints)?;
    Ok(search.found)
}

/// Prints by id; none for what is too large to be read.
type PrintsById = HashMap<ObjectId, ContentPrint>;

struct RenameSearch<'a> {
    raws: &'a [RawChange],
    /// Removed paths without a partner, ascending.
    removed: Vec<usize>,
    /// Added paths without a partner, ascending.
    added: Vec<usize>,
    taken: Vec<bool>,
    found: RenameSearchResult,
}

impl<'a> RenameSearch<'a> {
    fn new(raws: &'a [RawChange]) -> Self {
        let matching = |wanted: fn(&RawChange) -> bool| {
            (0..raws.len()).filter(|&at| wanted(&raws[at])).collect()
        };
        Self {
            raws,
            removed: matching(|raw| raw.new.is_none()),
            added: matching(|raw| raw.old.is_none()),
            taken: vec![false; raws.len()],
            found: RenameSearchResult::default(),
        }
    }

    fn entry(&self, at: usize) -> Option<TreeItem> {
        self.raws[at].old.or(self.raws[at].new)
    }

    fn file_name(&self, at: usize) -> &'a [u8] {
        let path = &self.raws[at].path;
        path.rsplit(|&b| b == b'/').next().unwrap_or(path)
    }

    fn take_pair(&mut self, from: usize, to: usize, score: u64) {
        if !self.taken[from] && !self.taken[to] {
            (self.taken[from], self.taken[to]) = (true, true);
            self.found.renames.push(RenamePair { from, to, score });
        }
    }

    fn only_free(&mut self) {
        let taken = &self.taken;
        self.removed.retain(|&at| !taken[at]);
        self.added.retain(|&at| !taken[at]);
    }

    /// Links and submodules are renamed only as they are.
    fn only_files(&mut self) {
        self.only_free();
        let raws = self.raws;
        let file = |at: &usize| {
            raws[*at]
                .old
                .or(raws[*at].new)
                .is_some_and(|entry| entry.sort() == ItemSort::File)
        };
        self.removed.retain(file);
        self.added.retain(file);
    }

    /// Equal content: first where the file name is equal too, then in order.
    fn pair_equal_content(&mut self) {
        // A file keeps its identity when it becomes executable; anything else must keep its mode.
        let identity = |entry: TreeItem| {
            (
                entry.id,
                if entry.sort() == ItemSort::File {
                    0
                } else {
                    entry.mode
                },
            )
        };
        let named = |search: &Self, at| {
            search
                .entry(at)
                .map(|entry| (identity(entry), search.file_name(at)))
        };
        self.pair_by_key(named);
        self.only_free();
        self.pair_by_key(|search: &Self, at| search.entry(at).map(identity));
    }

    /// Pairs the first removed path with the first added one of the same key, and so on.
    fn pair_by_key<K: Hash + Eq>(&mut self, key: impl Fn(&Self, usize) -> Option<K>) {
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::new();
        for &at in self.removed.iter().rev() {
            if let Some(key) = key(self, at) {
                waiting.entry(key).or_default().push(at);
            }
        }
        let pairs: Vec<_> = self
            .added
            .iter()
            .filter_map(|&to| Some((waiting.get_mut(&key(self, to)?)?.pop()?, to)))
            .collect();
        pairs
            .into_iter()
            .for_each(|(from, to)| self.take_pair(from, to, MAX_SCORE));
    }

    /// A file name that only one removed and only one added path has.
    fn pair_unique_names(
        &mut self,
        objects: &ObjectReader,
        prints: &mut PrintsById,
    ) -> Result<(), GitError> {
        let (removed, added) = (
            self.unique_names(&self.removed),
            self.unique_names(&self.added),
        );
        let mut pairs: Vec<_> = removed
            .iter()
            .filter_map(|(name, &from)| Some((from?, (*added.get(name)?)?)))
            .collect();
        pairs.sort_unstable();
        self.take_prints(
            objects,
            prints,
            pairs.iter().flat_map(|&(from, to)| [from, to]),
        )?;
        for (from, to) in pairs {
            let print = |at| self.entry(at).and_then(|entry| prints.get(&entry.id));
            let score = print(from)
                .zip(print(to))
                .map_or(0, |(old, new)| old.similarity(new));
            if score >= SAME_NAME_SCORE {
                self.take_pair(from, to, score);
            }
        }
        Ok(())
    }

    fn unique_names(&self, paths: &[usize]) -> HashMap<&'a [u8], Option<usize>> {
        let mut names = HashMap::with_capacity(paths.len());
        for &at in paths {
            names
                .entry(self.file_name(at))
                .and_modify(|only| *only = None)
                .or_insert(Some(at));
        }
        names
    }

    /// Takes the prints of all of these that have none yet.
    fn take_prints(
        &self,
        objects: &ObjectReader,
        prints: &mut PrintsById,
        paths: impl Iterator<Item = usize>,
    ) -> Result<(), GitError> {
        let ids = paths.filter_map(|at| Some(self.entry(at)?.id));
        let mut ids: Vec<ObjectId> = ids.filter(|id| !prints.contains_key(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        let taken = map_parallel(&mut ids, &|id| match objects.blob(*id) {
            Ok(bytes) => Ok(Some((*id, ContentPrint::of_content(&bytes)))),
            // It is reported where its own lines are asked for.
            Err(GitError::TooLarge { .. } | GitError::MissingObject { .. }) => Ok(None),
            Err(error) => Err(error),
        });
        for print in taken {
            prints.extend(print?);
        }
        Ok(())
    }

    /// The most alike pairs first, whatever their names.
    fn pair_most_alike(
        &mut self,
        objects: &ObjectReader,
        prints: &mut PrintsById,
    ) -> Result<(), GitError> {
        let paths = self.removed.iter().chain(&self.added).copied();
        self.take_prints(objects, prints, paths)?;
        let print = |at: usize| self.entry(at).and_then(|entry| prints.get(&entry.id));
        let (removed, old): (Vec<_>, Vec<_>) = self
            .removed
            .iter()
            .filter_map(|&at| Some((at, print(at)?)))
            .unzip();
        let mut lookup = PieceLookup::new(old);
        let mut pairs: Vec<(u64, bool, usize, usize)> = Vec::new();
        for &to in &self.added {
            let Some(new) = print(to) else { continue };
            let found = lookup
                .similar_files(new)
                .into_iter()
                .map(|(at, score)| (removed[at], score));
            let mut best: Vec<_> = found
                .map(|(from, score)| (score, self.file_name(from) == self.file_name(to), to, from))
                .collect();
            best.sort_by_key(|&(score, same_name, ..)| std::cmp::Reverse((score, same_name)));
            pairs.extend(best.into_iter().take(MAX_CANDIDATES));
        }
        pairs.sort_by_key(|&(score, same_name, ..)| std::cmp::Reverse((score, same_name)));
        pairs
            .into_iter()
            .for_each(|(score, _, to, from)| self.take_pair(from, to, score));
        Ok(())
    }
}
