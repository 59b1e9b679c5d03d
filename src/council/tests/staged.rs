//! A staged debate, statement by statement.

use council_protocol::answer::{Challenge, ChallengeAnswer, Contention, Stance};
use council_protocol::{Answer, FailureKind, Severity, Task, Vote};

use crate::Plan;
use crate::ledger::ContentionStep;
use crate::outcome::{Verdict, VerdictReason};
use crate::plan::{DebateSubject, Procedure, RoundLimits};
use crate::testing::{Run, finding, plan, response};

fn staged(judges: usize, min: u8, max: u8) -> Plan {
    let mut plan = plan(Procedure::Staged, judges);
    plan.quorum = 1;
    plan.options.rounds = Some(RoundLimits { min, max });
    for (seat, role) in plan
        .seats
        .iter_mut()
        .zip(["Visionary", "Skeptic", "Integrator"])
    {
        seat.seat.perspective.name = role.into();
    }
    plan
}

fn stage(judges: usize, min: u8, max: u8) -> Plan {
    let mut plan = staged(judges, min, max);
    plan.options.subject = DebateSubject::Text;
    plan
}

fn judges(run: &Run) -> Vec<String> {
    run.open.keys().map(ToString::to_string).collect()
}

fn write(answer: &mut Answer) {
    answer.document = Some("# Work\n\n## Debate Notes\nnone".into());
}

/// Everybody with an open turn answers with a document and nothing else.
fn go_on(run: &mut Run) {
    for judge in judges(run) {
        run.answer(&judge, Vote::Pass, write);
    }
}

/// R1 and R2 of a change: judge-1 raises as many findings as there are stances, judge-2 answers them so.
fn disputed(plan: Plan, stances: &[Stance]) -> Run {
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Warn, |a| {
        a.findings = (0..stances.len())
            .map(|n| finding(Severity::Significant, 5 + 10 * n as u32))
            .collect();
    });
    for judge in judges(&run) {
        run.answer(&judge, Vote::Pass, |_| {});
    }
    dispute(&mut run, stances);
    run
}

/// judge-2 takes its stances again; the others say nothing.
fn dispute(run: &mut Run, stances: &[Stance]) {
    let label = {
        let order = run.council.state.judges[crate::judges::SeatIndex(1)]
            .peers
            .values()
            .next_back()
            .unwrap();
        crate::anonymity::peer_label(
            order
                .iter()
                .position(|&seat| seat == crate::judges::SeatIndex(0))
                .unwrap(),
        )
    };
    for judge in judges(run) {
        run.answer(&judge, Vote::Pass, |a| {
            if judge == "judge-2" {
                let said = stances.iter().enumerate();
                a.responses = said
                    .map(|(n, s)| response(&format!("{label}{}", n + 1), *s, None))
                    .collect();
            }
        });
    }
}

fn scores(run: &Run) -> Vec<(f64, ContentionStep)> {
    run.council
        .state
        .ledger
        .contention
        .iter()
        .map(|c| (c.score.score(), c.then))
        .collect()
}

#[test]
fn round_one_is_independent_production_with_the_roles_directive() {
    let run = Run::seated(stage(3, 2, 4));
    assert!(
        run.open
            .values()
            .all(|s| s.task == Task::Produce && s.round == 1)
    );
    let run = Run::seated(staged(3, 2, 4));
    assert!(
        run.open.values().all(|s| s.task == Task::Review),
        "over a change it is a review"
    );
}

#[test]
fn a_stage_is_produced_reviewed_and_synthesized_and_has_no_verdict() {
    let mut run = Run::seated(stage(3, 2, 4));
    go_on(&mut run);
    let Task::CrossReview { documents, .. } = run.task("judge-1") else {
        panic!()
    };
    assert_eq!(
        documents
            .iter()
            .map(|d| d.role.as_str())
            .collect::<Vec<_>>(),
        ["A", "B"]
    );
    go_on(&mut run);
    assert_eq!(judges(&run).len(), 1, "one synthesizer");
    let writer = judges(&run).remove(0);
    let Task::Synthesize {
        contributions,
        contention,
    } = run.task(&writer)
    else {
        panic!()
    };
    assert_eq!((contributions.len(), contention.len()), (6, 1));
    assert_eq!(contributions[0].role, "Visionary");
    run.answer(&writer, Vote::Fail, |a| {
        write(a);
        a.contention = Some(Contention::THRESHOLD);
    });
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Skipped, VerdictReason::NoVerdict)
    );
    let synthesis = outcome.ledger.synthesis.as_ref().unwrap();
    assert!(synthesis.document.contains("## Debate Notes"));
    assert_eq!(synthesis.contention, Some(Contention::THRESHOLD));
    assert!(
        outcome.judges.iter().all(|j| j.counted == Some(Vote::Pass)),
        "the synthesis is no vote"
    );
}

