//! Dismissed findings: what a person argued away is listed and does not count, until its code changes.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::{Coverage, JudgeId, Severity, Vote};

use super::consensus::{FindingStanding, VerdictInput, decide_verdict, finding_level};
use super::fingerprint::class_of;
use super::objections::{
    CastVotes, Objections, RuleVote, insists_unproven, rules_object, weigh_objections,
};
use super::outcome::{
    Disposition, JudgeRecord, JudgedFinding, ReaderBench, Verdict, VerdictReason,
};
use super::plan::{ConsensusRule, Dismissal, VerdictPolicy};
use super::quorum::Attendance;

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

/// Whether a dismissal named a finding that has grown worse since, or is about something else now: it counts again.
pub fn is_outgrown(dismissal: &Dismissal, finding: &JudgedFinding) -> bool {
    let counts = finding.dismissed.is_none() && finding.disposition != Disposition::Rejected;
    counts && dismissal.fingerprint == finding.fingerprint && !covers(dismissal, finding)
}

/// Whether a dismissal is about a finding that is as bad: a remark that was argued away says nothing of a critical problem
/// in the same line, nor does one critical problem of another kind. A line that does not say how bad its finding was is not
/// about a critical one.
fn covers(dismissal: &Dismissal, finding: &JudgedFinding) -> bool {
    // Its fingerprint holds what the shown version is about.
    let shown = class_of(&finding.finding);
    let is_meant = |class: &String| *class == shown || dismissal.classes.contains(class);
    finding.finding.severity <= dismissal.severity.unwrap_or(Severity::Significant)
        && critical_classes(finding).iter().all(is_meant)
}

/// What the critical versions of a finding are about that still stand: a dismissal answers these and no others.
pub fn critical_classes(finding: &JudgedFinding) -> BTreeSet<String> {
    let members = finding.members.iter();
    let standing = members.filter(|m| m.proof.resolves() && !m.withdrawn);
    let critical = standing.filter(|m| m.finding.severity == Severity::Critical);
    critical.map(|m| class_of(&m.finding)).collect()
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
#[derive(Debug, Default)]
pub(super) struct VoteRecord<'a> {
    /// Those of models.
    pub(super) models: Vec<ModelVotes<'a>>,
    /// Those of rules and tools.
    pub(super) rules: Vec<RuleVote<'a>>,
    /// Whether somebody objected in an answer that does not count.
    pub(super) unread: bool,
    /// The models that were shown the same files, where not all were.
    pub(super) benches: &'a [ReaderBench],
    /// How many must have read a file.
    pub(super) quorum: usize,
}

/// How a model votes.
#[derive(Debug)]
pub(super) struct ModelVotes<'a> {
    pub(super) judge: &'a JudgeId,
    /// The vote that counts.
    pub(super) counted: Vote,
    /// The last one that it gave; none: it gave one.
    pub(super) last: Option<Vote>,
}

