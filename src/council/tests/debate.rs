//! R2, statement by statement.

use council_protocol::answer::Stance;
use council_protocol::capability::{Capability, CapabilitySet};
use council_protocol::task::DebateBranch;
use council_protocol::{FailureKind, RoundNumber, Severity, Task, Vote};

use crate::judges::SeatIndex;
use crate::outcome::Verdict;
use crate::plan::{DebateMode, ExchangeMode, Procedure};
use crate::testing::{Run, evidence, finding, plan, response, without_message};
use crate::{Action, Plan};

pub(super) fn debate(judges: usize) -> Plan {
    plan(Procedure::Debate, judges)
}

/// R1 is over with the given votes.
pub(super) fn in_r2(plan: Plan, votes: &[Vote]) -> Run {
    let mut run = Run::seated(plan);
    run.votes(votes);
    run
}

#[test]
fn the_same_judges_sit_in_both_rounds() {
    let mut run = in_r2(debate(3), &[Vote::Pass, Vote::Warn, Vote::Pass]);
    run.votes(&[Vote::Pass, Vote::Warn, Vote::Pass]);
    let spawns = run
        .actions
        .iter()
        .filter(|a| matches!(a, Action::Spawn { .. }))
        .count();
    assert_eq!(spawns, 3, "N in total, not 2N");
    assert_eq!(
        run.rounds_of("judge-1"),
        [1, 2],
        "six calls of three judges"
    );
    assert_eq!(run.concluded().rounds, 2);
}

/// A judge is held to what it wrote at the end of R1: nothing of the others was known then.
#[test]
fn the_restatement_of_r1_is_quoted_back_in_r2() {
    let mut run = Run::seated(debate(3));
    let said = [Some("  It is fine: line 3 is guarded. "), None, Some(" ")];
    for (index, said) in said.into_iter().enumerate() {
        run.answer(&format!("judge-{}", index + 1), Vote::Warn, |a| {
            a.restatement = said.map(str::to_owned);
        });
    }
    let own = |run: &Run, judge: &str| match run.task(judge) {
        Task::Debate { restatement, .. } => restatement.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(own(&run, "judge-1"), "It is fine: line 3 is guarded.");
    let insight = "judge-2 says WARN";
    assert_eq!(
        own(&run, "judge-2"),
        insight,
        "the sentence that carried its vote"
    );
    assert_eq!(own(&run, "judge-3"), "judge-3 says WARN");
    run.answer("judge-1", Vote::Warn, |a| {
        a.restatement = Some("I never said so.".into())
    });
    run.answer("judge-2", Vote::Warn, |a| {
        a.restatement = Some("As before.".into())
    });
    run.answer("judge-3", Vote::Warn, |_| {});
    let restated = |judge: usize| run.concluded().judges[judge].restatement.as_deref();
    assert_eq!(restated(0), Some("It is fine: line 3 is guarded."));
    assert_eq!(
        restated(1),
        Some("As before."),
        "an answer of old brings it in R2"
    );
}

#[test]
fn the_r2_clock_starts_when_r1_is_over() {
    let mut run = Run::seated(debate(2));
    run.wait(50_000);
    run.votes(&[Vote::Pass, Vote::Fail]);
    assert_eq!(run.sent("judge-1").timeout_ms, 90_000);
    run.wait(90_000);
    assert_eq!(run.now, 140_000);
    assert!(run.outcome().is_some());
}

#[test]
fn the_message_excludes_the_judges_own_verdict_and_names_nobody() {
    let mut run = Run::seated(debate(3));
    for judge in ["judge-1", "judge-2", "judge-3"] {
        run.answer(judge, Vote::Warn, |a| {
            a.findings = vec![finding(Severity::Minor, 3)];
            a.findings[0].description = format!("{judge} of acme saw it");
            a.recommendation = format!("ask {judge}");
        });
    }
    for judge in ["judge-1", "judge-2", "judge-3"] {
        let Task::Debate { peers, framing, .. } = run.task(judge) else {
            panic!()
        };
        assert_eq!(
            peers.iter().map(|p| p.label.as_str()).collect::<Vec<_>>(),
            ["A", "B"]
        );
        let sent = serde_json::to_string(peers).unwrap();
        assert!(!sent.contains("judge-"), "{sent}");
        assert!(!sent.contains("confidence"), "{sent}");
        assert_eq!(
            framing.as_ref().unwrap().title,
            "Trust me",
            "framing comes in R2"
        );
    }
}

#[test]
fn peers_are_shuffled_by_the_recorded_seed() {
    let orders: std::collections::BTreeSet<Vec<SeatIndex>> = (0..20)
        .map(|n| {
            let mut plan = debate(4);
            plan.seed.0 = n.to_string();
            let run = in_r2(plan, &[Vote::Pass; 4]);
            run.council.state.judges[SeatIndex(0)].peers[&RoundNumber(2)].clone()
        })
        .collect();
    assert!(orders.len() > 3, "{orders:?}");
}

#[test]
fn the_branch_comes_from_the_verdict_values() {
    let branch = |votes: &[Vote]| {
        let run = in_r2(debate(votes.len()), votes);
        let Task::Debate { branch, .. } = run.task("judge-1") else {
            panic!()
        };
        *branch
    };
    assert_eq!(branch(&[Vote::Pass, Vote::Pass]), DebateBranch::Agreed);
    assert_eq!(
        branch(&[Vote::Warn, Vote::Warn, Vote::Warn]),
        DebateBranch::Agreed
    );
    assert_eq!(branch(&[Vote::Pass, Vote::Warn]), DebateBranch::Disagreed);
}

#[test]
fn equal_fails_on_disjoint_findings_are_a_disagreement() {
    let branch = |second: u32| {
        let mut run = Run::seated(debate(2));
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, 3)]
        });
        run.answer("judge-2", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, second)]
        });
        let Task::Debate { branch, .. } = run.task("judge-1") else {
            panic!()
        };
        *branch
    };
    assert_eq!(branch(3), DebateBranch::Agreed);
    assert_eq!(branch(40), DebateBranch::Disagreed);
}

