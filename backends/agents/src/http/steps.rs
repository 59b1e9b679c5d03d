//! What a turn has paid for before it is answered: kept, and taken up where a run goes on in another process.

use council_protocol::Turn;
use council_protocol::message::Usage;
use council_protocol::seat::Api;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tooling::ToolBelt;
use super::wire::ModelCall;

/// An answer of a model that only asks for look-ups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TurnStep {
    pub(super) api: Api,
    pub(super) model: String,
    /// The conversation that went along, in bytes.
    pub(super) bytes: u64,
    /// What it cost; none: that is counted already, with the failure of its turn.
    pub(super) usage: Option<Usage>,
    pub(super) calls: Vec<ModelCall>,
    /// What was said beside the calls: it may object to something.
    pub(super) beside: String,
    /// The answer in the API's own items.
    pub(super) said: Vec<Value>,
}

/// What is kept behind the steps of a turn that failed: its failure has told their cost.
const COUNTED: &str = "counted";

impl ToolBelt {
    /// Names the turn under way, for its steps.
    pub(super) fn name_turn(&mut self, turn: &Turn) {
        let judge = self.judge().map(ToString::to_string).unwrap_or_default();
        self.turn = format!("{judge}/{}/{}", turn.id.0, turn.key);
    }

    pub(super) fn keep_step(&self, step: &TurnStep) {
        if let (Some(store), Ok(step)) = (self.steps(), serde_json::to_value(step)) {
            store.keep(&self.turn, step);
        }
    }

    /// The turn has failed, and tells what its steps cost.
    pub(super) fn mark_counted(&self) {
        if let Some(store) = self
            .steps()
            .filter(|store| !store.kept(&self.turn).is_empty())
        {
            store.keep(&self.turn, COUNTED.into());
        }
    }

    /// The steps of the turn that this model has made in an earlier process.
    pub(super) fn steps_of(&self, api: Api, model: &str) -> Vec<TurnStep> {
        let kept = self.steps().map(|store| store.kept(&self.turn));
        let kept = kept.unwrap_or_default();
        let counted = kept.iter().rposition(|step| step == COUNTED).unwrap_or(0);
        let steps = kept
            .into_iter()
            .enumerate()
            .filter(|(_, step)| step != COUNTED);
        let steps = steps.map_while(|(at, step)| {
            let step: TurnStep = serde_json::from_value(step).ok()?;
            let usage = step.usage.filter(|_| at >= counted);
            Some(TurnStep { usage, ..step })
        });
        let is_same = |step: &TurnStep| step.api == api && step.model == model;
        steps.take_while(is_same).collect()
    }
}
