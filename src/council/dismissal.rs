//! Dismissed findings: what a person argued away is listed and does not count, until its code changes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::{Coverage, Finding, JudgeId, Severity, Vote};

use super::consensus::{FindingStanding, VerdictInput, decide_verdict, finding_level};
use super::fingerprint::class_of;
use super::objections::{
    CastVotes, Objections, RuleVote, insists_unproven, rules_object, weigh_objections,
};
use super::outcome::{
    Disposition, FindingMember, JudgeRecord, JudgedFinding, ReaderBench, Verdict, VerdictReason,
};
use super::parts::{retell, split_off, with_own_names};
use super::plan::{ConsensusRule, Dismissal, VerdictPolicy};
use super::quorum::Attendance;
use super::said_problem::SaidProblem;
use super::same_problem::is_broadly_called;

/// Marks the findings that were dismissed: they have no level any more. Another problem of the same line, of which nobody
/// spoke, goes on counting as a finding of its own.
pub(super) fn mark_dismissed(findings: &mut Vec<JudgedFinding>, dismissals: &[Dismissal]) {
    let mut at = 0;
    while at < findings.len() {
        let taken: BTreeSet<String> = findings.iter().map(|f| f.fingerprint.clone()).collect();
        let part = mark_finding(&mut findings[at], dismissals, &taken);
        at += 1;
        if let Some(part) = part {
            let part = with_own_names(part, findings);
            findings.insert(at, part);
        }
    }
}

/// Marks a finding; gives back the part of it that has another fate.
fn mark_finding(
    finding: &mut JudgedFinding,
    dismissals: &[Dismissal],
    taken: &BTreeSet<String>,
) -> Option<JudgedFinding> {
    // What is rejected does not count anyway.
    if finding.disposition == Disposition::Rejected {
        return None;
    }
    let mut named = dismissals
        .iter()
        .filter(|d| d.fingerprint == finding.fingerprint);
    let Some(dismissal) = named.find(|d| covers(d, finding)) else {
        let free = dismissals
            .iter()
            .filter(|d| !taken.contains(&d.fingerprint));
        return free.filter_map(|d| dismissed_part(finding, d)).next();
    };
    let shown = class_of(&finding.finding);
    let is_meant = |version: &Finding| is_meant(dismissal, &shown, version);
    let part = split_off(finding, |member| !is_meant(&member.finding));
    if part.is_some() {
        retell(finding, is_meant);
    }
    finding.dismissed = Some(dismissal.clone());
    finding.level = None;
    part
}

/// The part of a finding that somebody dismissed when it was a finding by itself.
fn dismissed_part(finding: &mut JudgedFinding, dismissal: &Dismissal) -> Option<JudgedFinding> {
    let mut left = finding.clone();
    let is_named =
        |member: &FindingMember| member.fingerprint.as_ref() == Some(&dismissal.fingerprint);
    let part = split_off(&mut left, is_named).filter(|part| covers(dismissal, part))?;
    *finding = left;
    Some(part)
}

/// Whether a dismissal named a finding that has grown worse since, or is about something else now: it counts again.
pub fn is_outgrown(dismissal: &Dismissal, finding: &JudgedFinding) -> bool {
    let counts = finding.dismissed.is_none() && finding.disposition != Disposition::Rejected;
    counts && dismissal.fingerprint == finding.fingerprint && !covers(dismissal, finding)
}

/// Whether a dismissal is about the problem in the sentence of a finding, and that is as bad: a remark that was argued away
/// says nothing of a critical problem in the same line. A line that does not say how bad its finding was is not about a
/// critical one. What a finding stands for that nobody was shown goes on counting with it.
fn covers(dismissal: &Dismissal, finding: &JudgedFinding) -> bool {
    let shown = class_of(&finding.finding);
    let members = finding.members.iter().filter(|member| member.stands());
    let versions = || members.clone().map(|member| &member.finding);
    let meant = || versions().filter(|version| is_meant(dismissal, &shown, version));
    let shown_if_meant = [&finding.finding]
        .into_iter()
        .filter(|shown| match &dismissal.said {
            Some(said) => !said.is_left_by(shown),
            None => true,
        });
    let said = dismissal.said.as_ref();
    said.is_none_or(|said| said.is_said_in(shown_if_meant.chain(meant())))
        && finding.finding.severity <= dismissal.severity.unwrap_or(Severity::Significant)
        && finding.count_unlisted() == 0
}

/// Whether a version is about what a dismissal is about: the class that its fingerprint holds, under which the finding is
/// `shown`, or one that it names; where that is as broad as `bug`, in words that say the same, else in none that clearly tell
/// of something else.
fn is_meant(dismissal: &Dismissal, shown: &str, version: &Finding) -> bool {
    let class = class_of(version);
    let is_of_class = class == shown || dismissal.classes.contains(&class);
    let is_said = |said: &SaidProblem| match is_broadly_called(version) {
        true => said.is_said_in([version].into_iter()),
        false => !said.is_left_by(version),
    };
    is_of_class && dismissal.said.as_ref().is_none_or(is_said)
}