#[test]
fn auto_debates_a_split_or_a_lone_critical_finding_and_nothing_else() {
    let rounds = |first: Vote, second: Vote, critical: &[u32]| {
        let mut run = Run::seated(plan(Procedure::Review, 2));
        for (judge, vote) in [("judge-1", first), ("judge-2", second)] {
            let own = critical.iter().filter(|n| judge == "judge-1" || **n == 7);
            let own: Vec<u32> = own.copied().collect();
            run.answer(judge, vote, |a| {
                a.findings = own
                    .iter()
                    .map(|n| finding(Severity::Critical, *n))
                    .collect()
            });
        }
        run.outcome().is_none()
    };
    assert!(!rounds(Vote::Pass, Vote::Pass, &[]));
    assert!(rounds(Vote::Pass, Vote::Warn, &[]));
    assert!(
        rounds(Vote::Fail, Vote::Fail, &[3]),
        "one judge alone holds it"
    );
    assert!(!rounds(Vote::Fail, Vote::Fail, &[7]), "both hold it");
}

#[test]
fn by_itself_round_2_asks_only_those_for_whom_something_is_open_and_only_about_that() {
    let mut run = Run::seated(plan(Procedure::Review, 3));
    let (open, held) = (
        finding(Severity::Critical, 3),
        finding(Severity::Significant, 40),
    );
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![open.clone(), held.clone(), finding(Severity::Minor, 20)];
    });
    run.answer("judge-2", Vote::Warn, |a| a.findings = vec![held.clone()]);
    run.answer("judge-3", Vote::Warn, |a| a.findings = vec![held.clone()]);
    assert_eq!(
        run.rounds_of("judge-1"),
        [1],
        "it found everything that is open"
    );
    for judge in ["judge-2", "judge-3"] {
        let Task::Debate { peers, .. } = run.task(judge) else {
            panic!("{judge} is not asked")
        };
        let lines: Vec<u32> = peers
            .iter()
            .flat_map(|p| &p.findings)
            .map(|f| f.finding.location.line)
            .collect();
        assert_eq!(lines, [3], "neither what all hold nor a note");
    }
    let id = run.id_of("judge-2", "judge-1", 1);
    run.answer("judge-2", Vote::Warn, |a| {
        a.responses = vec![response(&id, Stance::Agreed, Some(evidence(60)))];
    });
    run.answer("judge-3", Vote::Warn, |_| {});
    assert_eq!(run.concluded().verdict, Verdict::Fail);
}

