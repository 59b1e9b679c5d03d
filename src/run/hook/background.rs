//! Reviews in the background of a commit: one at a time in a repository, the latest request only, and none while the
//! machine is busy.
//!
//! A request is a file that names a commit. Whoever holds the lock works requests off; whoever does not leaves its own and
//! goes. A request that comes during a review ends that review: nobody waits for a verdict on what is superseded.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::git::RepositoryPaths;
use crate::run::context::RunContext;
use crate::run::error::RunError;

/// How often it is looked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long a review waits for a quiet machine before it is let go.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// How long a review that is superseded has to end.
const GRACE: Duration = Duration::from_secs(35);

/// The requests of a repository.
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
    /// Somebody works.
    Working,
}

impl BackgroundQueue {
    pub(crate) fn in_repository(place: &RepositoryPaths) -> Option<Self> {
        Some(Self {
            dir: place.memory_dir()?.join("background"),
        })
    }

    fn request_file(&self) -> PathBuf {
        self.dir.join("request")
    }

    fn lock_file(&self) -> PathBuf {
        self.dir.join("lock")
    }

    fn reason_file(&self) -> PathBuf {
        self.dir.join("waiting")
    }

    /// Leaves a request and starts whoever works it off, detached; returns at once.
    pub(crate) fn request_review(&self, head: &str, start: &RunContext) -> Result<(), RunError> {
        let cannot = |error: io::Error| {
            RunError::run(format!("cannot start a review in the background: {error}"))
        };
        self.write_request(head).map_err(cannot)?;
        let exe = program(start).map_err(cannot)?;
        let mut command = Command::new(exe);
        for (name, _) in start
            .environment
            .vars()
            .filter(|(name, _)| crate::git::is_local(name))
        {
            command.env_remove(name);
        }
        command
            .arg("-C")
            .arg(&start.dir)
            .args(["hook", "run", "background"])
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().map(drop).map_err(cannot)
    }

    /// Leaves a request in the place of any earlier one.
    fn write_request(&self, head: &str) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let mut beside = tempfile::NamedTempFile::new_in(&self.dir)?;
        beside.write_all(head.as_bytes())?;
        beside
            .persist(self.request_file())
            .map_err(|error| error.error)?;
        Ok(())
    }

    /// How it stands.
    pub(crate) fn current_state(&self) -> BackgroundState {
        let held = File::open(self.lock_file())
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)));
        match (held, fs::read_to_string(self.reason_file())) {
            (true, Ok(why)) => BackgroundState::Waiting(why),
            (true, Err(_)) => BackgroundState::Working,
            // Whoever was just started has not got the lock yet.
            (false, _) if self.request_file().exists() && self.is_recent() => {
                BackgroundState::Working
            }
            (false, _) => BackgroundState::Idle,
        }
    }

    /// Whether the request is so young that somebody is on the way.
    fn is_recent(&self) -> bool {
        let made = fs::metadata(self.request_file()).and_then(|meta| meta.modified());
        made.is_ok_and(|made| made.elapsed().unwrap_or_default() < Duration::from_secs(5))
    }

    /// Works requests off until there are none; returns at once when somebody else does that.
    pub(crate) fn process_requests(
        &self,
        limits: &LoadLimits,
        start: &RunContext,
    ) -> Result<(), RunError> {
        let cannot =
            |error: io::Error| RunError::run(format!("cannot work in the background: {error}"));
        fs::create_dir_all(&self.dir).map_err(cannot)?;
        loop {
            let lock = File::create(self.lock_file()).map_err(cannot)?;
            match lock.try_lock() {
                Ok(()) => self.process_held(limits, start).map_err(cannot)?,
                // Whoever holds the lock looks for requests until it lets go; one that comes just then is ours.
                Err(_) => sleep(POLL_INTERVAL),
            }
            drop(lock);
            if !self.request_file().exists() {
                return Ok(());
            }
        }
    }

    fn process_held(&self, limits: &LoadLimits, start: &RunContext) -> io::Result<()> {
        while self.request_file().exists() {
            let quiet = self.wait_for_quiet(limits);
            let _ = fs::remove_file(self.reason_file());
            let head = fs::read_to_string(self.request_file());
            fs::remove_file(self.request_file())?;
            if quiet && head.is_ok() {
                self.run_review(start)?;
            }
        }
        Ok(())
    }

    /// Whether the machine became quiet in time.
    fn wait_for_quiet(&self, limits: &LoadLimits) -> bool {
        let end = Instant::now() + MAX_WAIT;
        while let Some(why) = limits.busy_reason() {
            // Only `status` reads it.
            let _ = fs::write(self.reason_file(), why);
            if Instant::now() >= end {
                return false;
            }
            sleep(Duration::from_secs(2));
        }
        true
    }

    /// One review, ended when another request comes.
    fn run_review(&self, start: &RunContext) -> io::Result<()> {
        // A branch without a base is reviewed by its last commit.
        for target in [None, Some("HEAD")] {
            let mut child = spawn_review(target, start)?;
            loop {
                match child.try_wait()? {
                    Some(status) if status.code() == Some(2) && target.is_none() => break,
                    Some(_) => return Ok(()),
                    None if self.request_file().exists() => {
                        end_review(&mut child)?;
                        return Ok(());
                    }
                    None => sleep(POLL_INTERVAL),
                }
            }
        }
        Ok(())
    }
}

