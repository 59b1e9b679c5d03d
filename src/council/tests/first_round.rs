//! R1: everybody at once, everybody alone.

use council_protocol::{Capability, CoverageState, FailureKind, RoundNumber, Severity, Task, Vote};

use crate::judges::SeatIndex;
use crate::outcome::{Verdict, VerdictReason};
use crate::plan::{DebateMode, DebateSubject, Procedure, ProcedureOptions};
use crate::testing::{Run, coverage, finding, plan, without_message};
use crate::{Action, Input};

fn spawned(actions: &[Action]) -> usize {
    actions
        .iter()
        .filter(|a| matches!(a, Action::Spawn { .. }))
        .count()
}

#[test]
fn all_judges_are_spawned_in_one_batch_before_anything_is_awaited() {
    let run = Run::convene(plan(Procedure::Review, 3));
    let spawns = run
        .actions
        .iter()
        .take_while(|a| matches!(a, Action::Spawn { .. }));
    assert_eq!(spawns.count(), 3);
    assert!(
        run.actions
            .iter()
            .any(|a| matches!(a, Action::SetDeadline { at: 120_000, .. }))
    );
}

#[test]
fn a_judge_is_sent_its_turn_when_it_is_seated_and_waits_for_nobody() {
    let mut run = Run::convene(plan(Procedure::Review, 3));
    run.feed(Input::Started {
        judge: "judge-2".into(),
    });
    assert_eq!(run.open.len(), 1);
    assert_eq!(*run.task("judge-2"), Task::Review);
    assert_eq!(run.sent("judge-2").timeout_ms, 120_000);
}

#[test]
fn a_round_has_120_seconds_a_second_90_and_an_end_30() {
    let mut plan = plan(Procedure::Debate, 2);
    plan.debate = DebateMode::Force;
    let mut run = Run::seated(plan);
    assert_eq!(run.sent("judge-1").timeout_ms, 120_000);
    run.votes(&[Vote::Pass, Vote::Pass]);
    assert_eq!(run.sent("judge-1").timeout_ms, 90_000);
    run.votes(&[Vote::Pass, Vote::Pass]);
    let graces = run.actions.iter().filter_map(|action| match action {
        Action::Shutdown { grace_ms, .. } => Some(*grace_ms),
        _ => None,
    });
    assert_eq!(graces.collect::<Vec<_>>(), [30_000, 30_000]);
}

#[test]
fn r1_carries_nothing_of_the_others_and_no_framing() {
    let run = Run::seated(plan(Procedure::Debate, 3));
    assert!(
        run.open
            .values()
            .all(|s| s.task == Task::Review && s.round == 1)
    );
    let keys: std::collections::BTreeSet<_> = run.open.values().map(|s| &s.key).collect();
    assert_eq!(keys.len(), 3, "each seat has a key of its own");
}

#[test]
fn quick_is_one_judge_and_one_round() {
    let mut run = Run::seated(plan(Procedure::Quick, 1));
    run.votes(&[Vote::Pass]);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.rounds, outcome.counted),
        (Verdict::Pass, 1, 1)
    );
    assert_eq!(spawned(&run.actions), 1);
}

#[test]
fn a_review_without_a_split_ends_after_r1() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.votes(&[Vote::Pass, Vote::Pass]);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Pass, VerdictReason::NoFindings)
    );
    assert_eq!(outcome.rounds, 1);
    assert!(outcome.notes.is_empty(), "{:?}", outcome.notes);
}

#[test]
fn one_late_judge_of_three_is_left_behind_and_the_report_says_so() {
    let mut run = Run::seated(plan(Procedure::Review, 3));
    run.votes(&[Vote::Pass, Vote::Pass]);
    run.wait(120_000);
    assert!(run.logged("Judge judge-3 R1 timeout -- proceeding without it."));
    let outcome = run.concluded();
    assert_eq!((outcome.verdict, outcome.counted), (Verdict::Pass, 2));
    assert!(run.noted("2 of 3 judges counted; abstained: judge-3 (too late: no answer in time)"));
    let cancelled =
        |a: &Action| matches!(a, Action::CancelTurn { judge } if judge.as_str() == "judge-3");
    assert!(run.actions.iter().any(cancelled));
}

