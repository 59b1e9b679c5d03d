//! What the votes of models say where no finding carries it: the support of one finding is not the only evidence that a
//! change must not go in.

use std::collections::BTreeSet;

use council_protocol::{JudgeId, RepoPath, Severity, Vote};

use super::outcome::{
    Disposition, FindingMember, JudgedFinding, Outcome, ReaderBench, says_over_what,
};

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
    /// A rule or a tool votes WARN or FAIL, and no finding of its says over what.
    pub rules_object: bool,
    /// A model keeps to a critical finding whose quote is nowhere, though it was asked for it: who insists must not leave
    /// the change greener than who gives in.
    pub unproven: bool,
}

impl Objections {
    /// Whether nothing passes, whatever the findings and the rule of the votes say.
    pub fn bar_a_pass(self) -> bool {
        self.unread || self.majority_turns || self.last_fails || self.rules_object || self.unproven
    }

    /// What either says.
    fn or(self, other: Self) -> Self {
        Self {
            majority_objects: self.majority_objects || other.majority_objects,
            majority_fails: self.majority_fails || other.majority_fails,
            all_fail: self.all_fail || other.all_fail,
            majority_turns: self.majority_turns || other.majority_turns,
            last_fails: self.last_fails || other.last_fails,
            unread: self.unread || other.unread,
            rules_object: self.rules_object || other.rules_object,
            unproven: self.unproven || other.unproven,
        }
    }
}

/// A model's votes: the one that counts, and the one of its last answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct CastVotes<'a> {
    pub(super) judge: &'a JudgeId,
    pub(super) counted: Vote,
    pub(super) last: Vote,
}

/// Stands between a judge's name and the part of a large change that it was shown.
pub const PART_MARK: &str = "-part-";

/// The judge of the bench behind one that was shown a part of a change: the same one judges each part.
pub fn bench_judge(judge: &JudgeId) -> &str {
    let name = judge.as_str();
    name.rsplit_once(PART_MARK).map_or(name, |(whole, _)| whole)
}

/// The part of a change that a judge was shown; none: it sees all of it.
pub(super) fn part_of(judge: &JudgeId) -> Option<&str> {
    judge.as_str().rsplit_once(PART_MARK).map(|(_, part)| part)
}

/// Weighs the votes, one for each model. A change in parts is judged part by part, and one whose files are spread over the
/// models bench by bench: who was not shown a file has nothing to say of it, and does not dilute what those say who were.
pub(super) fn weigh_objections(
    findings: &[JudgedFinding],
    models: &[CastVotes<'_>],
    benches: &[ReaderBench],
    quorum: usize,
) -> Objections {
    let parts: BTreeSet<_> = models.iter().filter_map(|m| part_of(m.judge)).collect();
    let of_part = |part: &str| -> Vec<CastVotes<'_>> {
        let sees = |m: &&CastVotes<'_>| part_of(m.judge).is_none_or(|of| of == part);
        models.iter().filter(sees).copied().collect()
    };
    let everything: Vec<&JudgedFinding> = findings.iter().collect();
    let whole = match parts.len() {
        0 => weigh_bench(&everything, models),
        _ => {
            let parts = parts
                .into_iter()
                .map(|part| weigh_bench(&everything, &of_part(part)));
            parts.fold(Objections::default(), Objections::or)
        }
    };
    // Fewer than must have read a file decide nothing about it; that it is unread is told elsewhere.
    let least = quorum.min(models.len());
    let of_bench = |bench: &ReaderBench| {
        let votes = models.iter().filter(|m| bench.judges.contains(m.judge));
        let votes: Vec<CastVotes<'_>> = votes.copied().collect();
        let files: BTreeSet<&RepoPath> = bench.files.iter().collect();
        let own = findings
            .iter()
            .filter(|f| files.contains(&f.finding.location.path));
        (votes.len() >= least).then(|| weigh_bench(&own.collect::<Vec<_>>(), &votes))
    };
    benches
        .iter()
        .filter_map(of_bench)
        .fold(whole, Objections::or)
}

/// What the votes of those say who were shown the same, and what was found there.
fn weigh_bench(findings: &[&JudgedFinding], bench: &[CastVotes<'_>]) -> Objections {
    let is_most = |count: usize| count * 2 > bench.len();
    let objecting = bench.iter().filter(|m| m.counted != Vote::Pass).count();
    let turned = bench.iter().filter(|m| m.last != Vote::Pass).count();
    let failing = bench.iter().filter(|m| m.counted == Vote::Fail);
    let holding = failing
        .clone()
        .filter(|m| holds_critical(findings, m.judge));
    Objections {
        majority_objects: is_most(objecting),
        majority_turns: is_most(turned),
        last_fails: bench.iter().any(|m| m.last == Vote::Fail),
        majority_fails: is_most(holding.count()),
        all_fail: !bench.is_empty() && failing.count() == bench.len(),
        ..Objections::default()
    }
}

/// What a rule or a tool says of the change.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleVote<'a> {
    pub(super) judge: &'a JudgeId,
    pub(super) vote: Vote,
    /// What its results come to that have no place in the change.
    pub(super) unplaced: Option<Vote>,
}

