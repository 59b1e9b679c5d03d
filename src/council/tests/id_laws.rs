//! Which finding a response means, and what becomes of words that no finding takes up.

use council_protocol::answer::{Challenge, PeerMessage, Response, Stance};
use council_protocol::{Answer, Severity, Task, Vote};
use proptest::prelude::*;

use crate::outcome::{Disposition, Verdict};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, change, evidence, finding, plan, response};

/// Judges in round 2; the first of them has reported what stands on these lines.
fn exchanged(judges: usize, lines: &[u32]) -> Run {
    let mut plan = plan(Procedure::Debate, judges);
    plan.debate = DebateMode::Force;
    let mut run = Run::seated(plan);
    let vote = if lines.is_empty() {
        Vote::Pass
    } else {
        Vote::Fail
    };
    run.answer("judge-1", vote, |a| {
        a.findings = lines
            .iter()
            .map(|&line| finding(Severity::Critical, line))
            .collect();
    });
    for n in 2..=judges {
        run.answer(&format!("judge-{n}"), Vote::Pass, |_| {});
    }
    run.answer("judge-1", vote, |_| {});
    run
}

/// The last judge's answer of round 2, given again where it is sent back.
fn answer(run: &mut Run, judge: &str, vote: Vote, says: impl Fn(&mut Answer)) {
    run.stubborn = false;
    run.answer(judge, vote, &says);
    if run.open.contains_key(judge) {
        assert!(
            matches!(run.task(judge), Task::Mend { .. }),
            "{:?}",
            run.task(judge)
        );
        run.answer(judge, vote, &says);
    }
    assert!(!run.open.contains_key(judge), "it is sent back once");
}

