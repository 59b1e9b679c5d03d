//! The laws of rules: rules match patterns, and are reviewers of nothing and nobody.

use council_protocol::Severity;
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::world::{World, world};
use crate::outcome::{Outcome, ReviewedBy, Verdict, VerdictReason};
use crate::plan::Procedure;
use crate::quorum::Attendance;
use crate::testing::{Run, plan};

fn cases() -> Config {
    Config {
        failure_persistence: None,
        ..Config::default()
    }
}

fn any_world() -> impl Strategy<Value = World> {
    prop_oneof![
        world(Procedure::Quick, 1..2),
        world(Procedure::Review, 1..5),
        world(Procedure::Debate, 1..5),
        world(Procedure::CrossExamination, 1..5),
        world(Procedure::Staged, 1..5),
    ]
}

/// The same world with nobody in it but rules.
fn of_rules(mut world: World) -> World {
    for script in world.scripts.values_mut() {
        script.deterministic = true;
    }
    for seat in &mut world.plan.seats {
        seat.seat.agent.deterministic = true;
    }
    world
}

/// What no rule does, whoever sits beside it.
fn rules_have_no_opinion(outcome: &Outcome) -> Result<(), TestCaseError> {
    let is_rule = |judge: &council_protocol::JudgeId| {
        let mut judges = outcome.judges.iter();
        judges.any(|j| j.seat.judge == *judge && j.seat.agent.deterministic)
    };
    for judge in outcome.judges.iter().filter(|j| is_rule(&j.seat.judge)) {
        prop_assert!(
            judge.confidence.is_none() && judge.steel_man.is_none(),
            "{:?}",
            judge
        );
        prop_assert!(
            judge.change.is_none() && judge.counted == judge.r1,
            "it moved: {:?}",
            judge
        );
        prop_assert!(judge.restatement.is_none(), "{:?}", judge);
    }
    for found in &outcome.findings {
        let opinion = found.opinions.iter().find(|o| is_rule(&o.judge));
        prop_assert!(opinion.is_none(), "{:?}", opinion);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn who_reviewed_follows_from_the_judges_that_count(world in any_world()) {
        let outcome = world.play();
        prop_assert_eq!(outcome.reviewed_by, ReviewedBy::of_records(&outcome.judges));
        rules_have_no_opinion(&outcome)?;
    }

    /// Rules alone never debate, converge, disagree or move, whatever they were asked for.
    #[test]
    fn rules_are_not_a_council(world in any_world()) {
        let outcome = of_rules(world).play();
        let counted = outcome.judges.iter().any(|j| j.counted.is_some());
        let expected = if counted { ReviewedBy::Rules } else { ReviewedBy::Nobody };
        prop_assert_eq!(outcome.reviewed_by, expected);
        rules_have_no_opinion(&outcome)?;
        prop_assert!(!outcome.converged && outcome.branch.is_none(), "{:?}", outcome);
        prop_assert!(outcome.challenges.is_empty() && outcome.ledger.interventions.is_empty(), "{:?}", outcome);
        prop_assert!(outcome.judges.iter().all(|j| j.r2.is_none()), "{:?}", outcome.judges);
    }

    /// Whatever happens to the models that were asked: a verdict that lets a change in rests on a quorum of them.
    #[test]
    fn rules_stand_in_for_no_lost_model(world in any_world(), rules in 0..6_usize) {
        let mut world = world;
        for seat in world.plan.seats.iter_mut().take(rules) {
            seat.seat.agent.deterministic = true;
            if let Some(script) = world.scripts.get_mut(&seat.seat.judge) {
                script.deterministic = true;
            }
        }
        let outcome = world.play();
        let all = Attendance::of_records(&outcome.judges);
        if matches!(outcome.verdict, Verdict::Pass | Verdict::Warn) {
            prop_assert!(!all.lacks_models(outcome.quorum as usize), "{:?}", outcome);
        }
    }

    /// Taking the reviewers away and leaving the rules never makes a finding of a rule weigh less.
    #[test]
    fn what_a_rule_found_stands_without_reviewers(world in any_world()) {
        let outcome = of_rules(world.faultless()).play();
        let real = |f: &&crate::outcome::JudgedFinding| f.members.iter().any(|m| m.proof.resolves());
        let worst = outcome.findings.iter().filter(real).map(|f| f.finding.severity).max();
        if worst == Some(Severity::Critical) && outcome.consensus == Some(crate::plan::ConsensusRule::Findings) {
            prop_assert_eq!(outcome.verdict, Verdict::Fail, "{:?}", outcome);
        }
    }
}

/// Two models are lost, and three rules answer: nobody read the change, and the quorum of two is none of rules.
#[test]
fn a_bench_that_lost_its_models_is_no_quorum() {
    use council_protocol::{FailureKind, Vote};
    for lost in 0..=2 {
        let mut plan = plan(Procedure::Review, 5);
        for seat in &mut plan.seats[2..] {
            seat.seat.agent.deterministic = true;
        }
        let mut run = Run::seated(plan);
        for judge in ["judge-1", "judge-2"].iter().take(lost) {
            run.fail(judge, FailureKind::Timeout);
        }
        for judge in ["judge-1", "judge-2", "judge-3", "judge-4", "judge-5"]
            .iter()
            .skip(lost)
        {
            run.answer(judge, Vote::Pass, |_| {});
        }
        run.wait(120_000);
        let outcome = run.concluded();
        let expected = match lost {
            0 => (Verdict::Pass, VerdictReason::NoFindings),
            _ => (Verdict::Inconclusive, VerdictReason::BelowQuorum),
        };
        assert_eq!((outcome.verdict, outcome.reason), expected, "{lost} lost");
    }
}
