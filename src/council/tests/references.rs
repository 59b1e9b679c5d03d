//! What answers refer to: ids that nobody has, two words at once on one finding, and the order of what is said.

use council_protocol::answer::{
    ChallengeAnswer, IndependentFinding, Response, Stance, Tag, Withdrawal,
};
use council_protocol::{Severity, Task, Vote};
use proptest::prelude::*;

use super::world::cited;
use crate::outcome::{Disposition, Outcome, Verdict};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, change, config, evidence, finding, made_up, plan, response};

/// The first judge holds two criticals, the others have found nothing; all but the first have yet to answer in round 2.
fn exchanged(judges: usize) -> Run {
    let mut plan = plan(Procedure::Debate, judges);
    plan.debate = DebateMode::Force;
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![
            finding(Severity::Critical, 3),
            finding(Severity::Critical, 30),
        ];
    });
    for n in 2..=judges {
        run.answer(&format!("judge-{n}"), Vote::Pass, |_| {});
    }
    run
}

fn complaint(run: &Run, judge: &str) -> String {
    match run.task(judge) {
        Task::Mend { error, .. } => error.clone(),
        other => panic!("{judge} was sent {other:?}"),
    }
}

#[test]
fn every_reference_to_nothing_is_sent_back_once() {
    let mut run = exchanged(2);
    run.stubborn = false;
    let nothing = |a: &mut council_protocol::Answer| {
        let evidence = Some(evidence(20));
        a.withdrawn = vec![Withdrawal {
            finding: 7,
            evidence,
        }];
        a.answers = vec![ChallengeAnswer {
            challenge: "C9".into(),
            response: "No.".into(),
        }];
    };
    run.answer("judge-1", Vote::Fail, nothing);
    let error = complaint(&run, "judge-1");
    for part in [
        "withdrawn[0].finding: you have no finding 7; you have reported 2, numbered from 1",
        "answers[0].challenge: no challenge has the id `C9`",
    ] {
        assert!(error.contains(part), "{error}");
    }
    run.answer("judge-1", Vote::Fail, nothing);
    assert!(!run.open.contains_key("judge-1"), "it is asked once");
    run.answer("judge-2", Vote::Pass, |a| {
        a.withdrawn = vec![Withdrawal {
            finding: 1,
            evidence: None,
        }];
    });
    let error = complaint(&run, "judge-2");
    assert!(
        error.contains("you have no finding 1; you have reported none"),
        "{error}"
    );
}

#[test]
fn two_words_at_once_on_one_finding_are_sent_back_and_then_neither_counts() {
    let both = [Stance::Agreed, Stance::Disagreed];
    for (first, last) in [(0, 1), (1, 0)] {
        let mut run = exchanged(2);
        run.answer("judge-1", Vote::Fail, |_| {});
        run.stubborn = false;
        let id = run.id_of("judge-2", "judge-1", 1);
        let says = |a: &mut council_protocol::Answer| {
            let say = |nth: usize| response(&id, both[nth], Some(evidence(20)));
            a.responses = vec![say(first), say(last)];
        };
        run.answer("judge-2", Vote::Pass, says);
        let error = complaint(&run, "judge-2");
        let told = format!("you both agree and disagree with `{id}`");
        assert!(error.contains(&told), "{error}");
        run.answer("judge-2", Vote::Pass, says);
        let outcome = run.concluded();
        assert_eq!(outcome.findings[0].disposition, Disposition::Unconfirmed);
        assert!(outcome.findings[0].opinions.is_empty());
        assert_eq!(outcome.verdict, Verdict::Warn);
        let note =
            "judge-2 both agrees and disagrees with what judge-1 reports at a.rs:3: neither counts";
        assert!(run.noted(note), "{:?}", outcome.notes);
    }
}

#[test]
fn whoever_decides_when_asked_is_taken_at_the_last_word() {
    let mut run = exchanged(2);
    run.answer("judge-1", Vote::Fail, |_| {});
    run.stubborn = false;
    let id = run.id_of("judge-2", "judge-1", 1);
    let agreed = || response(&id, Stance::Agreed, Some(evidence(20)));
    run.answer("judge-2", Vote::Fail, |a| {
        a.responses = vec![agreed(), response(&id, Stance::Disagreed, None)];
    });
    run.answer("judge-2", Vote::Fail, |a| {
        a.responses = vec![agreed()];
        a.change = change(Vote::Pass, Vote::Fail, Some(evidence(20)));
    });
    assert_eq!(
        run.concluded().findings[0].disposition,
        Disposition::Confirmed
    );
    assert!(!run.noted("neither counts"));
}

fn stance() -> impl Strategy<Value = Stance> {
    prop_oneof![
        3 => Just(Stance::Agreed),
        1 => Just(Stance::PartiallyAgreed),
        2 => Just(Stance::Disagreed)
    ]
}

/// A response to one of the two findings of the first judge: which, how, and with what.
fn said() -> impl Strategy<Value = (usize, Stance, Option<Option<u32>>)> {
    let evidence = prop::option::weighted(0.8, prop::option::weighted(0.8, cited()));
    (1usize..3, stance(), evidence)
}

/// What the last of the judges comes to, given its responses and denials in this order.
fn debated(
    judges: usize,
    said: &[(usize, Stance, Option<Option<u32>>)],
    denied: &[u32],
    moves: Option<u32>,
) -> Outcome {
    let mut run = exchanged(judges);
    for n in 1..judges {
        let judge = format!("judge-{n}");
        let vote = if n == 1 { Vote::Fail } else { Vote::Pass };
        run.answer(&judge, vote, |_| {});
    }
    let last = format!("judge-{judges}");
    let ids = [1, 2].map(|number| run.id_of(&last, "judge-1", number));
    let responses: Vec<Response> = said
        .iter()
        .map(|&(number, stance, cites)| {
            let cites = cites.map(|line| line.map_or_else(made_up, evidence));
            response(&ids[number - 1], stance, cites)
        })
        .collect();
    let denials = denied.iter().map(|&line| IndependentFinding {
        tag: Tag::NotReproduced,
        finding: finding(Severity::Critical, line),
    });
    let denials: Vec<IndependentFinding> = denials.collect();
    let vote = if moves.is_some() {
        Vote::Fail
    } else {
        Vote::Pass
    };
    run.answer(&last, vote, |a| {
        a.responses = responses;
        a.independent_findings = denials;
        a.change = change(Vote::Pass, vote, moves.map(evidence));
    });
    run.concluded().clone()
}

proptest! {
    #![proptest_config(config())]

    /// The verdict, what becomes of each finding, and what is told of it depend on what is said, not on its order.
    #[test]
    fn the_order_of_responses_decides_nothing(
        judges in 2usize..5,
        (said, shuffled) in prop::collection::vec(said(), 0..6)
            .prop_flat_map(|said| (Just(said.clone()), Just(said).prop_shuffle())),
        (denied, turned) in prop::collection::vec(1u32..34, 0..3)
            .prop_flat_map(|denied| (Just(denied.clone()), Just(denied).prop_shuffle())),
        moves in prop::option::of(cited()),
    ) {
        let one = debated(judges, &said, &denied, moves);
        let other = debated(judges, &shuffled, &turned, moves);
        prop_assert_eq!((one.verdict, &one.findings), (other.verdict, &other.findings));
        prop_assert_eq!(&one.notes, &other.notes);
    }
}
