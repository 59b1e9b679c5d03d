//! Votes that stand with what an earlier review left open: whoever is silent at the next push has not taken back what it
//! voted over, so the verdict counts that vote beside those of the judges who sit now.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::{JudgeId, Severity, Vote};

use super::carried::add_carried;
use super::consensus::{Objections, VerdictInput, decide_verdict};
use super::dismissal::{ModelVotes, VoteRecord, counted_standings, max_supported_vote};
use super::objections::{RuleVote, part_of};
use super::outcome::{
    Disposition, JudgeRecord, JudgedFinding, Outcome, ReaderBench, StandingVote, Verdict,
    VerdictReason,
};
use super::plan::{ConsensusRule, VerdictPolicy};

/// The votes that the next review takes over with a finding that a review leaves open: those of the models, each with whether
/// it was shown its file, so that the next one knows how many they were, and of the rules that hold it.
pub fn votes_to_stand(outcome: &Outcome, found: &JudgedFinding) -> Vec<StandingVote> {
    let mut votes = found.standing_votes.clone();
    let is_known = |judge: &JudgeId| found.standing_votes.iter().any(|one| one.judge == *judge);
    for judge in &outcome.judges {
        let id = &judge.seat.judge;
        let Some(counted) = judge.counted.filter(|_| !is_known(id)) else {
            continue;
        };
        let held = held_severity(found, id);
        // A rule of votes counts those of all models, whatever each was shown.
        let is_by_votes = outcome.consensus != Some(ConsensusRule::Findings);
        let is_model = !judge.seat.agent.deterministic;
        if held.is_some() || is_model && (is_by_votes || is_of_part(id, found)) {
            let most = held.map_or(Vote::Pass, |own| most_vote(outcome, id, own));
            let vote = counted.min(most);
            votes.push(StandingVote {
                judge: id.clone(),
                vote,
                last: judge
                    .r2
                    .map(|last| last.min(most))
                    .filter(|last| *last > vote),
                unread: is_model && !was_shown(outcome, id, found),
            });
        }
    }
    votes
}

/// How much of its vote a judge keeps with a finding that it holds to be so bad: all of it with the worst that it says now,
/// and with a milder one as much as that supports.
fn most_vote(outcome: &Outcome, judge: &JudgeId, own: Severity) -> Vote {
    let is_open = |found: &&JudgedFinding| found.level.is_some() || found.dismissed.is_some();
    let is_said_now = |found: &&JudgedFinding| {
        let mut votes = found.standing_votes.iter();
        !votes.any(|one| one.judge == *judge)
    };
    let said = outcome.findings.iter().filter(is_open).filter(is_said_now);
    let worst = said.filter_map(|found| held_severity(found, judge)).max();
    match Some(own) >= worst {
        true => Vote::Fail,
        false => max_supported_vote(own),
    }
}

/// The models that were shown the same files, where those whose votes count are enough to decide something: fewer than must
/// have read a file decide nothing about it.
fn deciding_benches(outcome: &Outcome) -> impl Iterator<Item = &ReaderBench> {
    let models = outcome.judges.iter();
    let models = models.filter(|judge| !judge.seat.agent.deterministic && judge.counted.is_some());
    let counted: BTreeSet<&JudgeId> = models.map(|judge| &judge.seat.judge).collect();
    let least = counted.len().min(outcome.quorum as usize);
    let benches = outcome.benches.iter();
    benches.filter(move |bench| {
        let judges = bench.judges.iter();
        judges.filter(|id| counted.contains(id)).count() >= least
    })
}

/// The benches of earlier reviews: who was shown the file of a finding, where not all were.
fn benches_of_then(findings: &[JudgedFinding]) -> Vec<ReaderBench> {
    let spread = findings.iter().filter(|found| {
        let mut votes = found.standing_votes.iter();
        still_counts(found) && votes.any(|one| one.unread)
    });
    let bench = |found: &JudgedFinding| {
        let readers = found.standing_votes.iter().filter(|one| !one.unread);
        ReaderBench {
            judges: readers.map(|one| one.judge.clone()).collect(),
            files: vec![found.finding.location.path.clone()],
        }
    };
    spread.map(bench).collect()
}

/// Whether votes over a finding stand.
fn still_counts(found: &JudgedFinding) -> bool {
    found.dismissed.is_none() && found.disposition != Disposition::Rejected
}

