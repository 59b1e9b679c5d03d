//! Seed 001: openings, one to four rounds of cross-examination, a final ballot. All rounds run.

use council_protocol::answer::PeerMessage;
use council_protocol::task::{Councillor, Task};
use council_protocol::{Answer, Confidence, Vote};

use super::debate::{debate_obstacle, exchange_peers, note_absentees};
use super::quick::ask_everybody;
use super::{MAX_MESSAGE_CHARS, ProcedureRules};
use crate::council::bench::{QueuedTask, SeatIndex};
use crate::council::challenge::is_role;
use crate::council::floor::{DebateState, RoundPlan, SubTurn};
use crate::council::ledger::{BallotRecord, MessageRecord};
use crate::council::{Action, CancelCause, moderator, summary, verdict};

/// Rounds of cross-examination where nothing is said about them, and at most.
const ROUNDS: u8 = 2;
const MAX_ROUNDS: u8 = 4;

/// Challenges that are asked for in each round.
const WANTED: u8 = 2;

/// The fewest arguments of an opening statement that are not vague.
const ARGUMENTS: usize = 3;

/// `cross-examination`.
pub(super) struct CrossExaminationRules;

impl ProcedureRules for CrossExaminationRules {
    fn next_round(&self, floor: &mut DebateState) -> Option<RoundPlan> {
        if floor.completed == 0 {
            return Some(ask_everybody(floor, opening_task));
        }
        close_examination(floor);
        let next = match floor.completed {
            _ if floor.ending => None,
            done if done <= round_count(floor) => {
                examination_round(floor).or_else(|| ballot_round(floor))
            }
            _ => ballot_round(floor),
        };
        if next.is_none() {
            floor.ledger.confidence = council_confidence(floor);
        }
        next
    }

    fn on_answer(
        &self,
        floor: &mut DebateState,
        chair: SeatIndex,
        answer: &Answer,
    ) -> Vec<(SeatIndex, QueuedTask)> {
        if floor.begun == 1 {
            ask_question(floor, chair, answer);
            return Vec::new();
        }
        if let Some(ballot) = answer.ballot.clone().filter(|_| floor.ending) {
            let judge = floor.bench.judges[chair].id().clone();
            floor.ledger.ballots.push(BallotRecord { judge, ballot });
            return Vec::new();
        }
        floor.note_challenge_answers(chair, &answer.answers);
        if floor.pass == 0 || !is_last(floor) {
            floor.note_challenges(chair, answer);
        }
        let route = |message: &PeerMessage| route_message(floor, chair, message);
        answer.messages.iter().filter_map(route).collect()
    }

    /// Pass 0: what the round left open. Pass 1, after the last round: its challenges are asked again.
    fn on_pass_over(&self, floor: &mut DebateState, pass: u8) -> Vec<(SeatIndex, QueuedTask)> {
        if floor.begun < 2 || floor.ending {
            return Vec::new();
        }
        moderator::give_up_evaded(floor);
        let (round, last) = (floor.begun, is_last(floor));
        match pass {
            0 => {
                let mut asks = if last {
                    challenge_now(floor)
                } else {
                    Vec::new()
                };
                if asks.is_empty() {
                    asks = moderator::ask_evaders(floor, |c| c.round < round);
                }
                asks.extend(moderator::challenge_groupthink(floor));
                asks.extend(moderator::reframe_stale(floor));
                asks
            }
            1 if last => moderator::ask_evaders(floor, |_| true),
            _ => Vec::new(),
        }
    }

    fn find_objection(
        &self,
        floor: &DebateState,
        chair: SeatIndex,
        task: &Task,
        answer: &Answer,
    ) -> Option<String> {
        match task {
            Task::Opening { .. } => vague_objection(floor, chair, answer),
            Task::Examine { wanted, .. } => challenge_objection(floor, chair, *wanted, answer),
            Task::Ballot if answer.ballot.is_none() => {
                Some("ballot: missing; it is your final vote".into())
            }
            _ => None,
        }
    }
}

