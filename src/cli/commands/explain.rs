//! `git council explain`: what a built-in rule, a finding or a word of this program means.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::error::RunError;
use crate::run::explain::{explain, list_rules};

/// Explain a rule, a finding, or a word of this program; without a name, list the rules
#[derive(Debug, Clone, Args)]
pub(crate) struct ExplainArgs {
    /// A rule's id; a finding's id in the last report (F1), or its fingerprint; or a word, e.g. quorum
    #[arg(value_name = "RULE|FINDING|WORD")]
    rule: Option<String>,
    /// Take the finding from this run instead of the last report
    #[arg(long, value_name = "RUN", requires = "rule")]
    run: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, start: &CommandContext) -> Result<(), RunError> {
    let columns = start.console.stdout_look().width.clamp(40, 100);
    let page = match &args.rule {
        Some(id) => explain(id, args.run.as_deref(), columns, start)?,
        None => list_rules(start.console.stdout_columns()),
    };
    start.console.print(&page)
}
