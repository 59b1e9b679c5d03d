//! Secrets stay out of reports: judges that read the original quote what they found, and every surface may be public
//! (peers.md 6.3, T10 and T26). Text without a secret is not touched.

use council_protocol::answer::{Answer, Ballot, Evidence};
use council_protocol::{Finding, RepoPath};

use crate::council::ledger::DebateLedger;
use crate::council::outcome::{JudgeRecord, JudgedFinding, Outcome};
use crate::prompt::{redact, redact_file};

/// Every text of an outcome that a judge wrote.
pub(super) fn redact_outcome(outcome: &mut Outcome) {
    outcome.findings.iter_mut().for_each(redact_judged);
    outcome.judges.iter_mut().for_each(redact_record);
    outcome
        .disagreements
        .iter_mut()
        .flat_map(|d| &mut d.positions)
        .for_each(redact_text);
    for challenge in &mut outcome.challenges {
        redact_text(&mut challenge.claim);
        redact_text(&mut challenge.question);
        challenge.answer.iter_mut().for_each(redact_text);
    }
    redact_ledger(&mut outcome.ledger);
    outcome.notes.iter_mut().for_each(redact_text);
}

/// Every text that passed between judges.
fn redact_ledger(ledger: &mut DebateLedger) {
    for round in &mut ledger.rounds {
        for stand in &mut round.stands {
            redact_text(&mut stand.position);
            redact_text(&mut stand.note);
            stand.evidence.iter_mut().for_each(redact_evidence);
            stand.arguments.iter_mut().for_each(redact_text);
        }
        round.consensus.iter_mut().for_each(redact_text);
        round.disputed.iter_mut().for_each(redact_text);
    }
    ledger
        .messages
        .iter_mut()
        .for_each(|m| redact_text(&mut m.text));
    ledger
        .interventions
        .iter_mut()
        .for_each(|i| redact_text(&mut i.about));
    ledger
        .unchallenged
        .iter_mut()
        .for_each(|u| redact_text(&mut u.reason));
    ledger
        .ballots
        .iter_mut()
        .for_each(|b| redact_ballot(&mut b.ballot));
    if let Some(synthesis) = &mut ledger.synthesis {
        redact_text(&mut synthesis.document);
    }
}

fn redact_ballot(ballot: &mut Ballot) {
    redact_text(&mut ballot.strongest_point);
    redact_text(&mut ballot.concession);
    redact_text(&mut ballot.remaining_concern);
    ballot.conditions.iter_mut().for_each(redact_text);
}

/// Every text of an answer.
pub(super) fn redact_answer(answer: &mut Answer) {
    let later = answer
        .independent_findings
        .iter_mut()
        .map(|f| &mut f.finding);
    answer
        .findings
        .iter_mut()
        .chain(later)
        .for_each(redact_finding);
    let evidence = answer.responses.iter_mut().flat_map(|r| &mut r.evidence);
    let evidence = evidence.chain(answer.withdrawn.iter_mut().flat_map(|w| &mut w.evidence));
    evidence
        .chain(answer.change.iter_mut().flat_map(|c| &mut c.evidence))
        .for_each(redact_evidence);
    for response in &mut answer.responses {
        redact_text(&mut response.reasoning);
    }
    for challenge in &mut answer.challenges {
        redact_text(&mut challenge.claim);
        redact_text(&mut challenge.question);
    }
    for reply in &mut answer.answers {
        redact_text(&mut reply.response);
    }
    for message in &mut answer.messages {
        redact_text(&mut message.text);
    }
    let optional = [
        &mut answer.restatement,
        &mut answer.steel_man,
        &mut answer.position,
        &mut answer.no_challenge,
        &mut answer.document,
    ];
    optional.into_iter().flatten().for_each(redact_text);
    answer.arguments.iter_mut().for_each(redact_text);
    answer.explore.iter_mut().for_each(redact_text);
    answer
        .question
        .iter_mut()
        .for_each(|q| redact_text(&mut q.text));
    answer.ballot.iter_mut().for_each(redact_ballot);
    redact_text(&mut answer.key_insight);
    redact_text(&mut answer.recommendation);
}

fn redact_judged(found: &mut JudgedFinding) {
    redact_finding(&mut found.finding);
    for member in &mut found.members {
        redact_finding(&mut member.finding);
    }
    for opinion in &mut found.opinions {
        redact_text(&mut opinion.reasoning);
        opinion.evidence.iter_mut().for_each(redact_evidence);
    }
}

fn redact_record(judge: &mut JudgeRecord) {
    redact_text(&mut judge.first_insight);
    redact_text(&mut judge.key_insight);
    redact_text(&mut judge.recommendation);
    judge.restatement.iter_mut().for_each(redact_text);
    judge.steel_man.iter_mut().for_each(redact_text);
    if let Some(change) = &mut judge.change {
        change.evidence.iter_mut().for_each(redact_evidence);
        redact_text(&mut change.note);
    }
    for failure in &mut judge.failures {
        redact_text(&mut failure.failure.detail);
    }
}

/// A suggestion with a secret in it is none that anybody should take.
fn redact_finding(finding: &mut Finding) {
    let path = finding.location.path.clone();
    redact_code(&path, &mut finding.quote);
    if let Some(mut suggestion) = finding.suggestion.take() {
        let as_written = suggestion.clone();
        redact_code(&path, &mut suggestion);
        finding.suggestion = (suggestion == as_written).then_some(suggestion);
    }
    redact_text(&mut finding.description);
    redact_text(&mut finding.why);
    redact_text(&mut finding.fix);
}

fn redact_evidence(evidence: &mut Evidence) {
    let path = evidence.path.clone();
    redact_code(&path, &mut evidence.quote);
}

fn redact_text(text: &mut String) {
    let (redacted, secrets) = redact(text);
    if secrets > 0 {
        *text = redacted;
    }
}

/// Lines of a file, whose name may say that all of it is secret.
fn redact_code(path: &RepoPath, lines: &mut String) {
    let (redacted, secrets) = redact_file(path, lines);
    if secrets > 0 {
        *lines = redacted;
    }
}
