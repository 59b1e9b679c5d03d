//! Openings, one to four rounds of cross-examination, a final ballot. All rounds run.

use council_protocol::answer::PeerMessage;
use council_protocol::task::{Councillor, Task};
use council_protocol::{Answer, Confidence, Vote};

use super::agenda::DebateAgenda;
use super::debate::{debate_obstacle, exchange_peers, note_absentees};
use super::quick::ask_everybody;
use super::rules::{MAX_MESSAGE_CHARS, ProcedureRules};
use crate::challenge::is_role;
use crate::exchange::{Action, CancelCause};
use crate::judges::{QueuedTask, SeatIndex};
use crate::ledger::{BallotRecord, MessageRecord};
use crate::state::{DebateState, RoundPlan, SubTurn};
use crate::{moderator, summary, verdict};

/// Rounds of cross-examination where nothing is said about them, and at most.
const ROUNDS: u8 = 2;
const MAX_ROUNDS: u8 = 4;

/// Challenges that are asked for in each round.
const WANTED: u8 = 2;

/// The fewest arguments of an opening statement that are not vague.
const ARGUMENTS: usize = 3;

pub(super) struct CrossExaminationRules;

impl ProcedureRules for CrossExaminationRules {
    fn next_round(&self, state: &mut DebateState) -> Option<RoundPlan> {
        if state.completed == 0 {
            return Some(ask_everybody(state, opening_task));
        }
        close_examination(state);
        let next = match state.completed {
            _ if state.ending => None,
            done if done <= round_count(state) => {
                examination_round(state).or_else(|| ballot_round(state))
            }
            _ => ballot_round(state),
        };
        if next.is_none() {
            state.ledger.confidence = council_confidence(state);
        }
        next
    }

    fn on_answer(
        &self,
        state: &mut DebateState,
        seat: SeatIndex,
        answer: &Answer,
    ) -> Vec<(SeatIndex, QueuedTask)> {
        if state.begun == 1 {
            ask_question(state, seat, answer);
            return Vec::new();
        }
        if let Some(ballot) = answer.ballot.clone().filter(|_| state.ending) {
            let judge = state.judges[seat].id().clone();
            state.ledger.ballots.push(BallotRecord { judge, ballot });
            return Vec::new();
        }
        state.note_challenge_answers(seat, &answer.answers);
        if state.pass == 0 || !is_last(state) {
            state.note_challenges(seat, answer);
        }
        let route = |message: &PeerMessage| route_message(state, seat, message);
        answer.messages.iter().filter_map(route).collect()
    }

    /// Pass 0: what the round left open. Pass 1, after the last round: its challenges are asked again.
    fn on_pass_over(&self, state: &mut DebateState, pass: u8) -> Vec<(SeatIndex, QueuedTask)> {
        if state.begun < 2 || state.ending {
            return Vec::new();
        }
        moderator::give_up_evaded(state);
        let (round, last) = (state.begun, is_last(state));
        match pass {
            0 => {
                let mut asks = if last {
                    challenge_now(state)
                } else {
                    Vec::new()
                };
                if asks.is_empty() {
                    asks = moderator::ask_evaders(state, |c| c.round < round);
                }
                asks.extend(moderator::challenge_groupthink(state));
                asks.extend(moderator::reframe_stale(state));
                asks
            }
            1 if last => moderator::ask_evaders(state, |_| true),
            _ => Vec::new(),
        }
    }

    fn find_objection(
        &self,
        state: &DebateState,
        seat: SeatIndex,
        task: &Task,
        answer: &Answer,
    ) -> Option<String> {
        match task {
            Task::Opening { .. } => vague_objection(state, seat, answer),
            Task::Examine { wanted, .. } => challenge_objection(state, seat, *wanted, answer),
            Task::Ballot if answer.ballot.is_none() => {
                Some("ballot: missing; it is your final vote".into())
            }
            _ => None,
        }
    }
}

/// How many rounds of cross-examination there are.
fn round_count(state: &DebateState) -> u8 {
    state
        .plan
        .options
        .rounds
        .map_or(ROUNDS, |limits| limits.max)
        .clamp(1, MAX_ROUNDS)
}

