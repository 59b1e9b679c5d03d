//! Inputs that fit nothing change nothing, and no bad answer improves a verdict.

use council_protocol::answer::{Evidence, Withdrawal};
use council_protocol::message::Ending;
use council_protocol::{Answer, Failure, FailureKind, Proof, RoundNumber, Severity, TurnId, Vote};

use crate::outcome::Verdict;
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, Sent, change, evidence, finding, made_up, plan};
use crate::{CancelCause, ClaimId, Input, TimerId};

fn nonsense() -> Vec<Input> {
    let failure = Failure::new(FailureKind::Died, "");
    vec![
        Input::Started {
            judge: "nobody".into(),
        },
        Input::Started {
            judge: "judge-1".into(),
        },
        Input::Answered {
            judge: "nobody".into(),
            turn: TurnId(1),
            raw: "{}".into(),
            usage: None,
        },
        Input::Answered {
            judge: "judge-1".into(),
            turn: TurnId(99),
            raw: "{}".into(),
            usage: None,
        },
        Input::Answered {
            judge: "judge-2".into(),
            turn: TurnId(1),
            raw: "{}".into(),
            usage: None,
        },
        Input::Failed {
            judge: "nobody".into(),
            turn: None,
            failure: failure.clone(),
        },
        Input::Failed {
            judge: "judge-1".into(),
            turn: Some(TurnId(99)),
            failure,
        },
        Input::Ended {
            judge: "nobody".into(),
            ending: Ending::Died,
        },
        Input::Proved {
            claim: ClaimId(99),
            proof: Proof::Verified,
            context: String::new(),
            nearest: None,
            function: None,
            quoted: None,
        },
        Input::Explored {
            judge: "judge-1".into(),
            results: Vec::new(),
            usage: None,
        },
        Input::Deadline { timer: TimerId(99) },
    ]
}

#[test]
fn bad_input_unknown_judges_turns_claims_and_timers_change_nothing() {
    let mut run = Run::seated(plan(Procedure::Debate, 2));
    for input in nonsense() {
        assert_eq!(run.council.handle(input.clone(), 5), [], "{input:?}");
    }
    run.votes(&[Vote::Pass, Vote::Pass]);
    for input in nonsense() {
        assert_eq!(run.council.handle(input.clone(), 5), [], "{input:?}");
    }
    run.votes(&[Vote::Pass, Vote::Pass]);
    assert!(run.council.is_over());
    for input in nonsense() {
        assert_eq!(run.council.handle(input.clone(), 5), [], "{input:?}");
    }
    assert_eq!(
        run.council.handle(
            Input::Cancel {
                cause: CancelCause::Interrupted
            },
            6
        ),
        []
    );
}

#[test]
fn bad_input_a_second_answer_to_the_same_turn_changes_nothing() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    let turn = run.sent("judge-1").turn;
    run.answer("judge-1", Vote::Pass, |_| {});
    let again = Input::Answered {
        judge: "judge-1".into(),
        turn,
        raw: "garbage".into(),
        usage: None,
    };
    assert_eq!(run.council.handle(again, 5), []);
}

/// Both judges hold a critical finding in R1. In R2 the first takes everything back, in a reply that `spoil` makes of a proper
/// one; it is sent back once, and comes again.
fn taken_back(spoil: impl Fn(&Run, &Sent, Answer) -> String) -> Run {
    let mut plan = plan(Procedure::Debate, 2);
    plan.debate = DebateMode::Force;
    let mut run = Run::seated(plan);
    for judge in ["judge-1", "judge-2"] {
        run.answer(judge, Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, 3)];
        });
    }
    while let Some(sent) = run.open.get("judge-1").cloned() {
        let mut answer = Answer::new(sent.round, sent.key.clone(), Vote::Pass);
        answer.change = change(Vote::Fail, Vote::Pass, Some(evidence(20)));
        answer.withdrawn = vec![Withdrawal {
            finding: 1,
            evidence: Some(evidence(20)),
        }];
        let raw = spoil(&run, &sent, answer);
        run.raw("judge-1", &raw);
    }
    run.answer("judge-2", Vote::Fail, |_| {});
    run
}

