//! What people see of a council that came to a document: no votes, and nobody who abstains.

use council_protocol::message::{Failure, FailureKind, Usage, WITH_SCHEMA};
use council_protocol::packet::TargetKind;
use council_protocol::{Capability, RoundNumber};

use super::super::{DisplayOptions, Report, markdown, terminal};
use super::parts::judge;
use super::samples;
use crate::council::ledger::Synthesis;
use crate::council::outcome::{RoundFailure, Verdict, VerdictReason};
use crate::council::plan::Procedure;

/// Two rounds of three, the last of whom fails in the second, and somebody who puts the document together.
fn document() -> Report {
    let mut report = samples::examined();
    (report.outcome.verdict, report.outcome.reason) = (Verdict::Skipped, VerdictReason::NoVerdict);
    (report.outcome.procedure, report.outcome.rounds) = (Some(Procedure::Staged), 3);
    report.target.kind = TargetKind::Topic;
    report.target.label = "How could it be shorter?".into();
    report.change = Default::default();
    report.outcome.findings.clear();
    report.outcome.challenges.clear();
    let mut writer = judge("synthesizer", council_protocol::Vote::Pass);
    (writer.r1, writer.r2, writer.counted, writer.confidence) = (None, None, None, None);
    let ledger = &mut report.outcome.ledger;
    ledger.ballots.clear();
    ledger.interventions.clear();
    ledger.messages.clear();
    ledger.unchallenged.clear();
    ledger.rounds.truncate(2);
    let stands = ledger.rounds.iter_mut().flat_map(|round| &mut round.stands);
    for stand in stands {
        stand.position = format!("{} has a thought.", stand.judge);
    }
    ledger.rounds[1].stands.pop();
    let lost = ledger.rounds[1].answered.pop();
    ledger.synthesis = Some(Synthesis {
        judge: writer.seat.judge.clone(),
        document: "# Shorter\n\nLeave half of it out.\n".into(),
        contention: None,
    });
    let absent = report
        .outcome
        .judges
        .iter_mut()
        .find(|j| Some(&j.seat.judge) == lost.as_ref());
    absent.unwrap().failures = vec![RoundFailure {
        round: RoundNumber(2),
        failure: Failure::new(FailureKind::Timeout, "no answer in time"),
    }];
    report.outcome.judges.push(writer);
    report
}

/// SKIPPED would say that nothing was done.
#[test]
fn a_written_document_begins_with_no_verdict() {
    let headline = document().headline();
    assert_eq!(
        headline,
        "Done: the document is written; no verdict was asked for"
    );
    let mut claimed = document();
    claimed.source = crate::report::ReportSource::UnprivilegedJob;
    assert!(
        claimed.headline().starts_with("SKIPPED"),
        "who could forge it says its verdict"
    );
}

#[test]
fn nobody_votes_or_abstains_where_a_document_was_asked_for() {
    let report = document();
    let surfaces = [
        terminal::render(&report, DisplayOptions::default(), &[]),
        terminal::render_all(&report, DisplayOptions::default(), &[]),
        markdown::render(&report, markdown::MarkdownOptions::default()),
    ];
    for text in &surfaces {
        for word in [
            "voted",
            "abstain",
            "quorum",
            "Verdict shifts",
            "WARN",
            "0 files",
        ] {
            assert!(!text.contains(word), "{word:?} is in\n{text}");
        }
        assert!(text.contains("Leave half of it out."), "{text}");
    }
    insta::assert_snapshot!("show_document", surfaces[1]);
    insta::assert_snapshot!("markdown_document", surfaces[2]);
}

#[test]
fn who_wrote_nothing_in_a_round_is_told_with_the_reason() {
    let told = terminal::render_all(&document(), DisplayOptions::default(), &[]);
    assert!(
        told.contains("wrote nothing (timeout: no answer in time)"),
        "{told}"
    );
}

