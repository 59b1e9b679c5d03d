//! The search of a push for secrets: commit by commit, the small files of all commits before the large ones of any, and not
//! longer than it may take. What it did not come to stays listed, whatever it was that took the time.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use council_builtin::{AddedSecret, added_secrets};
use council_protocol::FileChange;

use crate::git::{
    self, ChangeRequest, GitEnvironment, GitError, PushedCommit, ReviewedChange, TargetSpec,
};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::passing_secrets::{
    PassingSecrets, PushSum, SecretCarrier, secrets_of_message,
};

/// The most commits of one push that are looked at, the newest first.
const MAX_COMMITS: usize = 1_000;

/// A larger file waits until the others of all commits have been looked at.
const LARGE_FILE: u64 = 1 << 20;

/// A range that is pushed.
pub(super) struct PushedSpan {
    pub(super) remote: String,
    pub(super) from: String,
    pub(super) to: String,
}

/// Looks at each commit of a range for secrets that its sum, where somebody reviewed that, no longer adds. It comes back at
/// `deadline`, also from a file that takes longer.
///
/// # Errors
///
/// A history that cannot be walked.
pub(super) fn search_until(
    deadline: Instant,
    span: PushedSpan,
    sum: Option<PushSum>,
    start: &RunContext,
) -> Result<PassingSecrets, RunError> {
    let progress = Arc::new(Mutex::new(PassingSecrets {
        is_sum_reviewed: sum.is_some(),
        ..PassingSecrets::default()
    }));
    // Nobody knows yet how many there are.
    lock(&progress).unsearched.commits = 1;
    let search = SecretSearch {
        dir: start.dir.clone(),
        env: start.git_environment(),
        progress: Arc::clone(&progress),
        is_over: Box::new(move || Instant::now() >= deadline),
    };
    let (teller, heard) = mpsc::channel();
    let searcher = thread::Builder::new()
        .name("secrets".to_owned())
        .spawn(move || {
            // Who does not wait any more has what was found until then.
            let _ = teller.send(search.search_span(&span, sum.as_ref()));
        });
    let searcher = searcher.map_err(|error| RunError::run(format!("no thread: {error}")))?;
    match heard.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(done) => {
            done?;
            let _ = searcher.join();
        }
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => {
            if let Err(panic) = searcher.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
    let passing = lock(&progress).clone();
    Ok(passing)
}

fn lock(progress: &Mutex<PassingSecrets>) -> MutexGuard<'_, PassingSecrets> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which files are looked at in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SizeClass {
    Small,
    Large,
}

impl SizeClass {
    fn of(size: u64) -> Self {
        if size > LARGE_FILE {
            Self::Large
        } else {
            Self::Small
        }
    }
}

struct SecretSearch {
    dir: PathBuf,
    env: GitEnvironment,
    progress: Arc<Mutex<PassingSecrets>>,
    is_over: Box<dyn Fn() -> bool + Send>,
}

impl SecretSearch {
    fn search_span(&self, span: &PushedSpan, sum: Option<&PushSum>) -> Result<(), RunError> {
        let range = (&*span.from, &*span.to);
        let limit = MAX_COMMITS + 1;
        let mut commits = git::pushed_commits(&self.dir, &self.env, &span.remote, range, limit)?;
        if commits.len() > MAX_COMMITS {
            commits.truncate(MAX_COMMITS);
            lock(&self.progress).looked_at = Some(MAX_COMMITS);
        }
        lock(&self.progress).unsearched.commits = commits.len();
        for commit in &commits {
            self.keep(commit, secrets_of_message(commit), |secret| secret);
        }
        // A single commit is its own sum, but for what is said of it.
        if commits.len() < 2 && sum.is_some() {
            lock(&self.progress).unsearched.commits = 0;
        } else {
            self.search_commits(&commits, sum.is_some());
        }
        if let Some(sum) = sum {
            let mut passing = lock(&self.progress).clone();
            passing.leave_out_shown(sum);
            *lock(&self.progress) = passing;
        }
        Ok(())
    }

