use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use council_agents::{Agent, AgentReply, Conversation, SeatProbe, StopSignal};
use council_protocol::message::{Ending, Hello};
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{
    CapabilitySet, Event, Failure, JudgeId, JudgeSpec, Message, PROTOCOL_VERSION, Seat, Task, Turn,
    TurnId,
};

use super::*;

/// Says how often it was asked.
struct Counter(u32);

impl Agent for Counter {
    fn driver_name(&self) -> &'static str {
        "builtin"
    }

    fn capabilities(&self) -> CapabilitySet {
        Capability::known().collect()
    }

    fn probe_seat(&self, _: &Seat) -> Result<SeatProbe, Failure> {
        Ok(SeatProbe::default())
    }

    fn open_conversation(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Ok(Box::new(Self(0)))
    }
}

impl Conversation for Counter {
    fn take_turn(&mut self, _: &Turn, _: &StopSignal) -> Result<AgentReply, Failure> {
        self.0 += 1;
        Ok(AgentReply {
            raw: self.0.to_string(),
            usage: None,
        })
    }
}

fn spec(judge: &JudgeId) -> JudgeSpec {
    let agent = AgentSpec {
        name: "builtin".into(),
        kind: AgentKind::Builtin {
            rules: Default::default(),
        },
        vendor: "builtin".into(),
        model: None,
        deterministic: true,
    };
    let seat = Seat {
        judge: judge.clone(),
        perspective: Default::default(),
        agent,
    };
    JudgeSpec {
        seat,
        brief: "".into(),
        room: None,
        max_answer_bytes: 1000,
        proves: false,
    }
}

#[test]
fn a_hundred_judges_are_held_through_two_rounds() {
    let mut teams = teams_backend(AgentTable::from_agents(vec![Arc::new(Counter(0))]));
    let (sender, events) = channel();
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    };
    teams
        .open(
            hello,
            Arc::new(move |event| {
                let _ = sender.send(event);
            }),
        )
        .unwrap();
    let judges: Vec<JudgeId> = (0..100).map(|i| JudgeId(format!("judge-{i}"))).collect();
    judges
        .iter()
        .for_each(|judge| teams.spawn(spec(judge)).unwrap());
    for round in 1..=2 {
        for (i, judge) in judges.iter().enumerate() {
            let turn = Turn {
                id: TurnId(u32::from(round) * 1000 + i as u32),
                round: round.into(),
                key: String::new(),
                task: Task::Review,
                prompt: String::new(),
                timeout_ms: 1000,
                spend: None,
            };
            let judge = judge.clone();
            teams.send(Message::Turn { judge, turn }).unwrap();
        }
    }
    let mut answers: BTreeMap<JudgeId, Vec<String>> = BTreeMap::new();
    while answers.values().map(Vec::len).sum::<usize>() < 200 {
        if let Event::Answered { judge, raw, .. } =
            events.recv_timeout(Duration::from_secs(10)).unwrap()
        {
            answers.entry(judge).or_default().push(raw);
        }
    }
    assert_eq!(answers.len(), 100);
    assert!(
        answers.values().all(|raws| raws == &["1", "2"]),
        "each keeps its own context"
    );
    teams.close().unwrap();
    let ends: Vec<_> = events.try_iter().collect();
    let graceful = |e: &&Event| {
        matches!(
            e,
            Event::Ended {
                ending: Ending::Graceful,
                ..
            }
        )
    };
    assert_eq!(ends.iter().filter(graceful).count(), 100);
    assert_eq!(ends.last(), Some(&Event::Closed));
}

#[test]
fn the_four_capabilities_are_offered() {
    let offered = teams_backend(AgentTable::from_agents(Vec::new())).manifest();
    assert_eq!(offered.name, "teams");
    for name in ["spawn", "message", "shutdown", "shared-fs"] {
        assert!(
            offered.capabilities.has(&Capability::from(name.to_owned())),
            "{name}"
        );
    }
}
