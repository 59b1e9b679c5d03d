//! The scenarios, in the order in which they are played.

mod ends;
mod faults;
mod seats;
mod turns;

use council_protocol::Capability;

use crate::Candidate;
use crate::table::{ScenarioOutcome, TableRow};

/// What a scenario comes to: an outcome, or what was wrong.
type ScenarioResult = Result<ScenarioOutcome, String>;

pub(crate) struct Scenario {
    name: &'static str,
    capability: Option<Capability>,
    /// Whether it needs a judge that does as it is told.
    scripted: bool,
    play: fn(&Candidate<'_>) -> ScenarioResult,
}

impl Scenario {
    const fn without_script(
        name: &'static str,
        play: fn(&Candidate<'_>) -> ScenarioResult,
    ) -> Self {
        Self {
            name,
            capability: None,
            scripted: false,
            play,
        }
    }

    const fn needing_capability(
        capability: Capability,
        name: &'static str,
        play: fn(&Candidate<'_>) -> ScenarioResult,
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

    pub(crate) fn run_scenario(&self, candidate: &Candidate<'_>) -> TableRow {
        let outcome = if self.scripted && !candidate.scripted {
            ScenarioOutcome::Untried("no scripted judge".into())
        } else {
            (self.play)(candidate).unwrap_or_else(ScenarioOutcome::Failed)
        };
        TableRow {
            capability: self.capability.clone(),
            scenario: self.name,
            outcome,
        }
    }
}

pub(crate) static ALL: [Scenario; 20] = [
    Scenario::without_script("handshake", seats::version_handshake),
    Scenario::without_script("no version in common", seats::no_version_in_common),
    Scenario::without_script("one judge, one answer", seats::one_answer),
    Scenario::without_script("nobody of that name", seats::unknown_judge),
    Scenario::needing_capability(
        Capability::Spawn,
        "several judges at once",
        seats::several_judges,
    ),
    Scenario::needing_capability(
        Capability::Message,
        "one and only one",
        turns::one_and_only_one,
    ),
    Scenario::needing_capability(Capability::Message, "messages in order", turns::in_order),
    Scenario::without_script("cancelled mid-answer", turns::cancelled_turn).scripted(),
    Scenario::without_script("late answer", turns::late_answer).scripted(),
    Scenario::needing_capability(Capability::Shutdown, "idle judge ends", ends::idle_judge),
    Scenario::needing_capability(Capability::Shutdown, "one of two ends", ends::one_of_two),
    Scenario::needing_capability(
        Capability::Shutdown,
        "shutdown mid-answer",
        ends::mid_answer,
    )
    .scripted(),
    Scenario::needing_capability(
        Capability::Shutdown,
        "shutdown that is ignored",
        ends::ignored_shutdown,
    )
    .scripted(),
    Scenario::without_script("double close", ends::double_close),
    Scenario::without_script("close mid-answer", ends::close_mid_answer).scripted(),
    Scenario::without_script("oversized output", faults::oversized_answer),
    Scenario::without_script("flood of 50 MB", faults::endless_answer).scripted(),
    Scenario::without_script("death mid-turn", faults::dying_judge).scripted(),
    Scenario::without_script("invalid UTF-8", faults::invalid_utf8).scripted(),
    Scenario::without_script("unknown event", faults::forged_event).scripted(),
];
