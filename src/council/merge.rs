//! Several answers of one judge: what it has raised over the rounds, and what it said in one of them.

use council_protocol::Answer;
use council_protocol::RoundNumber;
use council_protocol::answer::{Finding, Tag};

use super::judges::{RaisedFinding, same_text};
use super::like_words::{description_words, is_alike};

/// Adds the findings of an answer; one that the judge repeats word for word keeps its first number. One that it now takes
/// to be worse is no repetition: the worse word would be lost.
pub(super) fn raise_findings(raised: &mut Vec<RaisedFinding>, round: RoundNumber, answer: &Answer) {
    let later = answer
        .independent_findings
        .iter()
        .filter(|i| i.tag != Tag::NotReproduced)
        .map(|i| &i.finding);
    let later = later.filter(|_| round > 1);
    for finding in answer.findings.iter().chain(later) {
        let known = |r: &RaisedFinding| is_repetition(&r.finding, finding);
        if !raised.iter().any(known) {
            raised.push(RaisedFinding {
                round,
                finding: finding.clone(),
            });
        }
    }
}

/// Whether a judge says what it has said before, in the same words and as bad at most.
pub(super) fn is_repetition(before: &Finding, now: &Finding) -> bool {
    before.location == now.location
        && before.quote == now.quote
        && before.description == now.description
        && before.severity >= now.severity
}

/// Several answers of one round: what was said before is kept. The last vote holds, unless it is milder: the reply to a
/// challenge is no new vote, and takes none back. A ballot is one.
pub(super) fn merge_answers(earlier: Answer, last: Answer) -> Answer {
    let takes_back = last.verdict < earlier.verdict && last.ballot.is_none();
    let (verdict, change) = if takes_back {
        (
            earlier.verdict,
            earlier.change.clone().or(last.change.clone()),
        )
    } else {
        (last.verdict, last.change.clone().or(earlier.change.clone()))
    };
    fn join_lists<T>(mut earlier: Vec<T>, last: Vec<T>) -> Vec<T> {
        earlier.extend(last);
        earlier
    }
    // What is said again of a finding replaces what was said of it: two words at once contradict each other.
    let mut responses = earlier.responses;
    responses.retain(|before| {
        !last
            .responses
            .iter()
            .any(|now| is_same_id(&before.to, &now.to))
    });
    Answer {
        findings: join_lists(earlier.findings, last.findings),
        responses: join_lists(responses, last.responses),
        independent_findings: join_lists(earlier.independent_findings, last.independent_findings),
        withdrawn: join_lists(earlier.withdrawn, last.withdrawn),
        reproductions: join_lists(earlier.reproductions, last.reproductions),
        challenges: join_lists(earlier.challenges, last.challenges),
        answers: join_lists(earlier.answers, last.answers),
        messages: join_lists(earlier.messages, last.messages),
        verdict,
        change,
        restatement: last.restatement.or(earlier.restatement),
        steel_man: last.steel_man.or(earlier.steel_man),
        position: last.position.or(earlier.position),
        arguments: if last.arguments.is_empty() {
            earlier.arguments
        } else {
            last.arguments
        },
        no_challenge: earlier.no_challenge.or(last.no_challenge),
        ballot: last.ballot.or(earlier.ballot),
        document: last.document.or(earlier.document),
        ..last
    }
}

/// Whether two ids mean the same finding, as judges write them.
pub(super) fn is_same_id(a: &str, b: &str) -> bool {
    a.trim().eq_ignore_ascii_case(b.trim())
}

/// So many lines apart, two judges may name one place.
const SAME_PLACE_LINES: u32 = 3;

/// Whether two judges report one problem: at one place, in one quote or in like words.
pub(super) fn is_same_problem(a: &Finding, b: &Finding) -> bool {
    let same_quote = same_text(&a.quote, &b.quote) && !a.quote.trim().is_empty();
    let is_close = a.location.line.abs_diff(b.location.line) <= SAME_PLACE_LINES;
    a.location.path == b.location.path && is_close && (same_quote || is_near(a, b))
}

/// Whether a judge that answers again says this of its finding: in the same words, or in like ones of the same quote. A line
/// may have two problems, and what is said of one takes the place of no other.
pub(super) fn is_same(a: &Finding, b: &Finding) -> bool {
    let same_quote = same_text(&a.quote, &b.quote) && !a.quote.trim().is_empty();
    a.location.path == b.location.path
        && (a.description == b.description || same_quote && says_same(a, b))
}

/// The same problem with another quote.
pub(super) fn is_near(a: &Finding, b: &Finding) -> bool {
    let at_line = a.location.line == b.location.line;
    a.location.path == b.location.path
        && (at_line && says_same(a, b) || is_alike(&a.description, &b.description))
}

/// Whether one judge speaks of one problem in two sentences: in like words, or in somewhat like ones under one name.
fn says_same(a: &Finding, b: &Finding) -> bool {
    const SOMEWHAT_LIKE: usize = 30;
    let one_kind = a.category.trim().eq_ignore_ascii_case(b.category.trim());
    let (own, others) = (
        description_words(&a.description),
        description_words(&b.description),
    );
    let shared = own.intersection(&others).count();
    let smaller = own.len().min(others.len());
    let is_somewhat_like = shared >= smaller.clamp(1, 2) && shared * 100 >= smaller * SOMEWHAT_LIKE;
    is_alike(&a.description, &b.description) || one_kind && is_somewhat_like
}