#[test]
fn a_synthesis_without_debate_notes_is_sent_back_once() {
    let mut run = Run::seated(stage(2, 2, 4));
    go_on(&mut run);
    go_on(&mut run);
    let writer = judges(&run).remove(0);
    run.answer(&writer, Vote::Pass, |a| a.document = Some("# Work".into()));
    let Task::Mend { error, .. } = run.task(&writer) else {
        panic!()
    };
    assert!(error.contains("## Debate Notes"), "{error}");
}

#[test]
fn light_skips_cross_review_and_contention() {
    let mut run = Run::seated(stage(3, 1, 1));
    go_on(&mut run);
    let writer = judges(&run).remove(0);
    assert!(matches!(run.task(&writer), Task::Synthesize { .. }));
    go_on(&mut run);
    assert!(run.concluded().ledger.contention.is_empty());
    let mut run = Run::seated(staged(3, 1, 1));
    for judge in judges(&run) {
        run.answer(&judge, Vote::Pass, |_| {});
    }
    assert_eq!(
        (run.concluded().verdict, run.concluded().rounds),
        (Verdict::Pass, 1)
    );
}

#[test]
fn the_threshold_is_inclusive() {
    let (agreed, disagreed) = (Stance::Agreed, Stance::Disagreed);
    let run = disputed(staged(3, 2, 4), &[agreed, disagreed]);
    assert_eq!(scores(&run), [(0.5, ContentionStep::Extended)]);
    assert!(run.logged("[Contention] Score: 0.50 → extending to Round 3"));
    assert!(matches!(run.task("judge-1"), Task::Rebut { .. }));
    let run = disputed(staged(3, 2, 4), &[agreed, agreed, disagreed]);
    assert_eq!(scores(&run), [(0.333, ContentionStep::Settled)]);
    assert!(run.logged("[Contention] Score: 0.33 → proceeding to synthesis"));
    assert!(run.outcome().is_some());
}

#[test]
fn the_minimum_beats_the_score_and_the_maximum_ends_it() {
    let run = disputed(staged(3, 3, 5), &[Stance::Agreed]);
    assert_eq!(scores(&run), [(0.0, ContentionStep::Forced)]);
    assert!(run.logged("[Contention] Score: 0.00 → extending to Round 3 (minimum rounds)"));
    let mut run = disputed(staged(3, 2, 3), &[Stance::Disagreed]);
    dispute(&mut run, &[Stance::Disagreed]);
    assert_eq!(
        scores(&run),
        [
            (1.0, ContentionStep::Extended),
            (1.0, ContentionStep::Limit)
        ]
    );
    assert_eq!(run.concluded().rounds, 3);
}

#[test]
fn a_rebuttal_is_about_what_is_open_only() {
    let run = disputed(staged(3, 2, 4), &[Stance::Agreed, Stance::Disagreed]);
    let Task::Rebut { open, .. } = run.task("judge-1") else {
        panic!()
    };
    assert_eq!(
        open.iter().map(|o| o.id.as_str()).collect::<Vec<_>>(),
        ["2"],
        "its own, by number"
    );
    assert_eq!(open[0].said[0].stance, Stance::Disagreed);
    let Task::Rebut { open, .. } = run.task("judge-3") else {
        panic!()
    };
    assert!(
        open[0].id.ends_with('2') && open[0].id.len() == 2,
        "{}",
        open[0].id
    );
}

#[test]
fn what_is_conceded_is_no_longer_contended() {
    let mut run = disputed(staged(3, 2, 4), &[Stance::Disagreed]);
    dispute(&mut run, &[Stance::Agreed]);
    assert_eq!(
        scores(&run),
        [
            (1.0, ContentionStep::Extended),
            (0.0, ContentionStep::Settled)
        ]
    );
    let mut run = disputed(staged(3, 2, 5), &[Stance::Disagreed]);
    dispute(&mut run, &[Stance::PartiallyAgreed]);
    assert_eq!(
        scores(&run)[1],
        (0.5, ContentionStep::Extended),
        "half of it"
    );
}