/// This program, which is started again for each review.
fn program(start: &RunContext) -> io::Result<&Path> {
    let program = start.program.as_deref();
    program.ok_or_else(|| io::Error::other("the program does not know its own path"))
}

fn spawn_review(target: Option<&str>, start: &RunContext) -> io::Result<Child> {
    let mut command = Command::new(program(start)?);
    command
        .arg("-C")
        .arg(&start.dir)
        .args(["review", "--quiet", "--timeout", "30m"]);
    command.args(target);
    command
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

/// How the background of the repository stands that we were started in.
pub(crate) fn background_state(start: &RunContext) -> Result<BackgroundState, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    Ok(
        BackgroundQueue::in_repository(&place).map_or(BackgroundState::Idle, |background| {
            background.current_state()
        }),
    )
}

/// When the machine is too busy.
pub(crate) struct LoadLimits {
    /// In percent of the processors.
    pub(crate) load: u64,
    /// Whether a battery is no reason.
    pub(crate) battery: bool,
}

impl LoadLimits {
    /// Why a review has to wait, if it has to.
    fn busy_reason(&self) -> Option<String> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        if let Some(load) = excess_load(&text, processors, self.load) {
            return Some(load);
        }
        (!self.battery && on_battery(Path::new("/sys/class/power_supply")))
            .then(|| "on battery".to_owned())
    }
}

/// The load of the last minute, where it is above the limit.
fn excess_load(loadavg: &str, processors: usize, limit: u64) -> Option<String> {
    let load: f64 = loadavg.split_whitespace().next()?.parse().ok()?;
    let percent = load * 100.0 / processors as f64;
    (percent > limit as f64).then(|| format!("the load is {load} on {processors} processors"))
}

/// Whether a battery is being emptied.
fn on_battery(supplies: &Path) -> bool {
    let supplies = fs::read_dir(supplies).into_iter().flatten().flatten();
    let mut read =
        supplies.map(|supply| fs::read_to_string(supply.path().join("status")).unwrap_or_default());
    read.any(|status| status.trim() == "Discharging")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_measured_against_the_processors() {
        assert_eq!(excess_load("0.50 1 1 1/2 3", 2, 100), None);
        assert!(excess_load("2.10 1 1 1/2 3", 2, 100).is_some());
        assert_eq!(excess_load("2.10 1 1 1/2 3", 4, 100), None);
        assert_eq!(excess_load("", 4, 100), None);
    }

    #[test]
    fn a_battery_counts_while_it_is_emptied() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!on_battery(dir.path()) && !on_battery(&dir.path().join("none")));
        fs::create_dir(dir.path().join("BAT0")).unwrap();
        fs::write(dir.path().join("BAT0/status"), "Charging\n").unwrap();
        assert!(!on_battery(dir.path()));
        fs::write(dir.path().join("BAT0/status"), "Discharging\n").unwrap();
        assert!(on_battery(dir.path()));
    }
}
