//! `git council plan`: the first job of a matrix.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::review_args::ReviewArgs;
use crate::git::TargetSpec;
use crate::report::exit;
use crate::run::error::RunError;
use crate::run::github::earlier::carry_over;
use crate::run::github::publishing::find_proposal;
use crate::run::modes::matrix;
use crate::run::prepare;
use crate::session::matrix::DueTurn;
use crate::text::page_address;

pub(crate) fn examples() -> String {
    format!(
        "{EXAMPLES}\nA workflow (\"One job per judge\"): {}",
        page_address("docs/github.md")
    )
}

const EXAMPLES: &str = "\
Examples:
  git council plan --run run main...HEAD                the first job: what the others need
  git council judge --run run --judge judge-1 --turn 1  one job for each entry that it printed
  git council conclude --run run                        the last job: the verdict";

/// Prepare a review whose judges run in separate CI jobs, and print one entry per job
///
/// With `--debate` there is a second round: once the replies are in the folder, `git council plan --run FOLDER --next`
/// prints its jobs. Each judge then gets its own first answer and those of the others.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlanArgs {
    /// The run's folder; without --next it must not exist yet
    #[arg(long, value_name = "FOLDER")]
    run: PathBuf,
    /// Print the jobs of the next round of a planned run; prints `[]` if there is none
    #[arg(long, conflicts_with_all = ["pr", "event"])]
    next: bool,
    /// Print the jobs as a step output, NAME=JSON
    #[arg(long, value_name = "NAME")]
    matrix: Option<String>,
    #[command(flatten)]
    review: ReviewArgs,
}

impl PlanArgs {
    /// A flag that would do nothing here is a mistake of whoever wrote it.
    fn refuse_idle_flags(&self) -> Result<(), RunError> {
        let (review, output, forge) = (&self.review, &self.review.output, &self.review.forge);
        const DRY_RUN: &str =
            "what would be sent, to whom: git council review --dry-run with the same flags";
        const FRESH: &str = "`plan` always plans: it looks for no earlier verdict";
        const CONCLUDE: &str = "the report is written by `git council conclude`";
        const TOPIC: &str = "a question is debated without jobs: git council review --topic";
        let flags = [
            (review.topic.is_some(), "--topic", TOPIC),
            (review.detach, "--detach", DRY_RUN),
            (review.dry_run, "--dry-run", DRY_RUN),
            (review.fresh, "--fresh", FRESH),
            (output.format.is_some(), "--format", CONCLUDE),
            (output.json, "--json", CONCLUDE),
            (output.output.is_some(), "--output", CONCLUDE),
            (output.no_save, "--no-save", CONCLUDE),
            (output.events.is_some(), "--events", CONCLUDE),
            (forge.sarif.is_some(), "--sarif", CONCLUDE),
            (forge.html.is_some(), "--html", CONCLUDE),
        ];
        match flags.into_iter().find(|(is_given, ..)| *is_given) {
            Some((_, flag, hint)) => {
                let message = format!("{flag} does not belong to `plan`, which runs no judge");
                Err(RunError::usage(message).hint(hint))
            }
            None => Ok(()),
        }
    }
}

pub(crate) fn run(args: &PlanArgs, start: &CommandContext) -> Result<u8, RunError> {
    args.refuse_idle_flags()?;
    let folder = start.dir.join(&args.run);
    let due = if args.next {
        matrix::next_turns(&folder, start)?
    } else {
        plan_first_round(args, &folder, start)?
    };
    let due = serde_json::to_string(&due).unwrap_or_default();
    let line = match &args.matrix {
        Some(name) => format!("{name}={due}\n"),
        None => format!("{due}\n"),
    };
    start.console.print(&line)?;
    Ok(exit::OK)
}

fn plan_first_round(
    args: &PlanArgs,
    folder: &Path,
    start: &CommandContext,
) -> Result<Vec<DueTurn>, RunError> {
    let request = args.review.to_request(&start.dir)?;
    let prepared = if args.review.forge.is_requested() {
        let forge = &args.review.forge;
        let found = find_proposal(&forge.to_request(), forge.full, start)?;
        let Some(found) = found else {
            return Ok(Vec::new());
        };
        let target = TargetSpec::Proposal(found.proposal);
        let mut prepared = prepare::prepare_spec(&request, start, target)?;
        prepared.dismissed = found.dismissed;
        if let Some(before) = &found.before {
            carry_over(&mut prepared, before);
        }
        prepared
    } else {
        prepare::prepare_review(&request, start)?
    };
    matrix::plan_matrix(&prepared, args.review.council.deep, folder, start)
}
