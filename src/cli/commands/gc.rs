//! `git council gc`: what is older than it is kept for goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use council_agents::private;

use crate::cli::context::CommandContext;
use crate::cli::web::LOOSE_PAGE_PREFIX;
use crate::git::RepositoryPaths;
use crate::memory::VerdictCache;
use crate::run::artefacts::prune_artefacts;
use crate::run::error::RunError;
use crate::run::saved_run::repository_places;
use crate::run::{settings, store};
use crate::safe_file;

/// How old a page must be before nobody looks at it any more.
const MIN_PAGE_AGE: Duration = Duration::from_secs(24 * 3600);

/// Remove runs beyond `runs.keep`, verdicts beyond `cache.keep`, and leftover workspaces
#[derive(Debug, Clone, Args)]
pub(crate) struct GcArgs {
    /// Keep N runs instead of `runs.keep`
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
}

pub(crate) fn run(args: &GcArgs, start: &CommandContext) -> Result<(), RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let config = settings::branch_config(start)?.settings;
    let keep = args
        .keep
        .unwrap_or(usize::try_from(config.runs.keep).unwrap_or(usize::MAX));
    // A link in the place of our folders leads to files of somebody else.
    let own = place.memory_dir().into_iter();
    for folder in own.flat_map(|dir| [dir.clone(), dir.join("verdicts"), dir.join("runs")]) {
        safe_file::check_place(&folder).map_err(|error| RunError::run(error.to_string()))?;
    }
    let runs = store::prune_runs(&place.runs_dir(), keep);
    let kept = store::run_names(&place.runs_dir());
    let folder = place
        .common_dir
        .as_deref()
        .and_then(|git_dir| repository_places(git_dir, place.workdir.as_deref()).artefacts);
    let files = folder.map_or(0, |folder| prune_artefacts(&folder.path(), &kept, &runs));
    let verdicts = place.memory_dir().map_or(0, |dir| {
        VerdictCache::new(
            &dir,
            usize::try_from(config.cache.keep).unwrap_or(usize::MAX),
            None,
        )
        .prune_excess()
    });
    let own = start.rooms_dir();
    let places = own.iter().chain([&start.temporary]);
    let rooms: usize = places.map(|place| private::remove_abandoned(place)).sum();
    let pages = old_pages(&start.temporary);
    for page in &pages {
        // Another process may remove it, too.
        let _ = fs::remove_dir_all(page);
    }
    start.console.print(&format!(
        "removed: {} runs ({files} files), {verdicts} verdicts, {} workspaces\n",
        runs.len(),
        rooms + pages.len()
    ))
}

/// Pages that were shown long ago.
fn old_pages(temporary: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let name = entry.file_name();
        let named = name.to_string_lossy().starts_with(LOOSE_PAGE_PREFIX);
        let meta = entry.metadata();
        let old = meta.as_ref().is_ok_and(|meta| {
            let age = meta
                .modified()
                .map(|made| SystemTime::now().duration_since(made));
            meta.is_dir() && age.is_ok_and(|age| age.unwrap_or_default() > MIN_PAGE_AGE)
        });
        named && old
    });
    ours.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_goes_once_it_is_old() {
        let temporary = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - 2 * MIN_PAGE_AGE;
        for (name, is_old) in [
            ("council-page-a", true),
            ("council-page-new", false),
            ("others-a", true),
        ] {
            let folder = temporary.path().join(name);
            fs::create_dir(&folder).unwrap();
            if is_old {
                let times = fs::FileTimes::new().set_modified(long_ago);
                fs::File::open(&folder).unwrap().set_times(times).unwrap();
            }
        }
        let found = old_pages(temporary.path());
        assert_eq!(found, [temporary.path().join("council-page-a")]);
    }
}
