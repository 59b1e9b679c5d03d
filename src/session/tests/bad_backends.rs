//! Backends that do not keep to the contract: the council goes on with the judges that are left.

use council_protocol::message::Ending;
use council_protocol::{Answer, Event, FailureKind, TurnId, Vote};

use super::stage::{Deed, stage};
use crate::council::outcome::{Verdict, VerdictReason};

const PASS: Deed = Deed::Vote(Vote::Pass);

fn answered(judge: &str, turn: TurnId, raw: &str) -> Event {
    Event::Answered {
        judge: judge.into(),
        turn,
        raw: raw.into(),
        usage: None,
    }
}

#[test]
fn a_flood_of_answers_is_one_answer() {
    let seen = stage(2, |judge, turn| match judge {
        "judge-1" => {
            let answer = Answer::new(turn.round, turn.key.clone(), Vote::Pass);
            let raw = serde_json::to_string(&answer).unwrap();
            Deed::Events(vec![answered(judge, turn.id, &raw); 10_000])
        }
        _ => PASS,
    });
    let seen = seen.run().check();
    assert_eq!(seen.outcome().counted, 2);
    let answers = seen
        .diary
        .iter()
        .filter(|line| line.starts_with("disk append answered judge-1"));
    assert_eq!(answers.count(), 1);
}

#[test]
fn events_about_nobody_and_nothing_are_not_heard() {
    let seen = stage(2, |judge, turn| match judge {
        "judge-1" => Deed::Events(vec![
            answered("judge-9", turn.id, "{}"),
            answered("judge-2", turn.id, "not its turn"),
            answered("judge-1", TurnId(77), "no such turn"),
            Event::Started {
                judge: "judge-1".into(),
                pid: None,
            },
            Event::Unknown,
            Event::Ended {
                judge: "judge-9".into(),
                ending: Ending::Died,
            },
        ]),
        _ => PASS,
    });
    let seen = seen.run().check();
    assert_eq!((seen.outcome().counted, seen.took_ms), (1, 120_000));
}

#[test]
fn an_answer_over_the_budget_is_none() {
    let mut stage = stage(3, |judge, _| match judge {
        "judge-1" => Deed::Raw("a reply of more than forty bytes, which is the budget here"),
        _ => Deed::Raw("short"),
    });
    stage.max_answer_bytes = 40;
    let seen = stage.run().check();
    let kinds: Vec<_> = seen.outcome().judges[0]
        .failures
        .iter()
        .map(|f| f.failure.kind)
        .collect();
    assert_eq!(kinds, [FailureKind::Oversized]);
}

#[test]
fn a_late_answer_does_not_count() {
    let seen = stage(3, |judge, _| match judge {
        "judge-1" => Deed::Later(119_000, Box::new(PASS)),
        "judge-2" => Deed::Later(120_500, Box::new(PASS)),
        _ => PASS,
    });
    let seen = seen.run().check();
    let counted: Vec<_> = seen
        .outcome()
        .judges
        .iter()
        .map(|judge| judge.counted.is_some())
        .collect();
    assert_eq!(counted, [true, false, true]);
}

#[test]
fn a_backend_that_closes_in_the_middle_is_lost() {
    let mut stage = stage(2, |_, _| PASS);
    stage.manners.closes_on_turn = true;
    let seen = stage.run().check();
    assert_eq!(seen.outcome().verdict, Verdict::Inconclusive);
    assert_eq!(
        (seen.outcome().reason, seen.took_ms),
        (VerdictReason::BackendLost, 0)
    );
    assert!(seen.logged("first: it closed before the council was over"));
}

#[test]
fn a_backend_that_complains_all_the_time_is_heard_for_a_while() {
    let seen = stage(2, |judge, turn| {
        let answer = Answer::new(turn.round, turn.key.clone(), Vote::Pass);
        let raw = serde_json::to_string(&answer).unwrap();
        let message = "x".repeat(5_000);
        let mut events = vec![Event::Error { message }; 1_000];
        events.push(answered(judge, turn.id, &raw));
        Deed::Events(events)
    });
    let seen = seen.run().check();
    assert_eq!(
        (seen.outcome().counted, seen.finished().log.len()),
        (2, 100)
    );
    assert!(seen.finished().log.iter().all(|line| line.len() < 1_100));
}
