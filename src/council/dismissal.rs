//! Dismissed findings: what a person argued away is listed and does not count, until its code changes.

use std::collections::BTreeMap;

use council_protocol::answer::Stance;
use council_protocol::{Coverage, JudgeId, Severity, Vote};

use super::consensus::{FindingStanding, VerdictInput, decide_verdict, finding_level};
use super::objections::{Objections, weigh_objections};
use super::outcome::{Disposition, JudgeRecord, JudgedFinding, Verdict, VerdictReason};
use super::plan::{ConsensusRule, Dismissal, VerdictPolicy};

/// Marks the findings that were dismissed: they have no level any more.
pub(super) fn mark_dismissed(findings: &mut [JudgedFinding], dismissals: &[Dismissal]) {
    for finding in findings {
        let found = dismissals
            .iter()
            .find(|d| d.fingerprint == finding.fingerprint && covers(d, finding));
        // What is rejected does not count anyway.
        if finding.disposition != Disposition::Rejected
            && let Some(dismissal) = found
        {
            finding.dismissed = Some(dismissal.clone());
            finding.level = None;
        }
    }
}

/// Whether a dismissal is about a finding that is as bad: a remark that was argued away says nothing of a critical problem
/// in the same line. A line that does not say how bad its finding was is not about a critical one.
fn covers(dismissal: &Dismissal, finding: &JudgedFinding) -> bool {
    finding.finding.severity <= dismissal.severity.unwrap_or(Severity::Significant)
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

/// The votes that count, where a judge's own findings were dismissed: no worse than what is left of them supports.
pub(super) fn supported_votes<'a>(
    findings: &[JudgedFinding],
    counted: impl Iterator<Item = (&'a JudgeId, Vote)>,
) -> Vec<Vote> {
    let mut lost: BTreeMap<&JudgeId, Vote> = BTreeMap::new();
    for finding in findings.iter().filter(|f| f.dismissed.is_some()) {
        lost.extend(finding_holders(finding).map(|judge| (judge, Vote::Pass)));
    }
    let left = findings
        .iter()
        .filter(|f| f.dismissed.is_none() && f.disposition != Disposition::Rejected);
    for finding in left {
        for judge in finding_holders(finding) {
            if let Some(most) = lost.get_mut(judge) {
                *most = (*most).max(max_supported_vote(finding.finding.severity));
            }
        }
    }
    let least = |(judge, vote): (&JudgeId, Vote)| match lost.get(judge) {
        Some(&most) => vote.min(most),
        None => vote,
    };
    counted.map(least).collect()
}

/// What the models' votes say that count, where their own findings were dismissed.
pub(super) fn objections_of(
    findings: &[JudgedFinding],
    models: &[ModelVotes<'_>],
    unread: bool,
) -> Objections {
    let votes_of = |vote: fn(&ModelVotes<'_>) -> Vote| {
        supported_votes(findings, models.iter().map(|m| (m.judge, vote(m))))
    };
    let judges = models.iter().map(|m| m.judge);
    let cast: Vec<_> = judges.zip(votes_of(|m| m.counted)).collect();
    let last = votes_of(|m| m.counted.max(m.last.unwrap_or(m.counted)));
    weigh_objections(findings, &cast, &last, unread)
}

/// How a model votes.
pub(super) struct ModelVotes<'a> {
    pub(super) judge: &'a JudgeId,
    /// The vote that counts.
    pub(super) counted: Vote,
    /// The last one that it gave; none: it gave one.
    pub(super) last: Option<Vote>,
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
fn max_supported_vote(severity: Severity) -> Vote {
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
    /// What a quorum saw.
    pub coverage: &'a Coverage,
}

impl ReconsideredVerdict<'_> {
    /// Marks what was dismissed and judges what is left. Every quote was searched when the verdict was made.
    pub fn decide_again(
        &self,
        findings: &mut [JudgedFinding],
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
        let counted = |j: &JudgeRecord| j.counted.is_some();
        let cast = self
            .judges
            .iter()
            .filter_map(|j| Some((&j.seat.judge, j.counted?)));
        let models = self.judges.iter().filter(|j| !j.seat.agent.deterministic);
        let models: Vec<_> = models
            .filter_map(|j| {
                Some(ModelVotes {
                    judge: &j.seat.judge,
                    counted: j.counted?,
                    last: j.r2,
                })
            })
            .collect();
        let unread = self.judges.iter().any(JudgeRecord::objects_unread);
        let case = VerdictInput {
            objections: objections_of(findings, &models, unread),
            findings: &counted_standings(findings),
            votes: &supported_votes(findings, cast),
            counted: self.judges.iter().filter(|j| counted(j)).count(),
            quorum: self.quorum as usize,
            covered: self.coverage.is_complete(),
            checked: true,
        };
        decide_verdict(self.consensus, self.policy, &case)
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::{CoverageState, Finding, Location, Proof};
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::FindingMember;

    const JUDGES: [&str; 3] = ["a", "b", "c"];

    fn dismissal(fingerprint: &str) -> Dismissal {
        Dismissal {
            fingerprint: fingerprint.into(),
            severity: Some(Severity::Critical),
            ground: crate::DismissalGround::FalsePositive,
            because: "it is escaped two lines above".into(),
            by: "Ann <ann@example.com>".into(),
            at: "2026-03-09T10:00:00+01:00".into(),
        }
    }

    fn found(nth: usize, severity: Severity, disposition: Disposition, by: usize) -> JudgedFinding {
        let finding = Finding {
            severity,
            category: "c".into(),
            rule: None,
            description: "d".into(),
            location: Location {
                path: "a.rs".into(),
                line: 1,
                end_line: None,
            },
            quote: "q".into(),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        };
        let member = |judge: &str| FindingMember {
            judge: judge.into(),
            round: 1.into(),
            finding: finding.clone(),
            proof: Proof::Verified,
            withdrawn: false,
        };
        JudgedFinding {
            id: format!("F{nth}"),
            fingerprint: format!("{nth:016x}"),
            disposition,
            level: None,
            dismissed: None,
            members: vec![member(JUDGES[by])],
            opinions: Vec::new(),
            suggestion_check: None,
            finding,
        }
    }

    fn severity() -> impl Strategy<Value = Severity> {
        prop_oneof![
            Just(Severity::Minor),
            Just(Severity::Significant),
            Just(Severity::Critical)
        ]
    }

    fn disposition() -> impl Strategy<Value = Disposition> {
        prop_oneof![
            Just(Disposition::Confirmed),
            Just(Disposition::Disputed),
            Just(Disposition::Unconfirmed),
            Just(Disposition::Rejected)
        ]
    }

    fn vote() -> impl Strategy<Value = Vote> {
        prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)]
    }

    fn consensus() -> impl Strategy<Value = ConsensusRule> {
        prop_oneof![
            Just(ConsensusRule::Findings),
            Just(ConsensusRule::Strict),
            Just(ConsensusRule::Majority)
        ]
    }

    #[derive(Debug, Clone)]
    struct World {
        findings: Vec<JudgedFinding>,
        votes: Vec<Vote>,
        consensus: ConsensusRule,
        quorum: usize,
        covered: bool,
    }

    fn world() -> impl Strategy<Value = World> {
        let findings = prop::collection::vec((severity(), disposition(), 0..JUDGES.len()), 0..6);
        let votes = prop::collection::vec(vote(), 0..=JUDGES.len());
        (findings, votes, consensus(), 0..4_usize, any::<bool>()).prop_map(
            |(findings, votes, consensus, quorum, covered)| World {
                findings: findings
                    .into_iter()
                    .enumerate()
                    .map(|(nth, (s, d, by))| found(nth, s, d, by))
                    .collect(),
                votes,
                consensus,
                quorum,
                covered,
            },
        )
    }

    impl World {
        fn judge(&self, dismissals: &[Dismissal]) -> (Verdict, VerdictReason) {
            let mut findings = self.findings.clone();
            mark_dismissed(&mut findings, dismissals);
            let ids: Vec<JudgeId> = JUDGES.iter().map(|&id| id.into()).collect();
            let votes = supported_votes(&findings, ids.iter().zip(self.votes.iter().copied()));
            let policy = VerdictPolicy {
                disputed_critical_fails: false,
                incomplete_coverage_warns: false,
            };
            let models = ids.iter().zip(self.votes.iter().copied());
            let models: Vec<_> = models
                .map(|(judge, counted)| ModelVotes {
                    judge,
                    counted,
                    last: None,
                })
                .collect();
            let case = VerdictInput {
                objections: objections_of(&findings, &models, false),
                findings: &counted_standings(&findings),
                votes: &votes,
                counted: self.votes.len(),
                quorum: self.quorum,
                covered: self.covered,
                checked: true,
            };
            decide_verdict(self.consensus, policy, &case)
        }
    }

    fn badness(verdict: Verdict) -> u8 {
        match verdict {
            Verdict::Pass | Verdict::Skipped => 0,
            Verdict::Warn => 1,
            Verdict::Inconclusive => 2,
            Verdict::Fail => 3,
        }
    }

    proptest! {
        #[test]
        fn a_dismissal_of_other_code_changes_nothing(world in world()) {
            let before = world.judge(&[]);
            prop_assert_eq!(world.judge(&[dismissal("ffffffffffffffff")]), before);
        }

        #[test]
        fn a_dismissal_never_makes_a_verdict_worse(world in world(), at in 0..6_usize) {
            let before = world.judge(&[]).0;
            let after = world.judge(&[dismissal(&format!("{at:016x}"))]).0;
            prop_assert!(badness(after) <= badness(before), "{:?} -> {:?}", before, after);
        }

        #[test]
        fn no_dismissal_makes_up_for_a_judge_or_a_file(world in world()) {
            let all: Vec<_> = (0..6).map(|at| dismissal(&format!("{at:016x}"))).collect();
            let (verdict, _) = world.judge(&all);
            let short = world.votes.len() < world.quorum.max(1) || !world.covered;
            prop_assert!(!(short && matches!(verdict, Verdict::Pass | Verdict::Warn)));
        }
    }

    #[test]
    fn a_remark_that_was_dismissed_silences_nothing_that_is_worse() {
        let levels = [Severity::Minor, Severity::Significant, Severity::Critical];
        for seen in levels {
            for severity in levels {
                let mut findings = [found(0, severity, Disposition::Confirmed, 2)];
                let dismissal = Dismissal {
                    severity: Some(seen),
                    ..dismissal("0000000000000000")
                };
                mark_dismissed(&mut findings, &[dismissal]);
                assert_eq!(
                    findings[0].dismissed.is_some(),
                    severity <= seen,
                    "{seen:?} {severity:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_dismissed_does_not_count_and_neither_does_the_vote_that_rests_on_it() {
        let world = World {
            findings: vec![found(0, Severity::Critical, Disposition::Confirmed, 0)],
            votes: vec![Vote::Fail, Vote::Pass],
            consensus: ConsensusRule::Findings,
            quorum: 2,
            covered: true,
        };
        assert_eq!(world.judge(&[]).0, Verdict::Fail);
        let dismissed = [dismissal("0000000000000000")];
        assert_eq!(
            world.judge(&dismissed),
            (Verdict::Pass, VerdictReason::NoFindings)
        );
        for consensus in [ConsensusRule::Strict, ConsensusRule::Majority] {
            let world = World {
                consensus,
                ..world.clone()
            };
            assert_eq!(
                world.judge(&dismissed),
                (Verdict::Pass, VerdictReason::Votes)
            );
        }
    }

    #[test]
    fn a_judge_that_holds_something_else_keeps_the_vote_that_it_supports() {
        let world = World {
            findings: vec![
                found(0, Severity::Critical, Disposition::Confirmed, 0),
                found(1, Severity::Significant, Disposition::Unconfirmed, 0),
            ],
            votes: vec![Vote::Fail, Vote::Pass],
            consensus: ConsensusRule::Strict,
            quorum: 2,
            covered: true,
        };
        assert_eq!(
            world.judge(&[dismissal("0000000000000000")]).0,
            Verdict::Warn
        );
    }

    #[test]
    fn a_verdict_of_before_is_judged_by_the_same_rule() {
        let mut findings = vec![found(0, Severity::Critical, Disposition::Confirmed, 0)];
        let unseen = Coverage {
            files: vec![council_protocol::coverage::FileCoverage {
                path: "a.rs".into(),
                state: CoverageState::Unreadable {
                    reason: "gone".into(),
                },
            }],
        };
        let policy = VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        };
        let reconsidered = ReconsideredVerdict {
            consensus: ConsensusRule::Findings,
            policy,
            quorum: 2,
            judges: &[],
            coverage: &unseen,
        };
        let (verdict, reason) =
            reconsidered.decide_again(&mut findings, &[dismissal("0000000000000000")]);
        assert_eq!(
            (verdict, reason),
            (Verdict::Inconclusive, VerdictReason::BelowQuorum)
        );
        assert!(findings[0].dismissed.is_some() && findings[0].level.is_none());
    }
}