    fn search_commits(&self, commits: &[PushedCommit], is_sum_reviewed: bool) {
        let mut large = Vec::new();
        for (at, commit) in commits.iter().enumerate() {
            if (self.is_over)() {
                return;
            }
            match self.search_commit(commit, SizeClass::Small, is_sum_reviewed) {
                Ok(true) => large.push(commit),
                Ok(false) => {}
                // The history of a shallow clone ends somewhere, and so does what can be compared.
                Err(_) => {
                    let mut progress = lock(&self.progress);
                    progress.looked_at = Some(at);
                    progress.unsearched.commits = 0;
                    break;
                }
            }
        }
        for commit in large {
            // What could be read once is only listed anew.
            let _ = self.search_commit(commit, SizeClass::Large, is_sum_reviewed);
        }
    }

    /// What a commit adds to every one of its parents: what a merge takes from one of them is that one's. Whether it has
    /// files of the other size.
    fn search_commit(
        &self,
        commit: &PushedCommit,
        class: SizeClass,
        is_sum_reviewed: bool,
    ) -> Result<bool, GitError> {
        let changes: Vec<ReviewedChange> = commit
            .parents
            .iter()
            .map(|parent| self.read_commit(parent, commit))
            .collect::<Result<_, _>>()?;
        let mut has_others = false;
        let mut due: Vec<Vec<(u64, &FileChange)>> = Vec::new();
        for change in &changes {
            let written = change.files.iter().filter(|file| file.new_mode != 0);
            let sized = written.map(|file| (change.stored_size(file).unwrap_or_default(), file));
            let (mut here, others): (Vec<_>, Vec<_>) =
                sized.partition(|(size, _)| SizeClass::of(*size) == class);
            has_others |= !others.is_empty();
            here.sort_by_key(|(size, _)| *size);
            if class == SizeClass::Small {
                self.list(commit, here.iter().chain(&others).map(|(_, file)| *file));
            }
            due.push(here);
        }
        if class == SizeClass::Small {
            lock(&self.progress).unsearched.commits -= 1;
        }
        let told = |secret: AddedSecret| AddedSecret {
            description: match is_sum_reviewed {
                true => format!(
                    "{} A later commit of this push removes it.",
                    secret.description
                ),
                false => secret.description,
            },
            ..secret
        };
        if let ([change], [files]) = (&changes[..], &due[..]) {
            for (_, file) in files {
                if (self.is_over)() {
                    return Ok(has_others);
                }
                let added = added_secrets(file, &*change.blobs);
                self.keep(commit, added, told);
                self.unlist(commit, [*file]);
            }
            return Ok(has_others);
        }
        if let Some(common) = self.common_secrets(&changes, &due) {
            self.keep(commit, common, told);
            self.unlist(commit, due.into_iter().flatten().map(|(_, file)| file));
        }
        Ok(has_others)
    }

    /// What a merge adds to each of its parents; none: nobody knows yet what it took from where.
    fn common_secrets(
        &self,
        changes: &[ReviewedChange],
        due: &[Vec<(u64, &FileChange)>],
    ) -> Option<Vec<AddedSecret>> {
        let mut common: Option<Vec<AddedSecret>> = None;
        for (change, files) in changes.iter().zip(due) {
            let mut added = Vec::new();
            for (_, file) in files {
                if (self.is_over)() {
                    return None;
                }
                added.extend(added_secrets(file, &*change.blobs));
            }
            common = Some(match common {
                None => added,
                Some(mut before) => {
                    before.retain(|secret| added.iter().any(|other| other.text == secret.text));
                    before
                }
            });
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        common
    }

    fn read_commit(&self, parent: &str, commit: &PushedCommit) -> Result<ReviewedChange, GitError> {
        git::read_change(&ChangeRequest {
            dir: self.dir.clone(),
            spec: TargetSpec::parse(&format!("{parent}..{}", commit.id)),
            pathspecs: Vec::new(),
            env: self.env.clone(),
        })
    }

    fn keep(
        &self,
        commit: &PushedCommit,
        secrets: Vec<AddedSecret>,
        told: impl Fn(AddedSecret) -> AddedSecret,
    ) {
        let carrier = || SecretCarrier::Commit(commit.id.clone());
        let secrets = secrets.into_iter().map(|secret| (carrier(), told(secret)));
        lock(&self.progress).found.extend(secrets);
    }

    fn list<'f>(&self, commit: &PushedCommit, files: impl Iterator<Item = &'f FileChange>) {
        let named = files.map(|file| (file.path.display().into_owned(), commit.id.clone()));
        lock(&self.progress).unsearched.files.extend(named);
    }

