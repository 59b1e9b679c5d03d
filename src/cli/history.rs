//! Runs of the past, as their folders tell them.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::git::Place;
use crate::memory::Purpose;
use crate::report::{self, Report};
use crate::session::{HOLDER, Held, RealWorld, RunRef, World as _};

use super::Start;
use super::error::CliError;

/// The report's name in the run's folder.
pub(crate) const REPORT: &str = "report.json";

/// The name of the seal on the report: `wait` gives the exit code of none but the user's own.
const SEAL: &str = "report.seal";

/// Seals the report of a run. Where there is no seal, or no room for it, nobody will believe the report later.
pub(crate) fn seal(start: &Start, run: &RunRef, report: &[u8]) {
    if let (Some(seal), Some(path)) = (start.seal(), run.file(SEAL)) {
        let seal = seal.over(Purpose::Report, &sealed(&run.name, report));
        let _ = std::fs::write(path, seal);
    }
}

fn sealed(run: &str, report: &[u8]) -> Vec<u8> {
    [run.as_bytes(), b"\0", report].concat()
}

/// Holds a run of the past.
pub(crate) fn hold(past: &Past) -> Result<Held, CliError> {
    Ok(Held::take(
        RealWorld::new().disk(),
        &past.name,
        &past.folder,
    )?)
}

/// Removes the folder of a run that nothing but its holder and its request was written to.
pub(crate) fn forget(run: &RunRef) {
    let Some(folder) = &run.folder else {
        return;
    };
    let ours = |name: &std::ffi::OsStr| name == HOLDER || name == "request.json";
    let mut left = std::fs::read_dir(folder).into_iter().flatten().flatten();
    if left.all(|entry| ours(&entry.file_name())) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Somebody holds it.
    GoingOn,
    /// It left a report.
    Finished,
    /// Nobody holds it, and it left none.
    CutOff,
}

/// A run on disk.
pub(crate) struct Past {
    /// Its name.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
}

impl Past {
    /// The bytes of one of its files.
    pub(crate) fn read(&self, file: &str) -> Result<Vec<u8>, CliError> {
        let path = self.folder.join(file);
        std::fs::read(&path)
            .map_err(|error| CliError::usage(format!("cannot read {}: {error}", path.display())))
    }

    /// How it stands.
    pub(crate) fn state(&self) -> State {
        let held = File::open(self.folder.join(HOLDER))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
        match (held, self.folder.join(REPORT).is_file()) {
            (true, _) => State::GoingOn,
            (false, true) => State::Finished,
            (false, false) => State::CutOff,
        }
    }

    /// Whether this user's program made its report, as it lies here. Who has no place for a key has nothing to compare.
    pub(crate) fn is_own(&self, start: &Start) -> Result<bool, CliError> {
        let Some(seal) = start.seal() else {
            return Ok(true);
        };
        let kept = std::fs::read_to_string(self.folder.join(SEAL)).unwrap_or_default();
        let report = self.read(REPORT)?;
        Ok(seal.holds(Purpose::Report, &sealed(&self.name, &report), kept.trim()))
    }

    /// Its report; none while it is going on, or when it was cut off.
    pub(crate) fn report(&self) -> Result<Option<Report>, CliError> {
        let file = self.folder.join(REPORT);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(CliError::usage(format!(
                    "cannot read {}: {error}",
                    file.display()
                )));
            }
        };
        let parsed = report::json::parse(&text);
        parsed
            .map(Some)
            .map_err(|error| CliError::usage(format!("{}: {error}", file.display())))
    }
}

/// Removes the oldest runs, so that `keep` are left: those that ended, with or without a report. One that goes on stays,
/// and so does what cannot be removed. Says which went.
pub(crate) fn prune(runs: &Path, keep: usize) -> Vec<String> {
    let mut all = folders(runs).unwrap_or_default();
    all.retain(|past| past.name.starts_with("council-"));
    if all.len() <= keep {
        return Vec::new();
    }
    let age = |past: &Past| {
        let made = std::fs::metadata(&past.folder).and_then(|meta| meta.modified());
        // `council-YYYYMMDD-…` says the day, the folder's time the rest.
        (
            past.name.get(8..16).map(str::to_owned),
            made.ok(),
            past.name.clone(),
        )
    };
    all.sort_by_cached_key(age);
    let surplus = all.len() - keep;
    let old = all.into_iter().take(surplus);
    let over = old.filter(|past| past.state() != State::GoingOn);
    over.filter(|past| std::fs::remove_dir_all(&past.folder).is_ok())
        .map(|past| past.name)
        .collect()
}

/// Every run of the repository with its report where there is one, the latest first.
pub(crate) fn all(start: &Start) -> Result<Vec<(Past, Option<Report>)>, CliError> {
    let runs = Place::discover(&start.dir, &start.git())?.runs_dir();
    let mut found = Vec::new();
    for past in folders(&runs)? {
        // A report of another version is still a run.
        let report = past.report().ok().flatten();
        found.push((past, report));
    }
    let began = |(past, report): &(Past, Option<Report>)| {
        let started = report
            .as_ref()
            .map(|report| report.receipt.run.started.clone());
        (started.unwrap_or_default(), past.name.clone())
    };
    found.sort_by_cached_key(began);
    found.reverse();
    Ok(found)
}

/// The run of that name, or the one whose name contains it; without a name the latest that has a report.
pub(crate) fn find(start: &Start, name: Option<&str>) -> Result<Past, CliError> {
    let mut all = all(start)?;
    let Some(name) = name else {
        let at = all.iter().position(|(_, report)| report.is_some());
        return at.map(|at| all.swap_remove(at).0).ok_or_else(none);
    };
    if let Some(at) = all.iter().position(|(past, _)| past.name == name) {
        return Ok(all.swap_remove(at).0);
    }
    let alike: Vec<usize> = (0..all.len())
        .filter(|&at| all[at].0.name.contains(name))
        .collect();
    match alike.as_slice() {
        [at] => Ok(all.swap_remove(*at).0),
        [] if all.is_empty() => Err(none()),
        [] => Err(CliError::usage(format!("there is no run {name:?}"))
            .hint("`git council log` lists the runs")),
        several => {
            let names: Vec<&str> = several
                .iter()
                .take(5)
                .map(|&at| all[at].0.name.as_str())
                .collect();
            Err(
                CliError::usage(format!("{} runs are called like {name:?}", several.len()))
                    .hint(format!("say which: {}", names.join(", "))),
            )
        }
    }
}

fn none() -> CliError {
    CliError::usage("this repository has no run yet").hint("make one: git council review")
}

fn folders(runs: &Path) -> Result<Vec<Past>, CliError> {
    let entries = match std::fs::read_dir(runs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(CliError::usage(format!(
                "cannot read {}: {error}",
                runs.display()
            )));
        }
    };
    let past = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        entry.file_type().ok()?.is_dir().then(|| Past {
            name,
            folder: entry.path(),
        })
    };
    Ok(entries.filter_map(Result::ok).filter_map(past).collect())
}
