//! From everything that was said to the outcome.

use std::borrow::Cow;

use council_protocol::coverage::FileCoverage;
use council_protocol::seat::AgentKind;
use council_protocol::{Coverage, CoverageState, RoundNumber};

use super::benches::reader_benches;
use super::consensus::{VerdictInput, decide_verdict};
use super::disagreement::find_disagreements;
use super::dismissal;
use super::exchange::CancelCause;
use super::findings::report_findings;
use super::judges::JudgeState;
use super::ledger::DebateLedger;
use super::notes::report_notes;
use super::objections::RuleVote;
use super::outcome::{
    JudgeRecord, JudgedFinding, Outcome, ReaderBench, ReviewedBy, Verdict, VerdictReason,
};
use super::plan::Procedure;
use super::position::{JudgePosition, has_converged};
use super::proof;
use super::quorum::Attendance;
use super::state::DebateState;
use super::unread::NO_ANSWER;

/// Why a file is left out that none of the judges looks at.
pub const UNASKED: &str = "no judge that sits looks at files of its kind";

/// Why there is nothing to review, when there is nothing: no changed file, or none that trusted globs leave.
pub(super) fn nothing_to_review(state: &DebateState) -> Option<VerdictReason> {
    let coverage = &state.plan.seats.first()?.coverage;
    let skipped = |f: &FileCoverage| matches!(f.state, CoverageState::Skipped { .. });
    if coverage.files.is_empty() {
        Some(VerdictReason::NothingToReview)
    } else if coverage.files.iter().all(skipped) {
        Some(VerdictReason::AllSkipped)
    } else {
        None
    }
}

/// The outcome of a council whose rounds are over, or were cut short.
pub(super) fn build_outcome(state: &DebateState, cut: Option<CancelCause>) -> Outcome {
    let positions = state.positions();
    let mut findings = report_findings(state);
    dismissal::mark_dismissed(&mut findings, &state.plan.options.dismissed);
    let coverage = outcome_coverage(state);
    let benches = reader_benches(&state.judges);
    let shown = (&coverage, benches.as_slice());
    let (verdict, reason) = decide_outcome(state, cut, &positions, &findings, shown);
    let counted = state.judges.iter().filter(|j| j.is_counted());
    proof::check_suggestions(state, &mut findings);
    let reproductions = proof::records(state, &findings);
    Outcome {
        verdict,
        reason,
        procedure: Some(procedure_run(state)),
        consensus: Some(state.plan.consensus),
        rounds: state.begun.0,
        counted: to_u32(state.judges.counted_seats().len()),
        quorum: state.plan.quorum.max(1),
        branch: state.branch,
        reviewed_by: ReviewedBy::counting_rules(counted.map(JudgeState::is_deterministic)),
        converged: state.begun > 1 && has_converged(&counted_positions(state, &positions)),
        disagreements: find_disagreements(state, &positions, &findings),
        findings,
        judges: state
            .judges
            .iter()
            .zip(&positions)
            .map(|(j, p)| judge_record(j, p))
            .collect(),
        challenges: state.challenges.clone(),
        ledger: DebateLedger {
            reproductions,
            ..state.ledger.clone()
        },
        coverage,
        benches,
        notes: report_notes(state, cut),
    }
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The positions of the models that count: rules have none to move from.
fn counted_positions(state: &DebateState, positions: &[JudgePosition]) -> Vec<JudgePosition> {
    let judges = state.judges.iter().zip(positions);
    let models = judges.filter(|(judge, p)| p.counted.is_some() && !judge.is_deterministic());
    models.map(|(_, position)| position.clone()).collect()
}

/// A debate that stayed at one round ran as a review.
fn procedure_run(state: &DebateState) -> Procedure {
    match state.plan.procedure {
        Procedure::Debate if state.begun < 2 => Procedure::Review,
        procedure => procedure,
    }
}

/// What a quorum saw; where nobody counts, nobody saw anything.
fn outcome_coverage(state: &DebateState) -> Coverage {
    let Some(first) = state.plan.seats.first() else {
        return Coverage::default();
    };
    if !state.judges.counted_seats().is_empty() || nothing_to_review(state).is_some() {
        let seen = state.quorum_coverage();
        return if seen.files.is_empty() {
            (*first.coverage).clone()
        } else {
            seen
        };
    }
    let unseen = |f: &FileCoverage| {
        let state = match &f.state {
            CoverageState::Skipped { reason } => CoverageState::Skipped {
                reason: reason.clone(),
            },
            _ => CoverageState::Unreadable {
                reason: NO_ANSWER.into(),
            },
        };
        FileCoverage {
            path: f.path.clone(),
            state,
        }
    };
    Coverage {
        files: first.coverage.files.iter().map(unseen).collect(),
    }
}

/// The verdict. A run that was cut short cannot be green; a FAIL that stands on a completed R1 stays one.
fn decide_outcome(
    state: &DebateState,
    cut: Option<CancelCause>,
    positions: &[JudgePosition],
    findings: &[JudgedFinding],
    (coverage, benches): (&Coverage, &[ReaderBench]),
) -> (Verdict, VerdictReason) {
    let change = state.plan.options.subject == super::plan::DebateSubject::Change;
    if let Some(reason) = nothing_to_review(state).filter(|_| change) {
        return (Verdict::Skipped, reason);
    }
    let quorum = state.plan.quorum.max(1) as usize;
    let standings = dismissal::counted_standings(findings);
    let record = vote_record(state, positions, benches);
    let decided = record.decide(findings, |votes, objections| {
        let case = VerdictInput {
            objections,
            findings: &standings,
            votes,
            counted: Attendance::of_judges(&state.judges).towards_quorum(quorum),
            quorum,
            covered: coverage.is_complete(),
            checked: state.claims.unanswered_count() == 0,
        };
        decide_verdict(state.plan.consensus, state.plan.policy, &case)
    });
    let (verdict, reason) = match decided {
        // WARN falls as PASS does, as at the other floors.
        (Verdict::Pass | Verdict::Warn, _) if rules_abstained(state, positions) => {
            (Verdict::Inconclusive, VerdictReason::RulesAbstained)
        }
        (Verdict::Pass | Verdict::Warn, _) if lacks_ballots(state) => {
            (Verdict::Inconclusive, VerdictReason::MissingBallots)
        }
        decided => decided,
    };
    match cut {
        None if state.without_verdict() => without_verdict(state, (verdict, reason)),
        Some(cause) if state.without_verdict() => (Verdict::Inconclusive, cause.into()),
        Some(cause) if verdict != Verdict::Fail || state.completed == 0 => {
            (Verdict::Inconclusive, cause.into())
        }
        _ => (verdict, reason),
    }
}

/// The votes that count, of models and of rules.
fn vote_record<'a>(
    state: &'a DebateState,
    positions: &[JudgePosition],
    benches: &'a [ReaderBench],
) -> dismissal::VoteRecord<'a> {
    let mut judges = state.judges.iter();
    let mut record = dismissal::VoteRecord {
        unread: judges.any(|judge| judge.lost_objection().is_some()),
        benches: Cow::Borrowed(benches),
        quorum: state.plan.quorum as usize,
        ..dismissal::VoteRecord::default()
    };
    record.unread |= positions.iter().any(|position| position.dropped.is_some());
    for (judge, position) in state.judges.iter().zip(positions) {
        match position.counted {
            Some(vote) if judge.is_deterministic() => record.rules.push(RuleVote {
                judge: judge.id(),
                vote,
                unplaced: judge.unplaced(),
            }),
            Some(counted) => record.add_model(judge.id(), counted, position.last),
            None => {}
        }
    }
    record
}

