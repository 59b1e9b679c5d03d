//! How much is still disputed: computed from findings, responses and challenges, never asked of a model.

use council_protocol::Severity;
use council_protocol::answer::Contention;

use super::state::DebateState;

/// What a challenge weighs beside findings.
const CHALLENGE: u64 = 2;

fn severity_weight(severity: Severity) -> u64 {
    match severity {
        Severity::Critical => 4,
        Severity::Significant => 2,
        Severity::Minor => 1,
    }
}

/// The share of findings and challenges that are still disputed, weighted by severity. A finding that somebody disagrees with
/// is disputed, one that somebody agrees with in part is half disputed, a challenge without an answer is disputed. A finding
/// whose quote is not there, or that was withdrawn with evidence, plays no part.
pub(super) fn measure_contention(state: &DebateState) -> Contention {
    let live: Vec<(u64, u64)> = state
        .clusters()
        .iter()
        .filter(|c| c.is_live())
        .map(|c| (severity_weight(c.severity()), c.dispute_halves()))
        .collect();
    let open = state
        .challenges
        .iter()
        .filter(|c| c.answer.is_none())
        .count() as u64;
    let challenges = state.challenges.len() as u64 * CHALLENGE;
    let disputed: u64 = live.iter().map(|(weight, halves)| weight * halves).sum();
    let whole: u64 = live.iter().map(|(weight, _)| weight).sum();
    Contention::share(disputed + 2 * open * CHALLENGE, 2 * (whole + challenges))
}
