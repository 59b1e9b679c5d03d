//! What the votes of models say where no finding carries it: the support of one finding is not the only evidence that a
//! change must not go in.

use std::collections::BTreeSet;

use council_protocol::{JudgeId, Severity, Vote};

use super::outcome::{Disposition, JudgedFinding};

/// Votes that a verdict does not pass over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Objections {
    /// More than half of the models vote WARN or FAIL.
    pub majority_objects: bool,
    /// More than half of the models vote FAIL, each over a critical finding whose quote holds and that nobody refuted.
    pub majority_fails: bool,
    /// Every model votes FAIL. What they saw may not hold as they put it, but a change that nobody lets in is not let in.
    pub all_fail: bool,
    /// More than half of the models vote WARN or FAIL in their last answers, be it without the evidence that a changed vote
    /// takes.
    pub majority_turns: bool,
    /// A model votes FAIL in its last answer, be it without that evidence: who insists must not leave the change greener
    /// than who gives in.
    pub last_fails: bool,
    /// A judge said WARN or FAIL in an answer that does not count, and did not say it again.
    pub unread: bool,
}

impl Objections {
    /// Whether a change that nothing else stands against must not be green.
    pub(crate) fn bar_pass(self) -> bool {
        self.unread || self.majority_turns || self.last_fails
    }
}

/// Stands between a judge's name and the part of a large change that it was shown.
pub const PART_MARK: &str = "-part-";

/// The part of a change that a judge was shown; none: it sees all of it.
fn part_of(judge: &JudgeId) -> Option<&str> {
    judge.as_str().rsplit_once(PART_MARK).map(|(_, part)| part)
}

/// Weighs the votes, one for each model. A change in parts is judged part by part: who was not shown a part has nothing to
/// say of it, and does not dilute what those say who were. `last` are the votes of the last answers.
pub(super) fn weigh_objections(
    findings: &[JudgedFinding],
    models: &[(&JudgeId, Vote)],
    last: &[Vote],
    unread: bool,
) -> Objections {
    let parts: BTreeSet<_> = models
        .iter()
        .filter_map(|(judge, _)| part_of(judge))
        .collect();
    let mut sum = Objections {
        unread,
        last_fails: last.contains(&Vote::Fail),
        ..Objections::default()
    };
    let parts = parts.into_iter().map(Some);
    let parts: Vec<_> = if parts.len() == 0 {
        vec![None]
    } else {
        parts.collect()
    };
    for part in parts {
        let sees =
            |judge: &JudgeId| part.is_none() || part_of(judge).is_none_or(|of| Some(of) == part);
        let bench: Vec<_> = models
            .iter()
            .zip(last)
            .filter(|((judge, _), _)| sees(judge))
            .collect();
        let is_most = |count: usize| count * 2 > bench.len();
        let objecting = bench
            .iter()
            .filter(|((_, vote), _)| *vote != Vote::Pass)
            .count();
        let turned = bench
            .iter()
            .filter(|(_, last)| **last != Vote::Pass)
            .count();
        let failing = bench.iter().filter(|((_, vote), _)| *vote == Vote::Fail);
        let holding = failing
            .clone()
            .filter(|((judge, _), _)| holds_critical(findings, judge));
        sum.majority_objects |= is_most(objecting);
        sum.majority_turns |= is_most(turned);
        sum.majority_fails |= is_most(holding.count());
        sum.all_fail |= !bench.is_empty() && failing.count() == bench.len();
    }
    sum
}

fn holds_critical(findings: &[JudgedFinding], judge: &JudgeId) -> bool {
    let mut standing = findings.iter().filter(|found| {
        let stands = matches!(
            found.disposition,
            Disposition::Confirmed | Disposition::Unconfirmed
        );
        stands && found.dismissed.is_none() && found.finding.severity == Severity::Critical
    });
    standing.any(|found| {
        let mut members = found.members.iter();
        members.any(|m| m.judge == *judge && m.proof.resolves() && !m.withdrawn)
    })
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;

    fn vote() -> impl Strategy<Value = Vote> {
        prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)]
    }

    fn weigh(judges: &[(JudgeId, (Vote, Vote))]) -> Objections {
        let models: Vec<_> = judges
            .iter()
            .map(|(judge, (vote, _))| (judge, *vote))
            .collect();
        let last: Vec<_> = judges.iter().map(|(_, (_, last))| *last).collect();
        weigh_objections(&[], &models, &last, false)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A change in parts is objected to where one of its parts is, and nowhere else.
        #[test]
        fn who_saw_another_part_dilutes_nothing(
            parts in prop::collection::vec(prop::collection::vec((vote(), vote()), 1..4), 1..6),
        ) {
            let named = |(part, votes): (usize, &Vec<(Vote, Vote)>)| {
                let judge = |nth: usize| JudgeId(format!("judge-{nth}{PART_MARK}{}", part + 1));
                votes.iter().enumerate().map(move |(nth, votes)| (judge(nth), *votes)).collect::<Vec<_>>()
            };
            let benches: Vec<_> = parts.iter().enumerate().map(named).collect();
            let whole = weigh(&benches.concat());
            let alone: Vec<_> = benches.iter().map(|bench| weigh(bench)).collect();
            prop_assert_eq!(whole.majority_objects, alone.iter().any(|o| o.majority_objects));
            prop_assert_eq!(whole.majority_turns, alone.iter().any(|o| o.majority_turns));
            prop_assert_eq!(whole.all_fail, alone.iter().any(|o| o.all_fail));
        }
    }
}