fn json(answer: &Answer) -> String {
    serde_json::to_string(answer).unwrap()
}

/// The first judge still fails the change, and so does the council; the failure says why the reply did not count.
fn holds(run: &Run, why: FailureKind) {
    let outcome = run.concluded();
    let judge = &outcome.judges[0];
    assert_eq!(outcome.verdict, Verdict::Fail);
    assert_eq!((judge.r2, judge.counted), (None, Some(Vote::Fail)));
    let kinds: Vec<FailureKind> = judge.failures.iter().map(|f| f.failure.kind).collect();
    assert!(kinds.contains(&why), "{kinds:?}");
}

#[test]
fn a_proper_answer_takes_everything_back() {
    let run = taken_back(|_, _, answer| json(&answer));
    assert_eq!(run.concluded().judges[0].counted, Some(Vote::Pass));
}

#[test]
fn bad_input_an_answer_in_anothers_voice_counts_for_nobody() {
    let named = taken_back(|_, _, answer| {
        let voice = "\"judge\":\"judge-2\",\"round\"";
        json(&answer).replacen("\"round\"", voice, 1)
    });
    holds(&named, FailureKind::Violation);
    let with_the_others_key = taken_back(|run, _, mut answer| {
        answer.key = run.sent("judge-2").key.clone();
        json(&answer)
    });
    holds(&with_the_others_key, FailureKind::Violation);
    let others = &with_the_others_key.concluded().judges[1];
    assert_eq!(others.counted, Some(Vote::Fail), "nor for whom it speaks");
}

#[test]
fn bad_input_an_answer_to_another_rounds_question_does_not_count() {
    let run = taken_back(|_, _, mut answer| {
        answer.round = RoundNumber::FIRST;
        json(&answer)
    });
    holds(&run, FailureKind::WrongRound);
    let first = Run::seated(plan(Procedure::Debate, 2))
        .sent("judge-1")
        .key
        .clone();
    let run = taken_back(|_, _, mut answer| {
        answer.key.clone_from(&first);
        json(&answer)
    });
    holds(&run, FailureKind::WrongKey);
}

#[test]
fn bad_input_json_of_a_wrong_version_does_not_count() {
    let run = taken_back(|_, _, answer| {
        json(&answer).replace("\"schema_version\":1", "\"schema_version\":2")
    });
    holds(&run, FailureKind::Malformed);
}

#[test]
fn bad_input_an_answer_of_50_mb_does_not_count() {
    let run = taken_back(|_, _, mut answer| {
        answer.recommendation = "x".repeat(50 << 20);
        json(&answer)
    });
    holds(&run, FailureKind::Oversized);
}

/// The verdict of a council whose first judge takes everything back on this evidence; whether its change was weak.
fn on_grounds(grounds: Option<Evidence>) -> (Verdict, Option<Vote>, bool) {
    let run = taken_back(|_, _, mut answer| {
        answer.change = change(Vote::Fail, Vote::Pass, grounds.clone());
        answer.withdrawn[0].evidence.clone_from(&grounds);
        json(&answer)
    });
    let outcome = run.concluded();
    let judge = &outcome.judges[0];
    let weak = judge.change.as_ref().is_some_and(|change| change.weak);
    (outcome.verdict, judge.counted, weak)
}

const UNMOVED: (Verdict, Option<Vote>, bool) = (Verdict::Fail, Some(Vote::Fail), true);

#[test]
fn bad_input_a_changed_verdict_without_evidence_is_weak() {
    assert_eq!(on_grounds(None), UNMOVED);
    assert_eq!(on_grounds(Some(made_up())), UNMOVED);
}

#[test]
fn bad_input_evidence_on_a_line_that_does_not_exist_is_none() {
    let nowhere = |quote: &str| Evidence {
        line: 9_999,
        quote: quote.into(),
        ..evidence(20)
    };
    for quote in ["", " ", "}", "let value_61 = compute(61);"] {
        assert_eq!(on_grounds(Some(nowhere(quote))), UNMOVED, "{quote:?}");
    }
}
