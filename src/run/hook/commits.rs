//! The commits of a worktree that no review in the background has covered yet. Several may be made before one of them
//! is reviewed: the review of the last one covers them all.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use crate::safe_file;

/// More commits are not remembered: those of branches that nobody went on with come first.
const MAX_COMMITS: usize = 1_000;

/// What stands for the commit before the first one.
const NO_COMMIT: &str = "-";

/// A commit, as hex, and the one before it; none: there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MadeCommit {
    pub(crate) id: String,
    pub(crate) base: Option<String>,
}

/// What a review has to look at so that no commit is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unreviewed {
    /// Only the commit itself.
    One,
    /// What came after this commit, or everything.
    Since(Option<String>),
}

/// A file with a line for each commit. Whoever reads or writes it holds its lock.
#[derive(Debug)]
pub(super) struct UnreviewedCommits(pub(super) PathBuf);

impl UnreviewedCommits {
    pub(super) fn add(&self, commit: &MadeCommit) -> io::Result<()> {
        self.change(|commits| {
            commits.push(commit.clone());
            let surplus = commits.len().saturating_sub(MAX_COMMITS);
            commits.drain(..surplus);
        })
    }

    /// What leads to this commit and was not reviewed.
    pub(super) fn before(&self, head: &str) -> io::Result<Unreviewed> {
        let (_, commits) = self.open()?;
        let chain = chain_to(head, &commits);
        Ok(match chain.last() {
            Some(first) if chain.len() > 1 => Unreviewed::Since(first.base.clone()),
            _ => Unreviewed::One,
        })
    }

    /// What leads to this commit and was not reviewed, the commit itself first.
    pub(super) fn leading_to(&self, head: &str) -> io::Result<Vec<String>> {
        let (_, commits) = self.open()?;
        let chain = chain_to(head, &commits).into_iter();
        Ok(chain.map(|commit| commit.id.clone()).collect())
    }

    /// A commit was reviewed, and with it those that lead to it.
    pub(super) fn remove(&self, head: &str) -> io::Result<()> {
        self.change(|commits| {
            let reviewed: Vec<MadeCommit> = chain_to(head, commits).into_iter().cloned().collect();
            commits.retain(|commit| !reviewed.contains(commit));
        })
    }

    fn change(&self, change: impl FnOnce(&mut Vec<MadeCommit>)) -> io::Result<()> {
        let (mut file, mut commits) = self.open()?;
        change(&mut commits);
        let lines = commits.iter().map(|commit| {
            let base = commit.base.as_deref().unwrap_or(NO_COMMIT);
            format!("{base} {}\n", commit.id)
        });
        let text: String = lines.collect();
        file.set_len(0)?;
        file.write_all(text.as_bytes())
    }

    /// The file, locked until it is dropped, and what it holds.
    fn open(&self) -> io::Result<(File, Vec<MadeCommit>)> {
        let mut file = safe_file::open_to_rewrite(&self.0)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let commits = text.lines().filter_map(|line| line.split_once(' '));
        let commits = commits.map(|(base, id)| MadeCommit {
            id: id.to_owned(),
            base: Some(base.to_owned()).filter(|base| base != NO_COMMIT),
        });
        Ok((file, commits.collect()))
    }
}

/// The commits that lead to one, each before the next, the last of them first.
fn chain_to<'c>(head: &str, commits: &'c [MadeCommit]) -> Vec<&'c MadeCommit> {
    let mut by_id: HashMap<&str, &MadeCommit> = commits
        .iter()
        .map(|commit| (commit.id.as_str(), commit))
        .collect();
    let mut chain = Vec::new();
    let mut next = Some(head);
    // Each is taken once: nobody knows who wrote the file.
    while let Some(commit) = next.and_then(|id| by_id.remove(id)) {
        chain.push(commit);
        next = commit.base.as_deref();
    }
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(folder: &tempfile::TempDir) -> UnreviewedCommits {
        UnreviewedCommits(folder.path().join("commits"))
    }

    /// A history: each commit stands upon one before it, or upon none.
    fn history() -> impl Strategy<Value = (Vec<Option<usize>>, Vec<usize>)> {
        let parents = proptest::collection::vec(any::<prop::sample::Index>(), 1..12);
        let reviewed = proptest::collection::vec(0_usize..12, 0..5);
        (parents, reviewed).prop_map(|(parents, reviewed)| {
            let parents = parents.iter().enumerate();
            let parents = parents.map(|(at, parent)| parent.index(at + 1).checked_sub(1));
            (parents.collect(), reviewed)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is committed on whatever branches, and whichever commits are reviewed between: the review of the
        /// last commit of a branch covers every commit that leads to it and is not reviewed.
        #[test]
        fn no_commit_that_leads_to_a_reviewed_one_is_left_out((parents, reviewed) in history()) {
            let folder = tempfile::tempdir().unwrap();
            let list = list(&folder);
            let name = |at: usize| format!("{at:040x}");
            let mut open = Vec::new();
            for (at, parent) in parents.iter().enumerate() {
                list.add(&MadeCommit { id: name(at), base: parent.map(name) }).unwrap();
                open.push(at);
                if reviewed.contains(&at) {
                    list.remove(&name(at)).unwrap();
                    let mut next = Some(at);
                    while let Some(covered) = next.filter(|covered| open.contains(covered)) {
                        open.retain(|other| *other != covered);
                        next = parents[covered];
                    }
                }
                // What is left out must have been reviewed before.
                let mut first = at;
                while let Some(before) = parents[first].filter(|before| open.contains(before)) {
                    first = before;
                }
                let expected = match first {
                    _ if !open.contains(&at) || first == at => Unreviewed::One,
                    first => Unreviewed::Since(parents[first].map(name)),
                };
                prop_assert_eq!(list.before(&name(at)).unwrap(), expected);
            }
        }
    }

    #[test]
    fn the_file_stays_small_and_a_circle_in_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let list = list(&folder);
        let commit = |id: usize, base: usize| MadeCommit {
            id: id.to_string(),
            base: Some(base.to_string()),
        };
        for at in 1..MAX_COMMITS + 10 {
            list.add(&commit(at, at - 1)).unwrap();
        }
        assert_eq!(list.open().unwrap().1.len(), MAX_COMMITS);
        list.add(&commit(10, MAX_COMMITS + 9)).unwrap();
        assert!(list.before("10").is_ok());
    }
}
