//! The law of an unrelated push: who is silent at it has taken nothing back, so no verdict gets milder by it as long as what
//! the judges objected to is open, and none harsher than if they had said it again.

use std::collections::BTreeMap;

use council_protocol::{JudgeId, Severity, Vote};
use proptest::prelude::*;

use super::world::{Deed, Script, World, world};
use crate::outcome::{Disposition, JudgedFinding, Outcome, Verdict, VerdictReason};
use crate::plan::{ConsensusRule, Procedure};
use crate::standing_votes::{standing_objections, votes_to_stand};

/// What the next review is told: the findings that are open, as a comment keeps them.
fn carried_from(outcome: &Outcome) -> Vec<JudgedFinding> {
    let open = outcome.findings.iter().filter(|f| f.level.is_some());
    let carry = |found: &JudgedFinding| JudgedFinding {
        standing_votes: votes_to_stand(outcome, found),
        since: Some("abc1234".to_owned()),
        ..found.clone()
    };
    open.map(carry).collect()
}

/// The same as it is known where none of those judges sits any more.
fn as_of_others(mut carried: Vec<JudgedFinding>) -> Vec<JudgedFinding> {
    for found in &mut carried {
        let votes = found.standing_votes.iter_mut().map(|one| &mut one.judge);
        let members = found.members.iter_mut().map(|one| &mut one.judge);
        let opinions = found.opinions.iter_mut().map(|one| &mut one.judge);
        for judge in votes.chain(members).chain(opinions) {
            *judge = JudgeId::from(format!("earlier-{judge}").as_str());
        }
    }
    carried
}

fn with_carried(world: &World, carried: Vec<JudgedFinding>) -> World {
    let mut next = world.clone();
    next.plan.options.carried = carried;
    next
}

/// The next review, over an unrelated push: everybody finds nothing, but those that are lost.
fn silent_after(world: &World, carried: Vec<JudgedFinding>, lost: &[usize]) -> World {
    let mut next = with_carried(world, carried);
    for (nth, script) in next.scripts.values_mut().enumerate() {
        *script = Script {
            deterministic: script.deterministic,
            messageable: script.messageable,
            covers: script.covers,
            vendor: script.vendor,
            ..Script::quiet(Vote::Pass)
        };
        if lost.contains(&nth) {
            script.deeds = vec![Deed::Refuse; 4];
        }
    }
    next
}

/// Whether each objection is told by a finding that is open: what a judge objects to in no finding is read again, and not
/// carried over.
fn is_carried_whole(outcome: &Outcome) -> bool {
    let holds = |judge: &JudgeId| {
        let mut open = outcome.findings.iter().filter(|f| f.level.is_some());
        open.any(|f| f.members.iter().any(|m| m.stands() && m.judge == *judge))
    };
    let is_lost = |found: &JudgedFinding| {
        let is_critical = found.finding.severity == Severity::Critical;
        found.disposition == Disposition::Rejected && is_critical
    };
    let mut judges = outcome.judges.iter();
    judges.all(|judge| {
        let worst = judge.counted.max(judge.r2);
        judge.lost_vote.is_none()
            && judge.unplaced.is_none()
            && (worst <= Some(Vote::Pass) || holds(&judge.seat.judge))
    }) && !outcome.findings.iter().any(is_lost)
}

/// Councils of models that object over findings: whoever finds nothing votes PASS. A rule that is silent has looked again.
fn objecting() -> impl Strategy<Value = World> {
    let worlds = prop_oneof![
        world(Procedure::Review, 1..5),
        world(Procedure::Debate, 2..5)
    ];
    worlds.prop_map(|world| {
        let mut world = world.faultless().without_tests();
        for seat in &mut world.plan.seats {
            seat.seat.agent.deterministic = false;
        }
        for script in world.scripts.values_mut() {
            script.deterministic = false;
            script.findings.iter_mut().for_each(|found| found.2 = true);
            if script.findings.is_empty() && script.later.is_none() {
                script.votes = [Vote::Pass; 6];
            }
        }
        world
    })
}

