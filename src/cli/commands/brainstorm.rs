//! `git council brainstorm`: ideas of several minds in one document.

use clap::{Args, ValueEnum};

use crate::cli::context::CommandContext;
use crate::cli::topic::{self, TopicArgs};
use crate::prompt::{BrainstormTechnique, ProductionMode};
use crate::run::error::RunError;

const EXAMPLES: &str = "\
Examples:
  git council brainstorm \"How could our tests start in a second?\"
  git council brainstorm --deep --technique six-hats \"A name for the next release\"";

/// Collect ideas from several agents into one document; gives no verdict
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BrainstormArgs {
    #[command(flatten)]
    topic: TopicArgs,
    /// A creativity technique to follow: scamper, six-hats, reverse
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true)]
    technique: Option<TechniqueArg>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TechniqueArg {
    Scamper,
    SixHats,
    Reverse,
}

impl From<TechniqueArg> for BrainstormTechnique {
    fn from(arg: TechniqueArg) -> Self {
        match arg {
            TechniqueArg::Scamper => Self::Scamper,
            TechniqueArg::SixHats => Self::SixHats,
            TechniqueArg::Reverse => Self::Reverse,
        }
    }
}

pub(crate) fn run(args: BrainstormArgs, start: &CommandContext) -> Result<u8, RunError> {
    let technique = args.technique.map(BrainstormTechnique::from);
    topic::run_topic(args.topic, ProductionMode::Brainstorm(technique), start)
}
