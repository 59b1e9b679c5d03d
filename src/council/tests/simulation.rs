//! Random councils with random faults under a fixed seed: what must hold in every run of every procedure.
//!
//! 150 councils of each procedure; `PROPTEST_CASES=10000` asks for 100,000.

use std::collections::BTreeMap;

use council_protocol::JudgeId;
use council_protocol::RoundNumber;
use council_protocol::task::InterventionKind;
use proptest::prelude::*;

use super::world::{World, world};
use crate::outcome::{Outcome, Verdict};
use crate::plan::{Procedure, RoundLimits};
use crate::testing::config;

/// Plays a council; [`World::play`] itself asserts that there is one conclusion, always last, that everybody is shut down
/// once, that nothing is sent to the gone, and that nobody has two turns at once.
fn holds(world: &World) -> Result<(), TestCaseError> {
    let outcome = world.play();
    never_green_by_accident(world, &outcome)?;
    every_change_is_grounded(&outcome)?;
    the_ledger_is_whole(world, &outcome)?;
    every_challenge_is_settled(world, &outcome)?;
    // A sample is played again.
    if world.disorder.len().is_multiple_of(8) {
        prop_assert_eq!(
            outcome,
            world.play(),
            "the same inputs give the same actions"
        );
    }
    Ok(())
}

/// No sequence of faults yields green below quorum or coverage, or after a cut.
fn never_green_by_accident(world: &World, outcome: &Outcome) -> Result<(), TestCaseError> {
    let green = matches!(outcome.verdict, Verdict::Pass | Verdict::Warn);
    let voters = outcome
        .judges
        .iter()
        .filter(|j| j.counted.is_some())
        .count();
    prop_assert_eq!(voters, outcome.counted as usize);
    prop_assert!(
        !green || outcome.counted >= world.plan.quorum,
        "{:?}",
        outcome
    );
    prop_assert!(
        outcome.verdict != Verdict::Pass || outcome.coverage.is_complete(),
        "{:?}",
        outcome
    );
    let cut = outcome.notes.iter().any(|n| n.starts_with("INCOMPLETE"));
    prop_assert!(!(green && cut), "{:?}", outcome);
    Ok(())
}

/// A vote that moved rests on evidence that was named (that it was found is what makes the move count); a ballot that is
/// stricter counts as it is.
fn every_change_is_grounded(outcome: &Outcome) -> Result<(), TestCaseError> {
    for judge in outcome.judges.iter().filter(|j| j.counted != j.r1) {
        let stands = outcome.ledger.rounds.iter().flat_map(|r| &r.stands);
        let own: Vec<_> = stands.filter(|s| s.judge == judge.seat.judge).collect();
        let moved = own
            .iter()
            .any(|s| s.after == s.given && s.evidence.is_some());
        let change = judge.change.as_ref();
        let mut ballots = outcome.ledger.ballots.iter();
        let stricter = judge.counted > judge.r1 && ballots.any(|b| b.judge == judge.seat.judge);
        // A round that was cut off is not in the ledger.
        prop_assert!(
            moved || stricter || change.is_some_and(|c| c.evidence.is_some()),
            "{:?}",
            judge
        );
    }
    Ok(())
}

/// What the ledger tells is about judges of this council, in rounds that ran, within the bounds of the procedure.
fn the_ledger_is_whole(world: &World, outcome: &Outcome) -> Result<(), TestCaseError> {
    let ledger = &outcome.ledger;
    let seated = |judge: &JudgeId| world.scripts.contains_key(judge);
    let mut kinds: BTreeMap<(RoundNumber, InterventionKind), u32> = BTreeMap::new();
    for intervention in &ledger.interventions {
        let kind = (intervention.round, intervention.kind);
        *kinds.entry(kind).or_default() += 1;
        prop_assert!(!intervention.to.is_empty() && intervention.to.iter().all(seated));
    }
    let once = kinds.values().all(|&n| n == 1);
    prop_assert!(once, "at most one of a kind in a round");
    let mut delivered: BTreeMap<(u8, &JudgeId), u32> = BTreeMap::new();
    for message in &ledger.messages {
        prop_assert!(seated(&message.from) && seated(&message.to) && message.from != message.to);
        *delivered.entry((message.round.0, &message.to)).or_default() +=
            u32::from(message.delivered);
        let quiet = world.plan.options.economy;
        prop_assert!(!(quiet && message.delivered), "economy passes nothing on");
    }
    let bounded = delivered.values().all(|&n| n <= 2);
    prop_assert!(bounded, "at most two in a round");
    let numbers = ledger.rounds.iter().map(|r| usize::from(r.round.0));
    prop_assert!(numbers.eq(1..=ledger.rounds.len()));
    prop_assert!(ledger.rounds.len() <= usize::from(outcome.rounds));
    Ok(())
}

/// A challenge is answered or evaded, unless its addressee was not there to the end.
fn every_challenge_is_settled(world: &World, outcome: &Outcome) -> Result<(), TestCaseError> {
    let interventions = outcome.ledger.interventions.iter();
    let again: Vec<&String> = interventions.flat_map(|i| &i.challenges).collect();
    let examined = world.plan.procedure == Procedure::CrossExamination && world.cancel.is_none();
    for (number, challenge) in (1..).zip(&outcome.challenges) {
        let answered = challenge.answer.is_some();
        prop_assert_eq!(&challenge.id, &format!("C{}", number));
        prop_assert!(challenge.from != challenge.to, "{:?}", challenge);
        prop_assert!(!(challenge.evaded && answered), "{:?}", challenge);
        // A stage puts it a second time with what else is open, a cross-examination by its moderator.
        let is_again = challenge.asked > 1
            && (world.plan.procedure == Procedure::Staged || again.contains(&&challenge.id));
        prop_assert!(!challenge.evaded || is_again, "{:?}", challenge);
        if examined && was_there_to_the_end(outcome, &challenge.to) {
            prop_assert!(challenge.evaded || answered, "{:?}", challenge);
        }
    }
    Ok(())
}

/// Whether a judge answered every round, the ballot included, and nothing went wrong with it.
fn was_there_to_the_end(outcome: &Outcome, judge: &JudgeId) -> bool {
    let record = outcome.judges.iter().find(|j| j.seat.judge == *judge);
    let faultless = record.is_some_and(|j| j.failures.is_empty());
    let ledger = &outcome.ledger;
    let always = ledger.rounds.iter().all(|r| r.answered.contains(judge));
    faultless && always && !ledger.ballots.is_empty()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn simulation_of_quick(world in world(Procedure::Quick, 1..2)) {
        holds(&world)?;
    }

    #[test]
    fn simulation_of_review(world in world(Procedure::Review, 1..5)) {
        holds(&world)?;
    }

    #[test]
    fn simulation_of_debate(world in world(Procedure::Debate, 1..5)) {
        holds(&world)?;
    }

    #[test]
    fn simulation_of_cross_examination(
        world in world(Procedure::CrossExamination, 1..5),
        rounds in 1u8..5,
        economy in any::<bool>(),
    ) {
        let mut world = world;
        world.plan.options.economy = economy;
        world.plan.options.rounds = Some(RoundLimits { min: rounds, max: rounds });
        holds(&world)?;
    }

    #[test]
    fn simulation_of_staged(world in world(Procedure::Staged, 1..5)) {
        holds(&world)?;
    }
}