/// The findings as the verdict sees them: without the dismissed ones.
pub(super) fn counted_standings(findings: &[JudgedFinding]) -> Vec<FindingStanding> {
    let left = findings.iter().filter(|f| f.dismissed.is_none());
    left.map(|f| FindingStanding {
        severity: f.finding.severity,
        disposition: f.disposition,
    })
    .collect()
}

/// The votes that count, where a judge's own findings were dismissed: no worse than what is left of them supports, which is all
/// of the vote as long as something as bad is left.
pub(super) fn supported_votes<'a>(
    findings: &[JudgedFinding],
    counted: impl Iterator<Item = (&'a JudgeId, Vote)>,
) -> Vec<Vote> {
    let mut lost: BTreeMap<&JudgeId, (Severity, Vote)> = BTreeMap::new();
    for finding in findings.iter().filter(|f| f.dismissed.is_some()) {
        for judge in finding_holders(finding) {
            let said = finding.finding.severity;
            let (worst, _) = lost.entry(judge).or_insert((said, Vote::Pass));
            *worst = said.max(*worst);
        }
    }
    let left = findings
        .iter()
        .filter(|f| f.dismissed.is_none() && f.disposition != Disposition::Rejected);
    for finding in left {
        for judge in finding_holders(finding) {
            if let Some((worst, most)) = lost.get_mut(judge) {
                let own = finding.finding.severity;
                let supported = if own >= *worst {
                    Vote::Fail
                } else {
                    max_supported_vote(own)
                };
                *most = supported.max(*most);
            }
        }
    }
    // A critical problem that could not be proven is in no finding that counts, and its judge's vote is all that is left of it.
    for judge in findings.iter().flat_map(unproven_holders) {
        lost.remove(judge);
    }
    let least = |(judge, vote): (&JudgeId, Vote)| match lost.get(judge) {
        Some(&(_, most)) => vote.min(most),
        None => vote,
    };
    counted.map(least).collect()
}

/// Who holds a critical finding that was rejected because its quote is not there.
fn unproven_holders(finding: &JudgedFinding) -> impl Iterator<Item = &JudgeId> {
    let is_lost = finding.disposition == Disposition::Rejected;
    let members = finding.members.iter().filter(move |member| {
        let is_critical = member.finding.severity == Severity::Critical;
        is_lost && is_critical && !member.withdrawn && !member.proof.resolves()
    });
    members.map(|member| &member.judge)
}

/// A vote that counts, and what of it rests on findings that were not dismissed.
#[derive(Debug, Clone, Copy)]
pub struct SupportedVote<'a> {
    /// Whose it is.
    pub judge: &'a JudgeRecord,
    /// As the judge gave it.
    pub given: Vote,
    /// As it counts for the verdict: no worse than what is left of the judge's findings.
    pub left: Vote,
}

impl SupportedVote<'_> {
    /// Whether the vote, or a part of it, went with a dismissed finding.
    pub fn is_set_aside(&self) -> bool {
        self.left < self.given
    }
}

/// The votes of these judges, each with what the dismissals leave of it.
pub fn votes_after_dismissals<'a>(
    judges: &'a [JudgeRecord],
    findings: &[JudgedFinding],
) -> Vec<SupportedVote<'a>> {
    let cast: Vec<_> = judges
        .iter()
        .filter_map(|judge| Some((judge, judge.counted?)))
        .collect();
    let left = supported_votes(
        findings,
        cast.iter().map(|(j, vote)| (&j.seat.judge, *vote)),
    );
    let votes = cast.into_iter().zip(left);
    let vote = |((judge, given), left)| SupportedVote { judge, given, left };
    votes.map(vote).collect()
}

/// Everybody's votes that count, and who was shown what.
#[derive(Debug, Clone, Default)]
pub(super) struct VoteRecord<'a> {
    /// Those of models.
    pub(super) models: Vec<ModelVotes<'a>>,
    /// Those of rules and tools.
    pub(super) rules: Vec<RuleVote<'a>>,
    /// Whether somebody objected in an answer that does not count.
    pub(super) unread: bool,
    /// The models that were shown the same files, where not all were.
    pub(super) benches: Cow<'a, [ReaderBench]>,
    /// How many must have read a file.
    pub(super) quorum: usize,
}

/// How a model votes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelVotes<'a> {
    pub(super) judge: &'a JudgeId,
    /// The vote that counts.
    pub(super) counted: Vote,
    /// The last one that it gave; none: it gave one.
    pub(super) last: Option<Vote>,
}

