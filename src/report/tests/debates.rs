//! Reports of debates, made by hand.

use super::parts::{
    evidence, judge, judged, opinion, outcome, run, sql, subject, thinking, todo, unwrap,
};
use crate::council::ledger::{
    BallotRecord, DebateLedger, ExchangeKind, InterventionRecord, JudgeStand, MessageRecord,
    RoundRecord, UnchallengedRecord,
};
use crate::council::outcome::{
    ChallengeRecord, Disagreement, DisagreementKind, Disposition, FindingLevel, JudgeRecord,
    PositionChange, RoundFailure, Verdict, VerdictReason,
};
use crate::council::plan::{DebateMode, Procedure};
use crate::report::Report;
use council_protocol::answer::{Ballot, BallotVote, Evidence, Stance};
use council_protocol::message::{Failure, FailureKind};
use council_protocol::task::{DebateBranch, InterventionKind};
use council_protocol::{Confidence, JudgeId, RoundNumber, Vote};
use council_secrets::Redactor;

/// FAIL after a debate: one vote moved on evidence, another one weakly.
pub(in crate::report) fn fail() -> Report {
    let mut outcome = outcome(Verdict::Fail, VerdictReason::CriticalConfirmed);
    outcome.procedure = Some(Procedure::Debate);
    outcome.rounds = 2;
    outcome.branch = Some(DebateBranch::Disagreed);
    let mut first = judged(
        "F1",
        sql(),
        Disposition::Confirmed,
        Some(FindingLevel::Fail),
        &["security"],
    );
    let mut too = first.members[0].clone();
    too.judge = "judge-hygiene".into();
    too.finding.description = "A statement is put together from text.".into();
    first.members.push(too);
    first.opinions = vec![
        opinion(
            "tests",
            Stance::Agreed,
            "No test passes a quote character in `name`.",
            Some(("tests/db.rs", 18, "find_user(\"alice\")")),
        ),
        opinion(
            "maintainability",
            Stance::Disagreed,
            "The caller may have checked it.",
            None,
        ),
    ];
    let mut second = judged(
        "F2",
        unwrap(),
        Disposition::Disputed,
        Some(FindingLevel::Note),
        &["error-paths"],
    );
    second.opinions = vec![opinion(
        "tests",
        Stance::Disagreed,
        "The parser above rejects requests without that header.",
        Some(("src/server.rs", 61, "return Err(Status::LENGTH_REQUIRED);")),
    )];
    outcome.findings = vec![
        first,
        second,
        judged(
            "F3",
            todo(),
            Disposition::Confirmed,
            Some(FindingLevel::Note),
            &["hygiene"],
        ),
    ];
    let [security, errors, tests, maintainability, hygiene] = &mut outcome.judges[..] else {
        unreachable!()
    };
    for judge in [&mut *security, errors, tests, maintainability, hygiene] {
        judge.r2 = judge.r1;
    }
    *security = JudgeRecord {
        first_insight: "User input reaches the database as a statement.".into(),
        key_insight: "User input reaches the database as a statement.".into(),
        recommendation: "Bind the parameter before this goes in.".into(),
        restatement: Some(
            "I voted FAIL because line 42 of src/db.rs puts request data into a query.".into(),
        ),
        steel_man: Some(
            "If every caller validated names against a closed list, the query would be safe."
                .into(),
        ),
        r2: Some(Vote::Fail),
        ..judge("security", Vote::Fail)
    };
    *errors = JudgeRecord {
        first_insight: "A malformed header ends the whole server.".into(),
        key_insight: "A malformed header ends the whole server.".into(),
        r2: Some(Vote::Warn),
        ..judge("error-paths", Vote::Warn)
    };
    tests.r2 = Some(Vote::Fail);
    tests.counted = Some(Vote::Fail);
    tests.change = Some(PositionChange {
        from: Vote::Pass,
        to: Vote::Fail,
        weak: false,
        evidence: Some(Evidence {
            path: "src/db.rs".into(),
            line: 42,
            quote: "format!(\"SELECT id FROM users WHERE name = '{name}'\")".into(),
        }),
        note: String::new(),
    });
    maintainability.r2 = Some(Vote::Warn);
    maintainability.change = Some(PositionChange {
        from: Vote::Pass,
        to: Vote::Warn,
        weak: true,
        evidence: None,
        note: "no evidence was named".into(),
    });
    hygiene.failures = vec![RoundFailure {
        round: RoundNumber(2),
        failure: Failure::new(FailureKind::Timeout, "no answer in 90 s"),
    }];
    hygiene.r2 = None;
    thinking(&mut outcome.judges);
    outcome.disagreements = vec![Disagreement {
        kind: DisagreementKind::Significant,
        finding: Some("F2".into()),
        positions: vec![
            "error-paths holds it: A malformed header ends the whole server.".into(),
            "tests disagrees: The parser above rejects requests without that header.".into(),
        ],
    }];
    outcome.challenges = vec![ChallengeRecord {
        id: "C1".into(),
        round: RoundNumber(2),
        from: "judge-maintainability".into(),
        to: "judge-security".into(),
        claim: "The value comes straight out of the request.".into(),
        question: "Which caller passes it on unchecked?".into(),
        answer: Some("`handle_login`, three lines above the call.".into()),
        evaded: false,
        asked: 1,
    }];
    outcome.ledger = DebateLedger {
        exchange: Some(ExchangeKind::Inline),
        ..DebateLedger::default()
    };
    let note =
        "judge-hygiene gave no usable answer in round 2 (too late); its answer of round 1 counts";
    outcome.notes = vec![note.into()];
    let mut run = run();
    run.duration_ms = 94_300;
    run.debate = Some(DebateMode::Force);
    Report::new(
        outcome,
        subject("main...feature"),
        run,
        &Redactor::default(),
    )
}

