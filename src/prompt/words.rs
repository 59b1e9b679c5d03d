//! The words of others in a turn (peers, authors, explorers, the other side of a duel): bounded and redacted here, fenced by
//! the caller.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use council_builtin::display_name;
use council_protocol::answer::Evidence;
use council_protocol::task::{
    Contribution, Councillor, Explored, Framing, Objection, OpenPoint, Peer, PeerFinding,
    PutChallenge,
};
use council_protocol::{Finding, Seat};
use council_secrets::Redactor;
use serde::Serialize;
use serde_json::ser::Formatter;

use super::{redact, show};
use crate::packet::cut_text;

/// Bytes of the authors' words that are passed on: a title, a body, an author, a message; and how many commits.
const MAX_TITLE_BYTES: usize = 300;
const MAX_BODY_BYTES: usize = 6_000;
const MAX_AUTHOR_BYTES: usize = 200;
const MAX_MESSAGE_BYTES: usize = 1_000;
const MAX_COMMITS: usize = 20;

/// Bytes of a question or a complaint, of what one explorer found or one's own reply, and of the file of a duel.
const MAX_NOTE_BYTES: usize = 2_000;
const MAX_RESULT_BYTES: usize = 20_000;
const MAX_TRANSCRIPT_BYTES: usize = 120_000;

/// The words of others, with what takes secrets out of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuotedWords<'a> {
    pub(super) redactor: &'a Redactor,
}

