//! The sentences of an R2 answer.

use council_protocol::Vote;
use council_protocol::answer::{Change, Stance};
use council_protocol::task::{DebateBranch, PeerFinding};

use super::CheckedFinding;
use crate::review::{RulePosition, format_place};

/// The sentence of a judge that has changed its vote.
pub(crate) fn insight_after(change: &Change) -> String {
    format!(
        "I missed what stands at {}; with it, {} becomes {}.",
        turning_point(change),
        change.from.as_str(),
        change.to.as_str()
    )
}

/// What is to be done after it: what was said in R1 holds no more.
pub(super) fn recommendation_after(change: &Change) -> String {
    format!("Settle what stands at {} first.", turning_point(change))
}

fn turning_point(change: &Change) -> String {
    let evidence = change.evidence.as_ref();
    evidence.map_or_else(String::new, |e| format!("{}:{}", e.path.display(), e.line))
}

/// The best case for the position that the judge does not hold, from what it could and could not check.
pub(super) fn steel_man(
    position: &RulePosition,
    branch: DebateBranch,
    asked: &[&PeerFinding],
    checked: &[CheckedFinding],
) -> String {
    let strongest = asked
        .iter()
        .zip(checked)
        .filter(|(_, checked)| checked.stance != Stance::Disagreed)
        // By place, not by label: labels are drawn for each run, and the reader of a report does not know them.
        .max_by_key(|(peer, _)| {
            (
                peer.finding.severity,
                std::cmp::Reverse(&peer.finding.location),
            )
        });
    match (branch, position.vote, strongest) {
        (_, Vote::Pass, Some((peer, checked))) => {
            let proven = if checked.confirmed.is_some() { "my own rules confirm" } else { "I cannot rule out" };
            format!(
                "The best case against PASS is the {} finding at {}, which {proven}.",
                peer.finding.severity.as_str(),
                format_place(&peer.finding)
            )
        }
        (DebateBranch::Agreed, Vote::Pass, None) => {
            "The best case against PASS is what no rule can see: whether the change does what it is meant to do.".to_owned()
        }
        (DebateBranch::Disagreed, Vote::Pass, None) => {
            "The best case against PASS would be a finding with a quote that stands; none was shown.".to_owned()
        }
        (_, Vote::Warn | Vote::Fail, _) => against_own(position),
    }
}

/// The best case for letting the change pass, though a rule speaks.
fn against_own(position: &RulePosition) -> String {
    let n = position.findings.len();
    let worst = position.findings.first().map(|finding| {
        let rule = finding.rule.as_deref().unwrap_or_default();
        format!(
            "{}, where `{rule}` may meet code that is fine for a reason which stands elsewhere",
            format_place(finding)
        )
    });
    match worst {
        Some(worst) if n == 1 => {
            format!("The best case for PASS is that all hangs on one place: {worst}.")
        }
        Some(worst) => {
            format!("The best case for PASS begins with the worst of {n} findings: {worst}.")
        }
        None => "The best case for PASS is that I hold nothing against it myself.".to_owned(),
    }
}
