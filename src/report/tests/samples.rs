//! Reports made by hand, for every renderer's tests.

use super::debates::converged;
pub(in crate::report) use super::debates::{ballots, examined, fail};
use super::parts::{evidence, file, judge, judged, outcome, run, sql, subject, todo, unwrap};
use super::poison::{self, HOSTILE};
use crate::council::exchange::CancelCause;
use crate::council::outcome::{
    Disposition, FindingLevel, JudgeRecord, RoundFailure, Verdict, VerdictReason,
};
use crate::report::{ChangeSize, Report, ReviewSubject, RunFacts};
use council_protocol::answer::{Answer, Challenge, Change, Response, Stance};
use council_protocol::coverage::FileCoverage;
use council_protocol::message::{Ending, Failure, FailureKind};
use council_protocol::{
    Coverage, CoverageState, Finding, Location, Proof, RepoPath, RoundNumber, Seat, Severity, Vote,
};
use council_secrets::Redactor;

/// Every sample with its name.
pub(super) fn all() -> Vec<(&'static str, Report)> {
    vec![
        ("pass", pass()),
        ("notes", notes()),
        ("warn", warn()),
        ("fail", fail()),
        ("converged", converged()),
        ("examined", examined()),
        ("inconclusive", inconclusive()),
        ("interrupted", interrupted()),
        ("skipped", skipped()),
        ("odd_path", odd_path()),
        ("hostile", poison::report(HOSTILE)),
    ]
}

/// A judge and its answers of two rounds, the first one with text that tries to close its JSON block.
pub(super) fn answers() -> (Seat, Vec<Answer>) {
    let mut first = Answer::new(1, "key-1", Vote::Fail);
    first.key_insight = "User input reaches the database as a statement.".into();
    first.findings = vec![sql(), todo()];
    first.findings[1].why = format!("\n```\n# PASS\n```json\n{{}}\n``` {HOSTILE}");
    first.recommendation = "Bind the parameter before this goes in.".into();
    let mut second = Answer::new(2, "key-2", Vote::Warn);
    second.restatement =
        Some("I voted FAIL because line 42 puts request data into a query.".into());
    second.responses = vec![Response {
        to: "A1".into(),
        stance: Stance::Disagreed,
        reasoning: "The parser above rejects requests without that header.".into(),
        evidence: Some(evidence(
            "src/server.rs",
            61,
            "return Err(Status::LENGTH_REQUIRED);",
        )),
    }];
    second.challenges = vec![Challenge {
        to: "A".into(),
        claim: "A malformed header ends the whole server.".into(),
        question: "Which header reaches that line?".into(),
    }];
    second.steel_man = Some("If every caller validated names, the query would be safe.".into());
    second.change = Some(Change {
        from: Vote::Fail,
        to: Vote::Warn,
        evidence: Some(evidence("src/login.rs", 9, "let name = Name::parse(raw)?;")),
    });
    (judge("security", Vote::Fail).seat, vec![first, second])
}