/// Whether a model was shown the part of a change that a finding is in.
fn is_of_part(judge: &JudgeId, found: &JudgedFinding) -> bool {
    let members = found.members.iter();
    let holders = members.filter_map(|member| part_of(&member.judge));
    let parts: Vec<&str> = holders.collect();
    part_of(judge).is_none_or(|own| parts.is_empty() || parts.contains(&own))
}

/// Whether a model was shown the file of a finding, where not all models were shown all of the change.
fn was_shown(outcome: &Outcome, judge: &JudgeId, found: &JudgedFinding) -> bool {
    let path = &found.finding.location.path;
    let mut benches = deciding_benches(outcome).filter(|bench| bench.files.contains(path));
    is_of_part(judge, found)
        && benches
            .next()
            .is_none_or(|bench| bench.judges.contains(judge))
}

/// How bad a finding is to a judge that holds it, or agrees with it; none: it does not.
fn held_severity(found: &JudgedFinding, judge: &JudgeId) -> Option<Severity> {
    let members = found.members.iter();
    let own = members.filter(|member| member.stands() && member.judge == *judge);
    let agreed = found.opinions.iter();
    let agreed = agreed.filter(|said| said.stance == Stance::Agreed && said.judge == *judge);
    let said = own.map(|member| member.finding.severity);
    said.chain(agreed.map(|_| found.finding.severity)).max()
}

/// The votes of earlier reviews beside findings, the worst of each judge. With a finding that does not count none stands: its
/// judges were there, and object to nothing.
fn worst_standing(findings: &[JudgedFinding]) -> BTreeMap<&JudgeId, StandingVote> {
    let mut worst: BTreeMap<&JudgeId, StandingVote> = BTreeMap::new();
    for found in findings {
        for one in &found.standing_votes {
            let stands = still_counts(found) && held_severity(found, &one.judge).is_some();
            let votes = match stands {
                true => (one.vote, one.last),
                false => (Vote::Pass, None),
            };
            let known = worst.entry(&one.judge).or_insert_with(|| StandingVote {
                judge: one.judge.clone(),
                vote: Vote::Pass,
                last: None,
                unread: false,
            });
            known.vote = known.vote.max(votes.0);
            known.last = known.last.max(votes.1);
        }
    }
    worst
}

fn is_rule_of(findings: &[JudgedFinding], judge: &JudgeId) -> bool {
    let mut members = findings.iter().flat_map(|found| &found.members);
    members.any(|member| member.judge == *judge && member.finding.rule.is_some())
}

impl<'a> VoteRecord<'a> {
    /// The verdict that `decide` makes of these votes, of them with those that stand since an earlier review, or of the bench
    /// of then, whichever is worst: neither do more voices make a verdict milder, nor does who sits in the place of others.
    pub(super) fn decide(
        &self,
        findings: &'a [JudgedFinding],
        decide: impl Fn(&[Vote], Objections) -> (Verdict, VerdictReason),
    ) -> (Verdict, VerdictReason) {
        let by = |record: &Self| decide(&record.votes(findings), record.objections(findings));
        let own = by(self);
        let joint = self.with_standing(findings);
        let records = joint
            .iter()
            .flat_map(|joint| [joint.clone(), joint.of_then(findings)]);
        let standing = records.map(|record| by(&record).0);
        let standing = standing.max_by_key(|verdict| verdict.distance_from_pass());
        let is_worse = |joint: &Verdict| joint.distance_from_pass() > own.0.distance_from_pass();
        match standing.filter(is_worse) {
            Some(verdict) => (verdict, VerdictReason::StandingObjection),
            None => own,
        }
    }

    /// Of these votes those of the judges who sat when open findings were voted over, or speak of one of them now.
    fn of_then(&self, findings: &[JudgedFinding]) -> Self {
        let voted_over = findings
            .iter()
            .filter(|found| !found.standing_votes.is_empty());
        let heard: BTreeSet<&JudgeId> = voted_over
            .flat_map(|found| {
                let votes = found.standing_votes.iter().map(|one| &one.judge);
                let members = found.members.iter().map(|member| &member.judge);
                votes
                    .chain(members)
                    .chain(found.opinions.iter().map(|said| &said.judge))
            })
            .collect();
        let mut then = self.clone();
        then.models.retain(|model| heard.contains(model.judge));
        then.rules.retain(|rule| heard.contains(rule.judge));
        then
    }