#[test]
fn a_council_of_several_jobs_names_no_run_that_can_be_resumed() {
    let mut report = samples::inconclusive();
    report.outcome.reviewed_by = crate::council::outcome::ReviewedBy::Models;
    let told = terminal::render(&report, DisplayOptions::default(), &[]);
    assert!(told.contains("git council resume"), "{told}");
    report.receipt.run.backend = Some(crate::report::BackendFacts {
        name: crate::report::MATRIX_BACKEND.to_owned(),
        ..Default::default()
    });
    let told = terminal::render(&report, DisplayOptions::default(), &[]);
    assert!(!told.contains("git council resume"), "{told}");
    assert!(told.contains("run the jobs again"), "{told}");
}

/// Whatever left a run without a verdict: where a call was lost, the run goes on, unless there is nothing left of it to go on.
#[test]
fn a_run_with_a_lost_call_names_resume_as_long_as_it_can_go_on() {
    use crate::council::outcome::VerdictReason;
    for (reason, is_matrix, goes_on) in [
        (VerdictReason::DuelTimeout, false, true),
        (VerdictReason::DuelTimeout, true, false),
        (VerdictReason::DuelViolation, false, false),
    ] {
        let mut report = samples::inconclusive();
        report.outcome.reviewed_by = crate::council::outcome::ReviewedBy::Models;
        report.outcome.reason = reason;
        report.receipt.run.backend = is_matrix.then(|| crate::report::BackendFacts {
            name: crate::report::MATRIX_BACKEND.to_owned(),
            ..Default::default()
        });
        let told = terminal::render(&report, DisplayOptions::default(), &[]);
        let is_named = told.contains("asks only for the answers that are missing");
        assert_eq!(is_named, goes_on, "{told}");
    }
}

/// A judge had what was granted, less what its server did not take: only the server knows that.
#[test]
fn what_a_server_refused_is_told_as_not_granted() {
    for is_refused in [false, true] {
        let mut report = samples::pass();
        for judge in &mut report.outcome.judges {
            judge.grant.granted.insert(Capability::StructuredOutput);
            let refused = format!("m {WITH_SCHEMA}: 400");
            judge.usage = Some(Usage {
                passed_over: is_refused.then_some(refused).into_iter().collect(),
                ..Usage::default()
            });
        }
        let told = markdown::render(&report, markdown::MarkdownOptions::default());
        let why = "not structured-output: its server did not take it";
        assert_eq!(told.contains(why), is_refused, "{told}");
        assert_eq!(told.contains(", structured-output"), !is_refused, "{told}");
    }
}

/// Whoever asked a question reads what came of it: the decision, each condition and each worry, once and with its
/// names.
#[test]
fn a_debated_question_shows_the_decision_and_the_conditions() {
    use council_protocol::answer::BallotVote::{Proceed, ProceedWithConditions, Reconsider};
    for votes in [
        [Proceed, Proceed, Proceed],
        [ProceedWithConditions; 3],
        [Proceed, ProceedWithConditions, Reconsider],
        [Reconsider; 3],
    ] {
        let mut report = samples::ballots(&votes);
        for kind in [TargetKind::Topic, TargetKind::File, TargetKind::Branch] {
            report.target.kind = kind;
            let surfaces = [
                terminal::render(&report, DisplayOptions::default(), &[]),
                markdown::render(&report, markdown::MarkdownOptions::default()),
            ];
            for told in surfaces {
                let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
                let head = told.split("Judges").next().unwrap_or_default();
                let is_question = kind != TargetKind::Branch;
                assert_eq!(head.contains("Decision: "), is_question, "{told}");
                let conditions = votes.contains(&ProceedWithConditions);
                let is_told = head.matches("Measure it first.").count() == 1;
                assert_eq!(is_told, is_question && conditions, "{told}");
                let worries = votes.iter().any(|vote| *vote != Proceed);
                assert_eq!(
                    head.contains("Nobody measured it."),
                    is_question && worries,
                    "{told}"
                );
            }
        }
    }
}
