//! The laws of the verdict, over random councils with random faults.

use std::collections::BTreeSet;

use council_protocol::answer::Stance;
use council_protocol::{JudgeId, Severity, Vote};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::world::{Deed, World, world};
use crate::consensus::{FindingStanding, Objections, VerdictInput, decide_verdict, finding_level};
use crate::outcome::{Disposition, FindingLevel, Outcome, Verdict, VerdictReason};
use crate::plan::{ConsensusRule, DebateMode, ExchangeMode, Procedure, VerdictPolicy};
use crate::support::{JudgeStake, SupportKind, dispose};

/// As many cases as `PROPTEST_CASES` says (50,000 in `.ci/run nightly`); each plays its world twice. Whole runs of every procedure are played in
/// [`super::simulation`].
fn cases() -> Config {
    Config {
        failure_persistence: None,
        ..Config::default()
    }
}

/// What of an outcome does not depend on the names of things.
fn essence(outcome: &Outcome) -> (Verdict, VerdictReason, BTreeSet<String>) {
    let findings = outcome
        .findings
        .iter()
        .map(|f| format!("{} {:?} {:?}", f.fingerprint, f.disposition, f.level));
    (outcome.verdict, outcome.reason, findings.collect())
}

/// Any procedure in which judges react to each other.
fn debated() -> impl Strategy<Value = World> {
    prop_oneof![
        world(Procedure::Debate, 2..5),
        world(Procedure::CrossExamination, 2..5),
        world(Procedure::Staged, 2..5),
    ]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_order_of_judges_does_not_matter(world in debated(), turn in 1usize..5) {
        let world = world.faultless().without_tests();
        let mut turned = world.clone();
        let seats = turned.plan.seats.len();
        turned.plan.seats.rotate_left(turn % seats);
        prop_assert_eq!(essence(&world.play()), essence(&turned.play()));
    }

    #[test]
    fn without_later_answers_the_result_is_that_of_r1(world in debated()) {
        let mut world = world.faultless();
        let mut alone = world.clone();
        (alone.plan.procedure, alone.plan.debate) = (Procedure::Review, DebateMode::Off);
        // What comes before the first later answer: R1, and the opening that is sent back.
        let said = if world.plan.procedure == Procedure::CrossExamination { 2 } else { 1 };
        for script in world.scripts.values_mut() {
            script.deeds = vec![Deed::Answer; said];
            script.deeds.extend([Deed::Silence; 6]);
        }
        prop_assert_eq!(essence(&world.play()), essence(&alone.play()));
    }

    #[test]
    fn weak_changes_leave_the_result_of_r1(world in world(Procedure::Debate, 2..5)) {
        let mut world = world.faultless().without_tests();
        for script in world.scripts.values_mut() {
            script.grounds = script.grounds.map(|(line, _)| (line, false));
            script.opinion = script.opinion.map(|(stance, line, _)| (stance, line, false));
            script.later = None;
        }
        let mut alone = world.clone();
        alone.plan.debate = DebateMode::Off;
        let (debated, r1) = (world.play(), alone.play());
        let models = debated.judges.iter().filter(|j| !j.seat.agent.deterministic);
        let last: Vec<(JudgeId, Vote)> = models
            .filter_map(|j| Some((j.seat.judge.clone(), j.r2.unwrap_or(j.counted?).max(j.counted?))))
            .collect();
        // All of them, and those that were shown the same files, where that is not everybody.
        let of = |bench: &[JudgeId]| -> Vec<Vote> {
            last.iter().filter(|(judge, _)| bench.contains(judge)).map(|(_, vote)| *vote).collect()
        };
        let everybody: Vec<JudgeId> = last.iter().map(|(judge, _)| judge.clone()).collect();
        let least = (world.plan.quorum as usize).min(last.len());
        let readers = debated.benches.iter().map(|bench| of(&bench.judges)).filter(|votes| votes.len() >= least);
        let turned = readers.chain([of(&everybody)]).any(|votes| {
            votes.iter().filter(|vote| **vote != Vote::Pass).count() * 2 > votes.len()
        });
        let (is, was) = (essence(&debated), essence(&r1));
        let is_pass = was.0 == Verdict::Pass || was.1 == VerdictReason::IncompleteCoverage;
        if is_pass && (turned || last.iter().any(|(_, vote)| *vote == Vote::Fail)) {
            // Most of them object in the end, or one votes FAIL: that is no PASS, be it one that unread files had made
            // worse, and nothing but the reason has changed.
            let expected = if was.0 == Verdict::Pass { Verdict::Warn } else { was.0 };
            prop_assert_eq!((is.0, is.2), (expected, was.2));
        } else {
            prop_assert_eq!(is, was);
        }
        let counted = |o: &Outcome| o.judges.iter().map(|j| j.counted).collect::<Vec<_>>();
        prop_assert_eq!(counted(&debated), counted(&r1));
    }

    /// To agree in part is to say more than nothing, whatever else the judge does.
    #[test]
    fn an_agreement_in_part_never_improves_the_verdict(world in world(Procedure::Debate, 2..6)) {
        let world = world.faultless().without_tests();
        let mut silent = world.clone();
        for script in silent.scripts.values_mut() {
            script.opinion = script.opinion.filter(|(stance, ..)| *stance != Stance::PartiallyAgreed);
        }
        let (said, unsaid) = (world.play(), silent.play());
        prop_assert!(said.verdict.distance_from_pass() >= unsaid.verdict.distance_from_pass(), "{:?} {:?}", said.verdict, unsaid.verdict);
    }

    /// Who insists must not leave the change greener than who gives in.
    #[test]
    fn a_last_word_of_fail_is_never_green(world in debated()) {
        let outcome = world.faultless().play();
        let mut models = outcome.judges.iter().filter(|j| !j.seat.agent.deterministic && j.counted.is_some());
        let insists = models.any(|judge| judge.r2 == Some(Vote::Fail));
        prop_assert!(!(insists && outcome.verdict == Verdict::Pass), "{:?}", outcome.notes);
    }

    /// Nor does a critical finding that its judge keeps to, though nobody can find what it quotes: it is no FAIL, and no PASS.
    #[test]
    fn a_critical_without_its_quote_is_never_green(
        world in debated(),
        who in any::<prop::sample::Index>(),
        line in 1u32..12,
    ) {
        let mut world = world.faultless();
        let name = who.get(&world.plan.seats).seat.judge.clone();
        let script = world.scripts.get_mut(&name).unwrap();
        script.deterministic = false;
        // The scripts take back their first finding: the critical one is another.
        script.findings.insert(0, (Severity::Minor, 40, true));
        script.findings.push((Severity::Critical, line, false));
        let seat = world.plan.seats.iter_mut().find(|seat| seat.seat.judge == name).unwrap();
        seat.seat.agent.deterministic = false;
        let outcome = world.play();
        let counts = outcome.judges.iter().any(|j| j.seat.judge == name && j.counted.is_some());
        let is_shown = outcome.findings.iter().flat_map(|f| &f.members).any(|m| {
            m.finding.severity == Severity::Critical && m.proof.resolves()
        });
        let is_green = outcome.verdict == Verdict::Pass;
        prop_assert!(!(is_green && counts && !is_shown), "{:?}", outcome.findings);
    }

    /// Everybody over everything, or only those for whom something is open, over that: the same comes of it.
    #[test]
    fn not_debating_what_all_hold_never_changes_the_verdict(world in world(Procedure::Review, 2..5)) {
        let mut world = world.faultless().without_tests();
        for script in world.scripts.values_mut() {
            // Nobody changes its own mind: nobody takes back, finds more, or speaks against what it found itself.
            (script.grounds, script.later) = (None, None);
            script.opinion = script.opinion.filter(|(stance, ..)| *stance != Stance::Disagreed);
            let first = script.votes[0];
            script.votes.fill(first);
        }
        world.plan.debate = DebateMode::Auto;
        // Where messages are cut, fewer findings leave more room for the rest: another matter.
        world.plan.exchange = ExchangeMode::Inline { max_bytes: 1 << 20 };
        let mut everything = world.clone();
        everything.plan.debate = DebateMode::Force;
        let (open, everything) = (world.play(), everything.play());
        if open.rounds == 2 {
            let essence = |outcome: &Outcome| {
                let found = outcome.findings.iter().filter(|f| f.finding.severity > Severity::Minor);
                let found = found.map(|f| format!("{} {:?} {:?}", f.fingerprint, f.disposition, f.level));
                (outcome.verdict, outcome.reason, found.collect::<BTreeSet<_>>())
            };
            prop_assert_eq!(essence(&open), essence(&everything));
        }
    }

    /// Whatever is said of it afterwards: this is why it need not be said.
    #[test]
    fn what_all_have_found_is_confirmed(refutes in prop::collection::vec(any::<bool>(), 1..8)) {
        let stake = |refutes| JudgeStake { support: Some(SupportKind::Found), refutes };
        let stakes: Vec<JudgeStake> = refutes.into_iter().map(stake).collect();
        prop_assert_eq!(dispose(&stakes), Disposition::Confirmed);
    }

    #[test]
    fn another_finding_in_r1_never_improves_a_single_round(
        world in world(Procedure::Review, 1..5),
        who in any::<prop::sample::Index>(),
        line in 1u32..12,
        severity in prop_oneof![Just(Severity::Minor), Just(Severity::Significant), Just(Severity::Critical)],
    ) {
        let mut world = world.faultless();
        world.plan.debate = DebateMode::Off;
        let before = world.play();
        let name = who.get(&world.plan.seats).seat.judge.clone();
        world.scripts.get_mut(&name).unwrap().findings.push((severity, line, true));
        let after = world.play();
        prop_assert!(after.verdict.distance_from_pass() >= before.verdict.distance_from_pass(), "{:?} -> {:?}", before, after);
    }

    #[test]
    fn a_silent_judge_that_passed_alone_never_helped_by_leaving(
        world in world(Procedure::Review, 2..5),
        who in any::<prop::sample::Index>(),
    ) {
        let mut world = world.faultless();
        world.plan.debate = DebateMode::Off;
        let name = who.get(&world.plan.seats).seat.judge.clone();
        let script = world.scripts.get_mut(&name).unwrap();
        script.votes = [Vote::Pass; 6];
        script.findings.clear();
        let before = world.play();
        world.scripts.get_mut(&name).unwrap().deeds = vec![Deed::Refuse];
        let after = world.play();
        // Majority counts heads: a PASS that leaves can only let WARN or FAIL weigh more.
        prop_assert!(after.verdict.distance_from_pass() >= before.verdict.distance_from_pass(), "{:?} -> {:?}", before, after);
    }
}

