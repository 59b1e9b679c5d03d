//! What usually changes together: said in the brief of a model, and a rule of the judge without one.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use council_protocol::RepoPath;
use council_protocol::change::{Companion, FileChange};

use super::limits::Sight;
use crate::git::{ReviewedChange, ReviewedTree, TogetherBounds};

/// A commit of more files than this touches many that have nothing to do with each other.
pub(super) const MAX_COMMIT: usize = 20;

/// When files count as changing together.
pub(super) struct CompanionRule {
    /// The fewest commits that changed both.
    support: usize,
    /// The least share, as in two of three, of the commits that changed the one.
    share: (usize, usize),
    /// So many of the newest commits of a file count.
    newest: usize,
    /// The most files that are named.
    most: usize,
}

/// What a reader of the change may want to look at.
pub(super) const USUAL: CompanionRule = CompanionRule {
    support: 3,
    share: (2, 3),
    newest: usize::MAX,
    most: 8,
};

/// What the change may have left out. On 6,000 commits (docs/rules.md) four of five such files followed soon.
const LEFT_OUT: CompanionRule = CompanionRule {
    support: 5,
    share: (9, 10),
    newest: 20,
    most: 20,
};

/// How far back it is looked for: what went together long ago need not today, and time is short.
const MAX_COMMITS: usize = 300;
const MAX_TIME: Duration = Duration::from_millis(100);

impl CompanionRule {
    /// The files that change with one of `paths`, stand in the tree, and are not among those that are `changed`. Most
    /// often together first. `together` are the paths of earlier commits, newest first.
    pub(super) fn find(
        &self,
        tree: &ReviewedTree,
        paths: &[RepoPath],
        changed: &[RepoPath],
        together: &[Vec<Vec<u8>>],
    ) -> Vec<Companion> {
        let mut found = self.count(paths, changed, together);
        let is_there = |one: &Companion| {
            let file = tree.find_file(one.path.as_bytes());
            file.is_ok_and(|file| file.is_some())
        };
        found.retain(is_there);
        found.truncate(self.most);
        found
    }

    fn count(
        &self,
        paths: &[RepoPath],
        changed: &[RepoPath],
        together: &[Vec<Vec<u8>>],
    ) -> Vec<Companion> {
        let paths: HashSet<&[u8]> = paths.iter().map(RepoPath::as_bytes).collect();
        let changed: HashSet<&[u8]> = changed.iter().map(RepoPath::as_bytes).collect();
        let mut counts: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
        let mut changes: HashMap<&[u8], usize> = HashMap::new();
        for commit in together.iter().filter(|commit| commit.len() <= MAX_COMMIT) {
            for path in commit.iter().filter(|path| paths.contains(path.as_slice())) {
                let seen = changes.entry(path).or_default();
                if *seen == self.newest {
                    continue;
                }
                *seen += 1;
                let others = commit
                    .iter()
                    .filter(|other| !changed.contains(other.as_slice()));
                for other in others {
                    *counts.entry((path, other)).or_default() += 1;
                }
            }
        }
        let mut best: HashMap<&[u8], Companion> = HashMap::new();
        for ((with, path), count) in counts {
            let of = changes.get(with).copied().unwrap_or(0);
            let (part, whole) = self.share;
            if count < self.support || count * whole < of * part {
                continue;
            }
            let companion = Companion {
                path: RepoPath::new(path.to_vec()),
                with: RepoPath::new(with.to_vec()),
                together: count,
                of,
            };
            let rank = |one: &Companion| (one.together, std::cmp::Reverse(one.with.clone()));
            if best
                .get(path)
                .is_none_or(|have| rank(have) < rank(&companion))
            {
                best.insert(path, companion);
            }
        }
        let mut found: Vec<Companion> = best.into_values().collect();
        found.sort_by(|a, b| {
            b.together
                .cmp(&a.together)
                .then_with(|| a.path.cmp(&b.path))
        });
        found
    }
}

/// The files of a change, and what earlier commits say of them.
pub(super) struct ChangedPaths {
    /// The files that the change leaves where they are or moves, as they were called before.
    stay: Vec<RepoPath>,
    /// All of them, as they were called before and as they are now.
    pub(super) all: Vec<RepoPath>,
    /// How many files the change has.
    size: usize,
}

impl ChangedPaths {
    pub(super) fn of(change: &ReviewedChange) -> Self {
        let files = &change.files;
        let stays = |file: &&FileChange| file.old_mode != 0 && file.new_mode != 0;
        let before = |file: &FileChange| file.path_before().clone();
        let after = files.iter().map(|file| file.path.clone());
        Self {
            stay: files.iter().filter(stays).map(before).collect(),
            all: after.chain(files.iter().map(before)).collect(),
            size: files.len(),
        }
    }
}

/// What the change may have left out.
pub(super) fn left_out(sight: &Sight, changed: &ChangedPaths) -> Vec<Companion> {
    let Some(history) = sight
        .history
        .as_ref()
        .filter(|_| changed.size <= MAX_COMMIT)
    else {
        return Vec::new();
    };
    let until = Instant::now() + MAX_TIME;
    let bounds = TogetherBounds {
        commits: MAX_COMMITS,
        each: LEFT_OUT.newest,
        files: MAX_COMMIT,
        is_over: &|| Instant::now() >= until,
    };
    let paths: Vec<&[u8]> = changed.stay.iter().map(RepoPath::as_bytes).collect();
    let together = history.changed_together(&paths, &bounds);
    LEFT_OUT.find(&sight.tree, &changed.stay, &changed.all, &together)
}

#[cfg(test)]
#[path = "tests/companions.rs"]
mod tests;
