//! Reviews in the background of a commit: one at a time in a worktree, and none while the machine is busy. Every worktree has
//! requests of its own: a commit in one supersedes nothing in another.
//!
//! A request names a commit (`requests.rs`). Whoever holds the lock works requests off; whoever does not leaves its own and
//! goes. A request that leads back to the commit under review ends that review: nobody waits for a verdict on what is
//! superseded. What the ended review would have looked at is part of the next one (`commits.rs`). A commit of another branch
//! ends nothing; it waits for its turn. A request stays until its review has ended, so that none is lost with the process.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use council_protocol::packet::Target;

use super::commits::{MadeCommit, Unreviewed, UnreviewedCommits};
use super::machine_load::LoadLimits;
use super::requests::{RequestedReviews, is_superseded};
use crate::git::{self, RepositoryPaths, TargetSpec};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::shown::UNSEEN;
use crate::safe_file;

/// How often it is looked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long a review that is superseded has to end.
const GRACE: Duration = Duration::from_secs(35);

/// Comes before the first commit.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// In the environment of a review: the commit that it was asked for. HEAD may be at another one by the time it begins.
const EXPECTED_HEAD: &str = "GIT_COUNCIL_EXPECTED_HEAD";

/// Why a review was given up whose process is gone.
const PROCESS_GONE: &str = "its process has ended";

/// The requests of a worktree.
pub(crate) struct BackgroundQueue {
    dir: PathBuf,
}

/// How the background stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BackgroundState {
    /// Nothing is wanted.
    Idle,
    /// A review is wanted, and this is why it has not begun.
    Waiting(String),
    Working,
    /// The last review that was wanted never began, and this is why.
    GivenUp(String),
}

impl BackgroundQueue {
    pub(crate) fn in_worktree(place: &RepositoryPaths) -> Option<Self> {
        Some(Self {
            dir: place.own_memory_dir()?.join("background"),
        })
    }

    fn requests(&self) -> RequestedReviews {
        RequestedReviews(self.dir.join("requests"))
    }

    fn lock_file(&self) -> PathBuf {
        self.dir.join("lock")
    }

    fn reason_file(&self) -> PathBuf {
        self.dir.join("waiting")
    }

    fn commits(&self) -> UnreviewedCommits {
        UnreviewedCommits(self.dir.join("commits"))
    }

    /// Why the last request was given up.
    fn given_up_file(&self) -> PathBuf {
        self.dir.join("given-up")
    }

    /// It lies there when somebody needs the verdict now.
    fn urgent_file(&self) -> PathBuf {
        self.dir.join("urgent")
    }

    /// Ends the waiting for a quiet machine: somebody needs the verdict now.
    pub(crate) fn stop_waiting(&self) {
        if matches!(self.current_state(), BackgroundState::Waiting(_)) {
            // Where it cannot be written, the review begins when the machine is quiet.
            let _ = safe_file::write_file(&self.urgent_file(), "");
        }
    }

    /// Leaves a request and starts whoever works it off, detached; returns at once.
    pub(crate) fn request_review(&self, start: &RunContext) -> Result<(), RunError> {
        let head = last_commit(start)?;
        self.write_request(&head)
            .and_then(|()| spawn_worker(start))
            .map_err(cannot_start)
    }

    /// Begins reviews that were given up: somebody needs the verdict now.
    pub(crate) fn begin_again(&self, start: &RunContext) -> Result<(), RunError> {
        self.ask_again()
            .and_then(|()| spawn_worker(start))
            .map_err(cannot_start)?;
        // Where it cannot be written, the review begins when the machine is quiet.
        let _ = safe_file::write_file(&self.urgent_file(), "");
        Ok(())
    }

    /// Leaves a request beside earlier ones.
    fn write_request(&self, head: &MadeCommit) -> io::Result<()> {
        safe_file::make_folder(&self.dir)?;
        self.forget_decisions()?;
        // First: whoever finds the request needs to know of the commit.
        self.commits().add(head)?;
        self.requests().add(&head.id)
    }

    /// Makes the requests that are still there young, in the order in which they came.
    fn ask_again(&self) -> io::Result<()> {
        self.forget_decisions()?;
        let requests = self.requests();
        requests.list().iter().try_for_each(|id| requests.add(id))
    }