/// Law: judges who think one after another have a time each: nobody is late because others were slow before it.
#[test]
fn who_thinks_behind_others_has_its_own_time() {
    for slow in [0, 1, 2] {
        let mut plan = plan(Procedure::Review, 3);
        for planned in &mut plan.seats {
            let emulated = &mut planned.grant.emulated;
            emulated.insert(Capability::Spawn, "one after another".into());
            planned.grant.granted.remove(&Capability::Spawn);
        }
        let mut run = Run::seated(plan);
        for nth in 0..3 {
            if nth < slow {
                // It never answers.
                run.wait(120_000);
            } else {
                run.wait(100_000);
                run.answer(&format!("judge-{}", nth + 1), Vote::Pass, |_| {});
            }
        }
        let outcome = run.concluded();
        assert_eq!(outcome.counted, 3 - slow, "{slow} of 3 are slow");
    }
}

#[test]
fn a_judge_that_is_not_seated_in_time_is_left_behind_too() {
    let mut run = Run::convene(plan(Procedure::Review, 3));
    run.feed(Input::Started {
        judge: "judge-1".into(),
    });
    run.feed(Input::Started {
        judge: "judge-2".into(),
    });
    run.votes(&[Vote::Pass, Vote::Pass]);
    run.wait(120_000);
    assert_eq!(run.concluded().verdict, Verdict::Pass);
    assert!(!run.concluded().judges[2].started);
    assert!(run.rounds_of("judge-3").is_empty());
}

#[test]
fn below_the_quorum_nothing_is_green() {
    for vote in [Vote::Pass, Vote::Warn] {
        let mut run = Run::seated(plan(Procedure::Review, 2));
        run.votes(&[vote]);
        run.wait(120_000);
        let outcome = run.concluded();
        assert_eq!(
            (outcome.verdict, outcome.reason),
            (Verdict::Inconclusive, VerdictReason::BelowQuorum)
        );
    }
}

#[test]
fn all_judges_failing_is_inconclusive_and_says_what_to_do() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.fail("judge-1", FailureKind::Quota);
    run.dies("judge-2");
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.counted),
        (Verdict::Inconclusive, 0)
    );
    assert!(run.noted("no judge gave a usable answer"));
    assert!(!outcome.coverage.is_complete());
}

#[test]
fn malformed_answers_are_sent_back_once_with_what_is_wrong_then_the_judge_abstains() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.answer("judge-2", Vote::Pass, |_| {});
    let first = run.sent("judge-1").clone();
    run.raw("judge-1", "Looks good to me.");
    let Task::Mend { error, .. } = run.task("judge-1") else {
        panic!("{:?}", run.task("judge-1"))
    };
    assert!(error.starts_with("prose: "), "{error}");
    assert_ne!(run.sent("judge-1").key, first.key, "the key is one-time");
    run.raw("judge-1", "I said: looks good to me!");
    let outcome = run.concluded();
    assert_eq!(outcome.verdict, Verdict::Inconclusive);
    assert_eq!(outcome.judges[0].failures.len(), 2);
    assert_eq!(outcome.judges[0].counted, None);
}

#[test]
fn a_mended_answer_counts() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.answer("judge-2", Vote::Pass, |_| {});
    run.raw("judge-1", "{");
    run.answer("judge-1", Vote::Pass, |_| {});
    let outcome = run.concluded();
    assert_eq!((outcome.verdict, outcome.counted), (Verdict::Pass, 2));
    assert_eq!(
        outcome.judges[0].failures[0].failure.kind,
        FailureKind::Truncated
    );
}

