//! The laws of support: what may never raise a finding, and what may never lower it.

use council_protocol::Severity;
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::world::{Script, world};
use crate::council::outcome::{Disposition, Verdict};
use crate::council::plan::{ConsensusRule, Procedure};
use crate::council::support::{
    JudgeStake, MIN_SUPPORT, SupportKind, WHOLE, dispose, dispose_rule, needed_support, support,
};

/// These are quick: at least ten thousand cases, more when `PROPTEST_CASES` says so.
fn many() -> Config {
    let default = Config::default();
    Config {
        failure_persistence: None,
        cases: default.cases.max(10_000),
        ..default
    }
}

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
    #![proptest_config(many())]

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

/// Whole councils are played: as many cases as `PROPTEST_CASES` says.
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
}
