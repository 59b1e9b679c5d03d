use std::sync::Arc;

use council_agents::{Agent, Conversation, SeatProbe};
use council_protocol::message::Manifest;
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, JudgeSpec, Limits, PROTOCOL_VERSION, Sink,
};

use super::*;
use crate::registry::{BackendKit, BackendOrigin, built_in_backends};

/// A backend that says what it is told to when it is opened and when it is asked.
struct Parrot {
    on_open: Vec<Event>,
    on_probe: fn(Seat) -> Vec<Event>,
    sink: Option<Sink>,
}

impl Backend for Parrot {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "parrot".into(),
            version: "1".into(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: CapabilitySet::from([Capability::Spawn, Capability::Message]),
            limits: Limits::default(),
        }
    }

    fn open(&mut self, _: Hello, sink: Sink) -> Result<(), BackendError> {
        self.on_open.drain(..).for_each(|event| sink(event));
        self.sink = Some(sink);
        Ok(())
    }

    fn spawn(&mut self, _: JudgeSpec) -> Result<(), BackendError> {
        Err(BackendError::Unsupported(Capability::Spawn))
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        if let (Message::Probe { seat }, Some(sink)) = (message, &self.sink) {
            (self.on_probe)(seat)
                .into_iter()
                .for_each(|event| sink(event));
        }
        Ok(())
    }

    fn cancel(&mut self, _: &JudgeId) -> Result<(), BackendError> {
        Ok(())
    }

    fn shutdown(&mut self, _: &JudgeId, _: u64) -> Result<(), BackendError> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

struct Rules;

impl Agent for Rules {
    fn driver_name(&self) -> &'static str {
        "builtin"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([Capability::Spawn, Capability::Message])
    }

    fn probe_seat(&self, _: &Seat) -> Result<SeatProbe, Failure> {
        Ok(SeatProbe {
            capabilities: Capability::known().collect(),
            note: String::new(),
        })
    }

    fn open_conversation(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Err(Failure::new(FailureKind::Spawn, "not in this test"))
    }
}

fn seats() -> Vec<Seat> {
    let agent = AgentSpec {
        name: "builtin".into(),
        kind: AgentKind::Builtin {
            rules: Default::default(),
        },
        vendor: "builtin".into(),
        model: None,
        deterministic: true,
    };
    let seat = |judge: &str| Seat {
        judge: judge.into(),
        perspective: Default::default(),
        agent: agent.clone(),
    };
    vec![seat("judge-1"), seat("judge-2")]
}

fn hello() -> Hello {
    Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    }
}

fn parrot(on_open: Vec<Event>, on_probe: fn(Seat) -> Vec<Event>) -> BackendCandidate {
    let backend = Box::new(Parrot {
        on_open,
        on_probe,
        sink: None,
    });
    let listed = ListedBackend {
        name: "parrot".into(),
        origin: BackendOrigin::Configured("a test".into()),
        about: String::new(),
        backend,
    };
    let patience = Duration::from_millis(20);
    let agents = AgentTable::from_agents(Vec::new());
    survey_backends(vec![listed], &hello(), &seats(), &agents, patience)
        .candidates
        .remove(0)
}

fn opened() -> Vec<Event> {
    vec![Event::Opened {
        protocol: PROTOCOL_VERSION,
    }]
}

fn kit(agents: &AgentTable) -> BackendKit {
    BackendKit {
        agents: agents.clone(),
        office: None,
    }
}

#[test]
fn a_grant_is_what_backend_agent_and_probe_have() {
    let agents = AgentTable::from_agents(vec![Arc::new(Rules)]);
    let patience = Duration::from_secs(10);
    let found = survey_backends(
        built_in_backends(&kit(&agents)),
        &hello(),
        &seats(),
        &agents,
        patience,
    );
    // Without a folder there is nothing to join workers by: `background` cannot even be opened.
    let opened = found.candidates.iter().filter(|c| c.name != "background");
    let grants: Vec<_> = opened
        .map(|c| {
            (
                c.name.as_str(),
                c.seats.as_ref().unwrap()[1].1.clone().unwrap(),
            )
        })
        .collect();
    let background = found
        .candidates
        .iter()
        .find(|c| c.name == "background")
        .unwrap();
    assert!(background.seats.as_ref().unwrap_err().contains("shared-fs"));
    let both = CapabilitySet::from([Capability::Spawn, Capability::Message]);
    let one = CapabilitySet::from([Capability::Message]);
    let expected = [
        ("teams", both.clone()),
        ("subagents", both),
        ("inline", one),
    ];
    assert_eq!(grants, expected);
}

