//! R2: each finding of the others is checked against the packet and the reviewed files, and answered.

mod claim;
mod speech;
mod text;
mod witness;

use council_protocol::answer::{Change, Evidence, Response, Stance};
use council_protocol::task::{Branch, Peer, PeerFinding};
use council_protocol::{Answer, Severity, Turn};

use crate::review::{Position, vote};

pub(crate) use speech::insight_after;
pub(crate) use witness::Witness;

/// What checking one finding of another judge has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) stance: Stance,
    pub(crate) reasoning: String,
    pub(crate) evidence: Option<Evidence>,
    /// How bad the judge's own rules say it is; none where no rule confirmed it.
    pub(crate) confirmed: Option<Severity>,
}

/// The answer of R2.
pub(crate) fn answer(
    witness: &Witness<'_>,
    position: &Position,
    turn: &Turn,
    branch: Branch,
    peers: &[Peer],
) -> Answer {
    let asked: Vec<&PeerFinding> = peers.iter().flat_map(|peer| &peer.findings).collect();
    let checked: Vec<Checked> = asked
        .iter()
        .map(|peer| witness.check(&peer.finding))
        .collect();
    let change = change(position, &checked);
    let mut answer = position.answer(turn);
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
        .map(|(peer, checked)| respond(&peer.id, checked))
        .collect();
    answer
}

fn respond(id: &str, checked: Checked) -> Response {
    Response {
        to: id.to_owned(),
        stance: checked.stance,
        reasoning: checked.reasoning,
        evidence: checked.evidence,
    }
}

/// A changed vote: only where something that the judge's own rules confirm is worse than what it had found itself, and
/// with evidence at a place that it had not reported (seed 000, "evidence bar"). It never votes better than in R1: what
/// its rules have found does not go away because others have not.
fn change(position: &Position, checked: &[Checked]) -> Option<Change> {
    let missed = checked.iter().filter_map(|checked| {
        let evidence = checked
            .evidence
            .as_ref()
            .filter(|e| !position.reported(e))?;
        checked.confirmed.map(|severity| (severity, evidence))
    });
    // The first of the worst, so that the same peers give the same answer.
    let (severity, evidence) = missed.min_by_key(|(severity, _)| std::cmp::Reverse(*severity))?;
    let to = vote(Some(severity));
    (to > position.vote).then(|| Change {
        from: position.vote,
        to,
        evidence: Some(evidence.clone()),
    })
}
