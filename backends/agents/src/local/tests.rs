//! What every in-process backend must do, whatever its agents do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use council_protocol::message::{Ending, Hello};
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, Event, Failure, FailureKind, JudgeId,
    JudgeSpec, Message, PROTOCOL_VERSION, RoundNumber, Seat, Task, Turn, TurnId,
};

use super::{LocalBackend, LocalStyle, ThreadSharing};
use crate::JudgeMemory;
use crate::{Agent, AgentReply, AgentTable, Conversation, SeatProbe, StopSignal};

/// An agent that behaves as its seat's command says.
struct Scripted {
    /// How many think at this moment, and how many did at most.
    thinking: Arc<(AtomicUsize, AtomicUsize)>,
    together: Arc<Barrier>,
}

struct Script {
    words: Vec<String>,
    turns: u32,
    thinking: Arc<(AtomicUsize, AtomicUsize)>,
    together: Arc<Barrier>,
}

impl Agent for Scripted {
    fn driver_name(&self) -> &'static str {
        "command"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([Capability::Message])
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        let note = format!("{} was asked", seat.judge);
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note,
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        let AgentKind::Command { argv, .. } = &spec.seat.agent.kind else {
            unreachable!()
        };
        match argv[0].as_str() {
            "absent" => return Err(Failure::new(FailureKind::Spawn, "not installed")),
            "panic-on-open" => panic!("no seat for me"),
            _ => {}
        }
        Ok(Box::new(Script {
            words: argv.clone(),
            turns: 0,
            thinking: Arc::clone(&self.thinking),
            together: Arc::clone(&self.together),
        }))
    }
}

impl Conversation for Script {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        self.turns += 1;
        if self.words[0] == "murmur" {
            stop.draft().push(b"half of it");
        }
        let now = self.thinking.0.fetch_add(1, Ordering::SeqCst) + 1;
        self.thinking.1.fetch_max(now, Ordering::SeqCst);
        let word = self
            .words
            .get(turn.id.0 as usize % 100)
            .unwrap_or(&self.words[0]);
        let raw = match word.as_str() {
            "meet" => {
                self.together.wait();
                "met".to_owned()
            }
            "nap" => {
                std::thread::sleep(Duration::from_millis(2));
                "awake".to_owned()
            }
            "obedient" | "murmur" => {
                let (tell, told) = channel();
                stop.on_raise(move || {
                    let _ = tell.send(());
                });
                told.recv().unwrap();
                return Err(Failure::new(FailureKind::Cancelled, "as you wish"));
            }
            "deaf" => {
                std::thread::sleep(Duration::from_millis(40));
                "too late".to_owned()
            }
            "stuck" => loop {
                std::thread::park();
            },
            "panic" => panic!("out of {} minds", 2),
            "long" => "x".repeat(2000),
            _ => format!("{} {}", self.turns, turn.key),
        };
        self.thinking.0.fetch_sub(1, Ordering::SeqCst);
        Ok(AgentReply { raw, usage: None })
    }

    fn end(&mut self) {
        if self.words[0] == "panic-on-end" {
            panic!("never");
        }
    }
}

/// A backend with its events.
struct Stage {
    local: LocalBackend,
    events: Receiver<Event>,
    thinking: Arc<(AtomicUsize, AtomicUsize)>,
}

fn stage(lanes: ThreadSharing, meeting: usize) -> Stage {
    let thinking = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    let agent = Scripted {
        thinking: Arc::clone(&thinking),
        together: Arc::new(Barrier::new(meeting)),
    };
    let style = LocalStyle {
        name: "stage",
        version: "1",
        capabilities: Capability::known().collect(),
        drivers: &["command"],
        lanes,
        memory: JudgeMemory::Kept,
    };
    let mut local = LocalBackend::new(style, AgentTable::from_agents(vec![Arc::new(agent)]));
    let (sender, events) = channel();
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    };
    local
        .open(hello, Arc::new(move |event| drop(sender.send(event))))
        .unwrap();
    assert_eq!(
        events.recv().unwrap(),
        Event::Opened {
            protocol: PROTOCOL_VERSION
        }
    );
    Stage {
        local,
        events,
        thinking,
    }
}