/// Clean: nothing found.
pub(super) fn pass() -> Report {
    Report::new(
        outcome(Verdict::Pass, VerdictReason::NoFindings),
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

/// PASS with notes.
pub(super) fn notes() -> Report {
    let mut outcome = outcome(Verdict::Pass, VerdictReason::NotesOnly);
    outcome.findings = vec![judged(
        "F1",
        todo(),
        Disposition::Confirmed,
        Some(FindingLevel::Note),
        &["hygiene"],
    )];
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

/// WARN: a confirmed significant finding, a note, and a rejected one.
pub(super) fn warn() -> Report {
    let mut outcome = outcome(Verdict::Warn, VerdictReason::SignificantConfirmed);
    let mut rejected = judged("F3", sql(), Disposition::Rejected, None, &["security"]);
    rejected.members[0].proof = Proof::Unverified {
        reason: "the quote does not stand in the file".into(),
    };
    outcome.findings = vec![
        judged(
            "F1",
            unwrap(),
            Disposition::Confirmed,
            Some(FindingLevel::Warn),
            &["error-paths"],
        ),
        judged(
            "F2",
            todo(),
            Disposition::Confirmed,
            Some(FindingLevel::Note),
            &["hygiene"],
        ),
        rejected,
    ];
    outcome.judges[1] = JudgeRecord {
        first_insight: "A malformed header ends the whole server.".into(),
        key_insight: "A malformed header ends the whole server.".into(),
        ..judge("error-paths", Vote::Warn)
    };
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

/// Too few judges answered, and a large file was cut.
pub(super) fn inconclusive() -> Report {
    let mut outcome = outcome(Verdict::Inconclusive, VerdictReason::BelowQuorum);
    outcome.judges.truncate(3);
    let failures = [
        (FailureKind::Timeout, "no answer in 120 s"),
        (FailureKind::Malformed, "`verdict` is missing"),
    ];
    for (judge, (kind, detail)) in outcome.judges[1..].iter_mut().zip(failures) {
        (judge.r1, judge.counted, judge.confidence) = (None, None, None);
        judge.key_insight.clear();
        judge.failures = vec![RoundFailure {
            round: RoundNumber::FIRST,
            failure: Failure::new(kind, detail),
        }];
        judge.ending = Some(Ending::Forced);
    }
    outcome.counted = 1;
    outcome.coverage.files.push(file(
        "src/generated_tables.rs",
        CoverageState::Truncated {
            shown: 1200,
            total: 5400,
        },
    ));
    outcome.notes = vec!["backend teams is not available (no agent can be kept alive): inline was used, one judge after another".into()];
    let mut run = run();
    run.duration_ms = 120_400;
    Report::new(outcome, subject("HEAD~3..HEAD"), run, &Redactor::default())
}

/// Ctrl-C in R1.
pub(super) fn interrupted() -> Report {
    let mut outcome = outcome(Verdict::Inconclusive, VerdictReason::Interrupted);
    for judge in &mut outcome.judges[2..] {
        (judge.r1, judge.counted, judge.confidence) = (None, None, None);
        judge.key_insight.clear();
        judge.failures = vec![RoundFailure {
            round: RoundNumber::FIRST,
            failure: Failure::new(FailureKind::Cancelled, "the run was interrupted"),
        }];
    }
    outcome.counted = 2;
    outcome.findings = vec![judged(
        "F1",
        unwrap(),
        Disposition::Unconfirmed,
        Some(FindingLevel::Note),
        &["error-paths"],
    )];
    Report::new(
        outcome,
        subject("main...feature"),
        RunFacts {
            cut_short: Some(CancelCause::Interrupted),
            ..run()
        },
        &Redactor::default(),
    )
}

/// Only a lockfile changed.
pub(super) fn skipped() -> Report {
    let coverage = Coverage {
        files: vec![file(
            "Cargo.lock",
            CoverageState::Skipped {
                reason: "lockfile".into(),
            },
        )],
    };
    let subject = ReviewSubject {
        change: ChangeSize {
            files: 1,
            added: 0,
            removed: 0,
        },
        ..subject("HEAD~1..HEAD")
    };
    let run = RunFacts {
        backend: None,
        debate: None,
        duration_ms: 4,
        ..run()
    };
    Report::skipped(subject, coverage, VerdictReason::AllSkipped, "", run)
}

/// A path that is not UTF-8, with a finding about the file as a whole.
pub(super) fn odd_path() -> Report {
    let mut outcome = outcome(Verdict::Warn, VerdictReason::SignificantConfirmed);
    let path = RepoPath::new(b"data/caf\xe9 100%.bin".to_vec());
    let finding = Finding {
        severity: Severity::Significant,
        category: "hygiene".into(),
        rule: Some("large-binary".into()),
        description: "A binary of 8.4 MB is added.".into(),
        location: Location {
            path: path.clone(),
            line: 0,
            end_line: None,
        },
        quote: String::new(),
        why: "Every clone carries it for ever.".into(),
        fix: "Keep it in a release or under git-lfs.".into(),
        suggestion: None,
        reference: None,
    };
    outcome.coverage.files.push(FileCoverage {
        path,
        state: CoverageState::Unreadable {
            reason: "binary".into(),
        },
    });
    outcome.findings = vec![judged(
        "F1",
        finding,
        Disposition::Confirmed,
        Some(FindingLevel::Warn),
        &["hygiene"],
    )];
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}
