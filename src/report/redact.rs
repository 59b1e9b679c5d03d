//! Secrets stay out of reports: judges that read the original quote what they found, and every surface may be public
//! (peers.md 6.3, T10 and T26). Text without a secret is not touched.

use council_protocol::answer::{Answer, Ballot, Evidence};
use council_protocol::{Finding, RepoPath};

use crate::council::ledger::Ledger;
use crate::council::outcome::{JudgeRecord, JudgedFinding, Outcome};
use crate::prompt::{redact, redact_file};

/// Every text of an outcome that a judge wrote.
pub(super) fn outcome(outcome: &mut Outcome) {
    outcome.findings.iter_mut().for_each(judged);
    outcome.judges.iter_mut().for_each(record);
    outcome
        .disagreements
        .iter_mut()
        .flat_map(|d| &mut d.positions)
        .for_each(text);
    for challenge in &mut outcome.challenges {
        text(&mut challenge.claim);
        text(&mut challenge.question);
        challenge.answer.iter_mut().for_each(text);
    }
    ledger(&mut outcome.ledger);
    outcome.notes.iter_mut().for_each(text);
}

/// Every text that passed between judges.
fn ledger(ledger: &mut Ledger) {
    for round in &mut ledger.rounds {
        for stand in &mut round.stands {
            text(&mut stand.position);
            text(&mut stand.note);
            stand.evidence.iter_mut().for_each(quoted);
            stand.arguments.iter_mut().for_each(text);
        }
        round.consensus.iter_mut().for_each(text);
        round.disputed.iter_mut().for_each(text);
    }
    ledger.messages.iter_mut().for_each(|m| text(&mut m.text));
    ledger
        .interventions
        .iter_mut()
        .for_each(|i| text(&mut i.about));
    ledger
        .unchallenged
        .iter_mut()
        .for_each(|u| text(&mut u.reason));
    ledger
        .ballots
        .iter_mut()
        .for_each(|b| ballot(&mut b.ballot));
    if let Some(synthesis) = &mut ledger.synthesis {
        text(&mut synthesis.document);
    }
}

fn ballot(ballot: &mut Ballot) {
    text(&mut ballot.strongest_point);
    text(&mut ballot.concession);
    text(&mut ballot.remaining_concern);
    ballot.conditions.iter_mut().for_each(text);
}

/// Every text of an answer.
pub(super) fn answer(answer: &mut Answer) {
    let later = answer
        .independent_findings
        .iter_mut()
        .map(|f| &mut f.finding);
    answer.findings.iter_mut().chain(later).for_each(finding);
    let evidence = answer.responses.iter_mut().flat_map(|r| &mut r.evidence);
    let evidence = evidence.chain(answer.withdrawn.iter_mut().flat_map(|w| &mut w.evidence));
    evidence
        .chain(answer.change.iter_mut().flat_map(|c| &mut c.evidence))
        .for_each(quoted);
    for response in &mut answer.responses {
        text(&mut response.reasoning);
    }
    for challenge in &mut answer.challenges {
        text(&mut challenge.claim);
        text(&mut challenge.question);
    }
    for reply in &mut answer.answers {
        text(&mut reply.response);
    }
    for message in &mut answer.messages {
        text(&mut message.text);
    }
    let optional = [
        &mut answer.restatement,
        &mut answer.steel_man,
        &mut answer.position,
        &mut answer.no_challenge,
        &mut answer.document,
    ];
    optional.into_iter().flatten().for_each(text);
    answer.arguments.iter_mut().for_each(text);
    answer.explore.iter_mut().for_each(text);
    answer.question.iter_mut().for_each(|q| text(&mut q.text));
    answer.ballot.iter_mut().for_each(ballot);
    text(&mut answer.key_insight);
    text(&mut answer.recommendation);
}

fn judged(found: &mut JudgedFinding) {
    finding(&mut found.finding);
    for member in &mut found.members {
        finding(&mut member.finding);
    }
    for opinion in &mut found.opinions {
        text(&mut opinion.reasoning);
        opinion.evidence.iter_mut().for_each(quoted);
    }
}

fn record(judge: &mut JudgeRecord) {
    text(&mut judge.first_insight);
    text(&mut judge.key_insight);
    text(&mut judge.recommendation);
    judge.restatement.iter_mut().for_each(text);
    judge.steel_man.iter_mut().for_each(text);
    if let Some(change) = &mut judge.change {
        change.evidence.iter_mut().for_each(quoted);
        text(&mut change.note);
    }
    for failure in &mut judge.failures {
        text(&mut failure.failure.detail);
    }
}

/// A suggestion with a secret in it is none that anybody should take.
fn finding(finding: &mut Finding) {
    let path = finding.location.path.clone();
    code(&path, &mut finding.quote);
    if let Some(mut suggestion) = finding.suggestion.take() {
        let as_written = suggestion.clone();
        code(&path, &mut suggestion);
        finding.suggestion = (suggestion == as_written).then_some(suggestion);
    }
    text(&mut finding.description);
    text(&mut finding.why);
    text(&mut finding.fix);
}

fn quoted(evidence: &mut Evidence) {
    let path = evidence.path.clone();
    code(&path, &mut evidence.quote);
}

fn text(text: &mut String) {
    let (redacted, secrets) = redact(text);
    if secrets > 0 {
        *text = redacted;
    }
}

/// Lines of a file, whose name may say that all of it is secret.
fn code(path: &RepoPath, lines: &mut String) {
    let (redacted, secrets) = redact_file(path, lines);
    if secrets > 0 {
        *lines = redacted;
    }
}
