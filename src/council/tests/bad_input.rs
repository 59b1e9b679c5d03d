//! Inputs that fit nothing change nothing.

use council_protocol::message::Ending;
use council_protocol::{Failure, FailureKind, Proof, TurnId, Vote};

use super::run::{Run, plan};
use crate::council::plan::Procedure;
use crate::council::{CancelCause, ClaimId, Input, TimerId};

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
fn unknown_judges_turns_claims_and_timers_change_nothing() {
    let mut run = Run::seated(plan(Procedure::Debate, 2));
    for input in nonsense() {
        assert_eq!(run.council.handle(input.clone(), 5), [], "{input:?}");
    }
    run.votes(&[Vote::Pass, Vote::Pass]);
    for input in nonsense() {
        assert_eq!(run.council.handle(input.clone(), 5), [], "{input:?}");
    }
    run.restate();
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
fn a_second_answer_to_the_same_turn_changes_nothing() {
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
