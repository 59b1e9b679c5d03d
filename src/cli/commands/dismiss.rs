//! `git council dismiss`: arguing with a finding, on the record.

use clap::{Args, ValueEnum};

use crate::cli::context::CommandContext;
use crate::council::DismissalGround;
use crate::run::dismiss::{DismissRequest, FindingDecision, describe_proposals, dismiss};
use crate::run::error::RunError;

/// Dismiss a finding: it stays listed but does not count until its code changes
#[derive(Debug, Clone, Args)]
pub(crate) struct DismissArgs {
    /// The finding: its id in the last report (F1), or the first digits of its fingerprint
    #[arg(value_name = "ID", required_unless_present = "proposed")]
    id: Option<String>,
    /// The reason, in a sentence for whoever reads it later
    #[arg(long, value_name = "REASON", required_unless_present_any = ["undo", "accept", "proposed"])]
    because: Option<String>,
    /// Why it does not count
    #[arg(long = "as", value_name = "GROUND", default_value = "false-positive")]
    ground: GroundArg,
    /// Look in this run instead of the last report
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Undo an earlier dismissal
    #[arg(long, conflicts_with_all = ["accept", "proposed"])]
    undo: bool,
    /// List the dismissals that coding agents have asked for
    #[arg(long, conflicts_with_all = ["id", "because", "accept"])]
    proposed: bool,
    /// Dismiss it for the reason that a coding agent proposed
    #[arg(long, conflicts_with = "because")]
    accept: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum GroundArg {
    #[default]
    FalsePositive,
    AcceptedRisk,
    Fixed,
}

impl From<GroundArg> for DismissalGround {
    fn from(ground: GroundArg) -> Self {
        match ground {
            GroundArg::FalsePositive => Self::FalsePositive,
            GroundArg::AcceptedRisk => Self::AcceptedRisk,
            GroundArg::Fixed => Self::Fixed,
        }
    }
}

pub(crate) fn run(args: &DismissArgs, start: &CommandContext) -> Result<(), RunError> {
    let done = match args.id.clone().filter(|_| !args.proposed) {
        None => describe_proposals(start)?,
        Some(id) => dismiss(&args.to_request(id), start)?,
    };
    start.console.print(&done)
}

impl DismissArgs {
    fn to_request(&self, id: String) -> DismissRequest {
        DismissRequest {
            id,
            run: self.run.clone(),
            because: self.because.clone().unwrap_or_default(),
            ground: self.ground.into(),
            decision: match (self.undo, self.accept) {
                (true, _) => FindingDecision::TakeBack,
                (_, true) => FindingDecision::AcceptProposal,
                _ => FindingDecision::Dismiss,
            },
        }
    }
}
