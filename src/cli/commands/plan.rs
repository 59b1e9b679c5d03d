//! `git council plan`: the first job of a matrix.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Start;
use crate::cli::commands::review::ReviewArgs;
use crate::cli::error::CliError;
use crate::cli::{github, matrix, prepare};
use crate::git::TargetSpec;
use crate::report::exit;

/// Write a review's files for judges in other jobs, and print their turns
#[derive(Debug, Clone, Args)]
pub(crate) struct PlanArgs {
    /// The folder of the run, which must not be there yet
    #[arg(long, value_name = "FOLDER")]
    run: PathBuf,
    /// Print the turns as the output NAME of a step, instead of JSON alone
    #[arg(long, value_name = "NAME")]
    matrix: Option<String>,
    #[command(flatten)]
    review: ReviewArgs,
}

pub(crate) fn run(args: &PlanArgs, start: &Start) -> Result<u8, CliError> {
    let due = match &args.review.forge.is_asked() {
        false => Some(prepare::prepare(&args.review, start)?),
        true => {
            let proposal = github::proposal(&args.review.forge, start)?;
            let prepare = |proposal| {
                prepare::prepare_spec(&args.review, start, TargetSpec::Proposal(proposal))
            };
            proposal.map(prepare).transpose()?
        }
    };
    let folder = matrix::folder(start, &args.run);
    let due = due.map(|prepared| matrix::plan(&prepared, args.review.council.deep, &folder));
    let due = serde_json::to_string(&due.transpose()?.unwrap_or_default()).unwrap_or_default();
    let line = match &args.matrix {
        Some(name) => format!("{name}={due}\n"),
        None => format!("{due}\n"),
    };
    start.console.print(&line)?;
    Ok(exit::OK)
}
