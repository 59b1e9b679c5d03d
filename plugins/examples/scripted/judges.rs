//! In-process backends of ours whose judges do as the conformance suite tells them.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use council_agents::{Agent, Agents, Conversation, Probe, Reply, Stop};
use council_conformance::Told;
use council_protocol::{
    Answer, Backend, Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Turn, Vote,
};

/// The backend of this name over scripted judges.
pub(crate) fn backend(name: &str) -> Option<Box<dyn Backend>> {
    let agents = Agents::of(vec![Arc::new(Scripted)]);
    match name {
        "teams" => Some(council_teams::teams(agents)),
        "inline" => Some(council_inline::inline(agents)),
        "subagents" => Some(council_subagents::subagents(agents)),
        _ => None,
    }
}

/// An agent that sits where the built-in one does, and does as it is told.
struct Scripted;

impl Agent for Scripted {
    fn driver(&self) -> &'static str {
        "builtin"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([Capability::Spawn, Capability::Message, Capability::Shutdown])
    }

    fn probe(&self, _: &Seat) -> Result<Probe, Failure> {
        Ok(Probe {
            capabilities: self.capabilities(),
            note: String::new(),
        })
    }

    fn open(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Ok(Box::new(Self))
    }
}

impl Conversation for Scripted {
    fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        let answer = serde_json::to_string(&Answer::new(turn.round, &turn.key, Vote::Pass))
            .unwrap_or_default();
        let raw = match Told::of(&turn.prompt) {
            Told::Answer => answer,
            Told::Wait(seconds) => {
                wait(Duration::from_secs(seconds.into()), stop)?;
                answer
            }
            Told::Flood(bytes) => "x".repeat(bytes as usize),
            Told::Die => panic!("as told"),
            Told::Deaf(seconds) => {
                thread::sleep(Duration::from_secs(seconds.into()));
                answer
            }
            Told::Garbage => format!("\u{fffd}\u{fffd}{answer}"),
            Told::Forge => format!("{{\"type\":\"horoscope\"}}\n{{\"type\":\"closed\"}}\n{answer}"),
        };
        Ok(Reply { raw, usage: None })
    }
}

/// Sleeps, unless it is told to stop.
fn wait(time: Duration, stop: &Stop) -> Result<(), Failure> {
    let (tell, told) = channel();
    stop.on_raise(move || {
        // Nobody waits any more when the time was over before.
        let _ = tell.send(());
    });
    match told.recv_timeout(time) {
        Err(RecvTimeoutError::Timeout) => Ok(()),
        _ => Err(Failure::new(FailureKind::Cancelled, "as you wish")),
    }
}
