//! What becomes of an earlier finding's dispute once the code is other code: evidence counts as long as it is found.

use std::collections::BTreeSet;

use council_protocol::JudgeId;
use council_protocol::answer::{Evidence, Stance};

use super::outcome::{Disposition, JudgedFinding, Opinion};
use super::support::{Sixths, SupportKind, WHOLE, needed_support};

/// Takes their weight from opinions whose evidence is gone by now, of which `is_there` says it. What nobody refutes any more is
/// what its holders make of it, among all who are known to have looked.
pub fn weigh_again(found: &mut JudgedFinding, is_there: &dyn Fn(&Evidence) -> bool) {
    let mut has_lapsed = false;
    for said in &mut found.opinions {
        let is_gone = said.resolves && said.evidence.as_ref().is_some_and(|e| !is_there(e));
        has_lapsed |= is_gone && said.stance == Stance::Disagreed;
        said.resolves &= !is_gone;
    }
    let refutes = |said: &Opinion| said.stance == Stance::Disagreed && said.resolves;
    let is_disputed = found.disposition == Disposition::Disputed
        && found.finding.rule.is_none()
        && (found.disputed_by_test || found.opinions.iter().any(refutes));
    if has_lapsed && !is_disputed && found.disposition == Disposition::Disputed {
        found.disposition = held_disposition(found);
    }
}

/// What a finding is that nobody refutes.
fn held_disposition(found: &JudgedFinding) -> Disposition {
    let holders = found.holding_members().map(|member| &member.judge);
    let holders: BTreeSet<&JudgeId> = holders.collect();
    let agrees = |said: &&Opinion| {
        said.stance == Stance::Agreed && said.resolves && !holders.contains(&said.judge)
    };
    let agreed = found.opinions.iter().filter(agrees).map(|said| &said.judge);
    let agreed: BTreeSet<&JudgeId> = agreed.collect();
    let others = found.opinions.iter().map(|said| &said.judge);
    let known = holders.iter().copied().chain(others);
    let known: BTreeSet<&JudgeId> = known.collect();
    let sum = |judges: usize, each: Sixths| Sixths::try_from(judges).unwrap_or(0) * each;
    let support = sum(holders.len(), WHOLE) + sum(agreed.len(), SupportKind::SamePlace.weight());
    match support >= needed_support(known.len()) {
        true => Disposition::Confirmed,
        false => Disposition::Unconfirmed,
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;
    use proptest::prelude::*;

    use super::*;

    fn disputed(holders: usize, refuters: usize) -> JudgedFinding {
        let finding = crate::testing::finding(Severity::Critical, 3);
        let judge = |nth: usize| JudgeId::from(format!("judge-{nth}").as_str());
        let members = (0..holders).map(|nth| crate::testing::member(judge(nth), &finding));
        let refutes = |nth: usize| Opinion {
            judge: judge(holders + nth),
            stance: Stance::Disagreed,
            reasoning: "The caller checks it.".into(),
            evidence: Some(crate::testing::evidence(u32::try_from(nth).unwrap() + 1)),
            resolves: true,
        };
        JudgedFinding {
            disposition: Disposition::Disputed,
            opinions: (0..refuters).map(refutes).collect(),
            ..crate::testing::judged(finding.clone(), members.collect())
        }
    }

    proptest! {
        /// A refutation counts as long as what it cites is there: with the last one gone, a finding is what its holders make
        /// of it, and no refutation is invented or forgotten.
        #[test]
        fn a_refutation_goes_with_what_it_cites(
            holders in 1usize..4,
            there in prop::collection::vec(any::<bool>(), 1..4),
        ) {
            let mut found = disputed(holders, there.len());
            weigh_again(&mut found, &|evidence| there[evidence.line as usize - 1]);
            let left: Vec<bool> = found.opinions.iter().map(|said| said.resolves).collect();
            prop_assert_eq!(&left, &there);
            let judges = holders + there.len();
            let expected = match there.contains(&true) {
                true => Disposition::Disputed,
                false if holders >= 2 && holders * 2 >= judges => Disposition::Confirmed,
                false => Disposition::Unconfirmed,
            };
            prop_assert_eq!(found.disposition, expected);
        }
    }
}
