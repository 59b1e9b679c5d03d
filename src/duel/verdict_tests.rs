//! The verdict over a transcript.

use std::sync::Arc;

use council_protocol::capability::Grant;
use council_protocol::coverage::{Coverage, CoverageState, FileCoverage};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::task::Framing;
use council_protocol::{Capability, CapabilitySet, Seat};

use super::*;
use crate::council::plan::{
    ConsensusRule, ExchangeMode, PlannedSeat, ProcedureOptions, RoundTimeouts, RunSeed,
    VerdictPolicy,
};

pub(in crate::duel) fn plan() -> Plan {
    let seat = |name: &str| {
        let kind = AgentKind::Builtin {
            rules: Default::default(),
        };
        let agent = AgentSpec {
            name: "x".into(),
            kind,
            vendor: "x".into(),
            model: None,
            deterministic: false,
        };
        let granted = CapabilitySet::from([Capability::Spawn, Capability::Message]);
        let file = FileCoverage {
            path: "a.rs".into(),
            state: CoverageState::Reviewed,
        };
        PlannedSeat {
            seat: Seat {
                judge: name.into(),
                perspective: Perspective::default(),
                agent,
            },
            grant: Grant {
                requested: granted.clone(),
                granted,
                ..Grant::default()
            },
            coverage: Arc::new(Coverage { files: vec![file] }),
        }
    };
    Plan {
        procedure: Procedure::Debate,
        debate: DebateMode::Force,
        consensus: ConsensusRule::Findings,
        quorum: 2,
        policy: VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        },
        seats: vec![seat("judge-a"), seat("judge-b")],
        exchange: ExchangeMode::Inline { max_bytes: 100_000 },
        timeouts: RoundTimeouts::default(),
        seed: RunSeed("00".repeat(32)),
        framing: Framing::default(),
        notes: Vec::new(),
        options: ProcedureOptions::default(),
    }
}

fn outcome(response: &str, ending: DuelEnding) -> Outcome {
    let text = format!(
        "## Opening\nVote: FAIL — broken\n\n- **A1** — **critical** `a.rs:1` — boom\n  > let x = boom();\n  Why: w\n  Fix: f\n\n\
         *— Agent A, 2025-06-15T14:30:00Z*\n\n## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n"
    );
    let source = "let x = boom();\nlet y = checked();\n";
    let mut prove = |at: &Location, quote: &str| {
        (
            council_protocol::prove_quote(source, at.line, quote),
            String::new(),
        )
    };
    judge_transcript(
        &DebateTranscript::parse(&text),
        ending,
        plan(),
        Default::default(),
        &mut prove,
        &mut |_: &Location| None,
    )
    .unwrap()
    .outcome
}

const EVIDENCE: &str = " (see `a.rs:2`)\n  > let y = checked();\n";

#[test]
fn a_point_that_the_other_side_proves_too_fails_the_change() {
    let outcome = outcome(
        &format!("- **A1** — **Agreed** — it is{EVIDENCE}"),
        DuelEnding::Consensus,
    );
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Fail, VerdictReason::CriticalConfirmed)
    );
    assert_eq!(outcome.procedure, Some(Procedure::Duel));
}

#[test]
fn a_point_refuted_with_evidence_is_contested() {
    let outcome = outcome(
        &format!("- **A1** — **Disagreed** — it is checked{EVIDENCE}"),
        DuelEnding::Limit,
    );
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Warn, VerdictReason::CriticalDisputed)
    );
}

#[test]
fn limit_is_at_least_warn_and_a_broken_end_is_inconclusive() {
    let clean = |ending| {
        let text = "## Opening\nVote: PASS — fine\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
             ## Response 1\nVote: PASS — fine\n\n*— Agent B, 2025-06-15T14:31:00Z*\n";
        let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
        judge_transcript(
            &DebateTranscript::parse(text),
            ending,
            plan(),
            Default::default(),
            &mut prove,
            &mut |_: &Location| None,
        )
        .unwrap()
        .outcome
        .verdict
    };
    assert_eq!(clean(DuelEnding::Consensus), Verdict::Pass);
    assert_eq!(clean(DuelEnding::Limit), Verdict::Warn);
    for ending in [
        DuelEnding::TimeoutA,
        DuelEnding::TimeoutB,
        DuelEnding::Violation,
    ] {
        assert_eq!(clean(ending), Verdict::Inconclusive);
    }
}