impl<'a> VoteRecord<'a> {
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
        Objections {
            unread: self.unread,
            rules_object: rules_object(findings, &self.rules),
            unproven: insists_unproven(findings, &judges),
            ..weigh_objections(findings, &cast, self.benches, self.quorum)
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
    /// The models that were shown the same files, where not all were.
    pub benches: &'a [ReaderBench],
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
        let left = votes_after_dismissals(self.judges, findings);
        let left: Vec<Vote> = left.iter().map(|vote| vote.left).collect();
        let mut votes = VoteRecord {
            unread: self.judges.iter().any(JudgeRecord::objects_unread),
            benches: self.benches,
            quorum: self.quorum as usize,
            ..VoteRecord::default()
        };
        for judge in self.judges {
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
        let quorum = self.quorum.max(1) as usize;
        let case = VerdictInput {
            objections: votes.objections(findings),
            findings: &counted_standings(findings),
            votes: &left,
            counted: Attendance::of_records(self.judges).towards_quorum(quorum),
            quorum,
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
            classes: Vec::new(),
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
            since: None,
            members: vec![member(JUDGES[by])],
            opinions: Vec::new(),
            disputed_by_test: false,
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
        /// Which judge is a rule or a tool, if one is.
        rule: Option<usize>,
        consensus: ConsensusRule,
        quorum: usize,
        covered: bool,
    }

    fn world() -> impl Strategy<Value = World> {
        let findings = prop::collection::vec((severity(), disposition(), 0..JUDGES.len()), 0..6);
        let votes = prop::collection::vec(vote(), 0..=JUDGES.len());
        let rule = prop::option::of(0..JUDGES.len());
        (
            findings,
            (votes, rule),
            consensus(),
            0..4_usize,
            any::<bool>(),
        )
            .prop_map(
                |(findings, (votes, rule), consensus, quorum, covered)| World {
                    findings: findings
                        .into_iter()
                        .enumerate()
                        .map(|(nth, (s, d, by))| found(nth, s, d, by))
                        .collect(),
                    votes,
                    rule,
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
            let mut record = VoteRecord {
                quorum: self.quorum,
                ..VoteRecord::default()
            };
            for (nth, (judge, vote)) in ids.iter().zip(self.votes.iter().copied()).enumerate() {
                if self.rule == Some(nth) {
                    record.rules.push(RuleVote {
                        judge,
                        vote,
                        unplaced: None,
                    });
                } else {
                    record.add_model(judge, vote, None);
                }
            }
            let case = VerdictInput {
                objections: record.objections(&findings),
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

    #[test]
    fn what_was_dismissed_shows_no_other_problem() {
        let mut shown = found(0, Severity::Critical, Disposition::Confirmed, 0);
        let mut lost = found(1, Severity::Critical, Disposition::Rejected, 1);
        lost.members[0].proof = Proof::Unverified {
            reason: "it is not there".into(),
        };
        let judge = JUDGES[1].into();
        let insists = |findings: &[JudgedFinding]| insists_unproven(findings, &[&judge]);
        assert!(
            !insists(&[shown.clone(), lost.clone()]),
            "the other quote shows it"
        );
        shown.dismissed = Some(dismissal("0000000000000000"));
        assert!(insists(&[shown, lost]), "nobody dismissed this one");
    }

    mod laws {
        use super::*;

        /// A version of a finding of one class, and whether its quote holds and it was not taken back.
        fn version() -> impl Strategy<Value = (Severity, &'static str, bool, bool)> {
            let class = prop::sample::select(vec!["injection", "secrets", "logic", "Logic"]);
            (
                severity(),
                class,
                prop::bool::weighted(0.8),
                prop::bool::weighted(0.2),
            )
        }

        /// One finding with these versions; the worst that stands is shown.
        fn cluster(versions: &[(Severity, &'static str, bool, bool)]) -> JudgedFinding {
            let mut whole = found(0, Severity::Minor, Disposition::Confirmed, 0);
            whole.members = versions
                .iter()
                .map(|&(severity, category, real, withdrawn)| {
                    let mut member = whole.members[0].clone();
                    (member.finding.severity, member.withdrawn) = (severity, withdrawn);
                    member.finding.category = category.into();
                    if !real {
                        member.proof = Proof::Unverified {
                            reason: "it is not there".into(),
                        };
                    }
                    member
                })
                .collect();
            let worst = whole
                .members
                .iter()
                .max_by_key(|m| (m.proof.resolves() && !m.withdrawn, m.finding.severity));
            whole.finding = worst.unwrap().finding.clone();
            whole
        }

        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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

            /// Whoever dismisses what was shown dismisses no critical problem of another kind that a judge sees in the same
            /// line afterwards; and all that was shown stays dismissed.
            #[test]
            fn a_critical_of_another_kind_is_never_dismissed(
                seen in prop::collection::vec(version(), 1..4), more in version(),
            ) {
                let before = cluster(&seen);
                let classes = critical_classes(&before);
                let order = Dismissal {
                    severity: Some(before.finding.severity),
                    classes: classes.iter().cloned().collect(),
                    ..dismissal("0000000000000000")
                };
                let is_dismissed = |finding: &JudgedFinding| {
                    let mut findings = [finding.clone()];
                    mark_dismissed(&mut findings, std::slice::from_ref(&order));
                    findings[0].dismissed.is_some()
                };
                prop_assert!(is_dismissed(&before));
                let mut after = cluster(&[seen, vec![more]].concat());
                // The fingerprint is of what is shown: of another class it is another one.
                if class_of(&after.finding) != class_of(&before.finding) {
                    return Ok(());
                }
                after.finding.severity = after.finding.severity.max(before.finding.severity);
                let (severity, class, real, withdrawn) = more;
                let is_hole = severity == Severity::Critical && real && !withdrawn;
                let class = class.to_lowercase();
                if is_hole && class != class_of(&after.finding) && !classes.contains(&class) {
                    prop_assert!(!is_dismissed(&after));
                }
            }
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
            rule: None,
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
            rule: None,
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
            benches: &[],
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
