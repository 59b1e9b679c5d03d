//! Explorers (`--explorers`): one-shot helpers in the judge's own backend.

use council_protocol::task::Explored;
use council_protocol::{Answer, Task, Turn, Vote};

use super::stage::{Deed, Manners, Seen, Stage, stage};
use crate::council::Input;

/// `judge-1` asks two questions in R1; whatever explorers do not answer is up to `script`.
fn exploring(script: fn(&str, &Turn) -> Deed) -> Stage {
    let mut stage = stage(2, script);
    stage.plan.options.explorers = 2;
    stage
}

fn asks() -> Deed {
    let mut answer = Answer::new(1, "", Vote::Warn);
    answer.explore = ["who calls it?", "is it tested?"]
        .map(String::from)
        .to_vec();
    Deed::Say(Box::new(answer))
}

fn found(seen: &Seen) -> Vec<Option<String>> {
    let inputs = seen.journal().entries;
    let results = inputs.into_iter().find_map(|entry| match entry.input {
        Input::Explored { results, .. } => Some(results),
        _ => None,
    });
    let result = |explored: Explored| explored.result;
    results
        .unwrap_or_default()
        .into_iter()
        .map(result)
        .collect()
}

#[test]
fn explorers_answer_and_the_judge_answers_once_more() {
    let seen = exploring(|judge, turn| match (judge, &turn.task) {
        ("judge-1", Task::Review) => asks(),
        ("judge-1", Task::Explored { results }) if results[1].result.is_some() => {
            Deed::Vote(Vote::Fail)
        }
        (_, Task::Explore { question }) if question == "who calls it?" => Deed::Raw("main.rs:7"),
        (_, Task::Explore { .. }) => Deed::Later(500, Box::new(Deed::Raw("no test names it"))),
        _ => Deed::Vote(Vote::Pass),
    });
    let seen = seen.run().check();
    let answers = ["main.rs:7", "no test names it"];
    assert_eq!(found(&seen), answers.map(|a| Some(a.to_owned())));
    assert_eq!(seen.outcome().judges[0].counted, Some(Vote::Fail));
    for explorer in ["judge-1-explorer-1", "judge-1-explorer-2"] {
        assert_eq!(seen.times(&format!("first spawn {explorer}")), 1);
        assert_eq!(seen.times(&format!("first send {explorer} explore")), 1);
        assert_eq!(
            seen.times(&format!("first shutdown {explorer}")),
            1,
            "one shot"
        );
    }
    assert_eq!(seen.outcome().judges.len(), 2, "they are no judges");
}

/// A judge that has a folder of its own shares it with its helpers, and with nobody else.
#[test]
fn explorers_work_where_their_judge_does() {
    let mut stage = exploring(|judge, turn| match (judge, &turn.task) {
        ("judge-1", Task::Review) => asks(),
        (_, Task::Explore { .. }) => Deed::Raw("nothing"),
        _ => Deed::Vote(Vote::Pass),
    });
    stage.rooms.shared = Some("/shared".into());
    stage.rooms.own = [("judge-1".into(), "/own".into())].into();
    let seen = stage.run().check();
    for (who, room) in [
        ("judge-1", "/own"),
        ("judge-1-explorer-1", "/own"),
        ("judge-1-explorer-2", "/own"),
        ("judge-2", "/shared"),
    ] {
        assert_eq!(seen.times(&format!("first room {who} {room}")), 1, "{who}");
    }
}

#[test]
fn explorers_do_not_work_in_r2() {
    let seen = exploring(|_, turn| match &turn.task {
        Task::Explore { .. } => Deed::Raw("nothing"),
        _ => asks(),
    });
    let seen = seen.debate().run().check();
    let spawned = seen.diary.iter().filter(|l| l.contains("spawn"));
    assert_eq!(
        spawned.count(),
        2 + 4,
        "two judges, two explorers each, all in R1"
    );
    let last = seen
        .diary
        .iter()
        .rposition(|l| l.contains("-explorer-"))
        .unwrap();
    assert!(last < seen.position("first send judge-1 debate"));
}

#[test]
fn explorers_that_hang_die_or_cannot_sit_have_found_nothing() {
    let hang = |judge: &str, turn: &Turn| match (judge, &turn.task) {
        ("judge-1", Task::Review) => asks(),
        ("judge-1-explorer-1", _) => Deed::Hang,
        ("judge-1-explorer-2", _) => Deed::Raw("src/lib.rs:1"),
        _ => Deed::Vote(Vote::Pass),
    };
    let seen = exploring(hang).run().check();
    assert_eq!(found(&seen), [None, Some("src/lib.rs:1".to_owned())]);
    assert_eq!(
        seen.took_ms, 57_000,
        "what came in time is not lost to who did not"
    );
    assert_eq!(seen.times("first shutdown judge-1-explorer-1"), 1);
    let die = |judge: &str, turn: &Turn| match (judge, &turn.task) {
        ("judge-1", Task::Review) => asks(),
        (_, Task::Explore { .. }) => Deed::Die,
        _ => Deed::Vote(Vote::Pass),
    };
    let seen = exploring(die).run().check();
    assert_eq!((found(&seen), seen.took_ms), (vec![None, None], 0));
    let mut stage = exploring(hang);
    stage.manners = Manners {
        no_more_than: Some(2),
        ..Manners::default()
    };
    let seen = stage.run().check();
    assert_eq!((found(&seen), seen.took_ms), (vec![None, None], 0));
    assert_eq!(seen.outcome().counted, 2);
}
