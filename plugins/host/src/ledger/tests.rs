//! The rules, one by one and then all at once.

use std::time::{Duration, Instant};

use council_protocol::message::{Ending, Hello, Message};
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{
    BackendError, Event, Failure, FailureKind, JudgeId, JudgeSpec, PROTOCOL_VERSION, RoundNumber,
    Seat, Task, Turn, TurnId,
};
use proptest::prelude::*;

use super::CallLedger;
use crate::HostTimeouts;
use crate::head::EventHead;

const LIMIT: u64 = 1_000;

fn spec(judge: &str) -> JudgeSpec {
    let agent = AgentSpec {
        name: "a".into(),
        kind: AgentKind::Builtin {
            rules: Default::default(),
        },
        vendor: "a".into(),
        model: None,
        deterministic: false,
    };
    let seat = Seat {
        judge: judge.into(),
        perspective: Default::default(),
        agent,
    };
    JudgeSpec {
        seat,
        brief: "".into(),
        room: None,
        max_answer_bytes: LIMIT,
        proves: false,
    }
}

fn turn(judge: &str, id: u32, timeout_ms: u64) -> Message {
    let turn = Turn {
        id: TurnId(id),
        round: RoundNumber::FIRST,
        key: "k".into(),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms,
        spend: None,
    };
    Message::Turn {
        judge: judge.into(),
        turn,
    }
}

fn opened() -> Event {
    Event::Opened {
        protocol: PROTOCOL_VERSION,
    }
}