fn seat(judge: &str, script: &str) -> Seat {
    let argv = script.split(' ').map(str::to_owned).collect();
    let agent = AgentSpec {
        name: "scripted".into(),
        kind: AgentKind::Command {
            argv,
            env: Vec::new(),
            format: Default::default(),
            sandbox: Default::default(),
            tool: Default::default(),
        },
        vendor: "test".into(),
        model: None,
        deterministic: false,
    };
    Seat {
        judge: judge.into(),
        perspective: Default::default(),
        agent,
    }
}

impl Stage {
    fn spawn(&mut self, judge: &str, script: &str) {
        self.local.spawn(spec(judge, script)).unwrap();
    }

    fn seated(&mut self, judge: &str, script: &str) {
        self.spawn(judge, script);
        assert_eq!(
            self.next(),
            Event::Started {
                judge: judge.into(),
                pid: None
            }
        );
    }

    fn ask(&mut self, judge: &str, id: u32) {
        self.local
            .send(Message::Turn {
                judge: judge.into(),
                turn: turn(id),
            })
            .unwrap();
    }

    fn next(&self) -> Event {
        self.events
            .recv_timeout(Duration::from_secs(5))
            .expect("an event within 5 s")
    }

    fn close(mut self) -> Vec<Event> {
        self.local.close().unwrap();
        self.events.try_iter().collect()
    }

    fn is_thinking(&self) -> bool {
        self.thinking.0.load(Ordering::SeqCst) > 0
    }

    fn await_thought(&self) {
        while !self.is_thinking() {
            std::thread::yield_now();
        }
    }
}

fn spec(judge: &str, script: &str) -> JudgeSpec {
    JudgeSpec {
        seat: seat(judge, script),
        brief: "".into(),
        room: None,
        max_answer_bytes: 1000,
        proves: false,
    }
}

fn turn(id: u32) -> Turn {
    Turn {
        id: TurnId(id),
        round: RoundNumber::FIRST,
        key: format!("k{id}"),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms: 1000,
        spend: None,
    }
}

fn answered(judge: &str, id: u32, raw: &str) -> Event {
    Event::Answered {
        judge: judge.into(),
        turn: TurnId(id),
        raw: raw.into(),
        usage: None,
    }
}

fn failed(event: &Event) -> (&str, Option<u32>, FailureKind) {
    let Event::Failed {
        judge,
        turn,
        failure,
    } = event
    else {
        panic!("{event:?}")
    };
    (judge.as_str(), turn.map(|t| t.0), failure.kind)
}

fn ended(judge: &str, ending: Ending) -> Event {
    Event::Ended {
        judge: judge.into(),
        ending,
    }
}

#[test]
fn a_judge_keeps_its_conversation_and_its_order() {
    for lanes in [ThreadSharing::PerJudge, ThreadSharing::One] {
        let mut stage = stage(lanes, 1);
        stage.seated("a", "talk");
        for id in 1..=3 {
            stage.ask("a", id);
        }
        for id in 1..=3 {
            assert_eq!(stage.next(), answered("a", id, &format!("{id} k{id}")));
        }
        stage.local.shutdown(&"a".into(), 5000).unwrap();
        assert_eq!(stage.next(), ended("a", Ending::Graceful));
        assert_eq!(stage.close(), [Event::Closed]);
    }
}

#[test]
fn judges_with_lanes_of_their_own_think_at_the_same_time() {
    let mut stage = stage(ThreadSharing::PerJudge, 3);
    for judge in ["a", "b", "c"] {
        stage.seated(judge, "meet");
    }
    for (id, judge) in ["a", "b", "c"].into_iter().enumerate() {
        stage.ask(judge, id as u32);
    }
    let met = (0..3)
        .filter(|_| matches!(stage.next(), Event::Answered { .. }))
        .count();
    assert_eq!(met, 3);
}

#[test]
fn judges_on_one_lane_think_one_after_another() {
    let mut stage = stage(ThreadSharing::One, 1);
    for judge in ["a", "b", "c"] {
        stage.seated(judge, "nap");
    }
    for judge in ["a", "b", "c"] {
        stage.ask(judge, 0);
    }
    for judge in ["a", "b", "c"] {
        assert_eq!(stage.next(), answered(judge, 0, "awake"));
    }
    assert_eq!(stage.thinking.1.load(Ordering::SeqCst), 1);
}

