//! The driver that plays back the answers of a past council: any real council becomes a test, offline and free.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use council_protocol::message::Usage;
use council_protocol::seat::AgentKind;
use council_protocol::{
    Capability, CapabilitySet, Failure, FailureKind, JudgeId, JudgeSpec, Seat, Task, Turn, TurnId,
};
use serde::Deserialize;

use crate::{Agent, AgentReply, Conversation, SeatProbe, StopSignal};

/// The largest bundle that is read.
const MAX_BUNDLE_BYTES: u64 = 256 << 20;

/// The version of bundles that are played.
const BUNDLE_VERSION: u32 = 1;

/// A council that was held before.
pub(crate) struct RecordedAgent;

/// What of a bundle is played back.
#[derive(Deserialize)]
struct CouncilRecording {
    bundle: u32,
    turns: Vec<RecordedTurn>,
    entries: Vec<RecordedEntry>,
}

#[derive(Deserialize)]
struct RecordedTurn {
    id: TurnId,
    key: String,
}

#[derive(Deserialize)]
#[serde(tag = "input", rename_all = "kebab-case")]
enum RecordedEntry {
    Answered {
        judge: JudgeId,
        turn: TurnId,
        raw: String,
        usage: Option<Usage>,
    },
    Failed {
        judge: JudgeId,
        turn: Option<TurnId>,
        failure: Failure,
    },
    Explored {
        results: Vec<RecordedResult>,
    },
    #[serde(other)]
    Else,
}

#[derive(Deserialize)]
struct RecordedResult {
    question: String,
    result: Option<String>,
}

/// What a judge is to say, turn by turn, with the one-time key that was asked for then.
struct JudgeTape {
    replies: VecDeque<(String, Result<AgentReply, Failure>)>,
    /// What explorers found, by question.
    found: HashMap<String, String>,
}

impl Agent for RecordedAgent {
    fn driver_name(&self) -> &'static str {
        "recorded"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Message,
            Capability::Shutdown,
            Capability::ReadOnly,
        ])
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        let recording = CouncilRecording::read_bundle(recording_of(seat)?)?;
        if recording.tape_of(&seat.judge).replies.is_empty() {
            let detail = format!(
                "the recording has no judge `{}`; it has {}",
                seat.judge,
                recording.judge_names()
            );
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note: "a recording: nobody is asked".to_owned(),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        let recording = CouncilRecording::read_bundle(recording_of(&spec.seat)?)?;
        Ok(Box::new(recording.tape_of(&spec.seat.judge)))
    }
}

fn recording_of(seat: &Seat) -> Result<&Path, Failure> {
    match &seat.agent.kind {
        AgentKind::Recorded { recording } => Ok(recording),
        _ => Err(Failure::new(
            FailureKind::Unsupported,
            "this driver plays recordings only",
        )),
    }
}

impl CouncilRecording {
    fn read_bundle(file: &Path) -> Result<Self, Failure> {
        let cannot = |why: &dyn std::fmt::Display| {
            Failure::new(
                FailureKind::Spawn,
                format!("cannot play {}: {why}", file.display()),
            )
        };
        let size = std::fs::metadata(file)
            .map_err(|error| cannot(&error))?
            .len();
        if size > MAX_BUNDLE_BYTES {
            return Err(cannot(&"it is larger than 256 MiB"));
        }
        let bytes = std::fs::read(file).map_err(|error| cannot(&error))?;
        let recording: Self = serde_json::from_slice(&bytes).map_err(|error| cannot(&error))?;
        match recording.bundle {
            BUNDLE_VERSION => Ok(recording),
            other => Err(cannot(&format!(
                "it has version {other}, this program plays version {BUNDLE_VERSION}"
            ))),
        }
    }

    /// What one judge said, in order; nothing for a judge that was not there.
    fn tape_of(&self, judge: &JudgeId) -> JudgeTape {
        let keys: HashMap<TurnId, &str> = self
            .turns
            .iter()
            .map(|given| (given.id, given.key.as_str()))
            .collect();
        let key = |turn: &TurnId| keys.get(turn).copied().unwrap_or_default().to_owned();
        let reply = |heard: &RecordedEntry| match heard {
            RecordedEntry::Answered {
                judge: whose,
                turn,
                raw,
                usage,
            } if whose == judge => {
                let reply = AgentReply {
                    raw: raw.clone(),
                    usage: usage.clone(),
                };
                Some((key(turn), Ok(reply)))
            }
            RecordedEntry::Failed {
                judge: whose,
                turn: Some(turn),
                failure,
            } if whose == judge => Some((key(turn), Err(failure.clone()))),
            _ => None,
        };
        let explored = self.entries.iter().filter_map(|heard| match heard {
            RecordedEntry::Explored { results } => Some(results),
            _ => None,
        });
        let found = |found: &RecordedResult| Some((found.question.clone(), found.result.clone()?));
        JudgeTape {
            replies: self.entries.iter().filter_map(reply).collect(),
            found: explored.flatten().filter_map(found).collect(),
        }
    }

    fn judge_names(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for heard in &self.entries {
            if let RecordedEntry::Answered { judge, .. } | RecordedEntry::Failed { judge, .. } =
                heard
                && !names.contains(&judge.as_str())
            {
                names.push(judge.as_str());
            }
        }
        names.join(", ")
    }
}

impl Conversation for JudgeTape {
    /// The next thing that was said, with the key of this turn where it had the key of its own.
    fn take_turn(&mut self, turn: &Turn, _: &StopSignal) -> Result<AgentReply, Failure> {
        if let Task::Explore { question } = &turn.task {
            let raw = self.found.get(question).cloned().unwrap_or_default();
            return Ok(AgentReply { raw, usage: None });
        }
        let (key, reply) = self.replies.pop_front().ok_or_else(|| {
            Failure::new(FailureKind::Died, "the recording ends before this turn")
        })?;
        let mut reply = reply?;
        if !key.is_empty() {
            reply.raw = reply.raw.replace(&key, &turn.key);
        }
        Ok(reply)
    }
}