/// Judges of two vendors that were split in R1 and are not in R2.
pub(super) fn converged() -> Report {
    let mut outcome = outcome(Verdict::Warn, VerdictReason::CriticalUnconfirmed);
    outcome.judges.truncate(3);
    thinking(&mut outcome.judges);
    (outcome.rounds, outcome.counted, outcome.converged) = (2, 3, true);
    outcome.branch = Some(DebateBranch::Disagreed);
    outcome.judges[2].seat.agent.name = "codex".into();
    outcome.judges[2].seat.agent.vendor = "openai".into();
    for judge in &mut outcome.judges {
        judge.r2 = Some(Vote::Pass);
    }
    let first = &mut outcome.judges[0];
    first.r1 = Some(Vote::Fail);
    first.change = Some(PositionChange {
        from: Vote::Fail,
        to: Vote::Pass,
        weak: false,
        evidence: Some(evidence("src/login.rs", 9, "let name = Name::parse(raw)?;")),
        note: String::new(),
    });
    outcome.findings = vec![judged(
        "F1",
        sql(),
        Disposition::Unconfirmed,
        Some(FindingLevel::Warn),
        &["tests"],
    )];
    outcome.disagreements = vec![Disagreement {
        kind: DisagreementKind::CrossVendor,
        finding: None,
        positions: vec!["anthropic votes PASS".into(), "openai holds F1".into()],
    }];
    outcome.ledger = DebateLedger {
        exchange: Some(ExchangeKind::Inline),
        dropped: 3,
        ..DebateLedger::default()
    };
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

/// A cross-examination with ballots, and nothing else.
pub(in crate::report) fn ballots(votes: &[BallotVote]) -> Report {
    let mut outcome = outcome(Verdict::Warn, VerdictReason::Votes);
    outcome.procedure = Some(Procedure::CrossExamination);
    outcome.rounds = 3;
    outcome.judges.truncate(votes.len());
    for (judge, vote) in outcome.judges.iter_mut().zip(votes) {
        judge.counted = Some(vote.vote());
        outcome.ledger.ballots.push(BallotRecord {
            judge: judge.seat.judge.clone(),
            ballot: Ballot {
                vote: *vote,
                strongest_point: "The rollback is tested.".into(),
                concession: "The migration is slow.".into(),
                remaining_concern: "Nobody measured it.".into(),
                conditions: match vote {
                    BallotVote::ProceedWithConditions => vec!["Measure it first.".into()],
                    _ => Vec::new(),
                },
            },
        });
    }
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

/// Everything that a round can have.
pub(in crate::report) fn examined() -> Report {
    use BallotVote::{DoNotProceed, Proceed, ProceedWithConditions};
    let mut report = ballots(&[ProceedWithConditions, DoNotProceed, Proceed]);
    let ids: Vec<JudgeId> = report
        .outcome
        .judges
        .iter()
        .map(|j| j.seat.judge.clone())
        .collect();
    report.outcome.findings = vec![judged(
        "F1",
        sql(),
        Disposition::Disputed,
        Some(FindingLevel::Warn),
        &["security", "error-paths"],
    )];
    let stand = |judge: usize, before: Option<Vote>, given: Vote, after: Vote| JudgeStand {
        judge: ids[judge].clone(),
        before,
        after,
        given,
        confidence: Confidence::Medium,
        position: format!("It is {}.", given.as_str()),
        note: if given == after {
            String::new()
        } else {
            "the evidence was not found".into()
        },
        evidence: (before.is_some() && before != Some(given))
            .then(|| evidence("src/server.rs", 61, "return Err(Status::LENGTH_REQUIRED);")),
        arguments: vec!["Nothing rolls back.".into(), "It is untested.".into()],
    };
    let (pass, warn, fail) = (Vote::Pass, Vote::Warn, Vote::Fail);
    let round = |round, stands: Vec<JudgeStand>| RoundRecord {
        round,
        asked: 3,
        answered: stands.iter().map(|s| s.judge.clone()).collect(),
        consensus: match round {
            RoundNumber(2) => vec!["The query is built from text.".into()],
            _ => Vec::new(),
        },
        disputed: match round {
            RoundNumber(2) => vec!["The cache is never emptied.".into()],
            _ => Vec::new(),
        },
        stands,
        ballots: false,
    };
    let again = |judge, vote| stand(judge, Some(vote), vote, vote);
    let opened = |judge, vote| stand(judge, None, vote, vote);
    let ledger = &mut report.outcome.ledger;
    ledger.rounds = vec![
        round(
            RoundNumber::FIRST,
            vec![opened(0, pass), opened(1, fail), opened(2, pass)],
        ),
        round(
            RoundNumber(2),
            vec![
                stand(0, Some(pass), warn, warn),
                again(1, fail),
                stand(2, Some(pass), fail, pass),
            ],
        ),
        round(
            RoundNumber(3),
            vec![again(0, warn), again(1, fail), again(2, pass)],
        ),
    ];
    ledger.confidence = Some(Confidence::Medium);
    ledger.messages = vec![MessageRecord {
        round: RoundNumber(2),
        from: ids[0].clone(),
        to: ids[1].clone(),
        text: "Did you see line 61?".into(),
        delivered: true,
    }];
    let asked = |kind, to: usize, about: &str, challenges: Vec<String>| InterventionRecord {
        round: RoundNumber(2),
        kind,
        to: vec![ids[to].clone()],
        about: about.into(),
        challenges,
    };
    ledger.interventions = vec![
        asked(
            InterventionKind::Groupthink,
            1,
            "The query is built from text.",
            Vec::new(),
        ),
        asked(InterventionKind::Evasion, 2, "C2", vec!["C2".into()]),
    ];
    ledger.unchallenged = vec![UnchallengedRecord {
        round: RoundNumber(2),
        judge: ids[2].clone(),
        made: 0,
        reason: "I checked all of it.".into(),
    }];
    let challenge =
        |id: &str, round, to: usize, claim: &str, answer: Option<&str>| ChallengeRecord {
            id: id.into(),
            round,
            from: ids[0].clone(),
            to: ids[to].clone(),
            claim: claim.into(),
            question: "What rolls it back?".into(),
            answer: answer.map(str::to_owned),
            evaded: answer.is_none(),
            asked: 1 + u32::from(answer.is_none()),
        };
    report.outcome.challenges = vec![
        challenge("C1", RoundNumber::FIRST, 1, "", Some("Nothing does.")),
        challenge("C2", RoundNumber(2), 2, "It is tested.", None),
    ];
    report
}
