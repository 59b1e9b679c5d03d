//! Challenges, answers and messages between councillors.

use super::*;

#[test]
fn two_challenges_are_asked_for_or_a_reason() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, WARN, FAIL]);
    run.answer("judge-1", PASS, |a| {
        a.challenges = vec![to("critic", "why")]
    });
    let Task::Mend { error, .. } = run.task("judge-1") else {
        panic!()
    };
    assert!(error.contains("at least 2 specific ones"), "{error}");
    run.answer("judge-1", PASS, |a| {
        a.challenges = vec![to("critic", "why"), to("pragmatist", "how")]
    });
    run.answer("judge-2", WARN, |a| {
        a.challenges = vec![to("nobody", "why"), to("pragmatist", "how")];
    });
    assert!(
        matches!(run.task("judge-2"), Task::Mend { .. }),
        "there is no such role"
    );
    run.answer("judge-2", WARN, |a| {
        a.no_challenge = Some("all of it holds".into())
    });
    run.answer("judge-3", FAIL, fill);
    for _ in 0..10 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let outcome = run.concluded();
    assert_eq!(outcome.challenges.len(), 2);
    let few: Vec<_> = outcome
        .ledger
        .unchallenged
        .iter()
        .map(|u| (u.judge.as_str(), u.reason.as_str()))
        .collect();
    assert_eq!(
        few,
        [
            ("judge-2", "all of it holds"),
            ("judge-3", "I checked them all")
        ]
    );
}

#[test]
fn the_question_of_an_opening_is_the_first_challenge() {
    let mut run = Run::seated(council(3, 1));
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.question = Some(Question {
            to: "Critic".into(),
            text: "Did you run it?".into(),
        });
    });
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    let Task::Examine { challenges, .. } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(
        (challenges[0].from.as_str(), challenges[0].question.as_str()),
        ("visionary", "Did you run it?")
    );
}

/// judge-1 challenges the critic in the first round of two.
fn challenged() -> Run {
    let mut run = Run::seated(council(3, 2));
    open(&mut run, &[PASS, WARN, FAIL]);
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.challenges = vec![to("critic", "why"), to("pragmatist", "how")];
    });
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    run
}

#[test]
fn every_challenge_is_put_to_its_addressee_in_the_next_round() {
    let mut run = challenged();
    let Task::Examine {
        challenges,
        round: 2,
        ..
    } = run.task("judge-2").clone()
    else {
        panic!()
    };
    assert_eq!((challenges.len(), challenges[0].id.as_str()), (1, "C1"));
    run.answer("judge-2", WARN, |a| {
        fill(a);
        a.answers = answers(&challenges);
    });
    assert_eq!(
        run.council.state.challenges[0].answer.as_deref(),
        Some("No: see line 3.")
    );
}

#[test]
fn an_unanswered_challenge_is_asked_again_once_then_recorded_as_evaded() {
    let mut run = challenged();
    go_on(&mut run, &[PASS, WARN, FAIL]);
    let Task::Moderate {
        kind: InterventionKind::Evasion,
        opening,
        about,
        demand,
        challenges,
    } = run.task("judge-2")
    else {
        panic!("{:?}", run.task("judge-2"))
    };
    assert_eq!(opening, "visionary raised this specific challenge:");
    assert_eq!(
        (about.as_str(), challenges[0].id.as_str()),
        ("claim about why", "C1")
    );
    assert!(
        demand
            .starts_with("Your response did not address it directly. Please respond specifically:")
    );
    assert!(demand.ends_with("Vague responses are not acceptable in this council."));
    run.answer("judge-2", WARN, fill);
    let put = |run: &Run| match run.task("judge-3") {
        Task::Moderate { challenges, .. } => challenges.clone(),
        other => panic!("{other:?}"),
    };
    let second = put(&run);
    run.answer("judge-3", FAIL, |a| {
        fill(a);
        a.answers = answers(&second);
    });
    for _ in 0..5 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let outcome = run.concluded();
    let ends: Vec<_> = outcome
        .challenges
        .iter()
        .map(|c| (c.evaded, c.answer.is_some()))
        .collect();
    assert_eq!(ends, [(true, false), (false, true)]);
    let evasions = outcome
        .ledger
        .interventions
        .iter()
        .filter(|i| i.kind == InterventionKind::Evasion);
    assert_eq!(
        evasions.count(),
        1,
        "one of a kind in a round, for everybody whom it concerns"
    );
}

#[test]
fn challenges_of_the_last_round_are_answered_within_it() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, WARN, FAIL]);
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.challenges = vec![to("critic", "why"), to("pragmatist", "how")];
    });
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    let Task::Challenged { challenges } = run.task("judge-2").clone() else {
        panic!("{:?}", run.open)
    };
    assert_eq!(run.sent("judge-2").round, 2, "a sub-turn of the round");
    run.answer("judge-2", WARN, |a| {
        fill(a);
        a.answers = answers(&challenges);
    });
    run.answer("judge-3", FAIL, fill);
    assert!(matches!(
        run.task("judge-3"),
        Task::Moderate {
            kind: InterventionKind::Evasion,
            ..
        }
    ));
    run.answer("judge-3", FAIL, fill);
    assert_eq!(*run.task("judge-1"), Task::Ballot);
    assert!(run.council.state.challenges[1].evaded);
}

#[test]
fn answering_anothers_challenge_is_a_violation() {
    let mut run = challenged();
    let Task::Examine { challenges, .. } = run.task("judge-2").clone() else {
        panic!()
    };
    run.answer("judge-3", FAIL, |a| {
        fill(a);
        a.answers = answers(&challenges);
    });
    let failure = &run.council.state.judges[crate::judges::SeatIndex(2)].failures[0].failure;
    assert_eq!(failure.kind, FailureKind::Violation);
    assert_eq!(run.council.state.challenges[0].answer, None);
}

#[test]
fn messages_go_from_judge_to_judge_two_in_a_round() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, WARN, FAIL]);
    let message = |to: &str, text: &str| PeerMessage {
        to: to.into(),
        text: text.into(),
    };
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.messages = ["one", "two", "three"]
            .map(|t| message("critic", t))
            .to_vec();
        a.messages.push(message("nobody", "lost"));
    });
    assert!(
        matches!(run.task("judge-2"), Task::Examine { .. }),
        "delivered when it is idle"
    );
    run.answer("judge-2", WARN, fill);
    let Task::Message { from, text } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!((from.as_str(), text.as_str()), ("visionary", "one"));
    run.answer("judge-2", WARN, |a| {
        fill(a);
        a.messages = vec![message("visionary", "back")];
    });
    assert!(
        matches!(run.task("judge-1"), Task::Message { .. }),
        "a judge that was done is asked again"
    );
    run.answer("judge-1", PASS, fill);
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    for _ in 0..5 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let sent: Vec<_> = run
        .concluded()
        .ledger
        .messages
        .iter()
        .map(|m| (m.text.as_str(), m.delivered))
        .collect();
    assert_eq!(
        sent,
        [
            ("one", true),
            ("two", true),
            ("three", false),
            ("back", true)
        ]
    );
}