#[test]
fn a_seat_that_nobody_can_drive_cannot_be_taken() {
    let agents = AgentTable::from_agents(Vec::new());
    let found = survey_backends(
        built_in_backends(&kit(&agents)),
        &hello(),
        &seats(),
        &agents,
        Duration::from_secs(10),
    );
    for candidate in found.candidates.iter().filter(|c| c.name != "background") {
        let seats = candidate.seats.as_ref().unwrap();
        let kinds: Vec<_> = seats
            .iter()
            .map(|(_, probed)| probed.as_ref().unwrap_err().kind)
            .collect();
        assert_eq!(kinds, [FailureKind::Unsupported; 2], "{}", candidate.name);
    }
}

#[test]
fn a_worker_is_as_its_agent_is_elsewhere() {
    let candidate = |name: &str, kinds: [Option<FailureKind>; 2]| {
        let probed = |kind: Option<FailureKind>| match kind {
            None => Ok(CapabilitySet::default()),
            Some(kind) => Err(Failure::new(kind, "there is no key")),
        };
        let judge = |number: usize| JudgeId(format!("judge-{number}"));
        BackendCandidate {
            name: name.into(),
            about: String::new(),
            limits: Limits::default(),
            seats: Ok(vec![
                (judge(1), probed(kinds[0])),
                (judge(2), probed(kinds[1])),
            ]),
        }
    };
    let (missing, foreign) = (Some(FailureKind::Spawn), Some(FailureKind::Unsupported));
    let agents = AgentTable::from_agents(vec![Arc::new(Rules)]);
    let asked = |others: [[Option<FailureKind>; 2]; 2], agents: &AgentTable| {
        let mut candidates = [
            candidate("teams", others[0]),
            candidate("subagents", others[1]),
            candidate(WORKERS, [None, None]),
        ];
        workers_as_the_others(&mut candidates, &seats(), agents);
        let [_, _, workers] = candidates;
        workers
            .seats
            .unwrap()
            .into_iter()
            .map(|(_, probed)| probed.err().map(|failure| failure.kind))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        asked([[missing, missing], [missing, None]], &agents),
        [missing, None]
    );
    // Of agents that nobody else holds, the agent itself is asked.
    assert_eq!(
        asked([[foreign, None], [foreign, None]], &agents),
        [None, None]
    );
    let nobody = AgentTable::from_agents(Vec::new());
    assert!(asked([[foreign, foreign], [foreign, foreign]], &nobody)[0].is_some());
}

#[test]
fn a_probe_that_is_not_answered_is_a_seat_that_cannot_be_taken() {
    let candidate = parrot(opened(), |seat| match seat.judge.as_str() {
        "judge-1" => vec![Event::Probed {
            judge: seat.judge,
            capabilities: CapabilitySet::from([Capability::Message, Capability::Cost]),
            note: String::new(),
        }],
        _ => Vec::new(),
    });
    let seats = candidate.seats.unwrap();
    assert_eq!(seats[0].1, Ok(CapabilitySet::from([Capability::Message])));
    assert_eq!(seats[1].1.as_ref().unwrap_err().kind, FailureKind::Timeout);
}

#[test]
fn a_backend_that_does_not_open_is_no_candidate() {
    let silent = parrot(Vec::new(), |_| Vec::new());
    assert_eq!(silent.seats, Err("it did not open in time".to_owned()));
    let foreign = parrot(vec![Event::Opened { protocol: 99 }], |_| Vec::new());
    assert_eq!(
        foreign.seats,
        Err("it chose protocol 99, which was not offered".to_owned())
    );
    let gone = parrot(opened(), |_| vec![Event::Closed]);
    assert_eq!(gone.seats, Err("it closed while it was opened".to_owned()));
    let broken = parrot(opened(), |_| {
        vec![Event::Error {
            message: "no key".into(),
        }]
    });
    assert_eq!(broken.seats, Err("no key".to_owned()));
}