fn started(judge: &str) -> Event {
    Event::Started {
        judge: judge.into(),
        pid: None,
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

fn ended(judge: &str, ending: Ending) -> Event {
    Event::Ended {
        judge: judge.into(),
        ending,
    }
}

/// A session with two judges at work on turns 1 and 2, and when that was.
fn at_work() -> (CallLedger, Instant) {
    let now = Instant::now();
    let mut ledger = CallLedger::new(HostTimeouts::default());
    ledger
        .open(
            &Hello {
                protocols: vec![PROTOCOL_VERSION],
                ..Hello::default()
            },
            now,
        )
        .unwrap();
    ledger.on_event(opened(), 1);
    for (judge, id) in [("a", 1), ("b", 2)] {
        ledger.spawn(&spec(judge)).unwrap();
        ledger.on_event(started(judge), 1);
        ledger.send(&turn(judge, id, 1_000), now).unwrap();
    }
    ledger.effects.events.clear();
    (ledger, now)
}

fn events(ledger: &mut CallLedger) -> Vec<Event> {
    std::mem::take(&mut ledger.effects.events)
}

/// The failures among the events, as judge, turn and kind.
fn failures(events: &[Event]) -> Vec<(&str, Option<u32>, FailureKind)> {
    let failed = events.iter().filter_map(|event| match event {
        Event::Failed {
            judge,
            turn,
            failure,
        } => Some((judge.as_str(), turn.map(|t| t.0), failure.kind)),
        _ => None,
    });
    failed.collect()
}

fn errors(events: &[Event]) -> usize {
    events
        .iter()
        .filter(|e| matches!(e, Event::Error { .. }))
        .count()
}

#[test]
fn a_turn_has_one_outcome_whatever_comes_after_it() {
    let (mut ledger, _) = at_work();
    ledger.on_event(answered("a", 1, "first"), 10);
    ledger.on_event(answered("a", 1, "second"), 10);
    let failure = Failure::new(FailureKind::Died, "too late");
    ledger.on_event(
        Event::Failed {
            judge: "a".into(),
            turn: Some(TurnId(1)),
            failure,
        },
        10,
    );
    ledger.on_event(answered("a", 7, "never asked"), 10);
    ledger.on_event(answered("b", 1, "for somebody else"), 10);
    assert_eq!(events(&mut ledger), [answered("a", 1, "first")]);
}

#[test]
fn an_answer_after_its_time_is_none_and_the_judge_is_cancelled() {
    let (mut ledger, now) = at_work();
    assert_eq!(ledger.next_due(), Some(now + Duration::from_secs(1)));
    ledger.expire_due(now + Duration::from_millis(999));
    assert!(events(&mut ledger).is_empty());
    ledger.expire_due(now + Duration::from_secs(1));
    ledger.on_event(answered("a", 1, "late"), 10);
    let heard = events(&mut ledger);
    assert_eq!(
        failures(&heard),
        [
            ("a", Some(1), FailureKind::Timeout),
            ("b", Some(2), FailureKind::Timeout)
        ]
    );
    assert_eq!(heard.len(), 2);
    assert_eq!(
        ledger.effects.cancels,
        [JudgeId::from("a"), JudgeId::from("b")]
    );
}

#[test]
fn too_long_an_answer_is_oversized_and_no_more() {
    let (mut ledger, _) = at_work();
    ledger.on_event(answered("a", 1, &"x".repeat(1_001)), 1_100);
    assert_eq!(
        failures(&events(&mut ledger)),
        [("a", Some(1), FailureKind::Oversized)]
    );
    ledger.on_event(answered("b", 2, &"x".repeat(1_000)), 1_100);
    assert!(matches!(events(&mut ledger)[..], [Event::Answered { .. }]));
}

#[test]
fn a_judge_that_floods_fails_once_is_cancelled_once_and_is_heard_again_in_its_next_turn() {
    let (mut ledger, now) = at_work();
    for _ in 0..100 {
        ledger.on_event(started("a"), 10_000);
    }
    let heard = events(&mut ledger);
    assert_eq!(failures(&heard), [("a", Some(1), FailureKind::Oversized)]);
    assert_eq!(ledger.effects.cancels, [JudgeId::from("a")]);
    assert!(ledger.drops_event(
        &EventHead {
            judge: Some("a".into()),
            turn: None
        },
        1
    ));
    assert!(!ledger.drops_event(
        &EventHead {
            judge: Some("b".into()),
            turn: None
        },
        1
    ));
    ledger.send(&turn("a", 3, 1_000), now).unwrap();
    ledger.on_event(answered("a", 3, "sorry"), 10);
    assert_eq!(events(&mut ledger), [answered("a", 3, "sorry")]);
}

#[test]
fn what_cannot_be_read_fails_the_turn_that_it_names_and_else_is_noted() {
    let (mut ledger, _) = at_work();
    ledger.on_garbled(
        EventHead {
            judge: Some("a".into()),
            turn: Some(TurnId(1)),
        },
        "not JSON",
        10,
    );
    ledger.on_garbled(EventHead::default(), "not JSON", 10);
    let heard = events(&mut ledger);
    assert_eq!(failures(&heard), [("a", Some(1), FailureKind::Malformed)]);
    assert_eq!(errors(&heard), 1);
}

#[test]
fn a_flood_of_nobody_ends_the_session_at_last_and_complaints_end_before() {
    let (mut ledger, _) = at_work();
    for _ in 0..300 {
        ledger.on_flood(&EventHead::default(), 1024 * 1024);
    }
    let heard = events(&mut ledger);
    assert_eq!(errors(&heard), 32 + 1);
    assert_eq!(
        failures(&heard),
        [
            ("a", Some(1), FailureKind::Died),
            ("b", Some(2), FailureKind::Died)
        ]
    );
    let refused = ledger.spawn(&spec("c")).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("the backend is gone: it does not stop"),
        "{refused}"
    );
}

#[test]
fn a_judge_that_ends_takes_its_turn_along() {
    let (mut ledger, now) = at_work();
    ledger.on_event(ended("a", Ending::Died), 1);
    ledger.on_event(ended("a", Ending::Died), 1);
    ledger.on_event(answered("a", 1, "from the grave"), 10);
    let heard = events(&mut ledger);
    assert_eq!(failures(&heard), [("a", Some(1), FailureKind::Died)]);
    assert_eq!(heard[1], ended("a", Ending::Died));
    assert_eq!(heard.len(), 2);
    let unknown = BackendError::UnknownJudge("a".into());
    assert_eq!(ledger.send(&turn("a", 3, 1_000), now), Err(unknown));
    assert!(ledger.spawn(&spec("a")).is_err(), "a name is given once");
}

#[test]
fn an_end_that_does_not_come_is_declared_after_grace_and_margin() {
    let (mut ledger, now) = at_work();
    ledger.on_event(answered("a", 1, "done"), 10);
    ledger.shutdown(&"a".into(), 500, now).unwrap();
    events(&mut ledger);
    ledger.expire_due(now + Duration::from_millis(900));
    assert!(events(&mut ledger).is_empty());
    assert_eq!(ledger.begin_close(now), Duration::from_millis(2_500));
    ledger.expire_due(now + Duration::from_millis(2_500));
    let heard = events(&mut ledger);
    assert!(heard.contains(&ended("a", Ending::Forced)), "{heard:?}");
}

#[test]
fn opened_comes_first_and_with_a_version_that_was_offered() {
    let now = Instant::now();
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    };
    for (said, words) in [
        (
            Event::Opened { protocol: 77 },
            "it chose protocol 77, which it was not offered",
        ),
        (Event::Closed, "it closed itself"),
    ] {
        let mut ledger = CallLedger::new(HostTimeouts::default());
        ledger.open(&hello, now).unwrap();
        ledger.spawn(&spec("a")).unwrap();
        ledger.on_event(started("a"), 1);
        ledger.on_event(said, 1);
        let heard = events(&mut ledger);
        assert_eq!(failures(&heard), [("a", None, FailureKind::Spawn)]);
        assert_eq!(
            heard.last(),
            Some(&Event::Error {
                message: format!("the backend is gone: {words}")
            })
        );
    }
    let mut slow = CallLedger::new(HostTimeouts::default());
    slow.open(&hello, now).unwrap();
    slow.expire_due(now + HostTimeouts::default().start);
    assert!(slow.is_finished());
}

