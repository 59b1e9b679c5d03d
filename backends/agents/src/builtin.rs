//! The driver of the judge that needs no model.

use std::sync::Arc;

use council_builtin::Judge;
use council_protocol::{
    Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Task, Turn,
};

use crate::{Agent, Conversation, Probe, Reply, Stop, Workshop};

/// Rules over the packet: any number at once, context kept, nothing to start.
pub(crate) struct Builtin(pub(crate) Arc<Workshop>);

impl Agent for Builtin {
    fn driver(&self) -> &'static str {
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
    fn probe(&self, seat: &Seat) -> Result<Probe, Failure> {
        self.judge(seat)?;
        Ok(Probe {
            capabilities: self.capabilities(),
            note: String::new(),
        })
    }

    fn open(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Ok(Box::new(Rules(self.judge(&spec.seat)?)))
    }
}

impl Builtin {
    fn judge(&self, seat: &Seat) -> Result<Judge, Failure> {
        let Workshop { packet, blobs, .. } = &*self.0;
        Judge::new(seat, Arc::clone(packet), Arc::clone(blobs))
            .map_err(|error| Failure::new(FailureKind::Spawn, error.to_string()))
    }
}

struct Rules(Judge);

impl Conversation for Rules {
    fn turn(&mut self, turn: &Turn, _: &Stop) -> Result<Reply, Failure> {
        if matches!(turn.task, Task::Explore { .. }) {
            let detail = "the built-in judge applies rules; it cannot answer questions";
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        Ok(Reply {
            raw: self.0.turn(turn),
            usage: None,
        })
    }
}