    /// What was decided of earlier requests does not hold for a new one.
    fn forget_decisions(&self) -> io::Result<()> {
        for over in [self.given_up_file(), self.urgent_file()] {
            match fs::remove_file(over) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// How it stands.
    pub(crate) fn current_state(&self) -> BackgroundState {
        let held = safe_file::open_to_read(self.lock_file())
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)));
        match (held, safe_file::read_text(self.reason_file())) {
            (true, Ok(why)) => BackgroundState::Waiting(why),
            (true, Err(_)) => BackgroundState::Working,
            // Whoever was just started has not got the lock yet.
            (false, _) if self.requests().is_recent() && !self.is_given_up() => {
                BackgroundState::Working
            }
            (false, _) => match safe_file::read_text(self.given_up_file()) {
                Ok(why) => BackgroundState::GivenUp(why),
                Err(_) if self.requests().is_empty() => BackgroundState::Idle,
                Err(_) => BackgroundState::GivenUp(PROCESS_GONE.to_owned()),
            },
        }
    }

    fn is_given_up(&self) -> bool {
        self.given_up_file().exists()
    }

    /// Works requests off until there are none; returns at once when somebody else does that.
    pub(crate) fn process_requests(
        &self,
        limits: &LoadLimits,
        start: &RunContext,
    ) -> Result<(), RunError> {
        let cannot =
            |error: io::Error| RunError::run(format!("cannot work in the background: {error}"));
        // With the folder, whatever is removed below is ours.
        safe_file::make_folder(&self.dir).map_err(cannot)?;
        loop {
            let lock = safe_file::open_append(&self.lock_file()).map_err(cannot)?;
            match lock.try_lock() {
                Ok(()) => self.process_held(limits, start).map_err(cannot)?,
                // Whoever holds the lock looks for requests until it lets go; one that comes just then is ours.
                Err(_) => sleep(POLL_INTERVAL),
            }
            drop(lock);
            if self.requests().is_empty() || self.is_given_up() {
                return Ok(());
            }
        }
    }

    fn process_held(&self, limits: &LoadLimits, start: &RunContext) -> io::Result<()> {
        while !self.requests().is_empty() {
            let waited = self.wait_for_quiet(limits);
            let _ = fs::remove_file(self.reason_file());
            let _ = fs::remove_file(self.urgent_file());
            if let Err(why) = waited {
                return safe_file::write_file(&self.given_up_file(), why);
            }
            let is_on_branch = |id: &str| is_on_branch(id, start);
            if let Some(head) = self.requests().next(&self.commits(), is_on_branch)? {
                self.run_review(&head, start)?;
                self.requests()
                    .settle(&head, &self.commits(), is_on_branch)?;
            }
        }
        Ok(())
    }

    /// Waits for a quiet machine, or until somebody needs the verdict now; an error says why it never became quiet.
    fn wait_for_quiet(&self, limits: &LoadLimits) -> Result<(), String> {
        let end = Instant::now() + limits.max_wait;
        while let Some(why) = limits.busy_reason() {
            if self.urgent_file().exists() {
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(why);
            }
            // Only `status` and `wait` read it.
            let _ = safe_file::write_file(&self.reason_file(), why);
            sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// One review, ended when a request comes that covers it.
    fn run_review(&self, head: &str, start: &RunContext) -> io::Result<()> {
        // A branch without a base is reviewed by its last commits; what cannot be reviewed so, by the last one alone. HEAD is
        // named where it is still there, since that is what the report is called.
        let since = match self.commits().before(head)? {
            Unreviewed::One => None,
            Unreviewed::Since(base) => {
                Some(format!("{}..{head}", base.as_deref().unwrap_or(EMPTY_TREE)))
            }
        };
        let targets = [None, since.as_deref(), Some("HEAD"), Some(head)];
        let is_wanted = |(at, target): &(usize, Option<&str>)| *at == 0 || target.is_some();
        for (_, target) in targets.into_iter().enumerate().filter(is_wanted) {
            let mut child = spawn_review(target, head, start)?;
            match self.wait_for_review(&mut child, head, start)? {
                // It was not this commit's, or there is no base.
                Some(2) => {}
                // A verdict was found: nothing of it has to be looked at again.
                Some(0 | 1) => return self.commits().remove(head),
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// The exit code of a review; none where a later commit covers it, and it was ended.
    fn wait_for_review(
        &self,
        child: &mut Child,
        head: &str,
        start: &RunContext,
    ) -> io::Result<Option<i32>> {
        let mut seen = Vec::new();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code());
            }
            let requested = self.requests().list();
            let is_new = requested != seen;
            let is_on_branch = |id: &str| is_on_branch(id, start);
            if is_new && is_superseded(head, &requested, &self.commits(), is_on_branch)? {
                return end_review(child).map(|()| None);
            }
            seen = requested;
            sleep(POLL_INTERVAL);
        }
    }
}

/// Whether a branch has the commit. What cannot be told is reviewed.
fn is_on_branch(id: &str, start: &RunContext) -> bool {
    git::is_on_branch(&start.dir, &start.git_environment(), id).unwrap_or(true)
}

/// Refuses to review another commit than the one that was asked for in the background.
pub(crate) fn refuse_other_head(target: &Target, start: &RunContext) -> Result<(), RunError> {
    let expected = start.environment.get(EXPECTED_HEAD);
    let is_other = |expected: &&OsStr| target.head.as_deref() != expected.to_str();
    match expected.filter(is_other) {
        Some(_) => Err(RunError::usage(
            "HEAD has moved since the review of a commit was asked for",
        )),
        None => Ok(()),
    }
}

fn cannot_start(error: io::Error) -> RunError {
    RunError::run(format!("cannot start a review in the background: {error}"))
}

/// Starts whoever works the requests off, detached.
fn spawn_worker(start: &RunContext) -> io::Result<()> {
    let mut command = Command::new(program(start)?);
    name_repository(&mut command, start);
    command
        .arg("-C")
        .arg(&start.dir)
        .args(["hook", "run", "background"])
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().map(drop)
}

/// The commit at which the worktree is.
fn last_commit(start: &RunContext) -> Result<MadeCommit, RunError> {
    let change = git::read_change(&git::ChangeRequest {
        dir: start.dir.clone(),
        spec: TargetSpec::parse("HEAD"),
        pathspecs: Vec::new(),
        env: start.git_environment(),
    })?;
    Ok(MadeCommit {
        id: change.target.head.unwrap_or_default(),
        base: change.target.base,
    })
}

/// Hands on which repository is meant, where the directory alone does not say so, and nothing else of what git exports to a
/// hook: the index and the lock of a commit are no longer there when the review begins.
fn name_repository(command: &mut Command, start: &RunContext) {
    for name in crate::git::LOCAL_VARIABLES {
        command.env_remove(name);
    }
    for name in ["GIT_DIR", "GIT_WORK_TREE"] {
        if let Some(value) = start.environment.get(name) {
            command.env(name, start.dir.join(value));
        }
    }
}

/// This program, which is started again for each review.
fn program(start: &RunContext) -> io::Result<&Path> {
    let program = start.program.as_deref();
    program.ok_or_else(|| io::Error::other("the program does not know its own path"))
}

fn spawn_review(target: Option<&str>, head: &str, start: &RunContext) -> io::Result<Child> {
    let mut command = Command::new(program(start)?);
    command
        .arg("-C")
        .arg(&start.dir)
        .args(["review", "--quiet", "--timeout", "30m"]);
    command.args(target);
    command
        .env(UNSEEN, "1")
        .env(EXPECTED_HEAD, head)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Asks a review to end, so that it ends its judges, and ends it where it does not.
fn end_review(child: &mut Child) -> io::Result<()> {
    // The shell's own word for it: this crate has no unsafe code here.
    let asked = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    let end = Instant::now() + GRACE;
    while asked.is_ok() && Instant::now() < end {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        sleep(POLL_INTERVAL);
    }
    child.kill()?;
    child.wait().map(drop)
}

/// The queue of the worktree that we were started in; none where nothing can be kept.
pub(crate) fn background_queue(start: &RunContext) -> Result<Option<BackgroundQueue>, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    Ok(BackgroundQueue::in_worktree(&place))
}

/// How the background of the worktree stands that we were started in.
pub(crate) fn background_state(start: &RunContext) -> Result<BackgroundState, RunError> {
    let queue = background_queue(start)?;
    Ok(queue.map_or(BackgroundState::Idle, |queue| queue.current_state()))
}

#[cfg(test)]
mod tests {
    use super::super::machine_load::BUSY;
    use super::*;

    fn queue(dir: &tempfile::TempDir) -> BackgroundQueue {
        BackgroundQueue {
            dir: dir.path().to_path_buf(),
        }
    }

    #[test]
    fn giving_up_says_why_until_the_next_request() {
        let dir = tempfile::tempdir().unwrap();
        let queue = queue(&dir);
        let why = queue.wait_for_quiet(&BUSY).unwrap_err();
        assert!(why.starts_with("the load is"), "{why}");
        fs::write(queue.given_up_file(), &why).unwrap();
        assert_eq!(queue.current_state(), BackgroundState::GivenUp(why));
        let head = MadeCommit {
            id: "a".to_owned(),
            base: None,
        };
        queue.write_request(&head).unwrap();
        assert_eq!(queue.current_state(), BackgroundState::Working);
    }

    #[test]
    fn whoever_needs_the_verdict_now_ends_the_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let queue = queue(&dir);
        let lock = fs::File::create(queue.lock_file()).unwrap();
        lock.try_lock().unwrap();
        fs::write(queue.reason_file(), "on battery").unwrap();
        queue.stop_waiting();
        assert_eq!(queue.wait_for_quiet(&BUSY), Ok(()));
    }
}