#[test]
fn an_answer_to_another_round_or_with_anothers_key_never_counts() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.answer("judge-1", Vote::Pass, |a| a.round = RoundNumber(2));
    assert!(matches!(run.task("judge-1"), Task::Mend { .. }));
    run.answer("judge-1", Vote::Pass, |a| a.key = "guessed".into());
    let foreign = run.sent("judge-2").key.clone();
    let kinds: Vec<_> = run.council.state.judges[SeatIndex(0)]
        .failures
        .iter()
        .map(|f| f.failure.kind)
        .collect();
    assert_eq!(kinds, [FailureKind::WrongRound, FailureKind::WrongKey]);
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.answer("judge-1", Vote::Pass, |a| a.key = foreign);
    let failure = &run.council.state.judges[SeatIndex(0)].failures[0].failure;
    assert_eq!(failure.kind, FailureKind::Violation);
    assert!(
        !run.open.contains_key("judge-1"),
        "a violation is not sent back"
    );
}

#[test]
fn nothing_to_review_is_skipped_and_nobody_is_spawned() {
    let mut empty = plan(Procedure::Review, 2);
    for seat in &mut empty.seats {
        seat.coverage = std::sync::Arc::default();
    }
    let run = Run::convene(empty.clone());
    assert_eq!(
        (run.concluded().verdict, run.concluded().reason),
        (Verdict::Skipped, VerdictReason::NothingToReview)
    );
    assert_eq!(spawned(&run.actions), 0);
    let mut skipped = plan(Procedure::Review, 2);
    for seat in &mut skipped.seats {
        seat.coverage = coverage(CoverageState::Skipped {
            reason: "lockfile".into(),
        });
    }
    assert_eq!(
        Run::convene(skipped).concluded().reason,
        VerdictReason::AllSkipped
    );
    empty.options = ProcedureOptions {
        subject: DebateSubject::Text,
        ..ProcedureOptions::default()
    };
    assert_eq!(
        spawned(&Run::convene(empty).actions),
        2,
        "a topic has no files and is not empty"
    );
}

#[test]
fn a_council_of_nobody_is_inconclusive() {
    let run = Run::convene(plan(Procedure::Review, 0));
    assert_eq!(run.concluded().verdict, Verdict::Inconclusive);
}

#[test]
fn every_quote_is_searched_before_the_verdict() {
    let mut plan = plan(Procedure::Review, 2);
    plan.debate = DebateMode::Off;
    let mut run = Run::seated(plan);
    run.proves = false;
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    run.answer("judge-2", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    assert!(run.outcome().is_none());
    let asked: Vec<_> = run
        .actions
        .iter()
        .filter(|a| matches!(a, Action::Prove { .. }))
        .collect();
    assert_eq!(asked.len(), 1, "the same quote is searched once");
    run.wait(60_000);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Inconclusive, VerdictReason::UncheckedEvidence)
    );
}

#[test]
fn an_accepted_answer_is_recorded_under_its_round() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.answer("judge-1", Vote::Pass, |_| {});
    assert!(run.actions.iter().any(|a| matches!(
        a,
        Action::Record {
            round: RoundNumber::FIRST,
            ..
        }
    )));
}

#[test]
fn explorers_work_in_r1_only_and_the_second_answer_replaces_the_first() {
    let mut plan = plan(Procedure::Review, 2);
    plan.options.explorers = 2;
    let mut run = Run::seated(plan);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)];
        a.explore = ["who calls it?", "is it tested?", "a third one"]
            .map(String::from)
            .to_vec();
    });
    let asked = run.actions.iter().find_map(|a| match a {
        Action::Explore {
            questions,
            timeout_ms,
            ..
        } => Some((questions.len(), *timeout_ms)),
        _ => None,
    });
    assert_eq!(asked, Some((2, 60_000)), "as many as the plan allows");
    assert!(!run.open.contains_key("judge-1"));
    let found = council_protocol::task::Explored {
        question: "who calls it?".into(),
        result: Some("nobody".into()),
    };
    run.feed(Input::Explored {
        judge: "judge-1".into(),
        results: vec![found],
        usage: None,
    });
    assert!(matches!(run.task("judge-1"), Task::Explored { .. }));
    run.answer("judge-1", Vote::Pass, |a| a.explore = vec!["more?".into()]);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.findings.len(), outcome.rounds),
        (Verdict::Warn, 0, 1),
        "it is replaced, and not unsaid"
    );
    assert!(run.noted("it said FAIL: critical a.rs:3"));
}