/// The ways in which judges write that they mean the finding `number` of the first judge, whom they know as `label`.
fn spellings(label: &str, number: usize) -> Vec<String> {
    let lower = label.to_lowercase();
    vec![
        format!("{label}{number}"),
        format!(" {lower}{number} "),
        format!("judge-1 {label}{number}"),
        format!("judge-1 F{number}"),
        format!("Judge-1#{number}"),
        format!("peer {label}, finding {number}"),
        format!("{label}-{number}"),
        format!("{label} #{number}"),
        format!("finding {label}{number}"),
        format!("`{label}{number}`"),
        format!("[{label}{number}]"),
        format!("F{number} ({label}{number})"),
        format!("F{number}"),
        format!("f{number}"),
        format!("#{number}"),
        format!("{number}"),
        format!("finding {number}"),
        format!("Issue #{number}"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However the id of a finding is spelled: where it names exactly one, that one is meant, as if its id stood there.
    #[test]
    fn every_spelling_that_names_one_finding_means_it(
        count in 1usize..4, number in 0usize..3, spelling in 0usize..18, stance in 0usize..2, judges in 2usize..5,
    ) {
        let number = number % count + 1;
        let stance = [Stance::Agreed, Stance::Disagreed][stance];
        let lines = [3, 20, 40];
        let spoken = |spelled: bool| {
            let mut run = exchanged(judges, &lines[..count]);
            for n in 2..=judges {
                let judge = format!("judge-{n}");
                let id = run.id_of(&judge, "judge-1", number);
                let label = id.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
                let to = if spelled { spellings(&label, number)[spelling].clone() } else { id };
                run.stubborn = false;
                run.answer(&judge, Vote::Pass, |a| {
                    a.responses = vec![response(&to, stance, Some(evidence(50)))];
                });
                assert!(!run.open.contains_key(judge.as_str()), "`{to}` was sent back: {:?}", run.task(&judge));
            }
            run.concluded().clone()
        };
        let (by_id, spelled) = (spoken(false), spoken(true));
        prop_assert_eq!(by_id.verdict, spelled.verdict);
        prop_assert_eq!(&by_id.findings, &spelled.findings);
        prop_assert_eq!(&by_id.notes, &spelled.notes);
    }

    /// What objects under an id that nobody has is sent back once; then it bars a PASS, and the report has its words.
    #[test]
    fn an_objection_under_an_id_that_nobody_has_is_told_and_bars_a_pass(
        to in prop_oneof![
            Just("NEW".to_owned()), Just("none".to_owned()), Just("A1 and B1".to_owned()), "[B-Z]{1,2}[1-9]", "[a-z]{3,9}",
        ],
        (agrees, reasoning) in prop_oneof![
            (Just(true), Just("I looked at it twice")),
            (any::<bool>(), prop::sample::select(vec![
                "critical: a.rs:5 divides by zero", "Do not merge this.", "a.rs:5 crashes on every call", "I vote FAIL.",
            ])),
        ],
        cites in any::<bool>(), judges in 2usize..5,
    ) {
        let mut run = exchanged(judges, &[]);
        for n in 2..judges {
            run.answer(&format!("judge-{n}"), Vote::Pass, |_| {});
        }
        let stance = if agrees { Stance::Agreed } else { Stance::Disagreed };
        let last = format!("judge-{judges}");
        answer(&mut run, &last, Vote::Pass, |a| {
            let evidence = cites.then(|| evidence(5));
            a.responses = vec![Response { reasoning: reasoning.into(), ..response(&to, stance, evidence) }];
        });
        let outcome = run.concluded().clone();
        prop_assert_eq!(outcome.verdict, Verdict::Warn);
        prop_assert!(run.noted(reasoning) && run.noted(&to), "{:?}", outcome.notes);
    }
}

#[test]
fn a_number_that_several_findings_have_is_sent_back() {
    let mut plan = plan(Procedure::Debate, 3);
    plan.debate = DebateMode::Force;
    let mut run = Run::seated(plan);
    for (n, line) in [(1, 3), (2, 40)] {
        let found = |a: &mut Answer| a.findings = vec![finding(Severity::Critical, line)];
        run.answer(&format!("judge-{n}"), Vote::Fail, found);
    }
    run.answer("judge-3", Vote::Pass, |_| {});
    run.stubborn = false;
    run.answer("judge-3", Vote::Pass, |a| {
        a.responses = vec![response("F1", Stance::Agreed, Some(evidence(20)))]
    });
    assert!(
        matches!(run.task("judge-3"), Task::Mend { error, .. } if error.contains("no finding has the id `F1`"))
    );
}

/// The draft's wrong id is no second word on the finding, nor an objection that was lost.
#[test]
fn an_id_that_was_put_right_is_forgotten() {
    let mut run = exchanged(2, &[3]);
    run.stubborn = false;
    let to = |id: &'static str| {
        move |a: &mut Answer| {
            a.responses = vec![response(id, Stance::Agreed, Some(evidence(20)))];
            a.change = change(Vote::Pass, Vote::Fail, Some(evidence(20)));
        }
    };
    run.answer("judge-2", Vote::Fail, to("B9"));
    run.answer("judge-2", Vote::Fail, to("A1"));
    let outcome = run.concluded().clone();
    assert_eq!(outcome.findings[0].disposition, Disposition::Confirmed);
    assert_eq!(outcome.verdict, Verdict::Fail);
    assert!(!run.noted("B9"), "{:?}", outcome.notes);
}

#[test]
fn a_harmless_word_under_an_id_that_nobody_has_is_told_and_bars_nothing() {
    let mut run = exchanged(2, &[]);
    answer(&mut run, "judge-2", Vote::Pass, |a| {
        let said = response("B9", Stance::Disagreed, None);
        a.responses = vec![Response {
            reasoning: "The value is guarded.".into(),
            ..said
        }];
    });
    assert!(run.noted(
        "judge-2 answered what nobody has reported: to \"B9\": disagreed: The value is guarded."
    ));
    assert_eq!(run.concluded().verdict, Verdict::Pass);
}

#[test]
fn a_question_or_message_that_names_a_problem_bars_a_pass() {
    let words = "a.rs:5 always raises: is that not critical?";
    let challenge = Challenge {
        to: "A".into(),
        claim: "all is well".into(),
        question: words.into(),
    };
    let message = PeerMessage {
        to: "A".into(),
        text: "Critical: a.rs:5 raises.".into(),
    };
    type Says = Box<dyn Fn(&mut Answer)>;
    let ways: [(&str, Says); 2] = [
        (
            words,
            Box::new(move |a| a.challenges = vec![challenge.clone()]),
        ),
        (
            "Critical: a.rs:5 raises.",
            Box::new(move |a| a.messages = vec![message.clone()]),
        ),
    ];
    for (words, says) in ways {
        let mut run = exchanged(2, &[]);
        answer(&mut run, "judge-2", Vote::Pass, says);
        assert_eq!(run.concluded().verdict, Verdict::Warn, "{words}");
        assert!(run.noted(words));
    }
}