/// Whether the round that runs is the last one of cross-examination.
fn is_last(state: &DebateState) -> bool {
    state.begun > round_count(state)
}

fn opening_task(state: &DebateState, seat: SeatIndex) -> Task {
    let others = state
        .judges
        .sitting_seats()
        .into_iter()
        .filter(|&other| other != seat && state.judges[other].debates);
    let role = |other: SeatIndex| state.judges[other].role().to_owned();
    Task::Opening {
        others: others.map(role).collect(),
    }
}

/// The question of an opening statement is the first challenge.
fn ask_question(state: &mut DebateState, seat: SeatIndex, answer: &Answer) {
    let Some(question) = answer
        .question
        .as_ref()
        .filter(|q| !q.text.trim().is_empty())
    else {
        return;
    };
    let asked = |&other: &SeatIndex| {
        let other_judge = &state.judges[other];
        // Rules answer no questions.
        other != seat && other_judge.debates && is_role(other_judge.role(), &question.to)
    };
    // Not everybody has answered yet, so that the addressee is looked for among all who sit.
    if let Some(to) = state.judges.sitting_seats().into_iter().find(asked) {
        state.add_challenge(seat, to, "", &question.text);
    }
}

/// The round that has just ended goes into the ledger.
fn close_examination(state: &mut DebateState) {
    moderator::give_up_evaded(state);
    if state.begun > 1 && !state.ending {
        summary::note_unchallenged(state, usize::from(WANTED));
    }
    summary::close_round(state);
    let line = summary::progress_line(state, round_count(state));
    state.add_log(line);
    if state.plan.options.minutes {
        let so_far = verdict::build_outcome(state, Some(CancelCause::Interrupted));
        state.out.push(Action::Minutes {
            so_far: Box::new(so_far),
        });
    }
}

/// One round: everybody sees where the others stand and what it has to answer.
fn examination_round(state: &mut DebateState) -> Option<RoundPlan> {
    let debaters = state.judges.debating_seats();
    if let Some(obstacle) = debate_obstacle(&state.judges, &debaters) {
        state.add_note(obstacle);
        return None;
    }
    note_absentees(state, &debaters);
    let (round, of) = (state.completed, round_count(state));
    let direct = !state.plan.options.economy;
    let asks = debaters.into_iter().map(|seat| {
        let (councillors, dropped) = councillors_for(state, seat);
        let task = Task::Examine {
            round,
            of,
            councillors,
            challenges: state.put_challenges(seat, |_| true),
            wanted: WANTED,
            direct,
            dropped,
            framing: state.framing(),
        };
        (seat, vec![QueuedTask::new(task)])
    });
    let asks = asks.collect();
    Some(RoundPlan {
        asks,
        timeout_ms: state.plan.timeouts.r2_ms,
        in_turn: !direct,
    })
}

/// Where the others stand, each under its role.
fn councillors_for(state: &mut DebateState, seat: SeatIndex) -> (Vec<Councillor>, u32) {
    let round = state.begun.next();
    let shown = exchange_peers(state, seat, round, &DebateAgenda::Everything);
    let order = state.judges[seat]
        .peers
        .get(&round)
        .cloned()
        .unwrap_or_default();
    let councillor = |(peer, other): (council_protocol::task::Peer, SeatIndex)| {
        let judge = &state.judges[other];
        let last = judge.last_before(round).map(|(_, answer)| answer);
        let position = last.map(|a| a.position.clone().unwrap_or_else(|| a.key_insight.clone()));
        Councillor {
            role: judge.role().to_owned(),
            position: position.unwrap_or_default(),
            arguments: last.map(|a| a.arguments.clone()).unwrap_or_default(),
            peer,
        }
    };
    let councillors = shown.peers.into_iter().zip(order).map(councillor);
    (councillors.collect(), shown.dropped)
}

/// The final vote of everybody who can still be reached.
fn ballot_round(state: &mut DebateState) -> Option<RoundPlan> {
    let debaters = state.judges.debating_seats();
    if debaters.is_empty() || state.begun < 2 {
        return None;
    }
    state.ending = true;
    let asks = debaters
        .into_iter()
        .map(|seat| (seat, vec![QueuedTask::new(Task::Ballot)]))
        .collect();
    let in_turn = state.plan.options.economy;
    Some(RoundPlan {
        asks,
        timeout_ms: state.plan.timeouts.r2_ms,
        in_turn,
    })
}

