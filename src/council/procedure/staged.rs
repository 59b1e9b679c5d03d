//! Independent production, cross-review, rebuttals while it is contended, a synthesis.

use council_protocol::answer::Contention;
use council_protocol::task::{Contribution, OpenPoint, Statement, Task};
use council_protocol::{Answer, Capability, Finding, RoundNumber};

use super::agenda::DebateAgenda;
use super::debate::{debate_obstacle, exchange_peers, note_absentees};
use super::quick::ask_everybody;
use super::rules::ProcedureRules;
use crate::anonymity;
use crate::contention::measure_contention;
use crate::disposition::FindingVersion;
use crate::judges::{QueuedTask, SeatIndex, SeatPresence};
use crate::ledger::{ContentionRecord, ContentionStep, Synthesis};
use crate::plan::{DebateSubject, RoundLimits};
use crate::state::{DebateState, RoundPlan};
use crate::summary;

/// The profile `standard`, where nothing is said about rounds.
const STANDARD: RoundLimits = RoundLimits { min: 2, max: 4 };

/// Bytes of documents in one message; what is beyond gives way, oldest round first.
const DOCUMENT_BYTES: usize = 256 << 10;

pub(super) struct StagedRules;

impl ProcedureRules for StagedRules {
    fn next_round(&self, state: &mut DebateState) -> Option<RoundPlan> {
        if state.ending {
            return None;
        }
        if state.completed > 0 {
            close_stage(state);
        }
        match state.completed {
            0 => Some(ask_everybody(state, |state, _| first_task(state))),
            1 if state.judges.counted_seats().is_empty() => single_agent_round(state),
            1 if round_limits(state).max < 2 => synthesis_round(state),
            1 => cross_review(state).or_else(|| synthesis_round(state)),
            _ => rebuttal_round(state).or_else(|| synthesis_round(state)),
        }
    }

    fn on_answer(
        &self,
        state: &mut DebateState,
        seat: SeatIndex,
        answer: &Answer,
    ) -> Vec<(SeatIndex, QueuedTask)> {
        if state.ending {
            // Only the single agent that was left gives an ordinary answer now: its document is what came out.
            let judge = state.judges[seat].id().clone();
            let document = answer.document.clone().unwrap_or_default();
            state.ledger.synthesis = Some(Synthesis {
                judge,
                document,
                contention: None,
            });
        } else if state.begun > 1 {
            state.note_challenge_answers(seat, &answer.answers);
            state.note_challenges(seat, answer);
        }
        Vec::new()
    }

    fn find_objection(
        &self,
        state: &DebateState,
        _: SeatIndex,
        task: &Task,
        answer: &Answer,
    ) -> Option<String> {
        let written = answer
            .document
            .as_ref()
            .is_some_and(|d| !d.trim().is_empty());
        let wanted = matches!(task, Task::Produce | Task::Synthesize { .. });
        let notes = answer
            .document
            .as_ref()
            .is_some_and(|d| d.contains("## Debate Notes"));
        match task {
            _ if wanted && !written => {
                Some("document: missing; it is what this turn asks for".into())
            }
            Task::Synthesize { .. } if !notes && state.begun > 2 => {
                Some("document: it has no section `## Debate Notes`".into())
            }
            _ => None,
        }
    }
}

fn round_limits(state: &DebateState) -> RoundLimits {
    state.plan.options.rounds.unwrap_or(STANDARD)
}

fn first_task(state: &DebateState) -> Task {
    match state.plan.options.subject {
        DebateSubject::Change => Task::Review,
        DebateSubject::Text => Task::Produce,
    }
}

/// The round that has just ended goes into the ledger and, as a line, into the log.
fn close_stage(state: &mut DebateState) {
    state.give_up_unanswered();
    summary::close_round(state);
    let Some(round) = state.ledger.rounds.last() else {
        return;
    };
    let seats = round
        .answered
        .iter()
        .filter_map(|judge| state.judges.seat_of(judge));
    let roles: Vec<&str> = seats.map(|seat| state.judges[seat].role()).collect();
    let (number, done, asked) = (round.round, roles.len(), round.asked);
    let line = match number {
        RoundNumber::FIRST => format!(
            "[Round 1] {done}/{asked} agents completed ({})",
            roles.join(", ")
        ),
        RoundNumber::SECOND => format!("[Round 2] {done}/{asked} reviews completed"),
        _ => format!("[Round {number}] {done}/{asked} rebuttals completed"),
    };
    state.add_log(line);
}

