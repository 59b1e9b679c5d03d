//! `git council gc`: what is older than it is kept for goes.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;

use crate::cli::Start;
use crate::cli::error::CliError;
use crate::cli::rooms::PREFIX;
use crate::cli::{history, settings};
use crate::git::Place;
use crate::memory::Cache;

/// How old a room must be before it is taken for one whose council was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Remove old runs, verdicts and rooms, as far as `runs.keep` and `cache.keep` say
#[derive(Debug, Clone, Args)]
pub(crate) struct GcArgs {
    /// Keep so many runs instead
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
}

pub(crate) fn run(args: &GcArgs, start: &Start) -> Result<(), CliError> {
    let place = Place::discover(&start.dir, &start.git())?;
    let config = settings::of_the_branch(start)?.settings;
    let keep = args
        .keep
        .unwrap_or(usize::try_from(config.runs.keep).unwrap_or(usize::MAX));
    let runs = history::prune(&place.runs_dir(), keep);
    let verdicts = place.memory_dir().map_or(0, |dir| {
        Cache::new(
            &dir,
            usize::try_from(config.cache.keep).unwrap_or(usize::MAX),
            None,
        )
        .gc()
    });
    let rooms = rooms();
    for room in &rooms {
        // Another process may remove it, too.
        let _ = council_agents::room::remove(room);
    }
    start.console.print(&format!(
        "removed: {} runs, {verdicts} verdicts, {} rooms\n",
        runs.len(),
        rooms.len()
    ))
}

/// Rooms of ours that a killed council left behind.
fn rooms() -> Vec<PathBuf> {
    let entries = fs::read_dir(std::env::temp_dir())
        .into_iter()
        .flatten()
        .flatten();
    let ours = entries.filter(|entry| {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let meta = entry.metadata();
        let old = meta.as_ref().is_ok_and(|meta| {
            let age = meta
                .modified()
                .map(|made| SystemTime::now().duration_since(made));
            meta.is_dir() && age.is_ok_and(|age| age.unwrap_or_default() > ABANDONED)
        });
        named && old
    });
    ours.map(|entry| entry.path()).collect()
}