/// What a judge says beside a question to helpers holds until they are back: who then says nothing has passed nothing, and
/// who had objected still objects.
#[test]
fn a_pass_beside_a_question_is_none_without_an_answer_behind_it() {
    for (before, kind) in [
        (Vote::Pass, FailureKind::Refused),
        (Vote::Pass, FailureKind::Timeout),
        (Vote::Warn, FailureKind::Refused),
    ] {
        let mut plan = plan(Procedure::Review, 2);
        plan.debate = DebateMode::Off;
        plan.options.explorers = 1;
        let mut run = Run::seated(plan);
        run.answer("judge-1", before, |a| {
            a.explore = vec!["who calls it?".into()];
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.feed(Input::Explored {
            judge: "judge-1".into(),
            results: Vec::new(),
            usage: None,
        });
        run.fail("judge-1", kind);
        let outcome = run.concluded();
        let counted = outcome.judges[0].counted;
        assert_eq!(
            counted,
            (before != Vote::Pass).then_some(before),
            "{before:?} {kind:?}"
        );
        assert_ne!(
            outcome.verdict == Verdict::Pass,
            before == Vote::Pass,
            "{before:?} {kind:?}"
        );
        if before == Vote::Pass {
            assert!(run.noted("that PASS does not count"));
        }
    }
}

#[test]
fn explorers_that_are_late_leave_the_first_answer() {
    let mut plan = plan(Procedure::Review, 2);
    plan.options.explorers = 1;
    let mut run = Run::seated(plan);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-1", Vote::Pass, |a| {
        a.explore = vec!["who calls it?".into()]
    });
    run.wait(60_000);
    assert_eq!(
        (run.concluded().verdict, run.concluded().counted),
        (Verdict::Pass, 2)
    );
}

/// Whoever read it is not said to be silent.
#[test]
fn a_file_that_too_few_read_tells_how_many_did() {
    for (judges, answered) in (1..=5).flat_map(|all| (0..=all).map(move |some| (all, some))) {
        let plan = plan(Procedure::Review, judges);
        let quorum = plan.quorum as usize;
        let mut run = Run::seated(plan);
        run.votes(&vec![Vote::Pass; answered]);
        run.wait(120_000);
        let file = &run.concluded().coverage.files[0];
        let told = match &file.state {
            CoverageState::Unreadable { reason } => reason.as_str(),
            _ => "",
        };
        assert_eq!(
            told.is_empty(),
            answered >= quorum.min(judges),
            "{answered} of {judges}: {told}"
        );
        let expected = match answered {
            0 => "no judge gave an answer".to_owned(),
            _ => format!("only {answered} of the {judges} judges that were shown it answered"),
        };
        assert!(told.is_empty() || told == expected, "{told}");
        assert!(
            told.is_empty() || crate::is_for_lost_readers(told),
            "{told}"
        );
    }
}

/// Where the votes call for a second round that these judges cannot have, the report says so; where they do not, it
/// says nothing of it.
#[test]
fn a_second_round_that_is_missing_is_told_where_it_was_called_for() {
    let all = [Vote::Pass, Vote::Warn, Vote::Fail];
    for (one, other) in all
        .into_iter()
        .flat_map(|one| all.map(|other| (one, other)))
    {
        let mut plan = plan(Procedure::Review, 2);
        plan.debate = DebateMode::Auto;
        plan.seats.iter_mut().for_each(without_message);
        let mut run = Run::seated(plan);
        run.votes(&[one, other]);
        assert_eq!(run.concluded().rounds, 1);
        assert_eq!(run.noted(crate::CANNOT_BE_ASKED_AGAIN), one != other);
    }
}
