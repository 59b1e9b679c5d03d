//! The driver of the judge that needs no model.

use std::sync::Arc;

use council_builtin::BuiltinJudge;
use council_protocol::{
    Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Task, Turn,
};

use crate::{Agent, AgentContext, AgentReply, Conversation, SeatProbe, StopSignal};

/// Rules over the packet: any number at once, context kept, nothing to start.
pub(crate) struct BuiltinAgent(pub(crate) Arc<AgentContext>);

impl Agent for BuiltinAgent {
    fn driver_name(&self) -> &'static str {
        "builtin"
    }

    /// It reads the task as structure and never a file, so `shared-fs` would be of no use to it.
    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Message,
            Capability::Shutdown,
            // A fresh judge over the same packet makes the same first round again, so nothing is lost between turns.
            Capability::Resume,
            Capability::StructuredOutput,
            Capability::ReadOnly,
        ])
    }

    /// A perspective or a rule that does not exist is told here, before any judge starts.
    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        self.open_judge(seat)?;
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note: String::new(),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Ok(Box::new(RuleConversation(self.open_judge(&spec.seat)?)))
    }
}

impl BuiltinAgent {
    fn open_judge(&self, seat: &Seat) -> Result<BuiltinJudge, Failure> {
        let AgentContext { packet, blobs, .. } = &*self.0;
        BuiltinJudge::new(seat, Arc::clone(packet), Arc::clone(blobs))
            .map_err(|error| Failure::new(FailureKind::Spawn, error.to_string()))
    }
}

struct RuleConversation(BuiltinJudge);

impl Conversation for RuleConversation {
    fn take_turn(&mut self, turn: &Turn, _: &StopSignal) -> Result<AgentReply, Failure> {
        if matches!(turn.task, Task::Explore { .. }) {
            let detail = "the built-in judge applies rules; it cannot answer questions";
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        Ok(AgentReply {
            raw: self.0.take_turn(turn),
            usage: None,
        })
    }
}