fn distance(outcome: &Outcome) -> u8 {
    outcome.verdict.distance_from_pass()
}

/// How certain each open finding is: a push over which nobody speaks makes none of them surer.
fn dispositions(outcome: &Outcome) -> BTreeMap<&str, Disposition> {
    let open = outcome.findings.iter().filter(|f| f.level.is_some());
    open.map(|found| (found.fingerprint.as_str(), found.disposition))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 200_000, ..ProptestConfig::default() })]

    /// However often something unrelated is pushed, and whoever is lost meanwhile.
    #[test]
    fn an_unrelated_push_makes_no_verdict_milder(
        world in objecting(),
        lost in prop::collection::vec(prop::collection::vec(0_usize..5, 0..2), 1..4),
    ) {
        let first = world.play();
        prop_assume!(is_carried_whole(&first));
        let mut last = first.clone();
        for lost in &lost {
            let next = silent_after(&world, carried_from(&last), lost).play();
            prop_assert!(distance(&next) >= distance(&first), "{:#?}\n-> {:#?}", first, next);
            prop_assert_eq!(dispositions(&next), dispositions(&last));
            last = next;
        }
    }

    /// Nor do other judges, who were never asked about it, in the place of those who objected.
    #[test]
    fn other_judges_make_no_verdict_milder(
        world in objecting(), lost in prop::collection::vec(0_usize..5, 0..2),
    ) {
        let first = world.play();
        prop_assume!(is_carried_whole(&first));
        let next = silent_after(&world, as_of_others(carried_from(&first)), &lost).play();
        prop_assert!(distance(&next) >= distance(&first), "{:#?}\n-> {:#?}", first, next);
    }

    /// Who is silent is no harsher than who says all of it again.
    #[test]
    fn silence_is_no_harsher_than_saying_it_again(world in objecting()) {
        let first = world.play();
        let carried = carried_from(&first);
        let silent = silent_after(&world, carried.clone(), &[]).play();
        let again = with_carried(&world, carried).play();
        prop_assert!(distance(&silent) <= distance(&again), "{:#?}\n-> {:#?}", again, silent);
    }

    /// What is no longer open takes the votes over it along: without any of it nobody is told of an earlier review.
    #[test]
    fn a_vote_goes_with_its_last_finding(world in objecting(), left in prop::collection::vec(any::<bool>(), 16)) {
        let first = world.play();
        let mut carried = carried_from(&first);
        let mut left = left.into_iter();
        carried.retain(|_| left.next().unwrap_or_default());
        let votes: BTreeMap<JudgeId, bool> = first.judges.iter().map(|judge| {
            let id = &judge.seat.judge;
            (id.clone(), carried.iter().any(|f| f.members.iter().any(|m| m.judge == *id)
                || f.opinions.iter().any(|o| o.judge == *id)))
        }).collect();
        let silent = silent_after(&world, carried, &[]).play();
        for one in standing_objections(&silent) {
            prop_assert!(votes[one.judge], "{:#?}", silent);
        }
        prop_assert!(distance(&silent) <= distance(&first), "{:#?}\n-> {:#?}", first, silent);
    }
}

mod examples {
    use council_protocol::CoverageState;

    use super::*;
    use crate::testing::{Run, coverage, finding, plan};

    const PASS: Vote = Vote::Pass;
    const FAIL: Vote = Vote::Fail;
    const WARN: Vote = Vote::Warn;

    /// What one review says, with what an earlier one left open.
    fn review(
        answers: &[(Vote, &[u32])],
        consensus: ConsensusRule,
        carried: Vec<JudgedFinding>,
    ) -> Outcome {
        let mut plan = plan(Procedure::Review, answers.len());
        (plan.consensus, plan.debate) = (consensus, crate::plan::DebateMode::Off);
        plan.options.carried = carried;
        let mut run = Run::seated(plan);
        for (nth, (vote, lines)) in answers.iter().enumerate() {
            run.answer(&format!("judge-{}", nth + 1), *vote, |answer| {
                let found = lines
                    .iter()
                    .map(|line| finding(Severity::Significant, *line));
                answer.findings = found.collect();
            });
        }
        run.concluded().clone()
    }

