//! R2: each finding of the others is checked against the packet and the reviewed files, and answered.

mod claim;
mod speech;
mod text;
mod witness;

use council_protocol::answer::{Change, Evidence, Response, Stance};
use council_protocol::task::{DebateBranch, Peer, PeerFinding};
use council_protocol::{Answer, Severity, Turn};

use crate::review::{RulePosition, vote_for};

pub(crate) use speech::insight_after;
pub(crate) use witness::ClaimChecker;

/// What checking one finding of another judge has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckedFinding {
    pub(crate) stance: Stance,
    pub(crate) reasoning: String,
    pub(crate) evidence: Option<Evidence>,
    /// How bad the judge's own rules say it is; none where no rule confirmed it.
    pub(crate) confirmed: Option<Severity>,
}

/// The answer of R2.
pub(crate) fn answer_debate(
    witness: &ClaimChecker<'_>,
    position: &RulePosition,
    turn: &Turn,
    branch: DebateBranch,
    peers: &[Peer],
) -> Answer {
    let asked: Vec<&PeerFinding> = peers.iter().flat_map(|peer| &peer.findings).collect();
    let checked: Vec<CheckedFinding> = asked
        .iter()
        .map(|peer| witness.check_finding(&peer.finding))
        .collect();
    let change = changed_vote(position, &checked);
    let mut answer = position.build_answer(turn);
    answer.restatement = Some(position.restatement());
    answer.steel_man = Some(speech::steel_man(position, branch, &asked, &checked));
    if let Some(change) = change {
        answer.verdict = change.to;
        answer.key_insight = insight_after(&change);
        answer.recommendation = speech::recommendation_after(&change);
        answer.change = Some(change);
    }
    answer.responses = asked
        .iter()
        .zip(checked)
        .map(|(peer, checked)| to_response(&peer.id, checked))
        .collect();
    answer
}

fn to_response(id: &str, checked: CheckedFinding) -> Response {
    Response {
        to: id.to_owned(),
        stance: checked.stance,
        reasoning: checked.reasoning,
        evidence: checked.evidence,
    }
}

/// A changed vote: only where something that the judge's own rules confirm is worse than what it had found itself, and
/// with evidence at a place that it had not reported. It never votes better than in R1: what
/// its rules have found does not go away because others have not.
fn changed_vote(position: &RulePosition, checked: &[CheckedFinding]) -> Option<Change> {
    let missed = checked.iter().filter_map(|checked| {
        let evidence = checked
            .evidence
            .as_ref()
            .filter(|e| !position.has_reported(e))?;
        checked.confirmed.map(|severity| (severity, evidence))
    });
    // The first of the worst, so that the same peers give the same answer.
    let (severity, evidence) = missed.min_by_key(|(severity, _)| std::cmp::Reverse(*severity))?;
    let to = vote_for(Some(severity));
    (to > position.vote).then(|| Change {
        from: position.vote,
        to,
        evidence: Some(evidence.clone()),
    })
}