#[test]
fn a_vote_that_no_finding_explains_is_open() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.votes(&[Vote::Fail, Vote::Pass]);
    assert!(matches!(run.task("judge-1"), Task::Debate { .. }));
    assert_eq!(
        run.rounds_of("judge-2"),
        [1],
        "nothing stands before it to decide"
    );
}

#[test]
fn force_debates_in_the_agreed_branch_too_and_off_never() {
    let mut forced = plan(Procedure::Review, 2);
    forced.debate = DebateMode::Force;
    let mut run = Run::seated(forced);
    run.votes(&[Vote::Pass, Vote::Pass]);
    assert!(run.outcome().is_none());
    let mut off = debate(2);
    off.debate = DebateMode::Off;
    let mut run = Run::seated(off);
    run.votes(&[Vote::Pass, Vote::Fail]);
    assert_eq!(run.concluded().rounds, 1);
}

#[test]
fn without_messaging_a_debate_is_one_round_with_a_note() {
    let mut plan = debate(2);
    plan.seats.iter_mut().for_each(without_message);
    let mut run = Run::seated(plan);
    run.votes(&[Vote::Pass, Vote::Fail]);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.rounds, outcome.procedure),
        (1, Some(Procedure::Review))
    );
    assert!(run.noted(crate::CANNOT_BE_ASKED_AGAIN));
}

#[test]
fn a_judge_that_cannot_be_messaged_gives_r1_only_and_its_r1_counts() {
    let mut plan = debate(3);
    without_message(&mut plan.seats[2]);
    let mut run = Run::seated(plan);
    run.votes(&[Vote::Pass, Vote::Pass, Vote::Fail]);
    assert!(!run.open.contains_key("judge-3"));
    let Task::Debate { peers, .. } = run.task("judge-1") else {
        panic!()
    };
    assert_eq!(peers.len(), 2, "its R1 is debated like any other");
    run.votes(&[Vote::Pass, Vote::Pass]);
    let outcome = run.concluded();
    assert_eq!(outcome.judges[2].counted, Some(Vote::Fail));
    assert!(run.noted("judge-3 answered in round 1 only"));
}

#[test]
fn late_r1_judge_gets_no_r2_message() {
    let mut run = Run::seated(debate(3));
    run.votes(&[Vote::Pass, Vote::Fail]);
    run.wait(120_000);
    assert_eq!(run.rounds_of("judge-3"), [1]);
    let Task::Debate { peers, .. } = run.task("judge-1") else {
        panic!()
    };
    assert_eq!(peers.len(), 1, "N-1 in R2");
    let mut run = Run::seated(debate(3));
    run.votes(&[Vote::Pass, Vote::Fail]);
    run.fail("judge-3", FailureKind::Refused);
    assert_eq!(
        run.rounds_of("judge-3"),
        [1],
        "nor does one that is free again"
    );
}

