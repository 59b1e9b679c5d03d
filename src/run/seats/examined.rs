//! What a cross-examination, and a text in the place of a change, ask of the seats.

use council_protocol::Seat;
use council_protocol::packet::TargetKind;
use council_protocol::seat::AgentKind;

use crate::config::{LayerSource, ResolvedKey};
use crate::council::plan::{
    ConsensusRule, DebateSubject, Procedure, ProcedureOptions, RoundLimits,
};
use crate::run::error::RunError;
use crate::run::seats::SeatPlanner;
use crate::run::seats::councillors::CouncillorRoster;

impl SeatPlanner<'_> {
    /// What a cross-examination asks for beside the rest.
    pub(crate) fn examination_options(&self, options: ProcedureOptions) -> ProcedureOptions {
        if !self.is_cross_examination() {
            return options;
        }
        let rounds = self.councillor_roster().rounds;
        ProcedureOptions {
            rounds: Some(RoundLimits {
                min: rounds,
                max: rounds,
            }),
            economy: self.settings().cross_examination.economy,
            ..options
        }
    }

    /// The rule of the verdict. What has no code has no quotes to find again: there votes decide, unless somebody said
    /// otherwise.
    pub(crate) fn consensus_rule(&self, subject: DebateSubject) -> ConsensusRule {
        let said = self
            .config
            .entry("review.consensus")
            .and_then(ResolvedKey::origin);
        let by_default = said.is_none_or(|origin| origin.source == LayerSource::BuiltIn);
        match subject {
            DebateSubject::Text if by_default => ConsensusRule::Majority,
            _ => self.settings().review.consensus,
        }
    }

    /// Rules see code only: a document or a question needs judges that think, and nothing is faked.
    pub(crate) fn require_thinking_seats(seats: &[Seat], kind: TargetKind) -> Result<(), RunError> {
        let what = match kind {
            TargetKind::File => "a document",
            TargetKind::Topic => "a question",
            _ => return Ok(()),
        };
        let ruled = |seat: &&Seat| matches!(seat.agent.kind, AgentKind::Builtin { .. });
        let Some(seat) = seats.iter().find(ruled) else {
            return Ok(());
        };
        let message = format!(
            "{what} needs agents with a model, but {} is `{}`, which only applies rules to code",
            seat.judge, seat.agent.name
        );
        Err(RunError::usage(message)
            .hint("configure an agent in your own configuration (`[agents.NAME]`), or name one: --agents NAME"))
    }

    pub(crate) fn councillor_roster(&self) -> CouncillorRoster {
        CouncillorRoster::from_settings(&self.settings().cross_examination)
    }

    pub(crate) fn is_cross_examination(&self) -> bool {
        self.settings().review.procedure == Procedure::CrossExamination
    }
}