#[test]
fn open_challenges_count_and_are_asked_in_the_next_round() {
    let mut run = Run::seated(staged(3, 2, 4));
    for judge in judges(&run) {
        run.answer(&judge, Vote::Pass, |_| {});
    }
    run.answer("judge-1", Vote::Pass, |a| {
        a.challenges = vec![Challenge {
            to: "A".into(),
            claim: "c".into(),
            question: "Why?".into(),
        }];
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-3", Vote::Pass, |_| {});
    assert_eq!(scores(&run), [(1.0, ContentionStep::Extended)]);
    let asked = run.council.state.challenges[0].to.to_string();
    let Task::Rebut { challenges, .. } = run.task(&asked).clone() else {
        panic!()
    };
    assert_eq!(
        challenges[0].from.len(),
        1,
        "a label, not a name: {}",
        challenges[0].from
    );
    for judge in judges(&run) {
        run.answer(&judge, Vote::Pass, |a| {
            if judge == asked {
                a.answers = vec![ChallengeAnswer {
                    challenge: "C1".into(),
                    response: "Because.".into(),
                }];
            }
        });
    }
    assert_eq!(scores(&run)[1], (0.0, ContentionStep::Settled));
}

#[test]
fn the_progress_lines() {
    let mut run = disputed(staged(3, 2, 3), &[Stance::Disagreed]);
    dispute(&mut run, &[Stance::Disagreed]);
    for line in [
        "[Round 1] 3/3 agents completed (Visionary, Skeptic, Integrator)",
        "[Round 2] 3/3 reviews completed",
        "[Round 3] 3/3 rebuttals completed",
    ] {
        assert!(run.logged(line), "{line}");
    }
}

#[test]
fn one_agent_is_enough_for_a_synthesis() {
    let mut run = Run::seated(stage(3, 2, 4));
    run.answer("judge-1", Vote::Pass, write);
    run.fail("judge-2", FailureKind::Refused);
    run.dies("judge-3");
    assert!(run.logged("[Round 1] 1/3 agents completed (Visionary)"));
    assert!(matches!(run.task("judge-1"), Task::Synthesize { .. }));
    go_on(&mut run);
    assert!(run.concluded().ledger.synthesis.is_some());
}

#[test]
fn an_answer_without_the_document_is_no_document() {
    let mut run = Run::seated(stage(2, 1, 1));
    go_on(&mut run);
    let writer = judges(&run).remove(0);
    for _ in 0..2 {
        run.answer(&writer, Vote::Pass, |_| {});
    }
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Inconclusive, VerdictReason::NoSynthesis)
    );
}

#[test]
fn when_all_fail_one_agent_works_alone() {
    let mut run = Run::seated(stage(2, 2, 4));
    run.fail("judge-1", FailureKind::Refused);
    run.fail("judge-2", FailureKind::Refused);
    assert_eq!(*run.task("judge-1"), Task::Produce);
    go_on(&mut run);
    assert!(run.concluded().ledger.synthesis.is_some());
    assert!(run.noted("one agent worked alone"));
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Skipped, VerdictReason::NoVerdict)
    );
    let mut run = Run::seated(staged(2, 2, 4));
    run.fail("judge-1", FailureKind::Refused);
    run.fail("judge-2", FailureKind::Refused);
    assert_eq!(
        run.concluded().verdict,
        Verdict::Inconclusive,
        "a change is not judged that way"
    );
}

#[test]
fn when_all_fail_a_synthesizer_that_was_not_asked_yet_works_alone() {
    let mut plan = stage(3, 2, 4);
    plan.options.synthesizer = Some("judge-3".into());
    for planned in &mut plan.seats {
        planned
            .grant
            .granted
            .remove(&council_protocol::Capability::Message);
    }
    let mut run = Run::seated(plan);
    run.fail("judge-1", FailureKind::Quota);
    run.fail("judge-2", FailureKind::Quota);
    assert_eq!(*run.task("judge-3"), Task::Produce);
    run.fail("judge-3", FailureKind::Quota);
    let outcome = run.concluded();
    assert_eq!(
        outcome.verdict,
        Verdict::Inconclusive,
        "then there is nothing"
    );
}

#[test]
fn agents_without_memory_are_told_what_they_wrote() {
    let mut plan = stage(2, 2, 4);
    for planned in &mut plan.seats {
        let message = council_protocol::Capability::Message;
        planned.grant.granted.remove(&message);
        planned
            .grant
            .emulated
            .insert(message, "briefed afresh".into());
    }
    let mut run = Run::seated(plan);
    go_on(&mut run);
    let Task::CrossReview { documents, .. } = run.task("judge-1") else {
        panic!()
    };
    let roles: Vec<&str> = documents.iter().map(|d| d.role.as_str()).collect();
    assert_eq!(roles, ["A", "you yourself"]);
}

#[test]
fn the_threshold_is_that_of_the_settings() {
    let mut plan = staged(2, 2, 4);
    plan.options.threshold = Contention::try_from(0.6).ok();
    let run = disputed(plan, &[Stance::Disagreed, Stance::Agreed]);
    let record = run.council.state.ledger.contention[0];
    assert_eq!(
        (record.score.score(), record.then),
        (0.5, ContentionStep::Settled)
    );
}

