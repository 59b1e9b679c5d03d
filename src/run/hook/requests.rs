//! The commits whose review in the background was asked for and has not ended. Each is a file of its own, so that a commit
//! that is made during a review takes nothing away from another one.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::commits::UnreviewedCommits;
use crate::safe_file;

/// Whoever was just started may not hold the lock yet.
const STARTING: Duration = Duration::from_secs(5);

/// The folder of the requests. The name of each file is a commit, and its time says when its review was asked for.
pub(super) struct RequestedReviews(pub(super) PathBuf);

impl RequestedReviews {
    pub(super) fn add(&self, id: &str) -> io::Result<()> {
        safe_file::make_folder(&self.0)?;
        safe_file::write_file(&self.0.join(id), "")
    }

    pub(super) fn remove(&self, id: &str) -> io::Result<()> {
        match fs::remove_file(self.0.join(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The commits, the one that was asked for first before the others.
    pub(super) fn list(&self) -> Vec<String> {
        self.with_times().into_iter().map(|(_, id)| id).collect()
    }

    /// Forgets a request. Of a commit that no branch has any more, what leads to it may be on another one: the last of these
    /// commits is asked for in its place.
    pub(super) fn settle(
        &self,
        id: &str,
        commits: &UnreviewedCommits,
        is_on_branch: impl Fn(&str) -> bool,
    ) -> io::Result<()> {
        if !is_on_branch(id) {
            let leading = commits.leading_to(id)?;
            let mut before = leading.iter().filter(|before| *before != id);
            if let Some(left) = before.find(|before| is_on_branch(before)) {
                self.add(left)?;
            }
        }
        self.remove(id)
    }

    /// The commit that was asked for first, without those that need no review of their own.
    pub(super) fn next(
        &self,
        commits: &UnreviewedCommits,
        is_on_branch: impl Fn(&str) -> bool,
    ) -> io::Result<Option<String>> {
        loop {
            let requested = self.list();
            let Some(first) = requested.first() else {
                return Ok(None);
            };
            if !is_superseded(first, &requested, commits, &is_on_branch)? {
                return Ok(Some(first.clone()));
            }
            self.settle(first, commits, &is_on_branch)?;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.with_times().is_empty()
    }

    /// Whether the last request is so young that somebody is on the way.
    pub(super) fn is_recent(&self) -> bool {
        let last = self.with_times().pop();
        last.is_some_and(|(made, _)| made.elapsed().unwrap_or_default() < STARTING)
    }

    fn with_times(&self) -> Vec<(SystemTime, String)> {
        let requests = safe_file::list_own(&self.0).filter_map(|entry| {
            let id = entry.file_name().into_string().ok()?;
            let is_commit = id.bytes().all(|byte| byte.is_ascii_hexdigit());
            let made = entry.metadata().ok()?.modified().ok()?;
            is_commit.then_some((made, id))
        });
        let mut requests: Vec<(SystemTime, String)> = requests.collect();
        requests.sort();
        requests
    }
}

/// Whether the review of this commit need not be held: a requested one leads back to it and covers it, or no branch has it
/// any more (it was amended, for example). A commit of another branch is neither.
pub(super) fn is_superseded(
    id: &str,
    requested: &[String],
    commits: &UnreviewedCommits,
    is_on_branch: impl FnOnce(&str) -> bool,
) -> io::Result<bool> {
    for other in requested.iter().filter(|other| *other != id) {
        if commits.leading_to(other)?.iter().any(|led| led == id) {
            return Ok(true);
        }
    }
    Ok(!is_on_branch(id))
}

#[cfg(test)]
mod laws {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::run::hook::commits::{MadeCommit, Unreviewed};

    const BRANCHES: usize = 3;

    #[derive(Debug, Clone)]
    enum Event {
        Commit(usize),
        Amend(usize),
        /// A branch begins where another one is.
        Fork(usize, usize),
        /// A review ends with a verdict, or with none.
        Ended(bool),
    }

    /// A worktree with its branches, each a list of commits, and a review that goes on.
    struct Desk {
        requests: RequestedReviews,
        commits: UnreviewedCommits,
        branches: [Vec<usize>; BRANCHES],
        /// What each commit was made upon, the first commit first, and itself.
        lines: BTreeMap<String, Vec<String>>,
        made: usize,
        running: Option<String>,
        /// What a verdict was found of.
        reviewed: BTreeSet<String>,
        /// Where a review ended without a verdict, the next one of the branch covers it.
        undecided: BTreeSet<String>,
    }

    fn name(at: usize) -> String {
        format!("{at:040x}")
    }

    impl Desk {
        fn commit(&mut self, branch: usize) {
            self.made += 1;
            let base = self.branches[branch].last().map(|at| name(*at));
            self.branches[branch].push(self.made);
            let id = name(self.made);
            let line = self.branches[branch].iter().map(|at| name(*at)).collect();
            self.lines.insert(id.clone(), line);
            self.commits
                .add(&MadeCommit {
                    id: id.clone(),
                    base,
                })
                .unwrap();
            self.requests.add(&id).unwrap();
            let requested = self.requests.list();
            let ended = self.running.take_if(|running| {
                is_superseded(running, &requested, &self.commits, |id| {
                    has(&self.branches, id)
                })
                .unwrap()
            });
            if let Some(ended) = ended {
                self.settle(&ended);
            }
        }

        fn settle(&self, id: &str) {
            let has = |id: &str| has(&self.branches, id);
            self.requests.settle(id, &self.commits, has).unwrap();
        }

        fn begin(&mut self) -> bool {
            if self.running.is_none() {
                let next = self
                    .requests
                    .next(&self.commits, |id| has(&self.branches, id));
                self.running = next.unwrap();
            }
            self.running.is_some()
        }

        fn end(&mut self, has_verdict: bool) {
            let Some(head) = self.running.take() else {
                return;
            };
            if !has_verdict {
                self.settle(&head);
                self.undecided.insert(head);
                return;
            }
            let since = match self.commits.before(&head).unwrap() {
                Unreviewed::One => None,
                Unreviewed::Since(base) => Some(base),
            };
            // A branch may have let go of it meanwhile: what led to it was read all the same.
            let line = &self.lines[&head];
            let end = line.len() - 1;
            let first = match &since {
                None => end,
                Some(base) => base
                    .as_ref()
                    .and_then(|base| line.iter().position(|id| id == base))
                    .map_or(0, |at| at + 1),
            };
            self.reviewed.extend(line[first..=end].iter().cloned());
            self.commits.remove(&head).unwrap();
            self.settle(&head);
        }
    }

    fn has(branches: &[Vec<usize>], id: &str) -> bool {
        branches.iter().flatten().any(|at| name(*at) == id)
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => (0..BRANCHES).prop_map(Event::Commit),
            1 => (0..BRANCHES).prop_map(Event::Amend),
            1 => (0..BRANCHES, 0..BRANCHES).prop_map(|(from, to)| Event::Fork(from, to)),
            2 => any::<bool>().prop_map(Event::Ended),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// Whatever is committed on whatever branches while reviews go on: once all requests are worked off, each commit
        /// that a branch has was reviewed, or is remembered since its review came to no verdict.
        #[test]
        fn every_commit_of_a_branch_is_reviewed(events in prop::collection::vec(event(), 1..24)) {
            let folder = tempfile::tempdir().unwrap();
            let mut desk = Desk {
                requests: RequestedReviews(folder.path().join("requests")),
                commits: UnreviewedCommits(folder.path().join("commits")),
                branches: Default::default(),
                lines: BTreeMap::new(),
                made: 0,
                running: None,
                reviewed: BTreeSet::new(),
                undecided: BTreeSet::new(),
            };
            for event in events {
                match event {
                    Event::Commit(branch) => desk.commit(branch),
                    Event::Amend(branch) => {
                        desk.branches[branch].pop();
                        desk.commit(branch);
                    }
                    Event::Fork(from, to) => desk.branches[to] = desk.branches[from].clone(),
                    Event::Ended(has_verdict) => desk.end(has_verdict),
                }
                desk.begin();
            }
            while desk.begin() {
                desk.end(true);
            }
            prop_assert!(desk.requests.is_empty());
            for branch in &desk.branches {
                // Who comes to no verdict leaves what it was about to the next commit upon it.
                let open = branch.iter().map(|at| name(*at)).filter(|id| !desk.reviewed.contains(id));
                for id in open {
                    let later = desk.undecided.iter();
                    let mut later = later.map(|head| desk.commits.leading_to(head).unwrap().contains(&id));
                    prop_assert!(later.any(|is_covered| is_covered), "{id} was lost");
                }
            }
        }
    }
}