/// Whether a rule or a tool objects, and no finding of its says over what: what it saw has no place in the change, so
/// that nobody can confirm or refute it. A finding that was refuted or dismissed has said it, and nothing else that has no
/// place.
pub(super) fn rules_object(findings: &[JudgedFinding], rules: &[RuleVote<'_>]) -> bool {
    let mut objecting = rules.iter().filter(|rule| rule.vote > Vote::Pass);
    objecting.any(|rule| {
        rule.unplaced > Some(Vote::Pass) || !says_over_what(findings, rule.judge, Vote::Warn)
    })
}

impl Outcome {
    /// Whether a model keeps to a critical finding whose quote or place is nowhere.
    pub fn has_unproven_critical(&self) -> bool {
        let models = self.judges.iter().filter(|j| !j.seat.agent.deterministic);
        let counted = models.filter(|j| j.counted.is_some());
        let judges: Vec<&JudgeId> = counted.map(|j| &j.seat.judge).collect();
        insists_unproven(&self.findings, &judges)
    }
}

/// Lines between a quote that is nowhere and one that holds, for the two to be about one problem.
const NEAR_LINES: u32 = 3;

/// Whether one of these judges named a critical finding whose quote is nowhere, and nobody's quote shows that problem. Taken back
/// it is no better than one that was proven: nobody else has looked at it.
pub(super) fn insists_unproven(findings: &[JudgedFinding], judges: &[&JudgeId]) -> bool {
    let critical = || {
        let members = findings.iter().flat_map(|found| &found.members);
        members.filter(|m| m.finding.severity == Severity::Critical)
    };
    // What was dismissed answers for itself alone.
    let open = findings.iter().filter(|found| found.dismissed.is_none());
    let open = open.flat_map(|found| &found.members);
    let shown = open.filter(|m| m.finding.severity == Severity::Critical && m.proof.resolves());
    let is_shown = |lost: &FindingMember| {
        let at = &lost.finding.location;
        shown.clone().any(|m| {
            let place = &m.finding.location;
            place.path == at.path && place.line.abs_diff(at.line) <= NEAR_LINES
        })
    };
    // What is missing has no line to quote: a finding about a file that is nowhere, or about no file, is as good as any.
    let mut lost = critical().filter(|m| !m.proof.resolves());
    lost.any(|m| judges.contains(&&m.judge) && !is_shown(m))
}

fn holds_critical(findings: &[&JudgedFinding], judge: &JudgeId) -> bool {
    let mut standing = findings.iter().filter(|found| {
        let stands = found.disputed_by_test
            || matches!(
                found.disposition,
                Disposition::Confirmed | Disposition::Unconfirmed
            );
        stands && found.dismissed.is_none() && found.finding.severity == Severity::Critical
    });
    standing.any(|found| {
        let mut members = found.members.iter();
        // Its own: whoever has a remark on the line votes FAIL over something else.
        members.any(|m| {
            let is_critical = m.finding.severity == Severity::Critical;
            m.judge == *judge && is_critical && m.proof.resolves() && !m.withdrawn
        })
    })
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;

    fn vote() -> impl Strategy<Value = Vote> {
        prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)]
    }

    fn cast((judge, (counted, last)): &(JudgeId, (Vote, Vote))) -> CastVotes<'_> {
        CastVotes {
            judge,
            counted: *counted,
            last: *last,
        }
    }

    fn weigh(judges: &[(JudgeId, (Vote, Vote))], benches: &[ReaderBench]) -> Objections {
        let models: Vec<_> = judges.iter().map(cast).collect();
        weigh_objections(&[], &models, benches, 2)
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
            let whole = weigh(&benches.concat(), &[]);
            let alone: Vec<_> = benches.iter().map(|bench| weigh(bench, &[])).collect();
            prop_assert_eq!(whole.majority_objects, alone.iter().any(|o| o.majority_objects));
            prop_assert_eq!(whole.majority_turns, alone.iter().any(|o| o.majority_turns));
            prop_assert_eq!(whole.all_fail, alone.iter().any(|o| o.all_fail));
        }

        /// Who was not shown a file takes nothing from what those say of it who were: however many they are, and however
        /// they vote, the change is objected to where its file is.
        #[test]
        fn who_was_shown_other_files_dilutes_nothing(
            readers in prop::collection::vec((vote(), vote()), 2..5),
            others in prop::collection::vec((vote(), vote()), 0..8),
            turn in 0_usize..12,
        ) {
            let named = |(nth, votes): (usize, &(Vote, Vote))| (JudgeId(format!("judge-{nth}")), *votes);
            let readers: Vec<_> = readers.iter().enumerate().map(named).collect();
            let bench = ReaderBench {
                judges: readers.iter().map(|(judge, _)| judge.clone()).collect(),
                files: vec!["a.rs".into()],
            };
            let mut all = readers.clone();
            all.extend(others.iter().enumerate().map(|(nth, votes)| named((nth + 10, votes))));
            let count = all.len();
            all.rotate_left(turn % count);
            let (alone, whole) = (weigh(&readers, &[]), weigh(&all, &[]));
            prop_assert_eq!(weigh(&all, &[bench]), whole.or(alone));
        }
    }
}