impl<'a> VoteRecord<'a> {
    /// Those of recorded judges.
    pub(super) fn of_records(
        judges: &'a [JudgeRecord],
        benches: &'a [ReaderBench],
        quorum: u32,
    ) -> Self {
        let mut votes = Self {
            unread: judges.iter().any(JudgeRecord::objects_unread),
            benches: Cow::Borrowed(benches),
            quorum: quorum as usize,
            ..Self::default()
        };
        for judge in judges {
            let id = &judge.seat.judge;
            match judge.counted {
                Some(vote) if judge.seat.agent.deterministic => votes.rules.push(RuleVote {
                    judge: id,
                    vote,
                    unplaced: judge.unplaced,
                }),
                Some(counted) => votes.add_model(id, counted, judge.r2),
                None => {}
            }
        }
        votes
    }

    /// All of them, where a judge's own findings were dismissed.
    pub(super) fn votes(&self, findings: &[JudgedFinding]) -> Vec<Vote> {
        let models = self.models.iter().map(|model| (model.judge, model.counted));
        let rules = self.rules.iter().map(|rule| (rule.judge, rule.vote));
        supported_votes(findings, models.chain(rules))
    }

    /// Takes a model's votes: the one that counts, and the last one that it gave.
    pub(super) fn add_model(&mut self, judge: &'a JudgeId, counted: Vote, last: Option<Vote>) {
        self.models.push(ModelVotes {
            judge,
            counted,
            last,
        });
    }

    /// What the votes say that no finding carries, where a judge's own findings were dismissed.
    pub(super) fn objections(&self, findings: &[JudgedFinding]) -> Objections {
        let votes_of = |vote: fn(&ModelVotes<'_>) -> Vote| {
            supported_votes(findings, self.models.iter().map(|m| (m.judge, vote(m))))
        };
        let counted = votes_of(|m| m.counted);
        let last = votes_of(|m| m.counted.max(m.last.unwrap_or(m.counted)));
        let votes = self.models.iter().zip(counted.into_iter().zip(last));
        let cast = |(model, (counted, last)): (&ModelVotes<'a>, _)| CastVotes {
            judge: model.judge,
            counted,
            last,
        };
        let cast: Vec<_> = votes.map(cast).collect();
        let judges: Vec<&JudgeId> = self.models.iter().map(|model| model.judge).collect();
        let weighed = weigh_objections(findings, &cast, &self.benches, self.quorum);
        Objections {
            unread: self.unread,
            rules_object: rules_object(findings, &self.rules),
            unproven: insists_unproven(findings, &judges),
            ..weighed
        }
    }
}

/// Whoever said it, and whoever came to agree.
fn finding_holders(finding: &JudgedFinding) -> impl Iterator<Item = &JudgeId> {
    let agreed = finding
        .opinions
        .iter()
        .filter(|o| o.stance == Stance::Agreed);
    let members = finding.members.iter().map(|member| &member.judge);
    members.chain(agreed.map(|opinion| &opinion.judge))
}

/// The worst vote that a finding of this severity supports.
pub(super) fn max_supported_vote(severity: Severity) -> Vote {
    match severity {
        Severity::Critical => Vote::Fail,
        Severity::Significant => Vote::Warn,
        Severity::Minor => Vote::Pass,
    }
}

/// A verdict that was made before, under today's dismissals: nobody is asked again.
#[derive(Debug)]
pub struct ReconsideredVerdict<'a> {
    /// The rule of the verdict.
    pub consensus: ConsensusRule,
    /// The choices that the rule leaves.
    pub policy: VerdictPolicy,
    /// Judges that have to count.
    pub quorum: u32,
    /// The judges as they were recorded.
    pub judges: &'a [JudgeRecord],
    /// The models that were shown the same files, where not all were.
    pub benches: &'a [ReaderBench],
    /// What a quorum saw.
    pub coverage: &'a Coverage,
}

impl ReconsideredVerdict<'_> {
    /// Marks what was dismissed and judges what is left. Every quote was searched when the verdict was made.
    pub fn decide_again(
        &self,
        findings: &mut Vec<JudgedFinding>,
        dismissals: &[Dismissal],
    ) -> (Verdict, VerdictReason) {
        for finding in findings.iter_mut() {
            let standing = FindingStanding {
                severity: finding.finding.severity,
                disposition: finding.disposition,
            };
            finding.dismissed = None;
            finding.level = finding_level(standing, self.policy);
        }
        mark_dismissed(findings, dismissals);
        let quorum = self.quorum.max(1) as usize;
        let standings = counted_standings(findings);
        let record = VoteRecord::of_records(self.judges, self.benches, self.quorum);
        record.decide(findings, |votes, objections| {
            let case = VerdictInput {
                objections,
                findings: &standings,
                votes,
                counted: Attendance::of_records(self.judges).towards_quorum(quorum),
                quorum,
                covered: self.coverage.is_complete(),
                checked: true,
            };
            decide_verdict(self.consensus, self.policy, &case)
        })
    }
}

#[cfg(test)]
#[path = "dismissal_tests.rs"]
mod tests;
