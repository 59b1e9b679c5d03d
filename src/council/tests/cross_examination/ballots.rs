//! Final ballots, and what they come to.

use council_protocol::answer::Evidence;

use super::*;
use crate::Outcome;
use crate::outcome::VerdictReason;

#[test]
fn the_verdict_tests_unanimity_first_and_says_when_it_is_divided() {
    let end = |votes: &[Vote]| {
        quiet_debate(council(votes.len(), 1), votes)
            .concluded()
            .clone()
    };
    assert_eq!(end(&[PASS, PASS, PASS]).verdict, Verdict::Pass);
    assert_eq!(end(&[PASS, PASS, WARN]).verdict, Verdict::Warn);
    assert_eq!(end(&[FAIL, FAIL, PASS]).verdict, Verdict::Fail);
    let split = end(&[PASS, PASS, FAIL, FAIL]);
    assert_eq!(
        (split.verdict, split.ledger.confidence),
        (Verdict::Warn, Some(Confidence::Low))
    );
    assert!(split.notes.iter().any(|n| n.contains("divided")));
    assert_eq!(
        end(&[PASS, PASS, PASS]).ledger.confidence,
        Some(Confidence::High)
    );
    assert_eq!(
        end(&[FAIL, FAIL, PASS]).ledger.confidence,
        Some(Confidence::Medium)
    );
}

#[test]
fn the_ballot_is_the_vote_that_counts() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, PASS, PASS]);
    for _ in 0..2 {
        go_on(&mut run, &[PASS, PASS, PASS]);
    }
    assert_eq!(*run.task("judge-1"), Task::Ballot);
    run.answer("judge-1", PASS, |_| {});
    assert!(
        matches!(run.task("judge-1"), Task::Mend { .. }),
        "a ballot is missing"
    );
    run.answer("judge-1", PASS, |a| {
        a.change = change(PASS, FAIL, Some(evidence(20)));
        a.ballot = Some(Ballot {
            vote: BallotVote::Reconsider,
            strongest_point: String::new(),
            concession: String::new(),
            remaining_concern: String::new(),
            conditions: Vec::new(),
        });
    });
    cast(&mut run, "judge-2", PASS);
    cast(&mut run, "judge-3", PASS);
    assert_eq!(run.concluded().judges[0].counted, Some(FAIL));
    assert_eq!(run.concluded().ledger.ballots.len(), 3);
}

/// A law: a ballot that is none of the printed ones is no consent, in whatever words, and its words are told.
#[test]
fn a_ballot_that_nobody_understands_is_no_consent() {
    let votes = [
        "MERGE WITH FIXES",
        "PROCEED once users.py:8 is fixed",
        "PROCEED (after fixing users.py:8)",
        "YES, IF TESTED",
        "ACCEPT WITH RESERVATIONS",
        "SHIP IT LATER",
        "MAYBE",
        "NEUTRAL",
        "NUR MIT TESTS",
    ];
    for (nth, vote) in votes.into_iter().enumerate() {
        let mut plan = council(3, 1);
        if nth % 2 == 0 {
            plan.options.subject = DebateSubject::Text;
        }
        let mut run = Run::seated(plan);
        open(&mut run, &[PASS, PASS, PASS]);
        for _ in 0..2 {
            go_on(&mut run, &[PASS, PASS, PASS]);
        }
        for _ in 0..2 {
            let sent = run.sent("judge-1");
            let mut answer = Answer::new(sent.round, sent.key.clone(), PASS);
            answer.ballot = Some(Ballot {
                vote: BallotVote::Proceed,
                strongest_point: "s".into(),
                concession: "c".into(),
                remaining_concern: "r".into(),
                conditions: Vec::new(),
            });
            let raw = serde_json::to_string(&answer).unwrap();
            run.raw(
                "judge-1",
                &raw.replace("\"PROCEED\"", &format!("\"{vote}\"")),
            );
        }
        cast(&mut run, "judge-2", PASS);
        cast(&mut run, "judge-3", PASS);
        let outcome = run.concluded();
        assert_eq!(
            outcome.verdict,
            Verdict::Warn,
            "{vote}: {:?}",
            outcome.notes
        );
        assert!(run.noted(vote), "{vote}: {:?}", outcome.notes);
        for invented in ["it said FAIL", "no final ballot came from judge-1"] {
            assert!(!run.noted(invented), "{vote}: {:?}", outcome.notes);
        }
    }
}