/// How many rounds of cross-examination there are.
fn round_count(floor: &DebateState) -> u8 {
    floor
        .plan
        .options
        .rounds
        .map_or(ROUNDS, |limits| limits.max)
        .clamp(1, MAX_ROUNDS)
}

/// Whether the round that runs is the last one of cross-examination.
fn is_last(floor: &DebateState) -> bool {
    floor.begun > round_count(floor)
}

fn opening_task(floor: &DebateState, chair: SeatIndex) -> Task {
    let others = floor
        .bench
        .sitting_seats()
        .into_iter()
        .filter(|&other| other != chair);
    let role = |other: SeatIndex| floor.bench.judges[other].role().to_owned();
    Task::Opening {
        others: others.map(role).collect(),
    }
}

/// The question of an opening statement is the first challenge.
fn ask_question(floor: &mut DebateState, chair: SeatIndex, answer: &Answer) {
    let Some(question) = answer
        .question
        .as_ref()
        .filter(|q| !q.text.trim().is_empty())
    else {
        return;
    };
    let asked = |&other: &SeatIndex| {
        other != chair && is_role(floor.bench.judges[other].role(), &question.to)
    };
    // Not everybody has answered yet, so that the addressee is looked for among all who sit.
    if let Some(to) = floor.bench.sitting_seats().into_iter().find(asked) {
        floor.add_challenge(chair, to, "", &question.text);
    }
}

/// The round that has just ended goes into the ledger.
fn close_examination(floor: &mut DebateState) {
    moderator::give_up_evaded(floor);
    if floor.begun > 1 && !floor.ending {
        summary::note_unchallenged(floor, usize::from(WANTED));
    }
    summary::close_round(floor);
    let line = summary::progress_line(floor, round_count(floor));
    floor.add_log(line);
    if floor.plan.options.minutes {
        let so_far = verdict::build_outcome(floor, Some(CancelCause::Interrupted));
        floor.out.push(Action::Minutes {
            so_far: Box::new(so_far),
        });
    }
}

/// One round: everybody sees where the others stand and what it has to answer.
fn examination_round(floor: &mut DebateState) -> Option<RoundPlan> {
    let debaters = floor.bench.debating_seats();
    if let Some(obstacle) = debate_obstacle(&floor.bench, &debaters) {
        floor.add_note(obstacle);
        return None;
    }
    note_absentees(floor, &debaters);
    let (round, of) = (floor.completed, round_count(floor));
    let direct = !floor.plan.options.economy;
    let asks = debaters.into_iter().map(|chair| {
        let (councillors, dropped) = councillors_for(floor, chair);
        let task = Task::Examine {
            round,
            of,
            councillors,
            challenges: floor.open_challenges(chair, |_| true),
            wanted: WANTED,
            direct,
            dropped,
            framing: floor.framing(),
        };
        (chair, vec![QueuedTask::new(task)])
    });
    let asks = asks.collect();
    Some(RoundPlan {
        asks,
        timeout_ms: floor.plan.timeouts.r2_ms,
        in_turn: !direct,
    })
}

/// Where the others stand, each under its role.
fn councillors_for(floor: &mut DebateState, chair: SeatIndex) -> (Vec<Councillor>, u32) {
    let round = floor.begun + 1;
    let (peers, dropped) = exchange_peers(floor, chair, round);
    let order = floor.bench.judges[chair]
        .peers
        .get(&round)
        .cloned()
        .unwrap_or_default();
    let councillor = |(peer, other): (council_protocol::task::Peer, SeatIndex)| {
        let judge = &floor.bench.judges[other];
        let last = judge.last_before(round).map(|(_, answer)| answer);
        let position = last.map(|a| a.position.clone().unwrap_or_else(|| a.key_insight.clone()));
        Councillor {
            role: judge.role().to_owned(),
            position: position.unwrap_or_default(),
            arguments: last.map(|a| a.arguments.clone()).unwrap_or_default(),
            peer,
        }
    };
    (
        peers.into_iter().zip(order).map(councillor).collect(),
        dropped,
    )
}