/// Anything that a plugin may say about a few judges and turns.
fn anything() -> impl Strategy<Value = Event> {
    let judge = || prop::sample::select(vec!["a", "b", "c", "z"]);
    prop_oneof![
        Just(opened()),
        Just(Event::Closed),
        Just(Event::Unknown),
        Just(Event::Error {
            message: "hm".into()
        }),
        judge().prop_map(started),
        (judge(), 0..6u32).prop_map(|(judge, id)| answered(judge, id, "text")),
        (judge(), prop::option::of(0..6u32)).prop_map(|(judge, id)| Event::Failed {
            judge: judge.into(),
            turn: id.map(TurnId),
            failure: Failure::new(FailureKind::Refused, "no"),
        }),
        judge().prop_map(|judge| ended(judge, Ending::Graceful)),
    ]
}

/// One step of a session.
#[derive(Debug, Clone)]
enum Step {
    Said(Box<Event>, u64),
    Spawn(&'static str),
    Turn(&'static str),
    Shutdown(&'static str),
    Wait(u64),
    Garbled,
}

fn step() -> impl Strategy<Value = Step> {
    let judge = || prop::sample::select(vec!["a", "b", "c"]);
    prop_oneof![
        6 => (anything(), 1..40_000u64).prop_map(|(event, bytes)| Step::Said(Box::new(event), bytes)),
        2 => judge().prop_map(Step::Spawn),
        3 => judge().prop_map(Step::Turn),
        1 => judge().prop_map(Step::Shutdown),
        1 => (0..3_000u64).prop_map(Step::Wait),
        1 => Just(Step::Garbled),
    ]
}

proptest! {
    /// The law that the conformance suite checks too: whatever a plugin says and in whatever order, the program sees
    /// one outcome for every turn that was accepted, one end for every judge that started, and `closed` last.
    #[test]
    fn the_law_holds_for_anything_that_a_plugin_may_do(steps in prop::collection::vec(step(), 0..60)) {
        let mut now = Instant::now();
        let mut ledger = CallLedger::new(HostTimeouts::default());
        ledger.open(&Hello { protocols: vec![PROTOCOL_VERSION], ..Hello::default() }, now).unwrap();
        ledger.on_event(opened(), 1);
        let (mut next, mut accepted) = (0, Vec::new());
        for step in steps {
            match step {
                Step::Said(event, bytes) => ledger.on_event(*event, bytes),
                Step::Spawn(judge) => drop(ledger.spawn(&spec(judge))),
                Step::Turn(judge) => {
                    next += 1;
                    if ledger.send(&turn(judge, next, 1_000), now).is_ok() {
                        accepted.push(next);
                    }
                }
                Step::Shutdown(judge) => drop(ledger.shutdown(&judge.into(), 100, now)),
                Step::Wait(ms) => now += Duration::from_millis(ms),
                Step::Garbled => ledger.on_garbled(EventHead { judge: Some("a".into()), turn: None }, "?", 10),
            }
            ledger.expire_due(now);
        }
        ledger.begin_close(now);
        ledger.on_closed();
        ledger.on_event(answered("a", 1, "after closed"), 1);
        let heard = events(&mut ledger);
        prop_assert_eq!(heard.last(), Some(&Event::Closed));
        prop_assert_eq!(heard.iter().filter(|e| **e == Event::Closed).count(), 1);
        for id in accepted {
            let outcomes = heard.iter().filter(|event| match event {
                Event::Answered { turn, .. } | Event::Failed { turn: Some(turn), .. } => turn.0 == id,
                _ => false,
            });
            prop_assert_eq!(outcomes.count(), 1, "turn {}", id);
        }
        for judge in ["a", "b", "c", "z"] {
            let starts = heard.iter().filter(|e| **e == started(judge)).count();
            let ends = heard.iter().filter(|e| matches!(e, Event::Ended { judge: j, .. } if j.as_str() == judge));
            prop_assert_eq!(starts, ends.count(), "{}", judge);
            prop_assert!(starts <= 1, "{} started {} times", judge, starts);
        }
    }
}
