//! What reports are made of, by hand.

use council_protocol::answer::{Evidence, Stance};
use council_protocol::capability::Grant;
use council_protocol::coverage::FileCoverage;
use council_protocol::message::{Ending, Usage};
use council_protocol::packet::{Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{
    Capability, CapabilitySet, Confidence, Coverage, CoverageState, Finding, Location, Proof,
    RoundNumber, Seat, Severity, Vote,
};

use super::super::{BackendFacts, ChangeSize, InputDigests, ReviewSubject, RunFacts};
use crate::council::ledger::DebateLedger;
use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgeRecord, JudgedFinding, Opinion, Outcome,
    Verdict, VerdictReason,
};
use crate::council::plan::{ConsensusRule, DebateMode, Procedure, RunSeed};
use crate::council::{Dismissal, DismissalGround};

pub(super) fn judge(perspective: &str, vote: Vote) -> JudgeRecord {
    let seat = Seat {
        judge: format!("judge-{perspective}").as_str().into(),
        perspective: Perspective {
            name: perspective.into(),
            focus: String::new(),
        },
        agent: AgentSpec {
            name: "builtin".into(),
            kind: AgentKind::Builtin {
                rules: Default::default(),
            },
            vendor: "builtin".into(),
            model: None,
            deterministic: true,
        },
    };
    let requested =
        CapabilitySet::from([Capability::Spawn, Capability::Message, Capability::Shutdown]);
    JudgeRecord {
        seat,
        grant: Grant {
            granted: requested.clone(),
            requested,
            emulated: Default::default(),
        },
        started: true,
        r1: Some(vote),
        r2: None,
        counted: Some(vote),
        confidence: Some(Confidence::High),
        first_insight: "nothing to report".into(),
        key_insight: "nothing to report".into(),
        recommendation: String::new(),
        restatement: None,
        steel_man: None,
        change: None,
        failures: Vec::new(),
        lost_vote: None,
        unplaced: None,
        ending: Some(Ending::Graceful),
        usage: None,
        usage_by_round: Default::default(),
        answered_ms: Some(120),
    }
}

pub(super) fn bench() -> Vec<JudgeRecord> {
    [
        "security",
        "error-paths",
        "tests",
        "maintainability",
        "hygiene",
    ]
    .map(|p| judge(p, Vote::Pass))
    .into()
}

pub(super) fn file(path: &str, state: CoverageState) -> FileCoverage {
    FileCoverage {
        path: path.into(),
        state,
    }
}

pub(super) fn coverage() -> Coverage {
    Coverage {
        files: vec![
            file(
                "Cargo.lock",
                CoverageState::Skipped {
                    reason: "lockfile".into(),
                },
            ),
            file("src/db.rs", CoverageState::Reviewed),
            file("src/server.rs", CoverageState::Reviewed),
        ],
    }
}

pub(super) fn subject(label: &str) -> ReviewSubject {
    ReviewSubject {
        target: Target {
            kind: TargetKind::Range,
            label: label.into(),
            slug: "main-feature".into(),
            base: Some("1d9b5f0c2a6e4b7d8f3a1c5e7d9b2f4a6c8e0b1d".into()),
            head: Some("a3f7c1e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a1".into()),
            only: Vec::new(),
        },
        change: ChangeSize {
            files: 3,
            added: 120,
            removed: 14,
        },
        instructions: Vec::new(),
    }
}

pub(super) fn run() -> RunFacts {
    RunFacts {
        recorded: false,
        earlier: None,
        started_by: None,
        recognised: None,
        fail_on: None,
        git_source: None,
        name: "council-20260214-main-feature".into(),
        version: "0.1.0".into(),
        started: "2026-02-14T09:26:53Z".into(),
        duration_ms: 240,
        backend: Some(BackendFacts {
            name: "teams".into(),
            ..BackendFacts::default()
        }),
        debate: Some(DebateMode::Auto),
        digests: InputDigests {
            change: Some("9a".repeat(32)),
            packet: Some(
                "9f2c4e6a8b0d1f3357799bbddff02244668800aaccee11335577991bd3f5a7c9e".into(),
            ),
            config: Some("0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9".into()),
            templates: None,
            context: None,
        },
        brief: None,
        recognition_key: Some("5be1d3a7c9f0e2b4".into()),
        seed: Some(RunSeed("c0ffee00".repeat(8))),
        cut_short: None,
    }
}

pub(super) fn outcome(verdict: Verdict, reason: VerdictReason) -> Outcome {
    Outcome {
        verdict,
        reason,
        procedure: Some(Procedure::Review),
        consensus: Some(ConsensusRule::Findings),
        rounds: 1,
        reviewed_by: crate::council::outcome::ReviewedBy::Models,
        counted: 5,
        quorum: 2,
        branch: None,
        converged: false,
        findings: Vec::new(),
        judges: bench(),
        disagreements: Vec::new(),
        challenges: Vec::new(),
        ledger: DebateLedger::default(),
        coverage: coverage(),
        benches: Vec::new(),
        notes: Vec::new(),
    }
}

