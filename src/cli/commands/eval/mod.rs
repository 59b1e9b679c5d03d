//! `git council eval`: which council is worth its money on this repository's own history.

mod collect;
mod compare;
mod label;
mod trials;

use clap::{Args, Subcommand};

use crate::cli::context::CommandContext;
use crate::report::exit;
use crate::run::error::RunError;

const EXAMPLES: &str = "\
Examples:
  git council eval collect --since 2y -o changes.jsonl
  git council eval run changes.jsonl --council cheap.toml --council deep.toml --max-cost 20 --dry-run
  git council eval run changes.jsonl --council cheap.toml --council deep.toml --max-cost 20
  git council eval compare changes.jsonl
  git council eval compare changes.jsonl --recount consensus=majority";

/// Measure councils on changes of this repository whose defects are known
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EvalArgs {
    #[command(subcommand)]
    step: EvalStep,
}

#[derive(Debug, Clone, Subcommand)]
enum EvalStep {
    /// Label old changes by what became of them: fixed, reverted, or left alone. Asks no model, so it is free
    Collect(collect::CollectArgs),
    /// Let councils review the labelled changes; if it was interrupted, it continues where it stopped
    Run(trials::TrialArgs),
    /// Compare the councils with each other, and with chance
    Compare(compare::CompareArgs),
    /// Decide by hand, finding by finding, whether it describes the known defect
    Label(label::LabelArgs),
}

/// `1 change`, `2 changes`.
fn count_noun(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

pub(crate) fn run(args: &EvalArgs, start: &CommandContext) -> Result<u8, RunError> {
    match &args.step {
        EvalStep::Run(args) => return trials::run(args, start),
        EvalStep::Collect(args) => collect::run(args, start)?,
        EvalStep::Compare(args) => compare::run(args, start)?,
        EvalStep::Label(args) => label::run(args, start)?,
    }
    Ok(exit::OK)
}
