//! The other side's points are answered as in a debate; objections to own points are met with the quote.

use council_protocol::answer::{Evidence, Response, Stance};
use council_protocol::evidence::normalize_blanks;
use council_protocol::task::{DebateBranch, Objection, Peer, PeerFinding};
use council_protocol::{Answer, Finding, Turn};

use crate::debate::{self, ClaimChecker};
use crate::review::RulePosition;

/// The answer to one section of a duel.
pub(crate) fn answer_section(
    witness: &ClaimChecker<'_>,
    position: &RulePosition,
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
    let mut answer =
        debate::answer_debate(witness, position, turn, DebateBranch::Disagreed, &[peer]);
    for response in &mut answer.responses {
        let theirs = theirs.iter().find(|peer| peer.id == response.to);
        if let Some(own) = theirs.and_then(|peer| matching_finding(position, &peer.finding)) {
            response.stance = Stance::Agreed;
            response.reasoning = "My own rules find the same.".to_owned();
            response.evidence = Some(quote_of(own));
        }
    }
    answer.responses.extend(
        objections
            .iter()
            .map(|objection| answer_objection(position, objection)),
    );
    answer.findings = Vec::new();
    answer
}

/// A rule that matched still matches: the point stands on its quote. A point that is not the judge's own any more
/// (a fresh judge finds what the old one found, and only that) is given up.
fn answer_objection(position: &RulePosition, objection: &Objection) -> Response {
    let (stance, reasoning, evidence) = match matching_finding(position, &objection.finding) {
        Some(own) => {
            let reasoning = format!("The point stands on its quote. {}", own.why);
            (Stance::Disagreed, reasoning, Some(quote_of(own)))
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

/// The judge's own finding of the same thing at the same place: what was written into the file and read back has lost its
/// rule, but not its words.
pub(crate) fn matching_finding<'a>(
    position: &'a RulePosition,
    finding: &Finding,
) -> Option<&'a Finding> {
    let alike = |own: &&Finding| {
        own.location.path == finding.location.path
            && own.location.line == finding.location.line
            && normalize_blanks(&own.description) == normalize_blanks(&finding.description)
    };
    position.findings.iter().find(alike)
}

fn quote_of(finding: &Finding) -> Evidence {
    let (place, quote) = (&finding.location, finding.quote.clone());
    Evidence {
        path: place.path.clone(),
        line: place.line,
        quote,
    }
}
