//! Runs of the past, as their folders tell them.

use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::git::{self, RepositoryPaths};
use crate::memory::MacPurpose;
use crate::report::{self, Report};
use crate::session::journal::{JOURNAL_FILE, JournalHeader, RunJournal};
use crate::session::{
    LOCK_FILE, RETIRED_SUFFIX, RealWorld, RunLock, RunRef, SessionWorld as _, WORKTREE_FILE,
    retired_name,
};

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::safe_file;

/// The report's name in the run's folder.
pub(crate) const REPORT_FILE: &str = "report.json";

/// How the name of a run begins.
const RUN_PREFIX: &str = "council-";

/// The name of the seal on the report: `wait` gives the exit code of none but the user's own.
const SIGNATURE_FILE: &str = "report.seal";

/// Seals the report of a run. Where there is no seal, or no room for it, nobody will believe the report later.
pub(crate) fn sign_report(start: &RunContext, run: &RunRef, report: &[u8]) {
    if let (Some(seal), Some(path)) = (start.signing_key(), run.file_path(SIGNATURE_FILE)) {
        let seal = seal.mac_hex(MacPurpose::Report, &signed_report_bytes(&run.name, report));
        let _ = safe_file::write_file(&path, seal);
    }
}

fn signed_report_bytes(run: &str, report: &[u8]) -> Vec<u8> {
    [run.as_bytes(), b"\0", report].concat()
}

/// Holds a run of the past.
pub(crate) fn hold_run(past: &StoredRun) -> Result<RunLock, RunError> {
    Ok(RunLock::acquire(
        RealWorld::new().disk(),
        &past.name,
        &past.folder,
    )?)
}