#[test]
fn only_the_judge_that_is_asked_answers() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "talk");
    stage.seated("b", "talk");
    stage.ask("b", 7);
    assert_eq!(stage.next(), answered("b", 7, "1 k7"));
    let rest = stage.close();
    let endings = rest.iter().filter(|e| {
        matches!(
            e,
            Event::Ended {
                ending: Ending::Graceful,
                ..
            }
        )
    });
    assert_eq!((endings.count(), rest.len()), (2, 3), "{rest:?}");
    assert_eq!(rest.last(), Some(&Event::Closed));
}

#[test]
fn a_cancelled_turn_fails_at_once_and_the_judge_stays() {
    for script in ["talk obedient talk", "talk deaf talk"] {
        let mut stage = stage(ThreadSharing::PerJudge, 1);
        stage.seated("a", script);
        stage.ask("a", 1);
        stage.await_thought();
        stage.local.cancel(&"a".into()).unwrap();
        assert_eq!(
            failed(&stage.next()),
            ("a", Some(1), FailureKind::Cancelled)
        );
        stage.ask("a", 2);
        assert_eq!(
            stage.next(),
            answered("a", 2, "2 k2"),
            "and the late answer is dropped"
        );
    }
}

/// What a judge had said when its time ended goes with the failure: an objection in it is told.
#[test]
fn what_was_said_before_a_turn_was_cancelled_is_kept() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "murmur");
    stage.ask("a", 1);
    stage.await_thought();
    stage.local.cancel(&"a".into()).unwrap();
    let event = stage.next();
    let Event::Failed { failure, .. } = event else {
        panic!("{event:?}")
    };
    assert_eq!(failure.kind, FailureKind::Cancelled);
    assert_eq!(failure.usage.unwrap().unread, ["half of it"]);
}

#[test]
fn a_turn_that_was_cancelled_while_it_waited_is_not_begun() {
    let mut stage = stage(ThreadSharing::One, 1);
    stage.seated("a", "deaf");
    stage.seated("b", "talk");
    stage.ask("a", 0);
    stage.ask("b", 5);
    stage.local.cancel(&"b".into()).unwrap();
    assert_eq!(
        failed(&stage.next()),
        ("b", Some(5), FailureKind::Cancelled)
    );
    assert_eq!(stage.next(), answered("a", 0, "too late"));
    stage.ask("b", 6);
    assert_eq!(stage.next(), answered("b", 6, "1 k6"));
}

#[test]
fn shutdown_in_mid_answer_ends_the_turn_and_the_judge() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "obedient");
    stage.ask("a", 0);
    stage.await_thought();
    stage.local.shutdown(&"a".into(), 5000).unwrap();
    assert_eq!(
        failed(&stage.next()),
        ("a", Some(0), FailureKind::Cancelled)
    );
    assert_eq!(stage.next(), ended("a", Ending::Graceful));
}

#[test]
fn a_judge_that_ignores_its_shutdown_is_forced_after_the_grace() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "deaf");
    stage.ask("a", 0);
    stage.await_thought();
    stage.local.shutdown(&"a".into(), 5).unwrap();
    assert_eq!(
        failed(&stage.next()),
        ("a", Some(0), FailureKind::Cancelled)
    );
    assert_eq!(stage.next(), ended("a", Ending::Forced));
    assert_eq!(
        stage.close(),
        [Event::Closed],
        "its late answer and ending are not heard"
    );
}

#[test]
fn close_leaves_a_stuck_judge_behind_and_ends_the_others() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "stuck");
    stage.seated("b", "talk");
    stage.ask("a", 0);
    stage.await_thought();
    let begun = Instant::now();
    let mut events = stage.close();
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert_eq!(events.pop(), Some(Event::Closed));
    assert_eq!(events.pop(), Some(ended("a", Ending::Forced)));
    assert!(events.contains(&ended("b", Ending::Graceful)), "{events:?}");
}

