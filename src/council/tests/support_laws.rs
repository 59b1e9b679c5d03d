//! The laws of support: what may never raise a finding, and what may never lower it.

use council_protocol::answer::Stance;
use council_protocol::{Severity, Vote};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::support::{beside_milder, seen};
use super::world::{Script, World, cited, world};
use crate::outcome::{Disposition, Outcome, Verdict};
use crate::plan::{ConsensusRule, DebateMode, Procedure};
use crate::support::{
    JudgeStake, MIN_SUPPORT, SupportKind, WHOLE, dispose, dispose_rule, needed_support, support,
};
use crate::testing::{UNRELATED, plan};

fn kind() -> impl Strategy<Value = SupportKind> {
    prop_oneof![
        Just(SupportKind::Joined),
        Just(SupportKind::SamePlace),
        Just(SupportKind::OtherPlace),
        Just(SupportKind::Found),
    ]
}

fn stake() -> impl Strategy<Value = JudgeStake> {
    let said = (prop::option::of(kind()), prop::bool::weighted(0.25));
    said.prop_map(|(support, refutes)| JudgeStake { support, refutes })
}

fn stakes() -> impl Strategy<Value = Vec<JudgeStake>> {
    prop::collection::vec(stake(), 1..10)
}

/// From strong to weak.
fn strength(disposition: Disposition) -> u8 {
    match disposition {
        Disposition::Confirmed => 3,
        Disposition::Unconfirmed => 2,
        Disposition::Disputed => 1,
        Disposition::Rejected => 0,
    }
}

fn strengths(stakes: &[JudgeStake]) -> (u8, u8) {
    (strength(dispose(stakes)), strength(dispose_rule(stakes)))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_order_of_stakes_does_not_matter(stakes in stakes(), turn in 0usize..10) {
        let mut turned = stakes.clone();
        turned.rotate_left(turn % stakes.len());
        turned.reverse();
        prop_assert_eq!(strengths(&stakes), strengths(&turned));
    }

    #[test]
    fn more_evidence_for_it_never_lowers_a_finding(
        mut stakes in stakes(),
        who in any::<prop::sample::Index>(),
        more in kind(),
    ) {
        let before = strengths(&stakes);
        let at = who.index(stakes.len());
        stakes[at].support = stakes[at].support.max(Some(more));
        let after = strengths(&stakes);
        prop_assert!(after.0 >= before.0 && after.1 >= before.1, "{:?} -> {:?}", before, after);
    }

    #[test]
    fn a_refutation_never_raises_a_finding(mut stakes in stakes(), who in any::<prop::sample::Index>()) {
        let before = strengths(&stakes);
        let at = who.index(stakes.len());
        stakes[at].refutes = true;
        let after = strengths(&stakes);
        prop_assert!(after.0 <= before.0 && after.1 <= before.1, "{:?} -> {:?}", before, after);
    }

    #[test]
    fn a_judge_with_nothing_to_say_for_it_never_helped_by_being_counted(stakes in stakes()) {
        let mut watched = stakes.clone();
        watched.push(JudgeStake::default());
        prop_assert!(strength(dispose(&stakes)) >= strength(dispose(&watched)));
    }

    /// The table, written down a second time: whole numbers of sixths, counted by kind.
    #[test]
    fn a_disposition_is_what_the_table_says(stakes in stakes()) {
        let count = |kind| stakes.iter().filter(|s| s.support == Some(kind)).count() as i64;
        let refuted = stakes.iter().filter(|s| s.refutes).count() as i64;
        let (found, other) = (count(SupportKind::Found), count(SupportKind::OtherPlace));
        let same = count(SupportKind::SamePlace);
        let sixths = 6 * found + 3 * other + 2 * same - 6 * refuted;
        let judges = stakes.len() as i64;
        let everybody = found + other + same == judges;
        let carried = everybody || 3 * sixths >= 24 && sixths >= 3 * judges;
        let expected = match (carried, refuted > 0) {
            (true, _) => Disposition::Confirmed,
            (false, true) => Disposition::Disputed,
            (false, false) => Disposition::Unconfirmed,
        };
        prop_assert_eq!(dispose(&stakes), expected);
        let of_rule = if sixths <= -6 { Disposition::Disputed } else { Disposition::Confirmed };
        prop_assert_eq!(dispose_rule(&stakes), of_rule);
    }

    #[test]
    fn two_finders_of_two_confirm_whatever_they_say_of_each_other(refutes in any::<[bool; 2]>()) {
        let finds = |refutes| JudgeStake { support: Some(SupportKind::Found), refutes };
        prop_assert_eq!(dispose(&refutes.map(finds)), Disposition::Confirmed);
    }

    #[test]
    fn among_several_nobody_confirms_alone(judges in 2usize..10, refutes in any::<bool>()) {
        let mut stakes = vec![JudgeStake::default(); judges];
        stakes[0] = JudgeStake { support: Some(SupportKind::Found), refutes };
        prop_assert_ne!(dispose(&stakes), Disposition::Confirmed);
    }
}