#[test]
fn a_topic_has_no_lines_so_that_a_named_change_is_enough() {
    let mut plan = council(3, 1);
    plan.options.subject = DebateSubject::Text;
    let mut run = Run::seated(plan);
    open(&mut run, &[PASS, PASS, FAIL]);
    run.answer("judge-1", FAIL, |a| {
        fill(a);
        a.change = change(PASS, FAIL, None);
    });
    run.answer("judge-2", FAIL, fill);
    run.answer("judge-3", FAIL, fill);
    for _ in 0..6 {
        go_on(&mut run, &[FAIL, PASS, FAIL]);
    }
    let counted: Vec<_> = run
        .concluded()
        .judges
        .iter()
        .map(|j| j.counted.unwrap())
        .collect();
    assert_eq!(counted, [FAIL, PASS, FAIL]);
}

/// What all ballots say is what the council decides: over a question there is no line to cite, and a stricter vote at the
/// end needs no ceremony.
#[test]
fn a_stricter_ballot_over_a_question_counts_and_a_milder_one_says_why() {
    let end = |held: Vote, cast_vote: Vote| {
        let mut plan = council(3, 1);
        plan.options.subject = DebateSubject::Text;
        let mut run = Run::seated(plan);
        open(&mut run, &[held; 3]);
        for _ in 0..2 {
            go_on(&mut run, &[held; 3]);
        }
        assert_eq!(*run.task("judge-1"), Task::Ballot);
        for judge in ["judge-1", "judge-2", "judge-3"] {
            cast(&mut run, judge, cast_vote);
        }
        run.concluded().verdict
    };
    assert_eq!(end(PASS, FAIL), Verdict::Fail);
    assert_eq!(end(PASS, WARN), Verdict::Warn);
    assert_eq!(end(FAIL, PASS), Verdict::Fail);
}

/// Asked twice and silent twice: what was said before is no final vote, and nobody counts it as one.
#[test]
fn fewer_ballots_than_the_quorum_are_no_decision() {
    let end = |silent: &[&str], held: Vote| {
        let mut plan = council(3, 1);
        plan.options.subject = DebateSubject::Text;
        let mut run = Run::seated(plan);
        open(&mut run, &[held; 3]);
        for _ in 0..2 {
            go_on(&mut run, &[held; 3]);
        }
        for judge in ["judge-1", "judge-2", "judge-3"] {
            if silent.contains(&judge) {
                run.answer(judge, held, |_| {});
                run.answer(judge, held, |_| {});
            } else {
                cast(&mut run, judge, held);
            }
        }
        run.concluded().clone()
    };
    let one_missing = end(&["judge-3"], PASS);
    assert_eq!(one_missing.verdict, Verdict::Pass, "two are a quorum");
    let told = |outcome: &Outcome, note: &str| outcome.notes.iter().any(|n| n == note);
    assert!(
        told(
            &one_missing,
            "no final ballot came from judge-3 (PASS stands)"
        ),
        "{:?}",
        one_missing.notes
    );
    let two_missing = end(&["judge-2", "judge-3"], PASS);
    assert_eq!(
        (two_missing.verdict, two_missing.reason),
        (Verdict::Inconclusive, VerdictReason::MissingBallots)
    );
    assert_eq!(two_missing.ledger.ballots.len(), 1);
    let none = end(&["judge-1", "judge-2", "judge-3"], WARN);
    assert_eq!(none.verdict, Verdict::Inconclusive);
    assert_eq!(end(&["judge-2", "judge-3"], FAIL).verdict, Verdict::Fail);
}