#[test]
fn closing_twice_is_fine_and_nothing_follows() {
    let mut stage = stage(ThreadSharing::One, 1);
    stage.seated("a", "talk");
    stage.local.close().unwrap();
    stage.local.close().unwrap();
    let events: Vec<_> = stage.events.try_iter().collect();
    assert_eq!(events, [ended("a", Ending::Graceful), Event::Closed]);
    let refused = stage.local.spawn(spec("b", "talk"));
    assert_eq!(refused, Err(BackendError::Closed));
    assert_eq!(
        stage.local.shutdown(&"a".into(), 0),
        Err(BackendError::Closed)
    );
}

#[test]
fn a_judge_that_cannot_be_seated_fails_and_has_no_ending() {
    let mut stage = stage(ThreadSharing::One, 1);
    stage.spawn("a", "absent");
    assert_eq!(failed(&stage.next()), ("a", None, FailureKind::Spawn));
    stage.spawn("b", "panic-on-open");
    assert_eq!(failed(&stage.next()), ("b", None, FailureKind::Spawn));
    assert_eq!(stage.close(), [Event::Closed]);
}

#[test]
fn a_panic_is_a_death_of_one_judge() {
    for lanes in [ThreadSharing::PerJudge, ThreadSharing::One] {
        let mut stage = stage(lanes, 1);
        stage.seated("a", "panic");
        stage.seated("b", "talk");
        stage.ask("a", 0);
        let death = stage.next();
        assert_eq!(failed(&death), ("a", Some(0), FailureKind::Died));
        let Event::Failed { failure, .. } = death else {
            unreachable!()
        };
        assert_eq!(failure.detail, "the judge panicked: out of 2 minds");
        assert_eq!(stage.next(), ended("a", Ending::Died));
        stage.ask("a", 1);
        assert_eq!(failed(&stage.next()), ("a", Some(1), FailureKind::Died));
        stage.local.shutdown(&"a".into(), 5000).unwrap();
        stage.ask("b", 2);
        assert_eq!(stage.next(), answered("b", 2, "1 k2"));
    }
}

#[test]
fn a_panic_at_the_end_is_still_an_ending() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "panic-on-end");
    assert_eq!(stage.close(), [ended("a", Ending::Graceful), Event::Closed]);
}

#[test]
fn an_answer_over_the_budget_is_none() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "long");
    stage.ask("a", 0);
    assert_eq!(
        failed(&stage.next()),
        ("a", Some(0), FailureKind::Oversized)
    );
}

#[test]
fn a_judge_is_known_by_its_name() {
    let mut stage = stage(ThreadSharing::PerJudge, 1);
    stage.seated("a", "talk");
    assert!(matches!(
        stage.local.spawn(spec("a", "talk")),
        Err(BackendError::Other(_))
    ));
    let nobody = JudgeId::from("nobody");
    let unknown = Err(BackendError::UnknownJudge(nobody.clone()));
    assert_eq!(stage.local.cancel(&nobody), unknown);
    assert_eq!(stage.local.shutdown(&nobody, 1), unknown);
    assert_eq!(
        stage.local.send(Message::Turn {
            judge: nobody,
            turn: turn(0)
        }),
        unknown
    );
}

#[test]
fn a_probe_says_what_the_agent_can_do_or_that_the_seat_cannot_be_taken() {
    let mut stage = stage(ThreadSharing::One, 1);
    stage
        .local
        .send(Message::Probe {
            seat: seat("a", "talk"),
        })
        .unwrap();
    let found = Event::Probed {
        judge: "a".into(),
        capabilities: CapabilitySet::from([Capability::Message]),
        note: "a was asked".into(),
    };
    assert_eq!(stage.next(), found);
    let mut foreign = seat("b", "talk");
    foreign.agent.kind = AgentKind::Builtin {
        rules: Default::default(),
    };
    stage.local.send(Message::Probe { seat: foreign }).unwrap();
    assert_eq!(failed(&stage.next()), ("b", None, FailureKind::Unsupported));
}

#[test]
fn a_program_that_speaks_another_protocol_is_refused() {
    let style = stage(ThreadSharing::One, 1).local.style.clone();
    let mut local = LocalBackend::new(style, AgentTable::from_agents(Vec::new()));
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION + 1],
        ..Hello::default()
    };
    assert!(matches!(
        local.open(hello, Arc::new(|_| {})),
        Err(BackendError::Other(_))
    ));
}
