//! R2: the others' findings are answered one by one.

use council_protocol::answer::{Response, Stance};
use council_protocol::task::{Branch, Peer};
use council_protocol::{Answer, Turn};

use crate::review::Position;

/// The answer of R2.
pub(crate) fn answer(position: &Position, turn: &Turn, branch: Branch, peers: &[Peer]) -> Answer {
    let findings = peers.iter().flat_map(|peer| &peer.findings);
    let responses = findings.map(|peer| Response {
        to: peer.id.clone(),
        stance: Stance::PartiallyAgreed,
        reasoning: "I have no means to check this claim.".to_owned(),
        evidence: None,
    });
    let case = match branch {
        Branch::Agreed => {
            "The strongest case against this position is what no rule can see: whether the change does what it is for."
        }
        Branch::Disagreed => {
            "The strongest case for the others is that they may know what no rule can see."
        }
    };
    Answer {
        restatement: Some(position.restatement()),
        responses: responses.collect(),
        steel_man: Some(case.to_owned()),
        ..position.answer(turn)
    }
}
