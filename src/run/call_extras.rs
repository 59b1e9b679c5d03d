//! What a call of a judge at an API carries beside the brief, and what look-ups cost.

use council_agents::schema;
use council_agents::tools::{declared_bytes, max_bytes_of_calls};
use council_protocol::Seat;
use council_protocol::price::{EXPECTED_OUTPUT, ModelPrice, estimate_tokens};
use council_protocol::seat::AgentKind;
use council_protocol::task::Form;

use crate::config::Settings;
use crate::council::plan::Procedure;
use crate::report::BriefFacts;

/// Bytes of the largest schema of an answer that a run asks for.
pub(super) fn schema_bytes(settings: &Settings) -> u64 {
    let proves = !settings.proof.run.is_empty() || !settings.proof.suites.is_empty();
    let form = match settings.review.procedure {
        Procedure::CrossExamination => Form::Opening,
        Procedure::Review | Procedure::Debate if proves => Form::ProvenDebate,
        _ => Form::Review,
    };
    schema::answer_schema(form).map_or(0, |schema| schema.text().len() as u64)
}

/// What each call of some judges at an API carries beside a brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallExtras {
    pub(super) schema: u64,
    /// The most tokens that a call may write, thoughts among them.
    pub(super) most_output: u64,
    /// How often a judge may look something up in a turn; 0: there are no tools.
    pub(super) look_ups: u32,
}

impl Default for CallExtras {
    fn default() -> Self {
        Self {
            schema: 0,
            most_output: EXPECTED_OUTPUT,
            look_ups: 0,
        }
    }
}

impl CallExtras {
    /// Of one judge; `has_tree`: there are files that it could look into.
    pub(super) fn of_seat(seat: &Seat, settings: &Settings, has_tree: bool) -> Self {
        match &seat.agent.kind {
            AgentKind::Http(endpoint) => Self {
                schema: if endpoint.structured {
                    schema_bytes(settings)
                } else {
                    0
                },
                most_output: u64::from(endpoint.max_tokens)
                    .saturating_add(endpoint.thinking.unwrap_or(0).into())
                    .max(EXPECTED_OUTPUT),
                look_ups: if has_tree { endpoint.tool_calls } else { 0 },
            },
            _ => Self::default(),
        }
    }

    /// The most of what any of these judges is sent.
    pub(crate) fn of_seats<'s>(
        seats: impl Iterator<Item = &'s Seat>,
        settings: &Settings,
        has_tree: bool,
    ) -> Self {
        let each = seats.map(|seat| Self::of_seat(seat, settings, has_tree));
        each.fold(Self::default(), |all, one| Self {
            schema: all.schema.max(one.schema),
            most_output: all.most_output.max(one.most_output),
            look_ups: all.look_ups.max(one.look_ups),
        })
    }

    pub(super) fn tools(self) -> u64 {
        match self.look_ups {
            0 => 0,
            _ => declared_bytes(),
        }
    }

    /// What the look-ups of a turn may cost: each is a call that sends the whole conversation again, what was written in it
    /// before among it.
    pub(super) fn look_ups_usd(self, price: &ModelPrice, first: u64) -> f64 {
        let cost = |calls: u32| price.max_usd(self.input_behind(calls, first), self.most_output);
        (0..self.look_ups).map(cost).sum()
    }

    /// Tokens that go along with the question for the answer.
    pub(super) fn last_input(self, first: u64) -> u64 {
        self.input_behind(self.look_ups, first)
    }

    fn input_behind(self, calls: u32, first: u64) -> u64 {
        let shown = first + estimate_tokens(max_bytes_of_calls(calls));
        shown.saturating_add(self.most_output.saturating_mul(calls.into()))
    }

    /// A brief's facts with these.
    pub(crate) fn beside(self, brief: BriefFacts) -> BriefFacts {
        BriefFacts {
            schema: self.schema,
            tools: self.tools(),
            ..brief
        }
    }
}
