//! `git council cache`: verdicts that are known again.

use clap::{Args, Subcommand};

use crate::cli::columns::Columns;
use crate::cli::context::CommandContext;
use crate::git::RepositoryPaths;
use crate::memory::VerdictCache;
use crate::report::GatePolicy;
use crate::run::error::RunError;

/// Show or clear the cached verdicts that are reused for unchanged changes
#[derive(Debug, Clone, Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    what: Option<CacheAction>,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum CacheAction {
    /// List the cached verdicts, latest first
    Show,
    /// Delete all cached verdicts
    Clear,
}

pub(crate) fn run(args: &CacheArgs, start: &CommandContext) -> Result<(), RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let Some(dir) = place.memory_dir() else {
        return Ok(());
    };
    let cache = VerdictCache::new(&dir, usize::MAX, start.signing_key());
    match args.what.unwrap_or(CacheAction::Show) {
        CacheAction::Show => show_verdicts(&cache, start),
        CacheAction::Clear => {
            let cleared = cache.clear().map_err(|error| {
                RunError::run(format!("cannot clear {}: {error}", cache.dir().display()))
            })?;
            let noun = if cleared == 1 { "verdict" } else { "verdicts" };
            start.console.print(&format!("{cleared} {noun} deleted\n"))
        }
    }
}

fn show_verdicts(cache: &VerdictCache, start: &CommandContext) -> Result<(), RunError> {
    let mut rows = Columns::default();
    let (mut count, mut bytes) = (0_usize, 0_u64);
    for kept in cache.list() {
        count += 1;
        bytes += kept.bytes;
        let run = &kept.report.receipt.run;
        let made = run.started.get(..16).unwrap_or_default().replace('T', " ");
        rows.push([
            kept.key.get(..12).unwrap_or_default().to_owned(),
            made,
            kept.report.target.label.clone(),
            kept.report.bottom_line(GatePolicy::default()).headline,
        ]);
    }
    let noun = if count == 1 { "verdict" } else { "verdicts" };
    let mut foot = format!(
        "{count} {noun}, {} KiB in {}\n",
        bytes.div_ceil(1024),
        cache.dir().display()
    );
    let strange = cache.count().saturating_sub(count);
    if strange > 0 {
        foot.push_str(&format!(
            "{strange} more are ignored: you did not write them, or they are damaged\n"
        ));
    }
    start.console.print(&(rows.render("") + &foot))
}