impl QuotedWords<'_> {
    /// A question, or what was wrong with an answer.
    pub(super) fn show_note(&self, text: &str) -> String {
        self.show_bounded(text, MAX_NOTE_BYTES)
    }

    /// What a judge is to mind, as configured; a repository may have a say in it.
    pub(super) fn show_focus(&self, seat: &Seat) -> String {
        redact::redact_words(self.redactor, &seat.perspective.focus)
    }

    fn show_bounded(&self, text: &str, bytes: usize) -> String {
        cut_text(&redact::redact_words(self.redactor, text.trim()), bytes)
    }

    /// What the explorers found, in the order asked.
    pub(super) fn show_explored(&self, results: &[Explored]) -> String {
        let mut out = String::new();
        for (number, Explored { question, result }) in (1..).zip(results) {
            let result = result
                .as_deref()
                .unwrap_or("(this explorer found no answer)");
            let (question, result) = (
                self.show_note(question),
                self.show_bounded(result, MAX_RESULT_BYTES),
            );
            // Writing to a string cannot fail.
            let _ = writeln!(out, "Question {number}: {question}\n{result}\n");
        }
        out
    }

    /// What a judge said itself, reply by reply.
    pub(super) fn show_replies(&self, said: &[Arc<str>]) -> String {
        let replies: Vec<String> = said
            .iter()
            .map(|r| self.show_bounded(r, MAX_RESULT_BYTES))
            .collect();
        replies.join("\n\n")
    }

    /// The others' positions: whole as JSON, or vote and file alone.
    pub(super) fn show_positions(&self, peers: &[Peer]) -> String {
        let mut out = String::new();
        for peer in peers {
            let (label, vote) = (cut_text(&peer.label, 16), peer.verdict.as_str());
            let _ = match &peer.file {
                Some(file) => writeln!(
                    out,
                    "Judge {label}: {vote}, in the file {}\n",
                    self.show_bounded(file, 300)
                ),
                None => writeln!(
                    out,
                    "Judge {label}: {vote}\n{}\n",
                    to_json(&PeerWords::of(&self.redact_peer(peer)))
                ),
            };
        }
        out
    }

    /// A peer's answer. Judges without a model read the change as it is, so what they quote is redacted here.
    fn redact_peer(&self, peer: &Peer) -> Peer {
        let mut peer = peer.clone();
        self.redact_in_place(&mut peer.key_insight);
        self.redact_in_place(&mut peer.recommendation);
        peer.findings
            .iter_mut()
            .for_each(|f| self.redact_finding(&mut f.finding));
        peer
    }

    /// Points of the other side of a duel.
    pub(super) fn show_points(&self, points: &[PeerFinding]) -> String {
        let mut points = points.to_vec();
        points
            .iter_mut()
            .for_each(|point| self.redact_finding(&mut point.finding));
        json_list(&points)
    }

    /// What the other side of a duel says against one's own points.
    pub(super) fn show_objections(&self, objections: &[Objection]) -> String {
        let mut objections = objections.to_vec();
        for objection in &mut objections {
            self.redact_finding(&mut objection.finding);
            self.redact_in_place(&mut objection.reasoning);
            objection
                .evidence
                .iter_mut()
                .for_each(|evidence| self.redact_evidence(evidence));
        }
        json_list(&objections)
    }

    /// Where the other councillors stand.
    pub(super) fn show_councillors(&self, councillors: &[Councillor]) -> String {
        let mut out = String::new();
        for councillor in councillors {
            let position = self.show_note(&councillor.position);
            let _ = writeln!(out, "{}: {position}", show_role(&councillor.role));
            for (number, argument) in (1..).zip(&councillor.arguments) {
                let _ = writeln!(out, "{number}. {}", self.show_note(argument));
            }
            out += &self.show_positions(std::slice::from_ref(&councillor.peer));
            out.push('\n');
        }
        out
    }

    /// Challenges to be answered.
    pub(super) fn show_challenges(&self, challenges: &[PutChallenge]) -> String {
        let mut out = String::new();
        for challenge in challenges {
            let (id, from) = (cut_text(&challenge.id, 16), show_role(&challenge.from));
            let _ = writeln!(out, "{id}, from {from}:");
            if !challenge.claim.is_empty() {
                let _ = writeln!(out, "  Claim: {}", self.show_note(&challenge.claim));
            }
            let _ = writeln!(out, "  Question: {}\n", self.show_note(&challenge.question));
        }
        out
    }

    /// Disputed findings with what was said of them.
    pub(super) fn show_open_points(&self, points: &[OpenPoint]) -> String {
        let mut points = points.to_vec();
        for point in &mut points {
            self.redact_finding(&mut point.finding);
            for said in &mut point.said {
                self.redact_in_place(&mut said.reasoning);
                said.evidence
                    .iter_mut()
                    .for_each(|evidence| self.redact_evidence(evidence));
            }
        }
        json_list(&points)
    }

    /// What each role contributed; the documents whole.
    pub(super) fn show_contributions(&self, contributions: &[Contribution]) -> String {
        let mut out = String::new();
        for contribution in contributions {
            let by = show_role(&contribution.role);
            let insight = self.show_note(&contribution.key_insight);
            let _ = writeln!(out, "Round {}, {by}: {insight}", contribution.round);
            let mut findings = contribution.findings.clone();
            findings
                .iter_mut()
                .for_each(|finding| self.redact_finding(finding));
            out += &json_list(&findings);
            if let Some(document) = &contribution.document {
                let _ = writeln!(
                    out,
                    "\n{}",
                    redact::redact_words(self.redactor, document.trim())
                );
            }
            out.push('\n');
        }
        out
    }

    fn redact_in_place(&self, text: &mut String) {
        *text = redact::redact_words(self.redactor, text);
    }

    fn redact_finding(&self, finding: &mut Finding) {
        let path = finding.location.path.display();
        let code = finding.suggestion.iter_mut().chain([&mut finding.quote]);
        for text in code {
            *text = redact::redact_quote(self.redactor, &path, text);
        }
        let texts = [
            &mut finding.category,
            &mut finding.description,
            &mut finding.why,
            &mut finding.fix,
        ];
        let texts = texts.into_iter().chain(&mut finding.reference);
        texts.for_each(|text| self.redact_in_place(text));
    }

    fn redact_evidence(&self, evidence: &mut Evidence) {
        evidence.quote =
            redact::redact_quote(self.redactor, &evidence.path.display(), &evidence.quote);
    }

    /// The file of a duel; of one that is too long, the end.
    pub(super) fn show_transcript(&self, text: &str) -> String {
        let text = redact::redact_words(self.redactor, text);
        let mut start = text.len().saturating_sub(MAX_TRANSCRIPT_BYTES);
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

    /// Words about the change by people who know all of the repository, and may name what another file hides.
    fn show_said(&self, text: &str, bytes: usize) -> String {
        cut_text(
            &redact::redact_history(self.redactor, text.trim(), &[]),
            bytes,
        )
    }

    /// Who wrote the change and what they say about it; empty when nothing is known.
    pub(super) fn show_claims(&self, framing: &Framing) -> String {
        let mut out = String::new();
        let named = [
            ("Title", &framing.title, MAX_TITLE_BYTES),
            ("Description", &framing.body, MAX_BODY_BYTES),
        ];
        for (name, text, bytes) in named {
            if !text.trim().is_empty() {
                let _ = writeln!(out, "{name}: {}", self.show_said(text, bytes));
            }
        }
        for commit in framing.commits.iter().take(MAX_COMMITS) {
            let (id, author) = (
                show::truncate_bytes(&commit.id, 12),
                self.show_said(&commit.author, MAX_AUTHOR_BYTES),
            );
            let message = self.show_said(&commit.message, MAX_MESSAGE_BYTES);
            let _ = writeln!(out, "Commit {id} by {author}:\n{message}");
        }
        let more = framing.commits.len().saturating_sub(MAX_COMMITS);
        if more > 0 {
            let _ = writeln!(out, "and {more} more commits");
        }
        out
    }
}

/// A councillor's role on one line.
pub(super) fn show_role(role: &str) -> String {
    let line: String = display_name(role)
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    cut_text(&line, 60)
}

fn json_list<T: Serialize>(items: &[T]) -> String {
    if items.is_empty() {
        String::new()
    } else {
        to_json(items)
    }
}

/// A peer's answer without what its heading says already.
#[derive(Serialize)]
struct PeerWords<'a> {
    key_insight: &'a str,
    findings: &'a [PeerFinding],
    recommendation: &'a str,
}

impl<'a> PeerWords<'a> {
    fn of(peer: &'a Peer) -> Self {
        Self {
            key_insight: &peer.key_insight,
            findings: &peer.findings,
            recommendation: &peer.recommendation,
        }
    }
}

fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut out, LinePerItem);
    // Strings, numbers and lists only: serialization into memory cannot fail.
    match value.serialize(&mut writer) {
        Ok(()) => String::from_utf8(out).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

/// JSON with one line for each item of a list: indentation is nothing that a model needs, and is paid for.
struct LinePerItem;

impl Formatter for LinePerItem {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        to.write_all(if first { b"\n" } else { b",\n" })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        to: &mut W,
        first: bool,
    ) -> io::Result<()> {
        to.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}
