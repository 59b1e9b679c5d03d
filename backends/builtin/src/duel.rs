//! Seed 004: the other side's points are answered as in a debate; objections to own points are met with the quote.

use council_protocol::answer::{Evidence, Response, Stance};
use council_protocol::task::{Branch, Objection, Peer, PeerFinding};
use council_protocol::{Answer, Turn};

use crate::debate::{self, Witness};
use crate::review::Position;

/// The answer to one section of a duel.
pub(crate) fn answer(
    witness: &Witness<'_>,
    position: &Position,
    turn: &Turn,
    theirs: &[PeerFinding],
    objections: &[Objection],
) -> Answer {
    let peer = Peer {
        label: String::new(),
        verdict: position.vote,
        key_insight: String::new(),
        findings: theirs.to_vec(),
        recommendation: String::new(),
        file: None,
    };
    let mut answer = debate::answer(witness, position, turn, Branch::Disagreed, &[peer]);
    answer
        .responses
        .extend(objections.iter().map(|objection| hold(position, objection)));
    answer.findings = Vec::new();
    answer
}

/// A rule that matched still matches: the point stands on its quote. A point that is not the judge's own any more
/// (a fresh judge finds what the old one found, and only that) is given up.
fn hold(position: &Position, objection: &Objection) -> Response {
    let place = &objection.finding.location;
    let own = position
        .findings
        .iter()
        .find(|f| f.location.path == place.path && f.location.line == place.line);
    let (stance, reasoning, evidence) = match own {
        Some(finding) => {
            let evidence = Evidence {
                path: place.path.clone(),
                line: place.line,
                quote: finding.quote.clone(),
            };
            (
                Stance::Disagreed,
                format!("The point stands on its quote. {}", finding.why),
                Some(evidence),
            )
        }
        None => (
            Stance::Agreed,
            "No rule of mine holds this any more.".to_owned(),
            None,
        ),
    };
    Response {
        to: objection.to.clone(),
        stance,
        reasoning,
        evidence,
    }
}
