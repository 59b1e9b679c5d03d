//! `git council apply`: a judge's suggestion, taken into the worktree.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::apply::{UnfitSuggestion, add_test, apply_suggestion};
use crate::run::error::RunError;

/// A review of commits, the next thing that people run, reads nothing of the worktree.
const NEXT_STEP: &str =
    "next: commit it, then review again; before that: git council review --worktree\n";

/// Apply a finding's suggested fix to the worktree, unless its lines have changed
#[derive(Debug, Clone, Args)]
pub(crate) struct ApplyArgs {
    /// The finding: its id in the last report (F1), or the first digits of its fingerprint
    #[arg(value_name = "ID")]
    id: String,
    /// Add the test that proves the finding to the worktree, instead of the fix
    #[arg(long)]
    test: bool,
    /// Apply the fix even if it is known that the finding's test fails, or does not run, with it
    #[arg(long, conflicts_with = "test")]
    force: bool,
    /// Look in this run instead of the last report
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &ApplyArgs, start: &CommandContext) -> Result<(), RunError> {
    if args.test {
        return start
            .console
            .print(&add_test(&args.id, args.run.as_deref(), start)?);
    }
    let unfit = match args.force {
        true => UnfitSuggestion::Apply,
        false => UnfitSuggestion::Refuse,
    };
    let done = apply_suggestion(&args.id, args.run.as_deref(), unfit, start)?;
    start.console.print(&done)?;
    start.console.print(NEXT_STEP)
}