    /// The same with the votes that stand; none: nobody objected. Who sits now votes no milder than before.
    fn with_standing(&self, findings: &'a [JudgedFinding]) -> Option<Self> {
        let standing = worst_standing(findings);
        let objects = |one: &StandingVote| one.last.max(Some(one.vote)) > Some(Vote::Pass);
        if !standing.values().any(objects) {
            return None;
        }
        let mut joint = self.clone();
        joint.benches.to_mut().extend(benches_of_then(findings));
        for (judge, one) in standing {
            let (mut rules, mut models) = (joint.rules.iter_mut(), joint.models.iter_mut());
            if let Some(rule) = rules.find(|rule| rule.judge == judge) {
                rule.vote = rule.vote.max(one.vote);
            } else if let Some(model) = models.find(|model| model.judge == judge) {
                model.last = model.last.max(one.last);
                model.counted = model.counted.max(one.vote);
            } else if is_rule_of(findings, judge) {
                joint.rules.push(RuleVote {
                    judge,
                    vote: one.vote,
                    unplaced: None,
                });
            } else {
                joint.models.push(ModelVotes {
                    judge,
                    counted: one.vote,
                    last: one.last,
                });
            }
        }
        Some(joint)
    }
}

/// An objection of an earlier review that stands.
#[derive(Debug, Clone, Copy)]
pub struct StandingObjection<'a> {
    /// Whose it is.
    pub judge: &'a JudgeId,
    /// The worst that it said.
    pub vote: Vote,
    /// The finding with which it stands.
    pub finding: &'a JudgedFinding,
}

/// What judges objected in an earlier review over findings that are still open, where they vote milder now or sit no more.
pub fn standing_objections(outcome: &Outcome) -> Vec<StandingObjection<'_>> {
    let says_now = |judge: &JudgeId| {
        let mut judges = outcome.judges.iter();
        judges
            .find(|j| j.seat.judge == *judge)
            .and_then(|j| j.counted)
    };
    let mut told: BTreeMap<&JudgeId, StandingObjection<'_>> = BTreeMap::new();
    for finding in outcome
        .findings
        .iter()
        .filter(|found| found.level.is_some())
    {
        for one in &finding.standing_votes {
            let vote = one.last.map_or(one.vote, |last| last.max(one.vote));
            let is_held = held_severity(finding, &one.judge).is_some();
            let is_worse = told.get(&one.judge).is_none_or(|known| known.vote < vote);
            if is_held && is_worse && vote > says_now(&one.judge).unwrap_or(Vote::Pass) {
                let judge = &one.judge;
                told.insert(
                    judge,
                    StandingObjection {
                        judge,
                        vote,
                        finding,
                    },
                );
            }
        }
    }
    told.into_values().collect()
}

/// Counts in an outcome what an earlier review left open, with the votes that stand with it. Nothing gets milder, and what ended
/// without a verdict still has none.
pub fn count_carried(
    outcome: &mut Outcome,
    carried: &[JudgedFinding],
    consensus: ConsensusRule,
    policy: VerdictPolicy,
) {
    let is_model =
        |judge: &&JudgeRecord| judge.counted.is_some() && !judge.seat.agent.deterministic;
    let models = outcome.judges.iter().filter(is_model).count();
    let own = std::mem::take(&mut outcome.findings);
    outcome.findings = add_carried(own, carried, policy, models);
    let standings = counted_standings(&outcome.findings);
    let record = VoteRecord::of_records(&outcome.judges, &outcome.benches, outcome.quorum);
    // Who had to answer, and what had to be read, is in the verdict that is there.
    let decided = record.decide(&outcome.findings, |votes, objections| {
        let case = VerdictInput {
            findings: &standings,
            votes,
            counted: 1,
            quorum: 1,
            covered: true,
            checked: true,
            objections,
        };
        decide_verdict(consensus, policy, &case)
    });
    let before = outcome.verdict;
    if before != Verdict::Inconclusive
        && decided.0.distance_from_pass() > before.distance_from_pass()
    {
        (outcome.verdict, outcome.reason) = decided;
    }
}