fn disposition() -> impl Strategy<Value = Disposition> {
    prop_oneof![
        Just(Disposition::Confirmed),
        Just(Disposition::Disputed),
        Just(Disposition::Unconfirmed),
        Just(Disposition::Rejected),
    ]
}

fn standing() -> impl Strategy<Value = FindingStanding> {
    let severity = prop_oneof![
        Just(Severity::Minor),
        Just(Severity::Significant),
        Just(Severity::Critical)
    ];
    (severity, disposition()).prop_map(|(severity, disposition)| FindingStanding {
        severity,
        disposition,
    })
}

fn consensus() -> impl Strategy<Value = ConsensusRule> {
    prop_oneof![
        Just(ConsensusRule::Findings),
        Just(ConsensusRule::Strict),
        Just(ConsensusRule::Majority)
    ]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn the_pure_verdict_only_gets_worse(
        consensus in consensus(),
        (disputed_critical_fails, incomplete_coverage_warns) in any::<(bool, bool)>(),
        mut findings in prop::collection::vec(standing(), 0..6),
        more in standing(),
        votes in prop::collection::vec(prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)], 0..5),
        quorum in 0usize..4,
        (covered, checked) in any::<(bool, bool)>(),
        (majority_objects, majority_fails, all_fail) in any::<(bool, bool, bool)>(),
        (majority_turns, last_fails, unread, rules_object, unproven) in any::<(bool, bool, bool, bool, bool)>(),
    ) {
        let objections = Objections {
            majority_objects, majority_fails, all_fail, majority_turns, last_fails, unread,
            rules_object, unproven,
        };
        let policy = VerdictPolicy { disputed_critical_fails, incomplete_coverage_warns };
        let counted = votes.len();
        let verdict = |findings: &[FindingStanding], counted, covered, checked| {
            let case = VerdictInput { findings, votes: &votes, counted, quorum, covered, checked, objections };
            decide_verdict(consensus, policy, &case).0.distance_from_pass()
        };
        let base = verdict(&findings, counted, covered, checked);
        // A judge less in the count, a file less covered, a quote less searched: findings and votes held fixed.
        prop_assert!(verdict(&findings, counted.saturating_sub(1), covered, checked) >= base);
        prop_assert!(verdict(&findings, counted, false, checked) >= base);
        prop_assert!(verdict(&findings, counted, covered, false) >= base);
        findings.push(more);
        prop_assert!(verdict(&findings, counted, covered, checked) >= base);
        findings.reverse();
        prop_assert!(verdict(&findings, counted, covered, checked) >= base, "order does not matter");
        prop_assert!(base > 0 || !objections.bar_a_pass());
        let by_findings = VerdictInput { findings: &findings, votes: &votes, counted, quorum, covered, checked, objections };
        let by_findings = decide_verdict(ConsensusRule::Findings, policy, &by_findings).0.distance_from_pass();
        let is_carried = findings.iter().any(|f| finding_level(*f, policy) >= Some(FindingLevel::Warn));
        prop_assert!(!is_carried || verdict(&findings, counted, covered, checked) > 0, "a rule of votes passes over a finding");
        prop_assert!(!is_carried || by_findings > 0);
        let green = base < 2;
        prop_assert!(!green || counted >= quorum.max(1));
    }
}