/// All agents failed: one that is still there works alone, without a debate.
fn single_agent_round(state: &mut DebateState) -> Option<RoundPlan> {
    state.ending = true;
    // A synthesizer has not been asked anything yet: it has not failed, and needs no memory.
    let fresh = state
        .judges
        .seats_where(|j| j.synthesizer && j.presence == SeatPresence::Seated);
    let there = state.judges.seats_where(|j| {
        j.presence == SeatPresence::Seated && j.open.is_none() && j.can_be_messaged()
    });
    let seat = *fresh
        .first()
        .or(there.first())
        .filter(|_| state.plan.options.subject == DebateSubject::Text)?;
    state.add_note("all agents failed: one agent worked alone, without a debate");
    Some(RoundPlan::at_once(
        vec![(seat, vec![QueuedTask::new(Task::Produce)])],
        state.plan.timeouts.r1_ms,
    ))
}

/// R2: everybody reviews what the others produced.
fn cross_review(state: &mut DebateState) -> Option<RoundPlan> {
    let debaters = state.judges.debating_seats();
    if let Some(obstacle) = debate_obstacle(&state.judges, &debaters) {
        state.add_note(obstacle);
        return None;
    }
    // Over a stage, agents are always briefed afresh: that is no degradation, and the receipt says so.
    if state.plan.options.subject == DebateSubject::Change {
        note_absentees(state, &debaters);
    }
    let asks = debaters.into_iter().map(|seat| {
        let shown = exchange_peers(state, seat, RoundNumber::SECOND, &DebateAgenda::Everything);
        let task = Task::CrossReview {
            peers: shown.peers,
            documents: peer_documents(state, seat),
            dropped: shown.dropped,
            framing: state.framing(),
        };
        (seat, vec![QueuedTask::new(task)])
    });
    Some(RoundPlan::at_once(
        asks.collect(),
        state.plan.timeouts.r2_ms,
    ))
}

/// What the others wrote, under their labels.
fn peer_documents(state: &mut DebateState, seat: SeatIndex) -> Vec<Contribution> {
    let order = state.judges[seat]
        .peers
        .get(&RoundNumber::SECOND)
        .cloned()
        .unwrap_or_default();
    let names = anonymity::judge_names(&state.judges);
    let written = order.iter().enumerate().filter_map(|(index, &other)| {
        let answer = state.judges[other].answers.get(&RoundNumber::FIRST)?;
        let document = answer
            .document
            .as_ref()
            .map(|d| anonymity::scrub_names(d, &names))?;
        Some(Contribution {
            role: anonymity::peer_label(index),
            round: RoundNumber::FIRST,
            key_insight: String::new(),
            findings: Vec::new(),
            document: Some(document),
        })
    });
    let mut written: Vec<Contribution> = written.collect();
    written.extend(own_document(state, seat, RoundNumber::FIRST));
    drop_documents(state, &mut written);
    written
}

/// What a judge wrote itself, where it is briefed afresh and does not know it any more.
fn own_document(state: &DebateState, seat: SeatIndex, round: RoundNumber) -> Option<Contribution> {
    let judge = &state.judges[seat];
    let answer = judge.answers.get(&round)?;
    (!judge.has_capability(&Capability::Message)).then(|| Contribution {
        role: "you yourself".to_owned(),
        round,
        key_insight: answer.key_insight.clone(),
        findings: answer.findings.clone(),
        document: answer.document.clone(),
    })
}

/// Another round of rebuttals, when the minimum or the contention asks for one; else none.
fn rebuttal_round(state: &mut DebateState) -> Option<RoundPlan> {
    if is_silent(state) {
        return None;
    }
    let (round, limits) = (state.completed, round_limits(state));
    let score = measure_contention(state);
    let threshold = state.plan.options.threshold;
    let threshold = threshold.unwrap_or(Contention::THRESHOLD);
    let then = match () {
        () if round >= limits.max => ContentionStep::Limit,
        () if round < limits.min && score < threshold => ContentionStep::Forced,
        () if round < limits.min || score >= threshold => ContentionStep::Extended,
        () => ContentionStep::Settled,
    };
    state.ledger.contention.push(ContentionRecord {
        round: RoundNumber(round),
        score,
        then,
    });
    let what = match then {
        ContentionStep::Extended => format!("extending to Round {}", round + 1),
        ContentionStep::Forced => format!("extending to Round {} (minimum rounds)", round + 1),
        ContentionStep::Settled | ContentionStep::Limit => "proceeding to synthesis".to_owned(),
    };
    state.add_log(format!("[Contention] Score: {:.2} → {what}", score.score()));
    if matches!(then, ContentionStep::Settled | ContentionStep::Limit) {
        return None;
    }
    let debaters = state.judges.debating_seats();
    let asks = debaters
        .into_iter()
        .map(|seat| (seat, vec![QueuedTask::new(rebuttal_task(state, seat))]));
    let asks: Vec<_> = asks.collect();
    (!asks.is_empty()).then(|| RoundPlan::at_once(asks, state.plan.timeouts.r2_ms))
}

