//! `git council eval compare`

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::pager;
use crate::council::plan::ConsensusRule;
use crate::eval::compare::compare_councils;
use crate::run::error::RunError;
use crate::run::eval::comparison::{comparison_page, describe_comparison};
use crate::run::eval::files::EvalFiles;
use crate::run::eval::labels::LabelBook;
use crate::run::eval::recount::recount_trial;

#[derive(Debug, Clone, Args)]
pub(super) struct CompareArgs {
    /// The file that `git council eval collect` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Count the stored answers by another rule, e.g. consensus=majority; asks no model
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_rule)]
    recount: Option<ConsensusRule>,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
    /// Print the comparison as a page for a browser, e.g. > councils.html
    #[arg(long, conflicts_with = "json")]
    html: bool,
}

fn parse_rule(text: &str) -> Result<ConsensusRule, String> {
    match text {
        "consensus=findings" => Ok(ConsensusRule::Findings),
        "consensus=strict" => Ok(ConsensusRule::Strict),
        "consensus=majority" => Ok(ConsensusRule::Majority),
        _ => Err("write consensus=findings, consensus=strict or consensus=majority".to_owned()),
    }
}

pub(super) fn run(args: &CompareArgs, start: &CommandContext) -> Result<(), RunError> {
    let files = EvalFiles::new(start.dir.join(&args.file));
    let items = files.read_changes()?;
    let mut trials = files.read_results()?.ended;
    if trials.is_empty() {
        return Err(
            RunError::usage("no council has reviewed these changes yet").hint(format!(
                "git council eval run {} --council A.toml",
                args.file.display()
            )),
        );
    }
    if let Some(rule) = args.recount {
        trials = trials
            .iter()
            .map(|trial| recount_trial(trial, rule, &files))
            .collect::<Result<_, _>>()?;
    }
    let labels = LabelBook::load(&files)?;
    let comparison = compare_councils(&items, &trials, &|item, finding| labels.find(item, finding));
    if args.json {
        let text = crate::text::pretty_json(&comparison).map_err(RunError::run)?;
        return start.console.print(&(text + "\n"));
    }
    if args.html {
        return start.console.print(&comparison_page(&comparison).render());
    }
    pager::print_paged(&describe_comparison(&comparison), start)
}
