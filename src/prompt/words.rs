//! The words of others in a turn (peers, authors, explorers, the other side of a duel): bounded and redacted here, fenced by
//! the caller.

use std::fmt::Write as _;
use std::sync::Arc;

use council_protocol::Finding;
use council_protocol::answer::Evidence;
use council_protocol::task::{
    Contribution, Councillor, Explored, Framing, Objection, OpenPoint, Peer, PeerFinding,
    PutChallenge,
};
use serde::Serialize;

use super::{redact, show};
use crate::packet::cut;

/// Bytes of the authors' words that are passed on: a title, a body, an author, a message; and how many commits.
const TITLE_BYTES: usize = 300;
const BODY_BYTES: usize = 6_000;
const AUTHOR_BYTES: usize = 200;
const MESSAGE_BYTES: usize = 1_000;
const COMMITS: usize = 20;

/// Bytes of a question or a complaint, of what one explorer found or one's own reply, and of the file of a duel.
const NOTE_BYTES: usize = 2_000;
const RESULT_BYTES: usize = 20_000;
const TRANSCRIPT_BYTES: usize = 120_000;

/// A question, or what was wrong with an answer.
pub(super) fn note(text: &str) -> String {
    bounded(text, NOTE_BYTES)
}

fn bounded(text: &str, bytes: usize) -> String {
    cut(&redact::redact(text.trim()).0, bytes)
}

/// What the explorers found, in the order asked.
pub(super) fn explored(results: &[Explored]) -> String {
    let mut out = String::new();
    for (number, Explored { question, result }) in (1..).zip(results) {
        let result = result
            .as_deref()
            .unwrap_or("(this explorer found no answer)");
        let (question, result) = (note(question), bounded(result, RESULT_BYTES));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "Question {number}: {question}\n{result}\n");
    }
    out
}

/// What a judge said itself, reply by reply.
pub(super) fn replies(said: &[Arc<str>]) -> String {
    let replies: Vec<String> = said.iter().map(|r| bounded(r, RESULT_BYTES)).collect();
    replies.join("\n\n")
}

/// The others' positions: whole as JSON (seed 000), or vote and file alone (seed 003).
pub(super) fn positions(peers: &[Peer]) -> String {
    let mut out = String::new();
    for peer in peers {
        let (label, vote) = (cut(&peer.label, 16), peer.verdict.word());
        let _ = match &peer.file {
            Some(file) => writeln!(
                out,
                "Judge {label}: {vote}, in the file {}\n",
                bounded(file, 300)
            ),
            None => writeln!(out, "Judge {label}: {vote}\n{}\n", json(&whole(peer))),
        };
    }
    out
}

/// A peer's answer. Judges without a model read the change as it is, so what they quote is redacted here.
fn whole(peer: &Peer) -> Peer {
    let mut peer = peer.clone();
    hide(&mut peer.key_insight);
    hide(&mut peer.recommendation);
    peer.findings
        .iter_mut()
        .for_each(|f| hide_finding(&mut f.finding));
    peer
}

/// Points of the other side of a duel.
pub(super) fn points(points: &[PeerFinding]) -> String {
    let mut points = points.to_vec();
    points
        .iter_mut()
        .for_each(|point| hide_finding(&mut point.finding));
    list(&points)
}

/// What the other side of a duel says against one's own points.
pub(super) fn objections(objections: &[Objection]) -> String {
    let mut objections = objections.to_vec();
    for objection in &mut objections {
        hide_finding(&mut objection.finding);
        hide(&mut objection.reasoning);
        objection.evidence.iter_mut().for_each(hide_evidence);
    }
    list(&objections)
}

/// A councillor's role on one line.
pub(super) fn role(role: &str) -> String {
    let line: String = role.chars().filter(|c| !c.is_control()).collect();
    cut(&line, 60)
}