/// Giving in at the end without a word must not be greener than dying there.
#[test]
fn an_objection_between_opening_and_ballot_bars_a_pass_until_it_is_taken_back_with_evidence() {
    let end = |objects: Vote, grounds: Option<Option<Evidence>>, subject: DebateSubject| {
        let mut plan = council(3, 1);
        plan.options.subject = subject;
        let mut run = Run::seated(plan);
        open(&mut run, &[PASS; 3]);
        for _ in 0..2 {
            go_on(&mut run, &[objects, PASS, PASS]);
        }
        assert_eq!(*run.task("judge-1"), Task::Ballot);
        run.answer("judge-1", PASS, |a| {
            a.change = grounds.clone().and_then(|e| change(objects, PASS, e));
            a.ballot = Some(Ballot {
                vote: BallotVote::Proceed,
                strongest_point: String::new(),
                concession: String::new(),
                remaining_concern: String::new(),
                conditions: Vec::new(),
            });
        });
        cast(&mut run, "judge-2", PASS);
        cast(&mut run, "judge-3", PASS);
        run.concluded().clone()
    };
    let code = DebateSubject::Change;
    for objects in [WARN, FAIL] {
        let outcome = end(objects, None, code);
        assert_eq!(outcome.verdict, Verdict::Warn, "{objects:?}");
        let note = format!(
            "judge-1 voted {} in round 2 and PASS in the end",
            objects.as_str()
        );
        assert!(
            outcome.notes.iter().any(|n| n.starts_with(&note)),
            "{:?}",
            outcome.notes
        );
        assert_eq!(outcome.judges[0].lost_vote, Some(objects));
        let grounded = end(objects, Some(Some(evidence(20))), code);
        assert_eq!(grounded.verdict, Verdict::Pass, "{:?}", grounded.notes);
    }
    assert_eq!(end(PASS, None, code).verdict, Verdict::Pass);
    // A question has no lines to cite: there the named change is enough, and no less.
    for objects in [WARN, FAIL] {
        let question = |grounds| end(objects, grounds, DebateSubject::Text).verdict;
        assert_eq!(question(None), Verdict::Warn, "{objects:?}");
        assert_eq!(question(Some(None)), Verdict::Pass, "{objects:?}");
    }
}

/// A ballot against that says until when, or why, is one against: over a question by all it is what the printed one is.
#[test]
fn a_ballot_against_with_more_words_is_as_strict_as_without_them() {
    for vote in [
        "DO NOT PROCEED",
        "DO NOT PROCEED UNTIL FIXED",
        "Do not proceed, unless the query is bound",
        "RECONSIDER until users.py:8 is fixed",
    ] {
        let mut plan = council(3, 1);
        plan.options.subject = DebateSubject::Text;
        let mut run = Run::seated(plan);
        open(&mut run, &[PASS; 3]);
        for _ in 0..2 {
            go_on(&mut run, &[PASS; 3]);
        }
        for judge in ["judge-1", "judge-2", "judge-3"] {
            let sent = run.sent(judge);
            let mut answer = Answer::new(sent.round, sent.key.clone(), PASS);
            answer.ballot = Some(Ballot {
                vote: BallotVote::Proceed,
                strongest_point: "s".into(),
                concession: "c".into(),
                remaining_concern: "r".into(),
                conditions: Vec::new(),
            });
            let raw = serde_json::to_string(&answer).unwrap();
            run.raw(judge, &raw.replace("\"PROCEED\"", &format!("\"{vote}\"")));
        }
        let outcome = run.concluded();
        assert_eq!(
            outcome.verdict,
            Verdict::Fail,
            "{vote}: {:?}",
            outcome.notes
        );
        assert!(
            outcome
                .judges
                .iter()
                .all(|judge| judge.counted == Some(FAIL)),
            "{vote}"
        );
    }
}
