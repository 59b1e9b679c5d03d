//! The verdict as a pure function of findings, votes, participation and coverage.

use council_protocol::{Severity, Vote};

pub use super::objections::Objections;
use super::outcome::{Disposition, FindingLevel, Verdict, VerdictReason};
use super::plan::{ConsensusRule, VerdictPolicy};

/// A finding as the verdict sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FindingStanding {
    /// How bad it is said to be.
    pub severity: Severity,
    /// What became of it.
    pub disposition: Disposition,
}

/// Everything that the verdict depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictInput<'a> {
    /// The findings, rejected ones included.
    pub findings: &'a [FindingStanding],
    /// The votes that count.
    pub votes: &'a [Vote],
    /// How many judges counted.
    pub counted: usize,
    /// How many have to.
    pub quorum: usize,
    /// Whether a quorum saw everything that trusted globs do not skip.
    pub covered: bool,
    /// Whether every quote was searched.
    pub checked: bool,
    /// What the models' votes say where no finding carries it.
    pub objections: Objections,
}

/// What a finding does to the verdict; none for a rejected one.
pub fn finding_level(finding: FindingStanding, policy: VerdictPolicy) -> Option<FindingLevel> {
    use {Disposition as D, Severity as S};
    match (finding.severity, finding.disposition) {
        (_, D::Rejected) => None,
        (S::Critical, D::Confirmed) => Some(FindingLevel::Fail),
        (S::Critical, D::Disputed) if policy.disputed_critical_fails => Some(FindingLevel::Fail),
        (S::Critical, D::Disputed | D::Unconfirmed) | (S::Significant, D::Confirmed) => {
            Some(FindingLevel::Warn)
        }
        (S::Significant, D::Disputed | D::Unconfirmed) | (S::Minor, _) => Some(FindingLevel::Note),
    }
}

/// The verdict and its reason. The rule first, then the floors: quorum, unsearched quotes, coverage.
pub fn decide_verdict(
    consensus: ConsensusRule,
    policy: VerdictPolicy,
    case: &VerdictInput<'_>,
) -> (Verdict, VerdictReason) {
    // No vote outweighs what was found: a rule of votes may be stricter than one of findings, never milder.
    let found = by_findings(policy, case);
    let by_votes = match consensus {
        ConsensusRule::Findings => None,
        ConsensusRule::Strict => Some(strict_verdict(case.votes)),
        ConsensusRule::Majority => Some(majority_verdict(case.votes)),
    };
    let failing =
        |&finding: &FindingStanding| finding_level(finding, policy) == Some(FindingLevel::Fail);
    let failing = case.findings.iter().any(failing);
    let (verdict, reason) = match by_votes {
        Some(Verdict::Pass) if found.0 != Verdict::Pass => found,
        Some(voted) if !failing => (voted, VerdictReason::Votes),
        Some(_) | None => found,
    };
    let (verdict, reason) = match verdict {
        // A vote that does not count is in no tally either, and what a tool cannot place is in no finding.
        Verdict::Pass if case.objections.bar_a_pass() => {
            (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
        }
        _ => (verdict, reason),
    };
    apply_floors(policy, case, verdict, reason)
}

/// The worst level. A FAIL vote that no such level backs is a warning of its own, as is a majority that objects; where the
/// majority votes FAIL over critical findings that stand, one for each, the change fails. Where every model votes FAIL and
/// nothing carries it, there is no verdict: whoever sees three judges say FAIL would not understand a change that goes in.
fn by_findings(policy: VerdictPolicy, case: &VerdictInput<'_>) -> (Verdict, VerdictReason) {
    let worst = case
        .findings
        .iter()
        .filter_map(|&f| finding_level(f, policy).map(|l| (l, level_reason(f, l))))
        .max_by_key(|&(level, reason)| (level, std::cmp::Reverse(reason)));
    match worst {
        Some((FindingLevel::Fail, reason)) => (Verdict::Fail, reason),
        _ if case.objections.majority_fails => (Verdict::Fail, VerdictReason::CriticalUnconfirmed),
        _ if case.objections.all_fail => {
            (Verdict::Inconclusive, VerdictReason::VerdictWithoutFinding)
        }
        Some((FindingLevel::Warn, reason)) => (Verdict::Warn, reason),
        _ if case.votes.contains(&Vote::Fail) || case.objections.majority_objects => {
            (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
        }
        Some((FindingLevel::Note, reason)) => (Verdict::Pass, reason),
        None => (Verdict::Pass, VerdictReason::NoFindings),
    }
}

fn level_reason(finding: FindingStanding, level: FindingLevel) -> VerdictReason {
    match (level, finding.severity, finding.disposition) {
        (FindingLevel::Note, Severity::Minor, _) => VerdictReason::NotesOnly,
        (FindingLevel::Note, ..) => VerdictReason::SignificantUnconfirmed,
        (_, Severity::Critical, Disposition::Confirmed) => VerdictReason::CriticalConfirmed,
        (_, Severity::Critical, Disposition::Disputed) => VerdictReason::CriticalDisputed,
        (_, Severity::Critical, _) => VerdictReason::CriticalUnconfirmed,
        _ => VerdictReason::SignificantConfirmed,
    }
}

/// All PASS → PASS, any FAIL → FAIL, otherwise WARN.
fn strict_verdict(votes: &[Vote]) -> Verdict {
    match votes.iter().max() {
        Some(Vote::Fail) => Verdict::Fail,
        Some(Vote::Warn) => Verdict::Warn,
        Some(Vote::Pass) | None => Verdict::Pass,
    }
}

/// Unanimous before majority; more than half FAIL → FAIL; everything between is a WARN, a tie included.
fn majority_verdict(votes: &[Vote]) -> Verdict {
    let fails = votes.iter().filter(|&&v| v == Vote::Fail).count();
    if votes.iter().all(|&v| v == Vote::Pass) {
        Verdict::Pass
    } else if fails * 2 > votes.len() {
        Verdict::Fail
    } else {
        Verdict::Warn
    }
}

/// What too few judges, unsearched quotes or unseen files leave of a verdict. FAIL stays FAIL. WARN falls as PASS does:
/// otherwise a small flaw added to an unreviewable change would improve its verdict.
fn apply_floors(
    policy: VerdictPolicy,
    case: &VerdictInput<'_>,
    verdict: Verdict,
    reason: VerdictReason,
) -> (Verdict, VerdictReason) {
    if verdict == Verdict::Fail {
        (verdict, reason)
    } else if case.counted < case.quorum.max(1) {
        (Verdict::Inconclusive, VerdictReason::BelowQuorum)
    } else if !case.checked {
        (Verdict::Inconclusive, VerdictReason::UncheckedEvidence)
    } else if case.covered {
        (verdict, reason)
    } else if !policy.incomplete_coverage_warns {
        (Verdict::Inconclusive, VerdictReason::IncompleteCoverage)
    } else if verdict == Verdict::Pass {
        (Verdict::Warn, VerdictReason::IncompleteCoverage)
    } else {
        (verdict, reason)
    }
}