/// The final vote of everybody who can still be reached.
fn ballot_round(floor: &mut DebateState) -> Option<RoundPlan> {
    let debaters = floor.bench.debating_seats();
    if debaters.is_empty() || floor.begun < 2 {
        return None;
    }
    floor.ending = true;
    let asks = debaters
        .into_iter()
        .map(|chair| (chair, vec![QueuedTask::new(Task::Ballot)]))
        .collect();
    let in_turn = floor.plan.options.economy;
    Some(RoundPlan {
        asks,
        timeout_ms: floor.plan.timeouts.r2_ms,
        in_turn,
    })
}

/// Challenges of the last round have no next one: they are put at once.
fn challenge_now(floor: &DebateState) -> Vec<(SeatIndex, QueuedTask)> {
    let round = floor.begun;
    let put = |chair: SeatIndex| {
        let challenges = floor.open_challenges(chair, |c| c.round == round);
        (!challenges.is_empty()).then(|| (chair, QueuedTask::new(Task::Challenged { challenges })))
    };
    let there = floor
        .bench
        .seats_where(|j| j.answers.contains_key(&round) && j.can_debate());
    there.into_iter().filter_map(put).collect()
}

/// Passes a message on, when its addressee can still be interrupted in this round; the ledger keeps it either way.
fn route_message(
    floor: &mut DebateState,
    chair: SeatIndex,
    message: &PeerMessage,
) -> Option<(SeatIndex, QueuedTask)> {
    let text = message.text.trim();
    let to = floor
        .find_addressee(chair, &message.to)
        .filter(|_| !text.is_empty())?;
    let delivered = !floor.plan.options.economy && floor.may_interrupt(to, SubTurn::Message);
    let text: String = text.chars().take(MAX_MESSAGE_CHARS).collect();
    floor.ledger.messages.push(MessageRecord {
        round: floor.begun,
        from: floor.bench.judges[chair].id().clone(),
        to: floor.bench.judges[to].id().clone(),
        text: text.clone(),
        delivered,
    });
    let from = floor.bench.judges[chair].role().to_owned();
    delivered.then(|| (to, QueuedTask::new(Task::Message { from, text })))
}

/// An opening that nobody could challenge. Rules have as many arguments as they have findings.
fn vague_objection(floor: &DebateState, chair: SeatIndex, answer: &Answer) -> Option<String> {
    let given = answer
        .arguments
        .iter()
        .filter(|a| !a.trim().is_empty())
        .count();
    if answer.position.as_ref().is_none_or(|p| p.trim().is_empty()) {
        Some("position: missing; say where you stand in one or two specific sentences".into())
    } else if given < ARGUMENTS && !floor.bench.judges[chair].is_deterministic() {
        Some(format!(
            "arguments: {given}; three to five specific ones are asked for"
        ))
    } else {
        None
    }
}

/// Challenges to nobody, or fewer than were asked for without a reason.
fn challenge_objection(
    floor: &DebateState,
    chair: SeatIndex,
    wanted: u8,
    answer: &Answer,
) -> Option<String> {
    let known = |name: &str| floor.find_addressee(chair, name).is_some();
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

/// Seed 001: high above three quarters and stable, medium with a majority, low without one or when votes shifted at the end.
fn council_confidence(floor: &DebateState) -> Option<Confidence> {
    let votes: Vec<Vote> = floor.positions().iter().filter_map(|p| p.counted).collect();
    let fails = votes.iter().filter(|&&v| v == Vote::Fail).count();
    let majority = fails.max(votes.len() - fails);
    let shifted = floor.ledger.rounds.last().is_some_and(|last| {
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