fn judged(response: &str) -> Outcome {
    let text = format!(
        "## Opening\nI looked at it.\n\n1. `a.rs:1` — significant: boom\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
         ## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n"
    );
    let source = "let x = boom();\nlet y = checked();\n";
    let mut prove = |at: &Location, quote: &str| {
        (
            council_protocol::prove_quote(source, at.line, quote),
            String::new(),
        )
    };
    let mut line_at = |at: &Location| source.lines().nth(at.line as usize - 1).map(str::to_owned);
    let transcript = DebateTranscript::parse(&text);
    judge_transcript(
        &transcript,
        DuelEnding::Consensus,
        plan(),
        Default::default(),
        &mut prove,
        &mut line_at,
    )
    .unwrap()
    .outcome
}

#[test]
fn a_partner_that_is_silent_or_has_only_read_has_no_vote() {
    for silent in [
        "",
        "I have read it.",
        "Noted, thank you.",
        "There is nothing to add.",
    ] {
        let outcome = judged(silent);
        assert_eq!(
            outcome.verdict,
            Verdict::Inconclusive,
            "{silent}: {:?}",
            outcome.reason
        );
    }
    assert_ne!(judged("1. Agreed").verdict, Verdict::Inconclusive);
}

#[test]
fn a_finding_in_the_protocols_own_form_has_its_place() {
    let outcome =
        judged("1. Agreed\n\n### Independent findings\n\n`a.rs:2` — checked too late: new finding");
    let found: Vec<_> = outcome
        .findings
        .iter()
        .map(|finding| (finding.finding.location.line, finding.finding.quote.clone()))
        .collect();
    assert!(
        found.contains(&(2, "let y = checked();".to_owned())),
        "{found:?}"
    );
}

#[test]
fn what_both_sides_spent_is_what_the_duel_cost() {
    let text = "## Opening\nVote: PASS — fine\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
         ## Response 1\nVote: PASS — fine\n\n*— Agent B, 2025-06-15T14:31:00Z*\n";
    let cost = |usd| Usage {
        cost_usd: Some(usd),
        ..Usage::default()
    };
    let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
    let judged = judge_transcript(
        &DebateTranscript::parse(text),
        DuelEnding::Consensus,
        plan(),
        [0.25, 0.5].map(|usd| SideAccount {
            spent: Some(cost(usd)),
            ..SideAccount::default()
        }),
        &mut prove,
        &mut |_: &Location| None,
    )
    .unwrap();
    let spent = judged
        .outcome
        .judges
        .iter()
        .map(|judge| judge.usage.as_ref()?.cost_usd);
    assert_eq!(spent.collect::<Vec<_>>(), [Some(0.25), Some(0.5)]);
}

fn silent_duel(accounts: [SideAccount; 2]) -> Outcome {
    let text = "## Opening\nVote: PASS — fine\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
         ## Response 1\nVote: PASS — fine\n\n*— Agent B, 2025-06-15T14:31:00Z*\n";
    let mut plan = plan();
    for seat in &mut plan.seats {
        seat.seat.agent.deterministic = false;
    }
    let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
    let ending = DuelEnding::Consensus;
    let transcript = DebateTranscript::parse(text);
    let line_at = &mut |_: &Location| None;
    judge_transcript(&transcript, ending, plan, accounts, &mut prove, line_at)
        .unwrap()
        .outcome
}

