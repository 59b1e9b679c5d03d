//! Where the files of a run go, and its report among them.

use std::path::{Path, PathBuf};

use crate::report::{self, Report};
use crate::run::artefacts::{is_folder_free, prune_artefacts};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;
use crate::run::store::{self, REPORT_FILE};
use crate::session::{
    MINUTES_FILE, RealWorld, RunFolders, RunRef, SessionWorld as _, WriteDurability,
};

/// Where the files of a run go: nowhere without a repository.
pub(crate) fn run_places(prepared: &PreparedReview) -> RunFolders {
    if let Some(folder) = &prepared.keep_in {
        return RunFolders::in_folder(folder);
    }
    let place = &prepared.change.place;
    let Some(git_dir) = &place.common_dir else {
        return RunFolders::default();
    };
    let mut places = repository_places(git_dir, place.workdir.as_deref());
    places.worktree = place.worktree_name();
    if !prepared.config.settings.output.save {
        places.artefacts = None;
    }
    places
}

/// The places of a repository. What people read lies in the worktree, unless a link or a file stands there in the place
/// of our folder: a change may bring one, and a review neither writes through it nor fails because of it.
pub(crate) fn repository_places(git_dir: &Path, worktree: Option<&Path>) -> RunFolders {
    RunFolders::in_repository(
        git_dir,
        worktree.filter(|worktree| is_folder_free(worktree)),
    )
}

/// Writes a report into its run's folder and for people, and lets old runs go.
pub(crate) fn save_run_report(
    start: &RunContext,
    world: &RealWorld,
    prepared: &PreparedReview,
    run: &RunRef,
    report: &Report,
) -> Result<(), RunError> {
    let json = report::json::render(report, report.own_gate());
    write_file(world, run.file_path(REPORT_FILE), json.as_bytes())?;
    store::sign_report(start, run, json.as_bytes());
    write_for_people(world, prepared, run, report)?;
    let keep = usize::try_from(prepared.config.settings.runs.keep).unwrap_or(usize::MAX);
    let runs = prepared.change.place.runs_dir();
    let removed = store::prune_runs(&runs, keep);
    if let Some(folder) = run_places(prepared)
        .artefacts
        .filter(|_| !removed.is_empty())
    {
        prune_artefacts(&folder.path(), &store::run_names(&runs), &removed);
    }
    Ok(())
}

/// Writes a report that was recognised for people, as the run that made it did: another worktree has not seen it yet, and
/// dismissals may have changed it.
pub(crate) fn save_recognised_report(
    start: &RunContext,
    world: &RealWorld,
    prepared: &PreparedReview,
    report: &Report,
) {
    let made = &report.receipt.run;
    // The name may come from a note of another clone, and becomes the name of a file here.
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if made.name.is_empty() || !made.name.chars().all(plain) {
        return;
    }
    let folder = prepared.change.place.runs_dir().join(&made.name);
    let places = run_places(prepared);
    let written = RunRef::reopen(world, &places, &made.name, &made.started, &folder)
        .map_err(RunError::from)
        .and_then(|run| write_for_people(world, prepared, &run, report));
    if let Err(error) = written {
        // The verdict is there all the same, and shown.
        start.notifier.warn(&error.message);
    }
}

fn write_for_people(
    world: &RealWorld,
    prepared: &PreparedReview,
    run: &RunRef,
    report: &Report,
) -> Result<(), RunError> {
    let session = prepared.config.settings.output.session;
    if let Some(text) = report::markdown::session(report).filter(|_| session) {
        write_file(world, run.artefact_path(MINUTES_FILE), text.as_bytes())?;
    }
    if let Some(path) = run.artefact_path("report.md") {
        let options = report::markdown::MarkdownOptions::default();
        let text = report::markdown::render(report, options);
        write_file(world, Some(path), text.as_bytes())?;
    }
    Ok(())
}

/// Writes a file of a run, if it has a place.
fn write_file(world: &RealWorld, path: Option<PathBuf>, bytes: &[u8]) -> Result<(), RunError> {
    let Some(path) = path else { return Ok(()) };
    let written = world
        .disk()
        .write_file(&path, bytes, WriteDurability::Cheap);
    written.map_err(|error| RunError::run(format!("cannot write {}: {error}", path.display())))
}
