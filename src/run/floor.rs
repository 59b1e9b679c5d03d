//! The rules' word over a change that models alone reviewed. Rules cost nothing and need nobody: a key, a token or the
//! markers of a conflict do not pass because models were seated in their place. They are heard where they find something
//! critical, and take no other part.

use std::collections::VecDeque;
use std::sync::Arc;

use council_builtin::BuiltinJudge;
use council_protocol::capability::Grant;
use council_protocol::message::Ending;
use council_protocol::seat::{AgentKind, Perspective};
use council_protocol::{JudgeId, Seat, Turn};

use crate::council::exchange::{Action, Input};
use crate::council::outcome::{
    FindingLevel, JudgeRecord, JudgedFinding, Outcome, Verdict, VerdictReason,
};
use crate::council::plan::{DebateMode, DebateSubject, PlannedSeat, Procedure};
use crate::council::{Council, Plan};
use crate::run::prepare::PreparedReview;
use crate::run::seats::SeatPlanner;
use crate::session::QuoteProver;

/// What the rules are called that sat on no seat.
const RULES: &str = "rules";

/// Adds what the built-in rules find to be critical, where none of them sat.
pub(crate) fn hear_rules(outcome: &mut Outcome, plan: &Plan, prepared: &PreparedReview) {
    let is_rule = |p: &PlannedSeat| matches!(p.seat.agent.kind, AgentKind::Builtin { .. });
    let is_change = plan.options.subject == DebateSubject::Change;
    if !is_change || outcome.verdict == Verdict::Skipped || plan.seats.iter().any(is_rule) {
        return;
    }
    let Some(rules) = rules_alone(plan, prepared) else {
        return;
    };
    let is_critical = |found: &JudgedFinding| found.level == Some(FindingLevel::Fail);
    let found = rules.findings.into_iter().filter(is_critical).collect();
    take_over(outcome, rules.judges, found);
}

/// The same from the report of the run, for a replay: the journal holds the council alone.
pub(crate) fn recall_rules(outcome: &mut Outcome, before: &Outcome) {
    let judges = before.judges.iter().filter(|j| is_unseated(j, outcome));
    let judges: Vec<JudgeRecord> = judges.cloned().collect();
    let is_theirs = |found: &&JudgedFinding| {
        let mut members = found.members.iter();
        members.any(|m| judges.iter().any(|j| j.seat.judge == m.judge))
    };
    let found = before.findings.iter().filter(is_theirs).cloned().collect();
    take_over(outcome, judges, found);
}

fn is_unseated(judge: &JudgeRecord, outcome: &Outcome) -> bool {
    let mut seated = outcome.judges.iter();
    judge.seat.judge.as_str() == RULES && !seated.any(|j| j.seat.judge == judge.seat.judge)
}

fn take_over(outcome: &mut Outcome, judges: Vec<JudgeRecord>, found: Vec<JudgedFinding>) {
    if found.is_empty() {
        return;
    }
    for rule in found {
        let mut known = outcome.findings.iter_mut();
        match known.find(|f| f.fingerprint == rule.fingerprint) {
            Some(known) => {
                (known.level, known.disposition) = (known.level.max(rule.level), rule.disposition);
                known.members.extend(rule.members);
            }
            None => {
                let id = format!("F{}", outcome.findings.len() + 1);
                outcome.findings.push(JudgedFinding { id, ..rule });
            }
        }
    }
    outcome.findings.sort_by_key(|f| std::cmp::Reverse(f.level));
    let heard = u32::try_from(judges.len()).unwrap_or(u32::MAX);
    // They make up for no reviewer: whoever had to count still has to.
    outcome.counted += heard;
    outcome.quorum += heard;
    outcome.judges.extend(judges);
    if outcome
        .findings
        .iter()
        .any(|f| f.level == Some(FindingLevel::Fail))
        && !outcome.reason.is_cut_short()
    {
        (outcome.verdict, outcome.reason) = (Verdict::Fail, VerdictReason::CriticalConfirmed);
    }
}

/// A council of nobody but the rules, under the same policy and dismissals.
fn rules_alone(plan: &Plan, prepared: &PreparedReview) -> Option<Outcome> {
    let planner = SeatPlanner {
        config: &prepared.config,
        deep: false,
    };
    let seat = Seat {
        judge: JudgeId::from(RULES),
        perspective: Perspective::default(),
        agent: planner.agent_in_turn(Some("builtin"), 0).ok()?,
    };
    let blobs = Arc::clone(&prepared.change.blobs);
    let packet = Arc::clone(&prepared.packet);
    let judge = BuiltinJudge::new(&seat, Arc::clone(&packet), Arc::clone(&blobs)).ok()?;
    let prover = QuoteProver::new(packet, blobs, prepared.redactor.clone());
    let plan = Plan {
        procedure: Procedure::Quick,
        debate: DebateMode::Off,
        quorum: 1,
        seats: vec![PlannedSeat {
            seat,
            grant: Grant::default(),
            coverage: Arc::clone(&prepared.coverage),
        }],
        notes: Vec::new(),
        ..plan.clone()
    };
    play(plan, judge, prover)
}

fn play(plan: Plan, mut judge: BuiltinJudge, mut prover: QuoteProver) -> Option<Outcome> {
    let (mut council, first) = Council::convene(plan);
    let mut open: VecDeque<Action> = first.into();
    while let Some(action) = open.pop_front() {
        let input = match action {
            Action::Conclude { outcome } => return Some(*outcome),
            Action::Spawn { judge } => Input::Started { judge },
            Action::Shutdown { judge, .. } => Input::Ended {
                judge,
                ending: Ending::Graceful,
            },
            Action::Prove {
                claim,
                location,
                quote,
            } => {
                let (proof, context) = prover.prove_quote(&location, &quote);
                Input::Proved {
                    claim,
                    proof,
                    context,
                    nearest: None,
                }
            }
            Action::Send {
                judge: to,
                turn,
                round,
                key,
                task,
                ..
            } => {
                let asked = Turn {
                    id: turn,
                    round,
                    key,
                    task,
                    prompt: String::new(),
                    timeout_ms: 0,
                    spend: None,
                };
                Input::Answered {
                    judge: to,
                    turn,
                    raw: judge.take_turn(&asked).into(),
                    usage: None,
                }
            }
            // One judge and one round: no helpers, no clock, no files.
            _ => continue,
        };
        open.extend(council.handle(input, 0));
    }
    None
}