/// The law: whatever a side says against a change in a reply that does not count, in whichever form, bars a PASS with its
/// note, as in a review; what objects to nothing does not.
#[test]
fn an_objection_in_a_reply_that_does_not_count_bars_a_pass() {
    let objections = [
        r#"{"key": "KEY", "verdict": "REJECT", "findings": []}"#,
        r#"{"key": "KEY", "verdict": "FAIL", "findings": "#,
        r#"{"key": "KEY", "verdict": "WARN", "findings": 3}"#,
        r#"{"key": "KEY", "findings": [{"severity": "critical", "description": "It divides by zero."}]}"#,
        "I vote FAIL, critical: a.py:5 divides by zero.",
    ];
    let harmless = [
        r#"{"key": "KEY", "verdict": "PASS", "findings": "#,
        "Let me look at it.",
        "",
    ];
    for (said, is_heard) in objections
        .map(|said| (said, true))
        .into_iter()
        .chain(harmless.map(|said| (said, false)))
    {
        for side in [0, 1] {
            let mut accounts = [SideAccount::default(), SideAccount::default()];
            accounts[side].unheard = vec![UnheardReply {
                key: "KEY".into(),
                said: said.into(),
            }];
            let outcome = silent_duel(accounts);
            let expected = if is_heard {
                Verdict::Warn
            } else {
                Verdict::Pass
            };
            assert_eq!(outcome.verdict, expected, "{said}");
            let judge = ["judge-a", "judge-b"][side];
            let is_told = outcome.notes.iter().any(|note| note.contains(judge));
            assert_eq!(is_told, is_heard, "{said}: {:?}", outcome.notes);
            let misses_key = outcome
                .notes
                .iter()
                .any(|note| note.contains("without the key"));
            assert_eq!(misses_key, is_heard && !said.contains("KEY"), "{said}");
        }
    }
}

/// The law: what a side said when it reviewed the subject alone is in the outcome, and no PASS comes of it, whatever its
/// sections say and whether it wrote any.
#[test]
fn what_a_side_said_alone_is_not_forgotten() {
    let critical = crate::council::testing::finding(Severity::Critical, 3);
    for (vote, finds, side) in [Vote::Warn, Vote::Fail].into_iter().flat_map(|vote| {
        [
            (vote, false, 0),
            (vote, true, 0),
            (vote, false, 1),
            (vote, true, 1),
        ]
    }) {
        let review = Answer {
            findings: finds.then(|| critical.clone()).into_iter().collect(),
            key_insight: "The name reaches the SQL text.".into(),
            ..Answer::new(1, "k", vote)
        };
        let mut accounts = [SideAccount::default(), SideAccount::default()];
        accounts[side].review = Some(review);
        let outcome = silent_duel(accounts);
        let is_green = outcome.verdict == Verdict::Pass;
        assert!(!is_green || vote == Vote::Warn && !finds, "{finds} {side}");
        assert_eq!(outcome.judges[side].counted, Some(vote));
        assert_eq!(outcome.findings.len(), usize::from(finds), "{side}");
    }
}

/// A side that gave no section has its review all the same.
#[test]
fn a_review_without_a_section_counts() {
    let text = "## Opening\nVote: PASS — fine\n\n*— Agent A, 2025-06-15T14:30:00Z*\n";
    let review = Answer {
        findings: vec![crate::council::testing::finding(Severity::Critical, 3)],
        ..Answer::new(1, "k", Vote::Fail)
    };
    let b = SideAccount {
        review: Some(review),
        failure: Some(Failure::new(FailureKind::Malformed, "garbage")),
        ..SideAccount::default()
    };
    let mut prove = |_: &Location, _: &str| (Proof::Verified, String::new());
    let judged = judge_transcript(
        &DebateTranscript::parse(text),
        DuelEnding::TimeoutB,
        plan(),
        [SideAccount::default(), b],
        &mut prove,
        &mut |_: &Location| None,
    );
    let outcome = judged.unwrap().outcome;
    assert_ne!(outcome.verdict, Verdict::Pass);
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.judges[1].r1, Some(Vote::Fail));
}