#[test]
fn r2_timeout_uses_the_r1_verdict() {
    let mut run = in_r2(debate(2), &[Vote::Warn, Vote::Pass]);
    run.answer("judge-1", Vote::Warn, |_| {});
    run.wait(90_000);
    assert!(run.logged("Judge judge-2 R2 timeout -- using R1 verdict."));
    let note = "judge-2 gave no usable answer in round 2 (too late); its answer of round 1 counts";
    assert!(run.noted(note), "{:?}", run.concluded().notes);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.judges[1].r2, outcome.judges[1].counted),
        (None, Some(Vote::Pass))
    );
    assert_eq!(outcome.counted, 2);
}

#[test]
fn all_r2_missing_is_r1_only_with_a_note() {
    let mut run = in_r2(debate(2), &[Vote::Pass, Vote::Pass]);
    run.wait(90_000);
    assert_eq!(run.concluded().verdict, Verdict::Pass);
    assert!(run.noted("the verdict rests on round 1 alone"));
}

#[test]
fn r2_is_recorded_beside_r1() {
    let mut run = in_r2(debate(2), &[Vote::Pass, Vote::Fail]);
    run.votes(&[Vote::Pass, Vote::Fail]);
    let rounds: Vec<RoundNumber> = run
        .actions
        .iter()
        .filter_map(|a| match a {
            Action::Record { judge, round, .. } if judge.as_str() == "judge-1" => Some(*round),
            _ => None,
        })
        .collect();
    assert_eq!(rounds, [1, 2]);
}

#[test]
fn a_malformed_r2_answer_is_sent_back_once_then_r1_counts() {
    let mut run = in_r2(debate(2), &[Vote::Pass, Vote::Warn]);
    run.answer("judge-1", Vote::Pass, |_| {});
    run.raw("judge-2", "no JSON");
    assert!(matches!(run.task("judge-2"), Task::Mend { .. }));
    run.raw("judge-2", "still none");
    assert!(run.logged("Judge judge-2 R2 failed (prose) -- using R1 verdict."));
    assert_eq!(run.concluded().judges[1].counted, Some(Vote::Warn));
}

#[test]
fn the_exchange_is_by_reference_where_a_folder_is_shared() {
    let mut plan = debate(2);
    plan.exchange = ExchangeMode::Reference;
    plan.seats[1].grant.granted = CapabilitySet::from([Capability::Spawn, Capability::Message]);
    let mut run = Run::seated(plan);
    for judge in ["judge-1", "judge-2"] {
        run.answer(judge, Vote::Warn, |a| {
            a.findings = vec![finding(Severity::Minor, 3)]
        });
    }
    let Task::Debate { peers, .. } = run.task("judge-1") else {
        panic!()
    };
    assert_eq!(peers[0].file.as_deref(), Some("peer-a.json"));
    assert!(peers[0].findings.is_empty() && peers[0].key_insight.is_empty());
    let shared = run.actions.iter().find_map(|a| match a {
        Action::Share { judge, peer } => Some((judge.as_str(), peer.findings.len())),
        _ => None,
    });
    assert_eq!(shared, Some(("judge-1", 1)));
    let Task::Debate { peers, .. } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(peers[0].findings.len(), 1, "no shared folder: inline");
    run.votes(&[Vote::Warn, Vote::Warn]);
    assert_eq!(
        run.concluded().ledger.exchange,
        Some(crate::ledger::ExchangeKind::Both)
    );
}

#[test]
fn an_inline_exchange_drops_whole_findings_and_says_how_many() {
    let mut plan = debate(2);
    plan.exchange = ExchangeMode::Inline { max_bytes: 700 };
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Warn, |a| {
        a.findings = (1..9).map(|n| finding(Severity::Minor, n * 5)).collect();
        a.findings.push(finding(Severity::Critical, 50));
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let Task::Debate { peers, dropped, .. } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(peers[0].findings.len() + *dropped as usize, 9);
    assert!(
        peers[0].findings.iter().any(|f| f.id.ends_with('9')),
        "the critical one stays, with its own id"
    );
    run.votes(&[Vote::Warn, Vote::Pass]);
    assert!(run.noted("did not fit the exchange"));
}