/// Where the other councillors stand.
pub(super) fn councillors(councillors: &[Councillor]) -> String {
    let mut out = String::new();
    for councillor in councillors {
        let position = note(&councillor.position);
        let _ = writeln!(out, "{}: {position}", role(&councillor.role));
        for (number, argument) in (1..).zip(&councillor.arguments) {
            let _ = writeln!(out, "{number}. {}", note(argument));
        }
        out += &positions(std::slice::from_ref(&councillor.peer));
        out.push('\n');
    }
    out
}

/// Challenges to be answered.
pub(super) fn challenges(challenges: &[PutChallenge]) -> String {
    let mut out = String::new();
    for challenge in challenges {
        let (id, from) = (cut(&challenge.id, 16), role(&challenge.from));
        let _ = writeln!(out, "{id}, from {from}:");
        if !challenge.claim.is_empty() {
            let _ = writeln!(out, "  Claim: {}", note(&challenge.claim));
        }
        let _ = writeln!(out, "  Question: {}\n", note(&challenge.question));
    }
    out
}

/// Disputed findings with what was said of them.
pub(super) fn open_points(points: &[OpenPoint]) -> String {
    let mut points = points.to_vec();
    for point in &mut points {
        hide_finding(&mut point.finding);
        for said in &mut point.said {
            hide(&mut said.reasoning);
            said.evidence.iter_mut().for_each(hide_evidence);
        }
    }
    list(&points)
}

/// What each role contributed; the documents whole.
pub(super) fn contributions(contributions: &[Contribution]) -> String {
    let mut out = String::new();
    for contribution in contributions {
        let by = role(&contribution.role);
        let insight = note(&contribution.key_insight);
        let _ = writeln!(out, "Round {}, {by}: {insight}", contribution.round);
        let mut findings = contribution.findings.clone();
        findings.iter_mut().for_each(hide_finding);
        out += &list(&findings);
        if let Some(document) = &contribution.document {
            let _ = writeln!(out, "\n{}", redact::redact(document.trim()).0);
        }
        out.push('\n');
    }
    out
}

fn list<T: Serialize>(items: &[T]) -> String {
    if items.is_empty() {
        String::new()
    } else {
        json(items)
    }
}

fn json<T: Serialize + ?Sized>(value: &T) -> String {
    // Strings, numbers and lists only: serialization into memory cannot fail.
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn hide(text: &mut String) {
    *text = redact::redact(text).0;
}

fn hide_finding(finding: &mut Finding) {
    let optional = finding.suggestion.iter_mut().chain(&mut finding.reference);
    let texts = [
        &mut finding.category,
        &mut finding.description,
        &mut finding.quote,
        &mut finding.why,
        &mut finding.fix,
    ];
    texts.into_iter().chain(optional).for_each(hide);
}

fn hide_evidence(evidence: &mut Evidence) {
    hide(&mut evidence.quote);
}

/// The file of a duel; of one that is too long, the end.
pub(super) fn transcript(text: &str) -> String {
    let (text, _) = redact::redact(text);
    let mut start = text.len().saturating_sub(TRANSCRIPT_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    match start {
        0 => text,
        missing => format!(
            "[the first {missing} bytes are not shown]\n{}",
            &text[start..]
        ),
    }
}

/// Who wrote the change and what they say about it; empty when nothing is known.
pub(super) fn claims(framing: &Framing) -> String {
    let mut out = String::new();
    let named = [
        ("Title", &framing.title, TITLE_BYTES),
        ("Description", &framing.body, BODY_BYTES),
    ];
    for (name, text, bytes) in named {
        if !text.trim().is_empty() {
            let _ = writeln!(out, "{name}: {}", bounded(text, bytes));
        }
    }
    for commit in framing.commits.iter().take(COMMITS) {
        let (id, author) = (
            show::cut(&commit.id, 12),
            bounded(&commit.author, AUTHOR_BYTES),
        );
        let message = bounded(&commit.message, MESSAGE_BYTES);
        let _ = writeln!(out, "Commit {id} by {author}:\n{message}");
    }
    let more = framing.commits.len().saturating_sub(COMMITS);
    if more > 0 {
        let _ = writeln!(out, "and {more} more commits");
    }
    out
}
