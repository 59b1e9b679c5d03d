//! The scenarios, in the order in which they are played.

mod ends;
mod faults;
mod seats;
mod turns;

use council_protocol::Capability;

use crate::Candidate;
use crate::table::{Outcome, Row};

/// What a scenario comes to: an outcome, or what was wrong.
type Played = Result<Outcome, String>;

pub(crate) struct Scenario {
    name: &'static str,
    capability: Option<Capability>,
    /// Whether it needs a judge that does as it is told.
    scripted: bool,
    play: fn(&Candidate<'_>) -> Played,
}

impl Scenario {
    const fn plain(name: &'static str, play: fn(&Candidate<'_>) -> Played) -> Self {
        Self {
            name,
            capability: None,
            scripted: false,
            play,
        }
    }

    const fn about(
        capability: Capability,
        name: &'static str,
        play: fn(&Candidate<'_>) -> Played,
    ) -> Self {
        Self {
            name,
            capability: Some(capability),
            scripted: false,
            play,
        }
    }

    const fn scripted(mut self) -> Self {
        self.scripted = true;
        self
    }

    pub(crate) fn play(&self, candidate: &Candidate<'_>) -> Row {
        let outcome = if self.scripted && !candidate.scripted {
            Outcome::Untried("no scripted judge".into())
        } else {
            (self.play)(candidate).unwrap_or_else(Outcome::Failed)
        };
        Row {
            capability: self.capability.clone(),
            scenario: self.name,
            outcome,
        }
    }
}

pub(crate) static ALL: [Scenario; 20] = [
    Scenario::plain("handshake", seats::handshake),
    Scenario::plain("no version in common", seats::no_version_in_common),
    Scenario::plain("one judge, one answer", seats::one_answer),
    Scenario::plain("nobody of that name", seats::nobody),
    Scenario::about(Capability::Spawn, "several judges at once", seats::several),
    Scenario::about(
        Capability::Message,
        "one and only one",
        turns::one_and_only_one,
    ),
    Scenario::about(Capability::Message, "messages in order", turns::in_order),
    Scenario::plain("cancelled mid-answer", turns::cancelled).scripted(),
    Scenario::plain("late answer", turns::late).scripted(),
    Scenario::about(Capability::Shutdown, "idle judge ends", ends::idle),
    Scenario::about(Capability::Shutdown, "one of two ends", ends::one_of_two),
    Scenario::about(
        Capability::Shutdown,
        "shutdown mid-answer",
        ends::mid_answer,
    )
    .scripted(),
    Scenario::about(
        Capability::Shutdown,
        "shutdown that is ignored",
        ends::ignored,
    )
    .scripted(),
    Scenario::plain("double close", ends::double_close),
    Scenario::plain("close mid-answer", ends::close_mid_answer).scripted(),
    Scenario::plain("oversized output", faults::oversized),
    Scenario::plain("flood of 50 MB", faults::flood).scripted(),
    Scenario::plain("death mid-turn", faults::death).scripted(),
    Scenario::plain("invalid UTF-8", faults::garbage).scripted(),
    Scenario::plain("unknown event", faults::forged).scripted(),
];