/// Challenges of the last round have no next one: they are put at once.
fn challenge_now(state: &mut DebateState) -> Vec<(SeatIndex, QueuedTask)> {
    let round = state.begun;
    let there = state
        .judges
        .seats_where(|j| j.answers.contains_key(&round) && j.can_debate());
    let put = |seat: SeatIndex| {
        let challenges = state.put_challenges(seat, |c| c.round == round);
        (!challenges.is_empty()).then(|| (seat, QueuedTask::new(Task::Challenged { challenges })))
    };
    there.into_iter().filter_map(put).collect()
}

/// Passes a message on, when its addressee can still be interrupted in this round; the ledger keeps it either way.
fn route_message(
    state: &mut DebateState,
    seat: SeatIndex,
    message: &PeerMessage,
) -> Option<(SeatIndex, QueuedTask)> {
    let text = message.text.trim();
    let to = state
        .find_addressee(seat, &message.to)
        .filter(|_| !text.is_empty())?;
    let delivered = !state.plan.options.economy && state.may_interrupt(to, SubTurn::Message);
    let text: String = text.chars().take(MAX_MESSAGE_CHARS).collect();
    state.ledger.messages.push(MessageRecord {
        round: state.begun,
        from: state.judges[seat].id().clone(),
        to: state.judges[to].id().clone(),
        text: text.clone(),
        delivered,
    });
    let from = state.judges[seat].role().to_owned();
    delivered.then(|| (to, QueuedTask::new(Task::Message { from, text })))
}

/// An opening that nobody could challenge. Rules have as many arguments as they have findings.
fn vague_objection(state: &DebateState, seat: SeatIndex, answer: &Answer) -> Option<String> {
    let given = answer
        .arguments
        .iter()
        .filter(|a| !a.trim().is_empty())
        .count();
    if answer.position.as_ref().is_none_or(|p| p.trim().is_empty()) {
        Some("position: missing; say where you stand in one or two specific sentences".into())
    } else if given < ARGUMENTS && !state.judges[seat].is_deterministic() {
        Some(format!(
            "arguments: {given}; three to five specific ones are asked for"
        ))
    } else {
        None
    }
}

/// Challenges to nobody, or fewer than were asked for without a reason.
fn challenge_objection(
    state: &DebateState,
    seat: SeatIndex,
    wanted: u8,
    answer: &Answer,
) -> Option<String> {
    let known = |name: &str| state.find_addressee(seat, name).is_some();
    let stray = answer.challenges.iter().position(|c| !known(&c.to));
    let reason = answer
        .no_challenge
        .as_ref()
        .is_some_and(|r| !r.trim().is_empty());
    match stray {
        Some(index) => Some(format!(
            "challenges[{index}].to: there is nobody of that role on this council"
        )),
        None if answer.challenges.len() < usize::from(wanted) && !reason => Some(format!(
            "challenges: {}; at least {wanted} specific ones are asked for, or the reason in `no_challenge`",
            answer.challenges.len()
        )),
        None => None,
    }
}

/// High above three quarters and stable, medium with a majority, low without one or when votes shifted at the end.
fn council_confidence(state: &DebateState) -> Option<Confidence> {
    let judges = state.judges.iter().zip(state.positions());
    let models = judges.filter(|(judge, _)| !judge.is_deterministic());
    let votes: Vec<Vote> = models
        .filter_map(|(_, position)| position.counted)
        .collect();
    let fails = votes.iter().filter(|&&v| v == Vote::Fail).count();
    let majority = fails.max(votes.len() - fails);
    let shifted = state.ledger.rounds.last().is_some_and(|last| {
        last.round > 1
            && last
                .stands
                .iter()
                .any(|s| s.before.is_some_and(|before| before != s.after))
    });
    (!votes.is_empty()).then_some(match () {
        () if shifted || majority * 2 <= votes.len() => Confidence::Low,
        () if majority * 4 > votes.len() * 3 => Confidence::High,
        () => Confidence::Medium,
    })
}