    const FINDINGS: ConsensusRule = ConsensusRule::Findings;

    #[test]
    fn a_vote_over_an_open_finding_outlives_an_unrelated_push() {
        let quiet: &[u32] = &[];
        for (answers, consensus, verdict) in [
            (
                vec![(WARN, &[3][..]), (PASS, quiet), (PASS, quiet)],
                ConsensusRule::Strict,
                Verdict::Warn,
            ),
            (
                vec![(FAIL, &[3][..]), (PASS, quiet)],
                FINDINGS,
                Verdict::Warn,
            ),
            (
                vec![(FAIL, &[3][..]), (FAIL, &[30][..])],
                FINDINGS,
                Verdict::Inconclusive,
            ),
            (
                vec![(WARN, &[3][..]), (WARN, &[30][..]), (PASS, quiet)],
                FINDINGS,
                Verdict::Warn,
            ),
        ] {
            let first = review(&answers, consensus, Vec::new());
            assert_eq!(first.verdict, verdict);
            let silent: Vec<_> = answers.iter().map(|_| (PASS, quiet)).collect();
            let next = review(&silent, consensus, carried_from(&first));
            let standing = (verdict, VerdictReason::StandingObjection);
            assert_eq!((next.verdict, next.reason), standing, "{answers:?}");
        }
    }

    /// Whoever speaks of the finding again has another vote now, and whoever finds something else keeps the one before.
    #[test]
    fn a_judge_that_speaks_of_its_finding_again_votes_anew() {
        let first = review(&[(FAIL, &[3]), (PASS, &[])], FINDINGS, Vec::new());
        for (line, verdict) in [(3, Verdict::Pass), (30, Verdict::Warn)] {
            let next = review(
                &[(WARN, &[line]), (PASS, &[])],
                FINDINGS,
                carried_from(&first),
            );
            assert_eq!(next.verdict, verdict, "{line}");
        }
    }

    /// A FAIL vote rests on the worst that its judge said: with that it ends, whatever else of its is open.
    #[test]
    fn a_remark_carries_no_vote_that_rested_on_something_worse() {
        let mut whole = review(&[(FAIL, &[3, 30]), (PASS, &[])], FINDINGS, Vec::new());
        whole.findings[0].finding.severity = Severity::Critical;
        whole.findings[0].members[0].finding.severity = Severity::Critical;
        let left = whole.findings[1].clone();
        let votes = votes_to_stand(&whole, &left);
        assert_eq!((votes[0].vote, votes[1].vote), (WARN, PASS));
    }

    /// What the readers of a file decide stands as it did, whoever sits next: who was not shown the file dilutes nothing that
    /// they say, and counts as before where all are counted.
    #[test]
    fn what_the_readers_of_a_file_decide_stands() {
        let review = |failing: &[u32], carried: Vec<JudgedFinding>| {
            let mut plan = plan(Procedure::Review, 4);
            plan.debate = crate::plan::DebateMode::Off;
            plan.quorum = 2;
            plan.options.carried = carried;
            for seat in &mut plan.seats[2..] {
                seat.coverage = coverage(CoverageState::OverBudget);
            }
            let mut run = Run::seated(plan);
            for nth in 1..=4 {
                let fails = failing.contains(&nth);
                let vote = if fails { FAIL } else { PASS };
                run.answer(&format!("judge-{nth}"), vote, |answer| {
                    let found = fails.then(|| finding(Severity::Critical, 10 * nth));
                    answer.findings = found.into_iter().collect();
                });
            }
            run.concluded().clone()
        };
        for (failing, verdict) in [
            (&[1, 2][..], Verdict::Fail),
            (&[1], Verdict::Warn),
            (&[1, 3], Verdict::Warn),
        ] {
            let first = review(failing, Vec::new());
            assert_eq!(first.verdict, verdict, "{failing:?}");
            for carried in [carried_from(&first), as_of_others(carried_from(&first))] {
                let next = review(&[], carried);
                assert_eq!(next.verdict, verdict, "{failing:?}: {next:#?}");
            }
        }
    }
}
