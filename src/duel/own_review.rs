//! What a side found when it reviewed the subject alone, beside what it wrote: a finding that it has not written, or a vote that
//! it does not repeat, is not taken back by that.

use council_protocol::answer::{Change, Evidence, Stance, Withdrawal};
use council_protocol::{Answer, Finding, Vote};

use super::DuelRole;
use super::protocol::point_standing::PointStanding;
use super::protocol::speak::says_it;

/// The findings of a side's own review that stand nowhere in its sections.
pub(super) fn unwritten_findings(
    review: Option<&Answer>,
    own: &[PointStanding],
    found_too: &[Finding],
) -> Vec<Finding> {
    let written = || own.iter().map(|point| &point.finding).chain(found_too);
    let found = review.map_or(&[][..], |review| &review.findings).iter();
    let unwritten = found.filter(|found| !written().any(|written| says_it(written, found)));
    unwritten.cloned().collect()
}

/// What a side takes back by disagreeing with the other side about the very problem: `before` findings stand in front
/// of these.
pub(super) fn disowned(
    unwritten: &[Finding],
    before: usize,
    theirs: &[PointStanding],
    role: DuelRole,
) -> Vec<Withdrawal> {
    let numbered = (1u32..).skip(before).zip(unwritten);
    let disowned = numbered.filter_map(|(finding, found)| {
        let mut meant = theirs.iter().filter(|point| says_it(&point.finding, found));
        let said = meant.find_map(|point| point.last_of(role))?;
        (said.stance == Stance::Disagreed).then(|| Withdrawal {
            finding,
            evidence: said.evidence.clone(),
        })
    });
    disowned.collect()
}

/// How a side came from the vote of its review to that of its last section, with what it has quoted against its own findings.
pub(super) fn change_of_vote(from: Vote, to: Vote, withdrawn: &[Withdrawal]) -> Option<Change> {
    let evidence: Option<Evidence> = withdrawn.iter().find_map(|taken| taken.evidence.clone());
    (to < from).then_some(Change { from, to, evidence })
}
