//! The moderator: groupthink, evasion and stale debate, detected from the ledger, answered in fixed words, once of a kind in
//! a round. It never speaks of anything else and never votes.

use std::collections::BTreeMap;

use council_protocol::Vote;
use council_protocol::task::{InterventionKind, PutChallenge, Task};

use super::judges::{QueuedTask, SeatIndex, SeatPresence};
use super::keys::SeededRandom;
use super::ledger::InterventionRecord;
use super::like_words::is_alike;
use super::outcome::ChallengeRecord;
use super::state::{DebateState, SubTurn};
use super::summary::CONSENSUS;

const GROUPTHINK: (&str, &str) = (
    "I notice emerging consensus on:",
    "Before we accept this consensus, steelman the OPPOSING view:\n\
     - What would need to be true for this consensus to be WRONG?\n\
     - What evidence would change your mind?\n\
     - What blind spots might we all share?\n\n\
     Provide a genuine counter-argument, not a token objection.",
);
const EVASION: &str = "Your response did not address it directly. Please respond specifically:\n\
     - Do you agree or disagree with their point?\n\
     - If you disagree, provide a concrete counter-argument\n\
     - If you agree, how does it change your position?\n\n\
     Vague responses are not acceptable in this council.";
const STALE: (&str, &str) = (
    "The debate has stalled. Consider this angle:",
    "How does this reframing change your analysis?",
);
const REFRAMINGS: [&str; 4] = [
    "What if the timeline was 10x shorter/longer?",
    "What if the budget was unlimited/zero?",
    "What if the main competitor already did this?",
    "What would you recommend if you had to live with the consequences personally?",
];

/// Gives up the challenges that were asked again and are still unanswered.
pub(super) fn give_up_evaded(state: &mut DebateState) {
    let again: Vec<&String> = state
        .ledger
        .interventions
        .iter()
        .flat_map(|i| &i.challenges)
        .collect();
    for challenge in state.challenges.iter_mut().filter(|c| c.answer.is_none()) {
        challenge.evaded |= again.contains(&&challenge.id);
    }
}

/// Asks everybody again who took part in the round and left a challenge unanswered that `wanted` picks.
pub(super) fn ask_evaders(
    state: &mut DebateState,
    wanted: impl Fn(&ChallengeRecord) -> bool,
) -> Vec<(SeatIndex, QueuedTask)> {
    let mut asks = Vec::new();
    let mut ids = Vec::new();
    if has_intervened(state, InterventionKind::Evasion) {
        return asks;
    }
    for seat in present_seats(state) {
        let open = state.open_challenges(seat, &wanted);
        if let Some(first) = open
            .first()
            .cloned()
            .filter(|_| state.may_interrupt(seat, SubTurn::Moderator))
        {
            let open = state.put_challenges(seat, &wanted);
            ids.extend(open.iter().map(|c| c.id.clone()));
            asks.push((seat, QueuedTask::new(evasion_task(&first, open))));
        }
    }
    let about = ids.join(", ");
    record_intervention(state, InterventionKind::Evasion, about, ids, asks)
}

fn evasion_task(first: &PutChallenge, challenges: Vec<PutChallenge>) -> Task {
    Task::Moderate {
        kind: InterventionKind::Evasion,
        opening: format!("{} raised this specific challenge:", first.from),
        about: if first.claim.is_empty() {
            first.question.clone()
        } else {
            first.claim.clone()
        },
        demand: EVASION.to_owned(),
        challenges,
    }
}

/// Asks the critic to argue against a point that three or more agree on and nobody challenged.
pub(super) fn challenge_groupthink(state: &mut DebateState) -> Vec<(SeatIndex, QueuedTask)> {
    let known = |about: &str| {
        let mut before = state.ledger.interventions.iter();
        before.any(|i| i.kind == InterventionKind::Groupthink && i.about == about)
    };
    let Some((about, supporters)) = unchallenged_point(state).filter(|(about, _)| !known(about))
    else {
        return Vec::new();
    };
    let Some(critic) =
        pick_critic(state, &supporters).filter(|&c| state.may_interrupt(c, SubTurn::Moderator))
    else {
        return Vec::new();
    };
    let task = Task::Moderate {
        kind: InterventionKind::Groupthink,
        opening: GROUPTHINK.0.to_owned(),
        about: about.clone(),
        demand: GROUPTHINK.1.to_owned(),
        challenges: Vec::new(),
    };
    record_intervention(
        state,
        InterventionKind::Groupthink,
        about,
        Vec::new(),
        vec![(critic, QueuedTask::new(task))],
    )
}

/// A finding, or else a vote, that three or more share and nobody challenged.
fn unchallenged_point(state: &DebateState) -> Option<(String, Vec<SeatIndex>)> {
    let clusters = state.clusters();
    let finding = clusters
        .iter()
        .filter(|c| c.is_live() && c.dispute_halves() == 0)
        .find_map(|c| {
            let supporters: Vec<SeatIndex> = c.supporters().into_iter().collect();
            let doubted = state
                .challenges
                .iter()
                .any(|q| is_alike(&q.claim, c.words()) || is_alike(&q.question, c.words()));
            (supporters.len() >= CONSENSUS && !doubted).then(|| (c.words().to_owned(), supporters))
        });
    finding.or_else(|| unchallenged_vote(state))
}

