//! The report of a run of the past, from what it wrote down.

use council_protocol::Packet;

use crate::council::Outcome;
use crate::duel::protocol::side::ending_of;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::duel::verdict::with_ending;
use crate::report::DUEL_BACKEND;
use crate::report::{BackendFacts, Report, ReviewSubject, RunFacts};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::facts::run_facts;
use crate::run::floor;
use crate::run::loaded::LoadedRun;
use crate::run::modes::duel_so_far::duel_so_far;
use crate::run::modes::duel_subject::TRANSCRIPT_FILE;
use crate::run::prepare::PreparedReview;
use crate::run::redaction::redactor_of_past;
use crate::run::store::StoredRun;
use crate::run::turn_steps::said_in_turns;
use crate::session::{replay_council, replay_cut_council, stored};

/// The report of a run from its journal, with the packet that it was about.
pub(crate) fn recompute_report(
    left: &LoadedRun,
    before: Option<&Report>,
    start: &RunContext,
) -> Result<(Report, Packet), RunError> {
    let LoadedRun {
        past,
        journal,
        plan,
        ..
    } = left;
    let outcome = replay_council(plan.clone(), &journal.entries).map_err(|error| {
        left.broken(&error)
            .hint(format!("`git council resume {}` continues it", past.name))
    })?;
    let outcome = if journal.backend == DUEL_BACKEND {
        let transcript = duel_transcript(past)?;
        with_ending(outcome, ending_of(&transcript), &transcript)
    } else {
        outcome
    };
    report_outcome(left, outcome, before, start)
}

/// What a run had come to when it was cut off, from what its journal has by then; a duel, from what its sides have kept.
/// `prepared` has the files that it was about.
pub(crate) fn report_so_far(
    left: &LoadedRun,
    prepared: &PreparedReview,
    start: &RunContext,
) -> Result<Report, RunError> {
    let duel = (left.journal.backend == DUEL_BACKEND).then(|| {
        let packet = stored::restore_packet(&left.packet, &left.journal.header, &left.plan).ok()?;
        duel_so_far(left, packet, prepared)
    });
    let outcome = duel.flatten();
    let said = || {
        let key = start.signing_key();
        key.map_or_else(Vec::new, |key| said_in_turns(&left.past, &key))
    };
    let outcome = outcome
        .unwrap_or_else(|| replay_cut_council(left.plan.clone(), &left.journal.entries, said()));
    let (report, _) = report_outcome(left, outcome, None, start)?;
    Ok(report)
}

/// The report of an outcome of a run, with the packet that it was about.
fn report_outcome(
    left: &LoadedRun,
    mut outcome: Outcome,
    before: Option<&Report>,
    start: &RunContext,
) -> Result<(Report, Packet), RunError> {
    let LoadedRun {
        journal,
        plan,
        packet,
        ..
    } = left;
    let packet = stored::restore_packet(packet, &journal.header, plan)
        .map_err(|error| left.broken(&error))?;
    if let Some(report) = before {
        floor::recall_rules(&mut outcome, &report.outcome);
    }
    let facts = match before {
        Some(report) => report.receipt.run.clone(),
        None => RunFacts {
            duration_ms: journal.entries.last().map_or(0, |entry| entry.at),
            backend: Some(BackendFacts {
                name: journal.backend.clone(),
                ..BackendFacts::default()
            }),
            ..run_facts(&journal.header.run, &journal.header.started)
        },
    };
    let earlier = facts.earlier.iter();
    let told: Vec<String> = earlier
        .flat_map(|earlier| earlier.notes(&outcome.findings))
        .collect();
    outcome.notes.extend(told);
    let redactor = redactor_of_past(&left.past, &packet, start)?;
    let mut subject = ReviewSubject::of(&packet);
    // The packet of an update lacks what was judged before.
    subject.change = before.map_or(subject.change, |report| report.change);
    let report = Report::new(outcome, subject, facts, &redactor);
    Ok((report, packet))
}

/// What the sides of a duel of the past wrote: how it ended the transcript says, not its journal.
fn duel_transcript(past: &StoredRun) -> Result<DebateTranscript, RunError> {
    let bytes = past.read_file(TRANSCRIPT_FILE)?;
    Ok(DebateTranscript::parse(&String::from_utf8_lossy(&bytes)))
}
