//! What a judge says of each finding in one answer.

use std::collections::BTreeMap;

use council_protocol::RoundNumber;
use council_protocol::answer::{Answer, Response, Stance};

use super::anonymity;
use super::judges::{Judges, SeatIndex};

/// The finding that a response means: whose, and its number.
pub(super) type MeantFinding = (SeatIndex, usize);

/// What a judge says of each finding in one answer, in the order in which it says it.
pub(super) fn responses_by_finding<'a>(
    judges: &Judges,
    seat: SeatIndex,
    round: RoundNumber,
    answer: &'a Answer,
) -> BTreeMap<MeantFinding, Vec<&'a Response>> {
    let mut by_finding: BTreeMap<MeantFinding, Vec<&Response>> = BTreeMap::new();
    let Some(order) = judges[seat].peers.get(&round) else {
        return by_finding;
    };
    for response in &answer.responses {
        if let Some(meant) = anonymity::parse_finding_id(order, &response.to) {
            by_finding.entry(meant).or_default().push(response);
        }
    }
    by_finding
}

/// Whether a judge agrees with a finding, if only in part, and disagrees with it, too.
pub(super) fn is_contradictory(said: &[&Response]) -> bool {
    let disagrees = |r: &&Response| r.stance == Stance::Disagreed;
    said.iter().any(disagrees) && !said.iter().all(disagrees)
}
