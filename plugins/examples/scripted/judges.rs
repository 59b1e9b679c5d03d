//! In-process backends of ours whose judges do as the conformance suite tells them.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use council_agents::{Agent, AgentReply, AgentTable, Conversation, SeatProbe, StopSignal};
use council_conformance::ScriptLine;
use council_protocol::{
    Answer, Backend, Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Turn, Vote,
};

/// The backend of this name over scripted judges.
pub(crate) fn backend(name: &str) -> Option<Box<dyn Backend>> {
    let agents = AgentTable::from_agents(vec![Arc::new(Scripted)]);
    match name {
        "teams" => Some(council_teams::teams_backend(agents)),
        "inline" => Some(council_inline::inline_backend(agents)),
        "subagents" => Some(council_subagents::subagents_backend(agents)),
        _ => None,
    }
}

/// An agent that sits where the built-in one does, and does as it is told.
struct Scripted;

impl Agent for Scripted {
    fn driver_name(&self) -> &'static str {
        "builtin"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([Capability::Spawn, Capability::Message, Capability::Shutdown])
    }

    fn probe_seat(&self, _: &Seat) -> Result<SeatProbe, Failure> {
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note: String::new(),
        })
    }

    fn open_conversation(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Ok(Box::new(Self))
    }
}

impl Conversation for Scripted {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        let answer = serde_json::to_string(&Answer::new(turn.round, &turn.key, Vote::Pass))
            .unwrap_or_default();
        let raw = match ScriptLine::of(&turn.prompt) {
            ScriptLine::Answer => answer,
            ScriptLine::Wait(seconds) => {
                wait(Duration::from_secs(seconds.into()), stop)?;
                answer
            }
            ScriptLine::Flood(bytes) => "x".repeat(bytes as usize),
            ScriptLine::Die => panic!("as told"),
            ScriptLine::Deaf(seconds) => {
                thread::sleep(Duration::from_secs(seconds.into()));
                answer
            }
            ScriptLine::Garbage => format!("\u{fffd}\u{fffd}{answer}"),
            ScriptLine::Forge => {
                format!("{{\"type\":\"horoscope\"}}\n{{\"type\":\"closed\"}}\n{answer}")
            }
        };
        Ok(AgentReply { raw, usage: None })
    }
}

/// Sleeps, unless it is told to stop.
fn wait(time: Duration, stop: &StopSignal) -> Result<(), Failure> {
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
