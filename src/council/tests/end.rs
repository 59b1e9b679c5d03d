//! Cleanup always; and what an early end leaves of a verdict.

use council_protocol::message::Ending;
use council_protocol::{FailureKind, Severity, Vote};

use crate::outcome::{Verdict, VerdictReason};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, finding, plan};
use crate::{Action, CancelCause, Input};

fn shutdowns(run: &Run) -> usize {
    run.actions
        .iter()
        .filter(|a| {
            matches!(
                a,
                Action::Shutdown {
                    grace_ms: 30_000,
                    ..
                }
            )
        })
        .count()
}

#[test]
fn every_judge_is_shut_down_before_the_end() {
    let mut run = Run::seated(plan(Procedure::Review, 3));
    run.obedient = false;
    run.votes(&[Vote::Pass, Vote::Pass, Vote::Pass]);
    assert_eq!(shutdowns(&run), 3);
    for judge in ["judge-1", "judge-2"] {
        run.feed(Input::Ended {
            judge: judge.into(),
            ending: Ending::Graceful,
        });
        assert!(run.outcome().is_none());
    }
    run.feed(Input::Ended {
        judge: "judge-3".into(),
        ending: Ending::Forced,
    });
    let endings: Vec<_> = run.concluded().judges.iter().map(|j| j.ending).collect();
    assert_eq!(
        endings,
        [
            Some(Ending::Graceful),
            Some(Ending::Graceful),
            Some(Ending::Forced)
        ]
    );
}

#[test]
fn a_judge_that_does_not_end_is_forced_and_the_council_goes_on() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.obedient = false;
    run.votes(&[Vote::Pass, Vote::Pass]);
    run.feed(Input::Ended {
        judge: "judge-1".into(),
        ending: Ending::Graceful,
    });
    run.wait(30_000);
    assert!(
        run.outcome().is_none(),
        "the backend has a moment to use force"
    );
    run.wait(5_000);
    assert_eq!(run.concluded().judges[1].ending, Some(Ending::Forced));
    assert_eq!(run.concluded().verdict, Verdict::Pass);
    assert!(run.noted("judge-2 did not confirm its end"));
}

#[test]
fn cleanup_reaches_those_that_were_never_seated_and_those_that_died_but_not_failed_spawns() {
    let mut run = Run::convene(plan(Procedure::Review, 4));
    run.obedient = false;
    for judge in ["judge-1", "judge-2"] {
        run.feed(Input::Started {
            judge: judge.into(),
        });
    }
    run.dies("judge-3");
    run.answer("judge-1", Vote::Pass, |_| {});
    run.dies("judge-2");
    run.wait(120_000);
    let asked = |name: &str| {
        run.actions
            .iter()
            .any(|a| matches!(a, Action::Shutdown { judge, .. } if judge.as_str() == name))
    };
    assert!(asked("judge-1") && asked("judge-2") && asked("judge-4") && !asked("judge-3"));
}

