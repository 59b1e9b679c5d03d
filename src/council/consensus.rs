//! The verdict as a pure function of findings, votes, participation and coverage (3-debate.md, "The verdict").

use council_protocol::{Severity, Vote};

use super::outcome::{Disposition, Level, Reason, Verdict};
use super::plan::{Consensus, Policy};

/// A finding as the verdict sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How bad it is said to be.
    pub severity: Severity,
    /// What became of it.
    pub disposition: Disposition,
}

/// Everything that the verdict depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case<'a> {
    /// The findings, rejected ones included.
    pub findings: &'a [Standing],
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
}

/// What a finding does to the verdict; none for a rejected one.
pub fn level(finding: Standing, policy: Policy) -> Option<Level> {
    use {Disposition as D, Severity as S};
    match (finding.severity, finding.disposition) {
        (_, D::Rejected) => None,
        (S::Critical, D::Confirmed) => Some(Level::Fail),
        (S::Critical, D::Disputed) if policy.disputed_critical_fails => Some(Level::Fail),
        (S::Critical, D::Disputed | D::Unconfirmed) | (S::Significant, D::Confirmed) => {
            Some(Level::Warn)
        }
        (S::Significant, D::Disputed | D::Unconfirmed) | (S::Minor, _) => Some(Level::Note),
    }
}

/// The verdict and its reason. The rule first, then the floors: quorum, unsearched quotes, coverage.
pub fn judge(consensus: Consensus, policy: Policy, case: &Case<'_>) -> (Verdict, Reason) {
    let (verdict, reason) = match consensus {
        Consensus::Findings => by_findings(policy, case),
        Consensus::Strict => (strict(case.votes), Reason::Votes),
        Consensus::Majority => (majority(case.votes), Reason::Votes),
    };
    floor(policy, case, verdict, reason)
}

/// The worst level; and a FAIL vote that no such level backs is a warning of its own.
fn by_findings(policy: Policy, case: &Case<'_>) -> (Verdict, Reason) {
    let worst = case
        .findings
        .iter()
        .filter_map(|&f| level(f, policy).map(|l| (l, because(f, l))))
        .max_by_key(|&(level, reason)| (level, std::cmp::Reverse(reason)));
    match worst {
        Some((Level::Fail, reason)) => (Verdict::Fail, reason),
        Some((Level::Warn, reason)) => (Verdict::Warn, reason),
        _ if case.votes.contains(&Vote::Fail) => (Verdict::Warn, Reason::VerdictWithoutFinding),
        Some((Level::Note, _)) => (Verdict::Pass, Reason::NotesOnly),
        None => (Verdict::Pass, Reason::NoFindings),
    }
}

fn because(finding: Standing, level: Level) -> Reason {
    match (level, finding.severity, finding.disposition) {
        (Level::Note, ..) => Reason::NotesOnly,
        (_, Severity::Critical, Disposition::Confirmed) => Reason::CriticalConfirmed,
        (_, Severity::Critical, Disposition::Disputed) => Reason::CriticalDisputed,
        (_, Severity::Critical, _) => Reason::CriticalUnconfirmed,
        _ => Reason::SignificantConfirmed,
    }
}

/// The seeds' table: all PASS → PASS, any FAIL → FAIL, otherwise WARN.
fn strict(votes: &[Vote]) -> Verdict {
    match votes.iter().max() {
        Some(Vote::Fail) => Verdict::Fail,
        Some(Vote::Warn) => Verdict::Warn,
        Some(Vote::Pass) | None => Verdict::Pass,
    }
}

/// Seed 001: unanimous before majority; more than half FAIL → FAIL; everything between is a WARN, a tie included.
fn majority(votes: &[Vote]) -> Verdict {
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
fn floor(policy: Policy, case: &Case<'_>, verdict: Verdict, reason: Reason) -> (Verdict, Reason) {
    if verdict == Verdict::Fail {
        (verdict, reason)
    } else if case.counted < case.quorum.max(1) {
        (Verdict::Inconclusive, Reason::BelowQuorum)
    } else if !case.checked {
        (Verdict::Inconclusive, Reason::UncheckedEvidence)
    } else if case.covered {
        (verdict, reason)
    } else if !policy.incomplete_coverage_warns {
        (Verdict::Inconclusive, Reason::IncompleteCoverage)
    } else if verdict == Verdict::Pass {
        (Verdict::Warn, Reason::IncompleteCoverage)
    } else {
        (verdict, reason)
    }
}