    fn unlist<'f>(&self, commit: &PushedCommit, files: impl IntoIterator<Item = &'f FileChange>) {
        let mut progress = lock(&self.progress);
        for file in files {
            let listed = (file.path.display().into_owned(), commit.id.clone());
            progress.unsearched.files.remove(&listed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;
    use crate::git::testing::Repo;

    /// A search over the commits since `base` that may ask for the time so many times.
    fn searched(repo: &Repo, base: &str, ticks: usize) -> PassingSecrets {
        let left = Cell::new(ticks);
        let progress = Arc::new(Mutex::new(PassingSecrets::default()));
        lock(&progress).unsearched.commits = 1;
        let search = SecretSearch {
            dir: repo.path().to_owned(),
            env: GitEnvironment::default(),
            progress: Arc::clone(&progress),
            is_over: Box::new(move || match left.get().checked_sub(1) {
                Some(less) => {
                    left.set(less);
                    false
                }
                None => true,
            }),
        };
        let span = PushedSpan {
            remote: "origin".to_owned(),
            from: base.to_owned(),
            to: "HEAD".to_owned(),
        };
        search.search_span(&span, None).unwrap();
        lock(&progress).clone()
    }

    fn token() -> String {
        ["t = \"gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA\"\n"].concat()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: whatever the order and the sizes of files and commits, and whenever the time is up: the token is found, or
        /// something is listed as not searched. Small files come before large ones.
        #[test]
        fn a_token_is_found_or_the_search_is_not_whole(
            commits in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 1..4), 1..4),
            at in any::<proptest::sample::Index>(),
        ) {
            let repo = Repo::new();
            let base = repo.write("base", "1\n").commit("base");
            let at = at.index(commits.len());
            let (mut small, mut all) = (1, 1);
            for (number, files) in commits.iter().enumerate() {
                for (file, is_large) in files.iter().enumerate() {
                    let lines = if *is_large { 60_000 } else { 1 };
                    repo.write(&format!("{number}-{file}.txt"), "a line of a file that is large\n".repeat(lines));
                    small += usize::from(!is_large);
                    all += 1;
                }
                if number == at {
                    repo.write("z.py", token());
                }
                repo.commit("more");
            }
            for ticks in 0..=all + commits.len() {
                let passing = searched(&repo, &base, ticks);
                let is_found = !passing.found.is_empty();
                prop_assert!(is_found || !passing.unsearched.is_empty(), "{} of {}", ticks, all);
                // Each commit and each small file asks for the time once.
                prop_assert!(is_found || ticks < small + commits.len(), "{} of {}", ticks, small);
            }
            let whole = searched(&repo, &base, usize::MAX);
            prop_assert!(whole.unsearched.is_empty(), "{:?}", whole.unsearched);
        }
    }

    #[test]
    fn what_was_not_looked_at_is_named() {
        let repo = Repo::new();
        let base = repo.write("base", "1\n").commit("base");
        repo.write("big.txt", "a line of a file that is large\n".repeat(60_000))
            .write("k.py", token())
            .commit("more");
        let passing = searched(&repo, &base, 2);
        assert_eq!(passing.found.len(), 1);
        assert_eq!(passing.unsearched_names(), ["big.txt"]);
        assert_eq!(searched(&repo, &base, 0).unsearched.commits, 1);
    }
}