#[test]
fn a_one_shot_judge_that_ends_after_its_answer_keeps_it() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.answer("judge-1", Vote::Pass, |_| {});
    run.feed(Input::Ended {
        judge: "judge-1".into(),
        ending: Ending::Died,
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    assert_eq!(
        (run.concluded().verdict, run.concluded().counted),
        (Verdict::Pass, 2)
    );
    assert_eq!(shutdowns(&run), 1);
    assert!(run.concluded().judges[0].failures.is_empty());
}

#[test]
fn a_cut_short_run_is_never_green() {
    for (cause, reason) in [
        (CancelCause::Interrupted, VerdictReason::Interrupted),
        (CancelCause::Deadline, VerdictReason::Deadline),
        (CancelCause::BackendLost, VerdictReason::BackendLost),
    ] {
        let mut run = Run::seated(plan(Procedure::Debate, 2));
        run.votes(&[Vote::Pass, Vote::Pass]);
        run.cancel(cause);
        let outcome = run.concluded();
        assert_eq!(
            (outcome.verdict, outcome.reason),
            (Verdict::Inconclusive, reason)
        );
        assert_eq!(shutdowns(&run), 2);
        assert!(run.noted("INCOMPLETE"));
    }
}

#[test]
fn a_fail_that_stands_on_a_completed_r1_survives_an_interruption() {
    let fail = |answers: usize| {
        let mut run = Run::seated(plan(Procedure::Debate, 3));
        for n in 1..=answers {
            run.answer(&format!("judge-{n}"), Vote::Fail, |a| {
                a.findings = vec![finding(Severity::Critical, 3)]
            });
        }
        run.cancel(CancelCause::Interrupted);
        run.concluded().verdict
    };
    assert_eq!(fail(3), Verdict::Fail);
    assert_eq!(fail(2), Verdict::Inconclusive, "R1 was not complete");
}

#[test]
fn the_runs_own_deadline_ends_it() {
    let mut plan = plan(Procedure::Review, 2);
    plan.timeouts.run_ms = Some(10_000);
    let mut run = Run::seated(plan);
    run.votes(&[Vote::Pass]);
    run.wait(10_000);
    assert_eq!(
        (run.concluded().verdict, run.concluded().reason),
        (Verdict::Inconclusive, VerdictReason::Deadline)
    );
    assert!(run.noted("its time of 10 s was over"));
}

#[test]
fn an_interruption_during_the_cleanup_does_not_unmake_the_verdict() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.obedient = false;
    run.votes(&[Vote::Pass, Vote::Pass]);
    run.cancel(CancelCause::Interrupted);
    run.wait(35_000);
    assert_eq!(run.concluded().verdict, Verdict::Pass);
}

#[test]
fn a_late_answer_is_noted_and_does_not_count() {
    let mut plan = plan(Procedure::Review, 2);
    plan.debate = DebateMode::Off;
    let mut run = Run::seated(plan);
    run.obedient = false;
    run.answer("judge-1", Vote::Pass, |_| {});
    run.wait(120_000);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.wait(35_000);
    let judge = &run.concluded().judges[1];
    assert_eq!(
        (judge.counted, run.concluded().verdict),
        (None, Verdict::Inconclusive)
    );
    assert_eq!(judge.failures.len(), 2);
    assert!(
        judge.failures[1]
            .failure
            .detail
            .contains("after its time was over")
    );
}

/// Two pass; a third objects after its time, while the others debate or when the round is over.
#[test]
fn an_objection_that_comes_late_is_told_and_bars_a_pass() {
    for debate in [DebateMode::Force, DebateMode::Off] {
        for objection in [Some(Severity::Critical), None] {
            let mut plan = plan(Procedure::Review, 4);
            plan.debate = debate;
            let mut run = Run::seated(plan);
            run.obedient = false;
            run.votes(&[Vote::Pass, Vote::Pass, Vote::Pass]);
            run.wait(120_000);
            run.answer("judge-4", Vote::Fail, |a| {
                a.findings = objection.map(|s| finding(s, 3)).into_iter().collect();
            });
            if debate == DebateMode::Force {
                run.votes(&[Vote::Pass, Vote::Pass, Vote::Pass]);
            }
            run.wait(35_000);
            let outcome = run.concluded();
            assert_eq!(outcome.judges[3].counted, None);
            assert_eq!(outcome.verdict, Verdict::Warn, "{:?}", outcome.notes);
            assert!(run.noted("FAIL"), "{:?}", outcome.notes);
        }
    }
}

#[test]
fn a_judge_that_dies_in_r2_keeps_its_r1() {
    let mut run = Run::seated(plan(Procedure::Debate, 2));
    run.votes(&[Vote::Pass, Vote::Warn]);
    run.dies("judge-2");
    run.answer("judge-1", Vote::Pass, |_| {});
    assert!(run.logged("Judge judge-2 R2 failed (died) -- using R1 verdict."));
    assert_eq!(run.concluded().judges[1].counted, Some(Vote::Warn));
    assert_eq!(
        run.concluded().judges[1].failures[0].failure.kind,
        FailureKind::Died
    );
}