/// Removes the folder of a run that was refused before anybody was asked: without a journal nothing in it was paid for.
pub(crate) fn forget_run(run: &RunRef) {
    let Some(folder) = &run.folder else {
        return;
    };
    if !folder.join(JOURNAL_FILE).exists() && safe_file::check_place(folder).is_ok() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunState {
    /// Somebody holds it.
    GoingOn,
    /// It left a report.
    Finished,
    /// Nobody holds it, and it left none.
    CutOff,
}

/// A run on disk.
#[derive(Clone)]
pub(crate) struct StoredRun {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

impl StoredRun {
    /// The bytes of one of its files.
    pub(crate) fn read_file(&self, file: &str) -> Result<Vec<u8>, RunError> {
        let path = self.folder.join(file);
        safe_file::read(&path)
            .map_err(|error| RunError::usage(format!("cannot read {}: {error}", path.display())))
    }

    /// How it stands.
    pub(crate) fn state(&self) -> RunState {
        let held = safe_file::open_to_read(self.folder.join(LOCK_FILE))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
        match (held, self.folder.join(REPORT_FILE).is_file()) {
            (true, _) => RunState::GoingOn,
            (false, true) => RunState::Finished,
            (false, false) => RunState::CutOff,
        }
    }

    /// When its report was written; none: it has none.
    pub(crate) fn ended(&self) -> Option<SystemTime> {
        let meta = std::fs::metadata(self.folder.join(REPORT_FILE));
        meta.and_then(|meta| meta.modified()).ok()
    }

    /// When a run that was cut off last wrote to its journal; none: it goes on, or has ended.
    fn cut_off_at(&self) -> Option<SystemTime> {
        let meta = std::fs::metadata(self.folder.join(JOURNAL_FILE));
        let written = meta.and_then(|meta| meta.modified()).ok();
        written.filter(|_| self.state() == RunState::CutOff)
    }

    /// When it began, RFC 3339; empty while nothing tells.
    fn started(&self, report: Option<&Report>) -> String {
        if let Some(report) = report {
            return report.receipt.run.started.clone();
        }
        self.header()
            .map_or_else(String::new, |header| header.started)
    }

    /// What its journal says it is about; none: it never began.
    pub(crate) fn header(&self) -> Option<JournalHeader> {
        let bytes = self.read_file(JOURNAL_FILE).ok()?;
        Some(RunJournal::parse(&bytes).ok()?.header)
    }

    /// Whether this user's program made its report, as it lies here. Who has no place for a key has nothing to compare.
    pub(crate) fn is_own(&self, start: &RunContext) -> Result<bool, RunError> {
        let Some(seal) = start.signing_key() else {
            return Ok(true);
        };
        let kept = safe_file::read_text(self.folder.join(SIGNATURE_FILE)).unwrap_or_default();
        let report = self.read_file(REPORT_FILE)?;
        Ok(seal.verify_mac(
            MacPurpose::Report,
            &signed_report_bytes(&self.name, &report),
            kept.trim(),
        ))
    }

    /// Whether it began in that worktree. Versions of before 2026-11-25 did not say: theirs are everybody's.
    fn began_in(&self, worktree: Option<&str>) -> bool {
        let said = safe_file::read_text(self.folder.join(WORKTREE_FILE)).ok();
        said.is_none_or(|said| worktree.is_none_or(|own| own == said))
    }

    /// Its report; none while it is going on, or when it was cut off.
    pub(crate) fn report(&self) -> Result<Option<Report>, RunError> {
        let file = self.folder.join(REPORT_FILE);
        let text = match safe_file::read_text(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(RunError::usage(format!(
                    "cannot read {}: {error}",
                    file.display()
                )));
            }
        };
        let parsed = report::json::parse(&text);
        parsed
            .map(Some)
            .map_err(|error| RunError::usage(format!("{}: {error}", file.display())))
    }
}

/// Removes the oldest runs, so that `keep` are left: those that ended, with or without a report. One that goes on stays,
/// and so does what cannot be removed. Says which went. Their names are kept for the day, so that no run has one again.
pub(crate) fn prune_runs(runs: &Path, keep: usize) -> Vec<String> {
    if safe_file::check_place(runs).is_err() {
        return Vec::new();
    }
    let mut all = list_folders(runs).unwrap_or_default();
    all.retain(|past| past.name.starts_with(RUN_PREFIX));
    if all.len() <= keep {
        return Vec::new();
    }
    let today = all.iter().filter_map(|past| day_of(&past.name)).max();
    forget_retired_names(runs, today.unwrap_or_default());
    let age = |past: &StoredRun| {
        let made = std::fs::metadata(&past.folder).and_then(|meta| meta.modified());
        // `council-YYYYMMDD-…` says the day, the folder's time the rest.
        (
            day_of(&past.name).map(str::to_owned),
            made.ok(),
            past.name.clone(),
        )
    };
    all.sort_by_cached_key(age);
    let surplus = all.len() - keep;
    let old = all.into_iter().take(surplus);
    let over = old.filter(|past| past.state() != RunState::GoingOn);
    let remove = |past: &StoredRun| {
        safe_file::write_file(&retired_name(&past.folder), [])?;
        std::fs::remove_dir_all(&past.folder)
    };
    over.filter(|past| remove(past).is_ok())
        .map(|past| past.name)
        .collect()
}

/// The day in a run's name, `YYYYMMDD`.
fn day_of(name: &str) -> Option<&str> {
    name.get(RUN_PREFIX.len()..RUN_PREFIX.len() + 8)
}

/// Removes the names of runs before `today`: no run will begin on such a day.
fn forget_retired_names(runs: &Path, today: &str) {
    for entry in safe_file::list_own(runs) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_old = day_of(&name).is_some_and(|day| day < today);
        if name.starts_with(RUN_PREFIX) && name.ends_with(RETIRED_SUFFIX) && is_old {
            // What stays is removed another time.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The names of the runs that are left.
pub(crate) fn run_names(runs: &Path) -> Vec<String> {
    let all = list_folders(runs).unwrap_or_default();
    all.into_iter().map(|past| past.name).collect()
}

/// Every run of the repository with its report where there is one, the latest first.
pub(crate) fn list_runs(start: &RunContext) -> Result<Vec<(StoredRun, Option<Report>)>, RunError> {
    let runs = RepositoryPaths::discover(&start.dir, &start.git_environment())?.runs_dir();
    let mut found = Vec::new();
    for past in list_folders(&runs)? {
        // A report of another version is still a run.
        let report = past.report().ok().flatten();
        found.push((past, report));
    }
    let began = |(past, report): &(StoredRun, Option<Report>)| {
        // Runs of one second are told apart by their ends. `…-10` comes after `…-9`.
        let ended = past.ended().or_else(|| past.cut_off_at());
        (
            past.started(report.as_ref()),
            ended.is_none(),
            ended,
            past.name.len(),
            past.name.clone(),
        )
    };
    found.sort_by_cached_key(began);
    found.reverse();
    Ok(found)
}

/// The same where a run was cut off; else nothing. All reports are read for it, which nobody pays for whose runs have ended.
pub(crate) fn list_where_cut_off(
    start: &RunContext,
) -> Result<Vec<(StoredRun, Option<Report>)>, RunError> {
    let runs = RepositoryPaths::discover(&start.dir, &start.git_environment())?.runs_dir();
    let mut folders = list_folders(&runs)?.into_iter();
    match folders.any(|past| past.state() == RunState::CutOff) {
        true => list_runs(start),
        false => Ok(Vec::new()),
    }
}

/// The runs that began in this worktree, the latest first: what a command means that is given no name. Another worktree
/// has another change in it.
pub(crate) fn list_own_runs(
    start: &RunContext,
) -> Result<Vec<(StoredRun, Option<Report>)>, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let own = place.worktree_name();
    let mut all = list_runs(start)?;
    all.retain(|(past, _)| past.began_in(own.as_deref()));
    Ok(all)
}

/// The run that goes on in this worktree, the latest of several. No report is read for it: it is looked again and again.
pub(crate) fn running_here(start: &RunContext) -> Result<Option<StoredRun>, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let own = place.worktree_name();
    let mut going_on = list_folders(&place.runs_dir())?;
    going_on.retain(|past| past.state() == RunState::GoingOn && past.began_in(own.as_deref()));
    Ok(going_on.into_iter().max_by_key(|past| past.started(None)))
}

/// The run of exactly that name. No report is read for it.
pub(crate) fn run_of_name(start: &RunContext, name: &str) -> Option<StoredRun> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
    let all = list_folders(&place.runs_dir()).ok()?;
    all.into_iter().find(|past| past.name == name)
}