#[test]
fn the_weights_are_those_of_the_table() {
    let weights = [
        SupportKind::Found,
        SupportKind::OtherPlace,
        SupportKind::SamePlace,
        SupportKind::Joined,
    ];
    assert_eq!(
        weights.map(SupportKind::weight),
        [WHOLE, WHOLE / 2, WHOLE / 3, 0]
    );
    assert_eq!(MIN_SUPPORT, WHOLE * 4 / 3);
    assert_eq!(
        [1, 2, 3, 4, 5, 9].map(needed_support),
        [8, 8, 9, 12, 15, 27],
        "half of the judges, or four thirds"
    );
    let refuted = JudgeStake {
        support: None,
        refutes: true,
    };
    assert_eq!(support(&[refuted]), -WHOLE);
    assert_eq!(dispose_rule(&[refuted]), Disposition::Disputed);
    let joined_elsewhere = JudgeStake {
        support: Some(SupportKind::OtherPlace),
        refutes: false,
    };
    assert_eq!(
        dispose_rule(&[refuted, joined_elsewhere]),
        Disposition::Confirmed,
        "-1/2 is more than -1"
    );
}

/// A debate of models that see everything and do as their scripts say.
fn debate(scripts: Vec<Script>, seed: u32) -> World {
    let mut plan = plan(Procedure::Debate, scripts.len());
    plan.debate = DebateMode::Force;
    plan.seed.0 = seed.to_string();
    World::new(plan, scripts, None, Vec::new(), true)
}