pub(super) fn sql() -> Finding {
    Finding {
        severity: Severity::Critical,
        category: "injection".into(),
        rule: Some("sql-concatenation".into()),
        description: "The query is built from `name`, which comes straight out of the request.".into(),
        location: Location { path: "src/db.rs".into(), line: 42, end_line: None },
        quote: "\tlet query = format!(\"SELECT id FROM users WHERE name = '{name}'\");".into(),
        why: "Whoever sends the request chooses the statement that the database runs: it can read other people's rows or drop the table.".into(),
        fix: "Bind the value: `sqlx::query(\"SELECT id FROM users WHERE name = ?\").bind(name)`.".into(),
        suggestion: Some("\tlet query = sqlx::query(\"SELECT id FROM users WHERE name = ?\").bind(name);".into()),
        reference: None,
    }
}

pub(super) fn unwrap() -> Finding {
    Finding {
        severity: Severity::Significant,
        category: "error-handling".into(),
        rule: Some("new-unwrap".into()),
        description: "A malformed header ends the whole server.".into(),
        location: Location { path: "src/server.rs".into(), line: 107, end_line: Some(109) },
        quote: "let length: usize = headers\n    .get(\"content-length\")\n    .unwrap();".into(),
        why: "`unwrap` panics when the header is missing, and the task that panics holds the listener.".into(),
        fix: "Answer 411 and close the connection.".into(),
        suggestion: None,
        reference: Some("https://www.rfc-editor.org/rfc/rfc9110#section-15.5.12".into()),
    }
}

pub(super) fn todo() -> Finding {
    Finding {
        severity: Severity::Minor,
        category: "hygiene".into(),
        rule: Some("todo-without-reference".into()),
        description: "A TODO without an issue behind it is seldom found again.".into(),
        location: Location {
            path: "src/server.rs".into(),
            line: 12,
            end_line: None,
        },
        quote: "// TODO: handle keep-alive".into(),
        why: "Nobody is reminded of it.".into(),
        fix: "Name an issue, or do it now.".into(),
        suggestion: None,
        reference: None,
    }
}

pub(super) fn judged(
    id: &str,
    finding: Finding,
    disposition: Disposition,
    level: Option<FindingLevel>,
    by: &[&str],
) -> JudgedFinding {
    let member = |judge: &&str| FindingMember {
        judge: format!("judge-{judge}").as_str().into(),
        round: RoundNumber::FIRST,
        finding: finding.clone(),
        proof: Proof::Verified,
        withdrawn: false,
        fingerprint: None,
    };
    JudgedFinding {
        id: id.into(),
        fingerprint: format!(
            "{:016x}",
            0x8c1f_0e2d_9a7b_6c54_u64
                .rotate_left(id.len() as u32 * 8 + u32::from(id.as_bytes()[1]))
        ),
        members: by.iter().map(member).collect(),
        finding,
        disposition,
        level,
        dismissed: None,
        since: None,
        opinions: Vec::new(),
        disputed_by_test: false,
        suggestion_check: None,
        standing_votes: Vec::new(),
    }
}

/// A dismissal of a finding, whatever it is about.
pub(super) fn dismissal(found: &JudgedFinding) -> Dismissal {
    Dismissal {
        fingerprint: found.fingerprint.clone(),
        severity: Some(found.finding.severity),
        classes: Vec::new(),
        said: None,
        ground: DismissalGround::FalsePositive,
        because: "it is escaped two lines above".into(),
        by: "Ann <ann@example.com>".into(),
        at: "2026-03-09T10:00:00+01:00".into(),
    }
}

pub(super) fn opinion(
    judge: &str,
    stance: Stance,
    reasoning: &str,
    evidence: Option<(&str, u32, &str)>,
) -> Opinion {
    Opinion {
        judge: format!("judge-{judge}").as_str().into(),
        stance,
        reasoning: reasoning.into(),
        evidence: evidence.map(|(path, line, quote)| Evidence {
            path: path.into(),
            line,
            quote: quote.into(),
        }),
        resolves: evidence.is_some(),
    }
}

pub(super) fn evidence(path: &str, line: u32, quote: &str) -> Evidence {
    Evidence {
        path: path.into(),
        line,
        quote: quote.into(),
    }
}

/// Seats for judges that think.
pub(super) fn thinking(judges: &mut [JudgeRecord]) {
    for judge in judges {
        judge.seat.agent = AgentSpec {
            name: "claude".into(),
            kind: AgentKind::Command {
                argv: vec!["claude".into()],
                env: Vec::new(),
                format: Default::default(),
                sandbox: Default::default(),
                tool: Default::default(),
            },
            vendor: "anthropic".into(),
            model: Some("sonnet".into()),
            deterministic: false,
        };
        judge.usage = Some(Usage {
            input_tokens: Some(9_300),
            cached_tokens: Some(7_000),
            output_tokens: Some(800),
            cost_usd: Some(0.04),
            ..Usage::default()
        });
    }
}

/// The parts of an ordinary report.
pub(super) fn whole() -> (Outcome, ReviewSubject, RunFacts) {
    (
        outcome(Verdict::Pass, VerdictReason::NoFindings),
        subject("main...feature"),
        run(),
    )
}