/// The latest run here that reviewed this commit and has a report, one over the whole change before one over a part.
pub(crate) fn find_run_of(start: &RunContext, revision: &str) -> Option<StoredRun> {
    let commit = git::commit_at(&start.dir, &start.git_environment(), revision).ok()?;
    let is_of = |(_, report): &(StoredRun, Option<Report>)| {
        let head = report
            .as_ref()
            .and_then(|report| report.target.head.as_ref());
        head == Some(&commit)
    };
    let mut all: Vec<_> = list_runs(start).ok()?.into_iter().filter(is_of).collect();
    let is_part = |(_, report): &(StoredRun, Option<Report>)| {
        report.as_ref().is_some_and(|r| !r.target.only.is_empty())
    };
    all.sort_by_key(is_part);
    all.into_iter().next().map(|(past, _)| past)
}

/// The run of that name, or the one whose name contains it; without a name the latest of this worktree that has a report.
pub(crate) fn find_run(start: &RunContext, name: Option<&str>) -> Result<StoredRun, RunError> {
    let Some(name) = name else {
        let mut own = list_own_runs(start)?.into_iter();
        let mut open = None;
        let found = own.find(|(past, report)| {
            open = open
                .take()
                .or_else(|| report.is_none().then(|| past.clone()));
            report.is_some()
        });
        return match (found, open) {
            (Some((past, _)), _) => Ok(past),
            (None, Some(past)) => Err(unfinished_error(&past)),
            (None, None) => Err(no_runs_error(!list_runs(start)?.is_empty())),
        };
    };
    let mut all = list_runs(start)?;
    if let Some(at) = all.iter().position(|(past, _)| past.name == name) {
        return Ok(all.swap_remove(at).0);
    }
    let alike: Vec<usize> = (0..all.len())
        .filter(|&at| all[at].0.name.contains(name))
        .collect();
    match alike.as_slice() {
        [at] => Ok(all.swap_remove(*at).0),
        [] if all.is_empty() => Err(no_runs_error(false)),
        [] => Err(RunError::usage(format!("there is no run {name:?}"))
            .hint("`git council log` lists the runs")),
        several => {
            let names: Vec<&str> = several
                .iter()
                .take(5)
                .map(|&at| all[at].0.name.as_str())
                .collect();
            Err(
                RunError::usage(format!("{} runs match {name:?}", several.len()))
                    .hint(format!("name one of them: {}", names.join(", "))),
            )
        }
    }
}

/// The only runs have no report.
fn unfinished_error(past: &StoredRun) -> RunError {
    let name = &past.name;
    match past.state() {
        RunState::GoingOn => RunError::usage(format!("{name} is still running"))
            .hint("`git council wait` waits for its verdict"),
        _ => RunError::usage(format!(
            "{name} has no report: it was interrupted, or lost it"
        ))
        .hint(format!(
            "`git council resume {name}` continues a review, and pays nobody twice; what begins anything else again, \
             `git council status` names"
        ))
        .hint(format!(
            "compute one from its journal: git council replay {name}"
        )),
    }
}

/// `elsewhere`: whether the repository has runs all the same.
fn no_runs_error(elsewhere: bool) -> RunError {
    let start = "start one: git council review";
    match elsewhere {
        false => RunError::usage("this repository has no run yet").hint(start),
        true => RunError::usage("this worktree has no finished run yet")
            .hint(start)
            .hint("`git council log` lists the runs of the whole repository"),
    }
}

fn list_folders(runs: &Path) -> Result<Vec<StoredRun>, RunError> {
    let entries = match std::fs::read_dir(runs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(RunError::usage(format!(
                "cannot read {}: {error}",
                runs.display()
            )));
        }
    };
    let past = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        entry.file_type().ok()?.is_dir().then(|| StoredRun {
            name,
            folder: entry.path(),
        })
    };
    Ok(entries.filter_map(Result::ok).filter_map(past).collect())
}