/// A vote that three or more gave, none of whom anybody challenged in this round.
fn unchallenged_vote(state: &DebateState) -> Option<(String, Vec<SeatIndex>)> {
    let mut by_vote: BTreeMap<Vote, Vec<SeatIndex>> = BTreeMap::new();
    for (seat, position) in state
        .judges
        .seats_where(|_| true)
        .into_iter()
        .zip(state.positions())
    {
        let is_model = !state.judges[seat].is_deterministic();
        if let Some(vote) = position.counted.filter(|_| is_model) {
            by_vote.entry(vote).or_default().push(seat);
        }
    }
    let challenged = |&seat: &SeatIndex| {
        let judge = state.judges[seat].id();
        state
            .challenges
            .iter()
            .any(|c| c.round == state.begun && c.to == *judge)
    };
    let shared = by_vote
        .into_iter()
        .filter(|(_, seats)| seats.len() >= CONSENSUS);
    let mut free = shared.filter(|(_, seats)| !seats.iter().any(challenged));
    free.next()
        .map(|(vote, seats)| (format!("the vote should be {}", vote.as_str()), seats))
}

/// The critic, else a supporter that the seed of the run picks.
fn pick_critic(state: &DebateState, supporters: &[SeatIndex]) -> Option<SeatIndex> {
    let present = present_seats(state);
    let is_critic = |&seat: &SeatIndex| state.judges[seat].role().to_lowercase().contains("critic");
    present.iter().copied().find(is_critic).or_else(|| {
        let mut able: Vec<SeatIndex> = supporters
            .iter()
            .copied()
            .filter(|c| present.contains(c))
            .collect();
        able.sort_by(|&a, &b| state.judges[a].id().cmp(state.judges[b].id()));
        let round = state.begun.to_string();
        let picked = SeededRandom::new(&state.plan.seed, "groupthink", &[round.as_str()])
            .next_below(able.len());
        able.get(picked).copied()
    })
}

/// Reframes the debate for everybody when a round brought no changed position and no new argument.
pub(super) fn reframe_stale(state: &mut DebateState) -> Vec<(SeatIndex, QueuedTask)> {
    let present = present_seats(state);
    if present.is_empty()
        || present
            .iter()
            .any(|&seat| brought_something_new(state, seat))
    {
        return Vec::new();
    }
    let round = state.begun.to_string();
    let picked = SeededRandom::new(&state.plan.seed, "reframing", &[round.as_str()])
        .next_below(REFRAMINGS.len());
    let question = REFRAMINGS[picked];
    // Whoever was just asked to argue the other side has a new angle, and room left for a challenge that it evades.
    let able: Vec<SeatIndex> = present
        .into_iter()
        .filter(|&c| !was_asked_to_steelman(state, c) && state.may_interrupt(c, SubTurn::Moderator))
        .collect();
    let ask = || {
        QueuedTask::new(Task::Moderate {
            kind: InterventionKind::Stale,
            opening: STALE.0.to_owned(),
            about: question.to_owned(),
            demand: STALE.1.to_owned(),
            challenges: Vec::new(),
        })
    };
    let asks = able.into_iter().map(|seat| (seat, ask())).collect();
    record_intervention(
        state,
        InterventionKind::Stale,
        question.to_owned(),
        Vec::new(),
        asks,
    )
}

fn was_asked_to_steelman(state: &DebateState, seat: SeatIndex) -> bool {
    let judge = state.judges[seat].id();
    let mut all = state.ledger.interventions.iter();
    all.any(|i| {
        i.round == state.begun && i.kind == InterventionKind::Groupthink && i.to.contains(judge)
    })
}

/// A vote that differs from the last one, a finding, a withdrawal, or an argument that it had not made before.
fn brought_something_new(state: &DebateState, seat: SeatIndex) -> bool {
    let judge = &state.judges[seat];
    let Some(now) = judge.answers.get(&state.begun) else {
        return false;
    };
    let earlier = || judge.answers.range(..state.begun).map(|(_, a)| a);
    let moved = earlier()
        .next_back()
        .is_some_and(|last| last.verdict != now.verdict);
    let raised = judge.raised.iter().any(|r| r.round == state.begun);
    let said_before = |argument: &String| {
        earlier()
            .flat_map(|a| &a.arguments)
            .any(|known| is_alike(known, argument))
    };
    let argued = now
        .arguments
        .iter()
        .any(|argument| !argument.trim().is_empty() && !said_before(argument));
    moved || raised || argued || !now.withdrawn.is_empty()
}

/// Whether there was an intervention of a kind in this round already.
fn has_intervened(state: &DebateState, kind: InterventionKind) -> bool {
    let mut all = state.ledger.interventions.iter();
    all.any(|i| i.round == state.begun && i.kind == kind)
}

/// Those who answered in this round and are still there.
fn present_seats(state: &DebateState) -> Vec<SeatIndex> {
    state
        .judges
        .seats_where(|j| j.answers.contains_key(&state.begun) && j.presence == SeatPresence::Seated)
}

/// Records an intervention and passes its questions on.
fn record_intervention(
    state: &mut DebateState,
    kind: InterventionKind,
    about: String,
    challenges: Vec<String>,
    asks: Vec<(SeatIndex, QueuedTask)>,
) -> Vec<(SeatIndex, QueuedTask)> {
    if !asks.is_empty() {
        let to = asks
            .iter()
            .map(|&(seat, _)| state.judges[seat].id().clone())
            .collect();
        let round = state.begun;
        state.ledger.interventions.push(InterventionRecord {
            round,
            kind,
            to,
            about,
            challenges,
        });
    }
    asks
}