#[test]
fn a_failure_in_an_extra_round_leaves_the_others_going_on() {
    let mut run = disputed(staged(3, 2, 4), &[Stance::Disagreed]);
    run.fail("judge-3", FailureKind::Quota);
    dispute(&mut run, &[Stance::Disagreed]);
    assert_eq!(run.council.state.begun, 4);
    assert!(run.logged("[Round 3] 2/3 rebuttals completed"));
}

/// Law: a round that nobody answered has no score, whatever the limits; the synthesis is written from what there is.
#[test]
fn what_nobody_answered_has_no_score() {
    for (min, max) in [(2, 2), (2, 4), (3, 5), (5, 5)] {
        for silent in 2..=min {
            let mut run = Run::seated(stage(3, min, max));
            for _ in 1..silent {
                go_on(&mut run);
            }
            for judge in judges(&run) {
                run.fail(&judge, FailureKind::Quota);
            }
            let ledger = &run.council.state.ledger;
            assert_eq!(ledger.rounds.len(), usize::from(silent));
            assert_eq!(
                ledger.contention.len(),
                usize::from(silent) - 2,
                "{:?}",
                ledger.contention
            );
            let line = format!(
                "[Contention] No score: nobody answered Round {silent} → proceeding to synthesis"
            );
            assert!(run.logged(&line));
            go_on(&mut run);
            assert!(run.noted(&format!("nobody answered round {silent}")));
        }
    }
}

#[test]
fn a_synthesizers_seat_takes_no_other_part() {
    let mut plan = staged(3, 2, 4);
    plan.options.synthesizer = Some("judge-3".into());
    let mut run = Run::seated(plan);
    assert_eq!(judges(&run), ["judge-1", "judge-2"]);
    for _ in 0..2 {
        for judge in judges(&run) {
            run.answer(&judge, Vote::Pass, |_| {});
        }
    }
    assert_eq!(judges(&run), ["judge-3"]);
    go_on(&mut run);
    let outcome = run.concluded();
    assert_eq!((outcome.verdict, outcome.counted), (Verdict::Pass, 2));
    assert!(!run.noted("abstained"), "{:?}", outcome.notes);
}

#[test]
fn documents_that_do_not_fit_give_way_oldest_first() {
    let mut run = Run::seated(stage(2, 2, 4));
    let long = "x".repeat(150 << 10);
    for _ in 0..2 {
        for judge in judges(&run) {
            run.answer(&judge, Vote::Pass, |a| a.document = Some(long.clone()));
        }
    }
    let writer = judges(&run).remove(0);
    let Task::Synthesize { contributions, .. } = run.task(&writer) else {
        panic!()
    };
    let kept: Vec<_> = contributions
        .iter()
        .map(|c| (c.round.0, c.document.is_some()))
        .collect();
    assert_eq!(kept, [(1, false), (1, false), (2, false), (2, true)]);
    go_on(&mut run);
    assert!(run.noted("reduced to findings and summary"));
}

/// Law: what a report says of a challenge is what was asked: twice put and not answered is evaded and not put again, once put is
/// no evasion, and an answer at any time is an answer.
#[test]
fn a_challenge_is_evaded_once_it_was_put_twice() {
    for (rounds, answered_in) in [(2, 0), (3, 0), (4, 0), (5, 0), (4, 3), (4, 4)] {
        let mut run = Run::seated(stage(2, rounds, rounds));
        let mut put = 0;
        for round in 1..=rounds {
            for judge in judges(&run) {
                let is_asked = run.asks_challenge(&judge);
                put += u32::from(is_asked);
                run.answer(&judge, Vote::Pass, |a| {
                    write(a);
                    if round == 2 && judge == "judge-1" {
                        a.challenges = vec![Challenge {
                            to: "A".into(),
                            claim: "it loses data".into(),
                            question: "why?".into(),
                        }];
                    }
                    if is_asked && round == answered_in {
                        a.answers = vec![ChallengeAnswer {
                            challenge: "C1".into(),
                            response: "It does not.".into(),
                        }];
                    }
                });
            }
        }
        let told = &run.council.state.challenges[0];
        let wanted = match answered_in {
            0 => (rounds - 2).min(2),
            round => round - 2,
        };
        assert_eq!(
            (told.asked, put),
            (u32::from(wanted), u32::from(wanted)),
            "{rounds} {answered_in}"
        );
        assert_eq!(
            told.evaded,
            answered_in == 0 && wanted == 2,
            "{rounds} {answered_in}"
        );
        assert_eq!(told.answer.is_some(), answered_in > 0);
    }
}