/// Whether nobody answered the round that has just ended. Then nothing was debated in it, and there is nothing to score;
/// whoever did not answer it would not answer the next one either.
fn is_silent(state: &mut DebateState) -> bool {
    let Some(round) = state
        .ledger
        .rounds
        .last()
        .filter(|round| round.answered.is_empty())
    else {
        return false;
    };
    let number = round.round;
    state.add_note(format!(
        "nobody answered round {number}: what came before it was not debated any further"
    ));
    state.add_log(format!(
        "[Contention] No score: nobody answered Round {number} → proceeding to synthesis"
    ));
    true
}

/// What is still open, as one judge sees it.
fn rebuttal_task(state: &mut DebateState, seat: SeatIndex) -> Task {
    let order = anonymity::peer_order(&state.plan.seed, &state.judges, seat);
    let clusters = state.clusters();
    let disputed = clusters
        .iter()
        .filter(|c| c.is_live() && c.dispute_halves() > 0);
    let versions = disputed.flat_map(|c| &c.versions).filter(|v| v.is_live());
    let open = versions
        .filter_map(|version| open_point(state, seat, &order, version))
        .collect();
    let round = state.begun.next();
    state.judges[seat].peers.insert(round, order);
    Task::Rebut {
        open,
        challenges: state.put_challenges(seat, |_| true),
    }
}

fn open_point(
    state: &DebateState,
    seat: SeatIndex,
    order: &[SeatIndex],
    version: &FindingVersion,
) -> Option<OpenPoint> {
    let names = anonymity::judge_names(&state.judges);
    let id = if version.seat == seat {
        version.number.to_string()
    } else {
        let place = order.iter().position(|&other| other == version.seat)?;
        format!("{}{}", anonymity::peer_label(place), version.number)
    };
    let said = version.opinions.values().map(|voiced| Statement {
        stance: voiced.opinion.stance,
        reasoning: anonymity::scrub_names(&voiced.opinion.reasoning, &names),
        evidence: voiced.opinion.evidence.clone(),
    });
    let finding: Finding = anonymity::scrub_finding(&version.finding, &names);
    Some(OpenPoint {
        id,
        finding,
        said: said.collect(),
    })
}

/// The document of the whole debate, by the synthesizer; over a stage without one, by a judge that is still there.
fn synthesis_round(state: &mut DebateState) -> Option<RoundPlan> {
    state.ending = true;
    let seated = |seat: &SeatIndex| state.judges[*seat].presence == SeatPresence::Seated;
    let own = state
        .judges
        .seats_where(|j| j.synthesizer)
        .into_iter()
        .find(seated);
    let wanted = state.plan.options.synthesizer.is_some()
        || state.plan.options.subject == DebateSubject::Text;
    let writer = own
        .or_else(|| state.judges.debating_seats().first().copied())
        .filter(|_| wanted);
    let Some(writer) = writer else {
        if wanted {
            state.add_note("nobody was left to write the synthesis");
        }
        return None;
    };
    let mut contributions = collect_contributions(state);
    drop_documents(state, &mut contributions);
    let contention = state.ledger.contention.iter().map(|c| c.score).collect();
    let task = Task::Synthesize {
        contributions,
        contention,
    };
    Some(RoundPlan::at_once(
        vec![(writer, vec![QueuedTask::new(task)])],
        state.plan.timeouts.r1_ms,
    ))
}

/// What each role contributed in each round, oldest first. The synthesizer weighs roles, so that they are named.
fn collect_contributions(state: &DebateState) -> Vec<Contribution> {
    let mut all = Vec::new();
    for round in (1..=state.begun.0).map(RoundNumber) {
        for judge in state.judges.iter() {
            let Some(answer) = judge.answers.get(&round) else {
                continue;
            };
            let raised = judge.raised.iter().filter(|r| r.round == round);
            all.push(Contribution {
                role: judge.role().to_owned(),
                round,
                key_insight: answer.key_insight.clone(),
                findings: raised.map(|r| r.finding.clone()).collect(),
                document: answer.document.clone(),
            });
        }
    }
    all
}

/// Documents beyond the bound give way, oldest round first: findings and summary stay.
fn drop_documents(state: &mut DebateState, contributions: &mut [Contribution]) {
    let size = |c: &Contribution| c.document.as_ref().map_or(0, String::len);
    let mut total: usize = contributions.iter().map(size).sum();
    let mut dropped = 0;
    for contribution in contributions.iter_mut() {
        if total > DOCUMENT_BYTES && contribution.document.is_some() {
            total -= size(contribution);
            contribution.document = None;
            dropped += 1;
        }
    }
    if dropped > 0 {
        state.add_note(format!(
            "{dropped} documents of earlier rounds were reduced to findings and summary to fit"
        ));
    }
}
