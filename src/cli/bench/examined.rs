//! What a cross-examination, and a text in the place of a change, ask of the bench (seed 001).

use council_protocol::Seat;
use council_protocol::seat::AgentKind;

use super::Bench;
use crate::cli::councillors::Roster;
use crate::cli::error::CliError;
use crate::config::{Entry, Source};
use crate::council::plan::{Consensus, Options, Procedure, RoundLimits, Subject};

impl Bench<'_> {
    /// What a cross-examination asks for beside the rest.
    pub(super) fn examination(&self, options: Options) -> Options {
        if !self.is_examined() {
            return options;
        }
        let rounds = self.roster().rounds;
        Options {
            rounds: Some(RoundLimits {
                min: rounds,
                max: rounds,
            }),
            economy: self.settings().cross_examination.economy,
            ..options
        }
    }

    /// The rule of the verdict. What has no code has no quotes to find again: there votes decide, unless somebody said
    /// otherwise (seed 001).
    pub(crate) fn consensus(&self, subject: Subject) -> Consensus {
        let said = self
            .config
            .entry("review.consensus")
            .and_then(Entry::origin);
        let by_default = said.is_none_or(|origin| origin.source == Source::BuiltIn);
        match subject {
            Subject::Text if by_default => Consensus::Majority,
            _ => self.settings().review.consensus,
        }
    }

    /// Rules see code only: a document or a question needs judges that think, and nothing is faked.
    pub(crate) fn must_think(seats: &[Seat], what: &str) -> Result<(), CliError> {
        let ruled = |seat: &&Seat| matches!(seat.agent.kind, AgentKind::Builtin { .. });
        let Some(seat) = seats.iter().find(ruled) else {
            return Ok(());
        };
        let message = format!(
            "{what} needs agents that think, and {} is `{}`, which applies rules to code",
            seat.judge, seat.agent.name
        );
        Err(CliError::usage(message)
            .hint("configure an agent in your own configuration (`[agents.NAME]`), or name one: --agents NAME"))
    }

    pub(super) fn roster(&self) -> Roster {
        Roster::of(&self.settings().cross_examination)
    }

    pub(super) fn is_examined(&self) -> bool {
        self.settings().review.procedure == Procedure::CrossExamination
    }
}
