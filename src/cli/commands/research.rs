//! `git council research`: what several minds find out, in one document.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::topic::{self, TopicArgs};
use crate::prompt::ProductionMode;
use crate::run::error::RunError;

const EXAMPLES: &str = "\
Examples:
  git council research \"Which storage engines survive a torn write?\"
  git council research --deep --explorers 2 \"What does our retry logic assume?\"";

/// Research a question with several agents, into one document; gives no verdict
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResearchArgs {
    #[command(flatten)]
    topic: TopicArgs,
    #[arg(long, hide = true, value_name = "NAME")]
    technique: Option<String>,
}

pub(crate) fn run(args: ResearchArgs, start: &CommandContext) -> Result<u8, RunError> {
    topic::refuse_technique(args.technique.as_deref())?;
    topic::run_topic(args.topic, ProductionMode::Research, start)
}
