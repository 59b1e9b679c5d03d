//! What the votes of models say where no finding carries it: the support of one finding is not the only evidence that a
//! change must not go in.

use council_protocol::{JudgeId, Severity, Vote};

use super::outcome::{Disposition, JudgedFinding};

/// Votes that a verdict does not pass over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Objections {
    /// More than half of the models vote WARN or FAIL.
    pub majority_objects: bool,
    /// More than half of the models vote FAIL, each over a critical finding whose quote holds and that nobody refuted.
    pub majority_fails: bool,
    /// Every model votes FAIL. What they saw may not hold as they put it, but a change that nobody lets in is not let in.
    pub all_fail: bool,
    /// A judge said WARN or FAIL in an answer that does not count, and did not say it again.
    pub unread: bool,
}

/// Weighs the votes that count, one for each model.
pub(super) fn weigh_objections(
    findings: &[JudgedFinding],
    models: &[(&JudgeId, Vote)],
    unread: bool,
) -> Objections {
    let objecting = models.iter().filter(|(_, vote)| *vote != Vote::Pass);
    let failing = models
        .iter()
        .filter(|(judge, vote)| *vote == Vote::Fail && holds_critical(findings, judge));
    let fails = |(_, vote): &(&JudgeId, Vote)| *vote == Vote::Fail;
    Objections {
        all_fail: !models.is_empty() && models.iter().all(fails),
        majority_objects: objecting.count() * 2 > models.len(),
        majority_fails: failing.count() * 2 > models.len(),
        unread,
    }
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