/// Whether a built-in judge gave no answer. It always can: where it does not, the change made it fail, and what it would
/// have said must not turn into silence.
fn rules_abstained(state: &DebateState, positions: &[JudgePosition]) -> bool {
    let builtin =
        |judge: &JudgeState| matches!(judge.planned.seat.agent.kind, AgentKind::Builtin { .. });
    let judges = state.judges.iter().zip(positions);
    judges
        .into_iter()
        .any(|(judge, position)| builtin(judge) && position.counted.is_none())
}

/// Whether ballots alone decide, and fewer came than the quorum. Over a change findings decide, and what was lost after the
/// openings leaves what they said.
fn lacks_ballots(state: &DebateState) -> bool {
    let question = state.plan.options.subject == super::plan::DebateSubject::Text;
    question
        && state.asks_ballots()
        && state.ledger.ballots.len() < state.plan.quorum.max(1) as usize
}

/// What asks for no verdict has none; but where a document was to come out and none did, nobody can say (one agent
/// is enough for it).
fn without_verdict(
    state: &DebateState,
    judged: (Verdict, VerdictReason),
) -> (Verdict, VerdictReason) {
    let staged = state.plan.procedure == Procedure::Staged;
    // Whoever was asked for the document twice and wrote none has written none.
    match (state.ledger.document(), judged.0) {
        (Some(_), _) => (Verdict::Skipped, VerdictReason::NoVerdict),
        (None, Verdict::Inconclusive) => judged,
        (None, _) if staged => (Verdict::Inconclusive, VerdictReason::NoSynthesis),
        (None, _) => (Verdict::Skipped, VerdictReason::NoVerdict),
    }
}

fn judge_record(judge: &JudgeState, position: &JudgePosition) -> JudgeRecord {
    let last = judge.answers.values().next_back();
    let later = judge.answers.range(RoundNumber::SECOND..);
    let lost_vote = judge.lost_objection().map(|lost| lost.weight);
    JudgeRecord {
        seat: judge.planned.seat.clone(),
        grant: judge.planned.grant.clone(),
        started: judge.started,
        r1: position.first,
        r2: position.last,
        counted: position.counted,
        // A rule that matched is not more or less sure of it.
        confidence: last
            .filter(|_| !judge.is_deterministic())
            .map(|a| a.confidence),
        first_insight: judge
            .answers
            .get(&RoundNumber::FIRST)
            .map(|a| a.key_insight.clone())
            .unwrap_or_default(),
        key_insight: last.map(|a| a.key_insight.clone()).unwrap_or_default(),
        recommendation: last.map(|a| a.recommendation.clone()).unwrap_or_default(),
        restatement: judge.restatement.clone(),
        // It argues nobody's case either.
        steel_man: later
            .rev()
            .filter(|_| !judge.is_deterministic())
            .find_map(|(_, a)| a.steel_man.clone()),
        change: position.change.clone(),
        failures: judge.failures.clone(),
        lost_vote: lost_vote.max(position.dropped.map(|(_, vote)| vote)),
        unplaced: judge.unplaced(),
        ending: judge.ending,
        usage: judge.usage.clone(),
        usage_by_round: judge.spent.clone(),
        answered_ms: judge.answered_ms,
    }
}