/// As many cases as `PROPTEST_CASES` says: `.ci/run nightly` says 50,000.
fn cases() -> Config {
    Config {
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn two_judges_of_two_with_the_same_proved_critical_fail_the_change(
        world in prop_oneof![
            world(Procedure::Review, 2..3),
            world(Procedure::Debate, 2..3),
            world(Procedure::CrossExamination, 2..3),
            world(Procedure::Staged, 2..3),
        ],
        line in 1u32..12,
    ) {
        let mut world = world.faultless();
        world.plan.consensus = ConsensusRule::Findings;
        let holds = |script: &mut Script| {
            script.deterministic = false;
            // The scripts take back their first finding: the critical one is another.
            script.findings.insert(0, (Severity::Minor, 40, true));
            script.findings.push((Severity::Critical, line, true));
        };
        world.scripts.values_mut().for_each(holds);
        for seat in &mut world.plan.seats {
            seat.seat.agent.deterministic = false;
        }
        let outcome = world.play();
        prop_assert_eq!(outcome.verdict, Verdict::Fail, "{:?}", outcome);
    }

    /// A judge that joins a critical finding with evidence is a second voice, be it the finding's own line.
    #[test]
    fn looking_at_the_line_itself_is_looking(
        line in 1u32..12, elsewhere in 1u32..24, vendor in 0u8..2, votes in any::<bool>(), seed in any::<u32>(),
    ) {
        let cited = if elsewhere > 12 { elsewhere } else { line };
        let mut finder = Script::quiet(Vote::Fail);
        finder.findings = vec![(Severity::Critical, line, true)];
        let mut joiner = Script { vendor, ..Script::quiet(Vote::Pass) };
        // It says that it agrees, or only votes otherwise and says for what.
        joiner.votes[1..].fill(Vote::Fail);
        joiner.grounds = Some((cited, true));
        joiner.opinion = (!votes || cited != line).then_some((Stance::Agreed, cited, true));
        let outcome = debate(vec![finder, joiner], seed).play();
        prop_assert_eq!(outcome.verdict, Verdict::Fail, "{:?}", outcome);
    }

    /// Among three, a refutation whose evidence is there outweighs that the two others agree.
    #[test]
    fn a_refutation_is_weighed(
        line in 1u32..12, cited in 14u32..24, refuter in 0usize..3, seed in any::<u32>(),
    ) {
        let script = |at: usize| if at == refuter { Script { opinion: Some((Stance::Disagreed, cited, true)), ..Script::quiet(Vote::Pass) } } else { Script { findings: vec![(Severity::Critical, line, true)], ..Script::quiet(Vote::Fail) } };
        let outcome = debate((0..3).map(script).collect(), seed).play();
        prop_assert_eq!(outcome.verdict, Verdict::Warn, "{:?}", outcome);
    }

    /// A critical that was given is in the report, whatever its quote is worth.
    #[test]
    fn no_critical_is_lost(
        world in prop_oneof![world(Procedure::Review, 1..5), world(Procedure::Debate, 1..5), world(Procedure::Staged, 1..5)],
    ) {
        let outcome = world.play();
        for judge in outcome.judges.iter().filter(|j| j.counted.is_some()) {
            for (severity, line, _) in &world.scripts[&judge.seat.judge].findings {
                let is_it = |m: &crate::outcome::FindingMember| {
                    m.judge == judge.seat.judge && m.finding.location.line == *line
                };
                let listed = outcome.findings.iter().any(|f| f.members.iter().any(is_it));
                prop_assert!(listed || *severity != Severity::Critical, "{} at {}: {:?}", judge.seat.judge, line, outcome);
            }
        }
    }

    /// More reviewers object than not: that is never a PASS, whatever became of their findings.
    #[test]
    fn a_majority_that_objects_never_passes(
        world in prop_oneof![world(Procedure::Review, 1..6), world(Procedure::Debate, 1..6)],
    ) {
        let mut world = world;
        world.plan.consensus = ConsensusRule::Findings;
        let outcome = world.play();
        let models = outcome.judges.iter().filter(|j| !j.seat.agent.deterministic);
        let votes: Vec<Vote> = models.filter_map(|j| j.counted).collect();
        let objecting = votes.iter().filter(|vote| **vote != Vote::Pass).count();
        if objecting * 2 > votes.len() {
            prop_assert_ne!(outcome.verdict, Verdict::Pass, "{:?}", outcome);
        }
    }

    /// Everybody fails the change over something else that is there: nobody need agree on which is worst.
    #[test]
    fn a_majority_that_fails_over_real_criticals_fails(
        judges in 2usize..6, passing in 0usize..3, seed in any::<u32>(), first in 1u32..8,
    ) {
        let fails = judges.max(passing + 1);
        let script = |at: usize| match at < fails {
            // Far from each other: no two mean the same.
            true => Script {
                findings: vec![(Severity::Critical, first + 8 * u32::try_from(at).unwrap(), true)],
                ..Script::quiet(Vote::Fail)
            },
            false => Script::quiet(Vote::Pass),
        };
        let outcome = debate((0..fails + passing).map(script).collect(), seed).play();
        prop_assert_eq!(outcome.verdict, Verdict::Fail, "{:?}", outcome);
    }

    /// Two judges fail the change, each over a critical finding that is there and that nobody refutes. However the council
    /// is held and its votes are counted, it never passes; and where nobody outnumbers them, it fails or there is no verdict.
    #[test]
    fn two_that_fail_over_real_criticals_never_pass(
        procedure in prop::sample::select(vec![
            Procedure::Review, Procedure::Debate, Procedure::CrossExamination, Procedure::Staged,
        ]),
        consensus in prop::sample::select(vec![
            ConsensusRule::Findings, ConsensusRule::Strict, ConsensusRule::Majority,
        ]),
        forced in any::<bool>(), others in 0usize..6, first in 1u32..8, apart in prop::option::of(8u32..14),
        turn in 0usize..8, seed in any::<u32>(),
    ) {
        let fails = |line| Script {
            findings: vec![(Severity::Critical, line, true)],
            ..Script::quiet(Vote::Fail)
        };
        let mut scripts = vec![fails(first), fails(first + apart.unwrap_or(0))];
        scripts.extend(vec![Script::quiet(Vote::Pass); others]);
        let count = scripts.len();
        scripts.rotate_left(turn % count);
        let mut plan = plan(procedure, count);
        plan.debate = if forced { DebateMode::Force } else { DebateMode::Auto };
        plan.seed.0 = seed.to_string();
        plan.consensus = consensus;
        let outcome = World::new(plan, scripts, None, Vec::new(), true).play();
        prop_assert_ne!(outcome.verdict, Verdict::Pass, "{:?}", outcome);
        if others < 2 || (others == 2 && apart.is_none()) {
            prop_assert_ne!(outcome.verdict, Verdict::Warn, "{:?}", outcome);
        }
    }

    /// Judges that were shown another part of a large change did not look and find nothing.
    #[test]
    fn whoever_was_not_shown_the_file_has_no_say(
        elsewhere in 0usize..6, line in 1u32..12, seed in any::<u32>(),
    ) {
        let found = Script { findings: vec![(Severity::Critical, line, true)], ..Script::quiet(Vote::Fail) };
        let other = Script { covers: false, ..Script::quiet(Vote::Pass) };
        let scripts = [found.clone(), found].into_iter().chain(vec![other; elsewhere]);
        let outcome = debate(scripts.collect(), seed).play();
        prop_assert_eq!(outcome.verdict, Verdict::Fail, "{:?}", outcome);
    }

    /// No rule of votes is milder than what is confirmed.
    #[test]
    fn no_vote_outweighs_a_confirmed_critical(
        world in prop_oneof![world(Procedure::Review, 1..6), world(Procedure::Debate, 1..6)],
    ) {
        let outcome = world.play();
        let failing = outcome.findings.iter().any(|f| f.level == Some(crate::outcome::FindingLevel::Fail));
        let cut = outcome.reason.is_cut_short();
        prop_assert!(!failing || cut || outcome.verdict == Verdict::Fail, "{:?}", outcome);
    }

    /// Any line of the tree can be quoted: what says nothing of a finding takes nothing away from it.
    #[test]
    fn evidence_about_something_else_refutes_nothing(
        finders in 1usize..4, refuters in 1usize..4, line in 1u32..12, own in any::<bool>(), rules in any::<bool>(),
        seed in any::<u32>(),
    ) {
        let finds = Script {
            findings: vec![(Severity::Critical, line, true)], deterministic: rules, ..Script::quiet(Vote::Fail)
        };
        let cites = if own { line } else { UNRELATED };
        let refutes = Script { opinion: Some((Stance::Disagreed, cites, true)), ..Script::quiet(Vote::Pass) };
        let bench = |other: Script| [vec![finds.clone(); finders], vec![other; refuters]].concat();
        let refuted = debate(bench(refutes), seed).play();
        let watched = debate(bench(Script::quiet(Vote::Pass)), seed).play();
        prop_assert_eq!(refuted.verdict, watched.verdict, "{:?}", refuted);
        prop_assert_eq!(refuted.findings[0].disposition, watched.findings[0].disposition);
    }

    /// A critical finding with a real quote is answered by another judge's evidence or leaves a warning: taking it back
    /// alone, over whatever line, is never a PASS.
    #[test]
    fn nobody_takes_a_critical_back_alone(
        world in prop_oneof![
            world(Procedure::Debate, 1..5), world(Procedure::CrossExamination, 1..4), world(Procedure::Staged, 1..4),
        ],
        line in 1u32..12, cited in cited(),
    ) {
        let mut world = world.faultless();
        world.plan.consensus = ConsensusRule::Findings;
        world.plan.debate = DebateMode::Force;
        let first = world.scripts.values_mut().next().expect("a judge");
        first.findings = vec![(Severity::Critical, line, true)];
        first.grounds = Some((cited, true));
        first.deterministic = false;
        let outcome = world.play();
        for found in &outcome.findings {
            let refuting = found.opinions.iter().filter(|o| o.stance == Stance::Disagreed && o.resolves);
            let refuters: std::collections::BTreeSet<_> = refuting.map(|o| &o.judge).collect();
            let refuted = refuters.len() > 1;
            let real = |m: &crate::outcome::FindingMember| {
                m.finding.severity == Severity::Critical && m.proof.resolves()
            };
            if found.members.iter().any(real) && !refuted {
                prop_assert_ne!(outcome.verdict, Verdict::Pass, "{:?}", outcome);
                prop_assert_ne!(found.disposition, Disposition::Rejected, "{:?}", outcome);
            }
        }
    }

    /// A ballot is the final vote: where most of them object, nothing passes, be it over code.
    #[test]
    fn ballots_that_object_never_pass(world in world(Procedure::CrossExamination, 2..6)) {
        let mut world = world;
        world.plan.consensus = ConsensusRule::Findings;
        let outcome = world.play();
        let counted = outcome.judges.iter().filter(|j| !j.seat.agent.deterministic && j.counted.is_some());
        let objecting = outcome.ledger.ballots.iter().filter(|cast| {
            let mut models = counted.clone();
            cast.ballot.vote.vote() != Vote::Pass && models.any(|j| j.seat.judge == cast.judge)
        });
        if objecting.count() * 2 > counted.clone().count() {
            prop_assert_ne!(outcome.verdict, Verdict::Pass, "{:?}", outcome);
        }
    }

    /// Whatever models say in its line, and whatever they refute of each other there, a rule's finding is there with the
    /// rule's own name, and it weighs what it weighs alone.
    #[test]
    fn what_a_rule_finds_stands_beside_whatever_models_say(
        rule in reported(), models in prop::collection::vec(prop::option::of(reported()), 0..5),
    ) {
        let alone = seen(&[Some(rule)], 1);
        let beside = seen(&[vec![Some(rule)], models].concat(), 1);
        if rule.0 > Severity::Minor {
            let of_rule = |outcome: &Outcome| {
                let mut findings = outcome.findings.iter();
                let found = findings.find(|f| f.finding.rule.as_deref() == Some(rule.1));
                found.map(|f| (f.finding.severity, f.disposition, f.level))
            };
            prop_assert_eq!(of_rule(&beside), of_rule(&alone));
        }
    }

    /// Whoever refutes what is milder in a line, and of another kind, changes nothing about what is critical there.
    #[test]
    fn what_is_refuted_beside_a_critical_changes_nothing_of_it(
        reported in prop::collection::vec(prop::option::weighted(0.7, reported()), 2..7),
        refuters in prop::collection::vec(any::<bool>(), 7),
        critical in (any::<prop::sample::Index>(), reported()),
    ) {
        let mut reported = reported;
        let at = critical.0.index(reported.len());
        reported[at] = Some((Severity::Critical, critical.1.1));
        let quiet = beside_milder(&reported, &[false; 7]);
        let refuted = beside_milder(&reported, &refuters);
        let found = |outcome: &Outcome| outcome.findings.first().map(|f| (f.disposition, f.level));
        prop_assert_eq!((refuted.verdict, found(&refuted)), (quiet.verdict, found(&quiet)));
    }
}

/// A finding of any severity and of one of three kinds.
fn reported() -> impl Strategy<Value = (Severity, &'static str)> {
    let severity = prop::sample::select(vec![
        Severity::Minor,
        Severity::Significant,
        Severity::Critical,
    ]);
    (
        severity,
        prop::sample::select(vec!["injection", "style", "logic"]),
    )
}
