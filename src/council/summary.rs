//! What a round came to: who took part, who stands where, what three or more agree on, what is disputed (seed 001, 3.1.5).

use council_protocol::JudgeId;

use super::bench::SeatIndex;
use super::floor::DebateState;
use super::ledger::{JudgeStand, RoundRecord, UnchallengedRecord};
use super::position::position_before;

/// From so many on, agreement is a point of consensus (seed 001: "3+ councillors").
pub(super) const CONSENSUS: usize = 3;

/// Writes the round that has just ended into the ledger.
pub(super) fn close_round(floor: &mut DebateState) {
    let round = floor.begun;
    let answered = floor.bench.seats_where(|j| j.answers.contains_key(&round));
    let clusters = floor.clusters();
    let live = || clusters.iter().filter(|c| c.is_live());
    let record = RoundRecord {
        round,
        asked: floor.asked,
        stands: answered
            .iter()
            .filter_map(|&chair| judge_stand(floor, chair, round))
            .collect(),
        consensus: live()
            .filter(|c| c.supporters().len() >= CONSENSUS)
            .map(|c| c.words().to_owned())
            .collect(),
        disputed: live()
            .filter(|c| c.dispute_halves() > 0)
            .map(|c| c.words().to_owned())
            .collect(),
        answered: answered
            .iter()
            .map(|&chair| floor.bench.judges[chair].id().clone())
            .collect(),
    };
    floor.ledger.rounds.push(record);
}

fn judge_stand(floor: &DebateState, chair: SeatIndex, round: u8) -> Option<JudgeStand> {
    let judge = &floor.bench.judges[chair];
    let answer = judge.answers.get(&round)?;
    let before = position_before(floor, chair, round)
        .counted
        .filter(|_| round > 1);
    let now = position_before(floor, chair, round.saturating_add(1));
    let after = now.counted?;
    let weak = answer.verdict != after;
    let moved = before.is_some_and(|before| before != after) || weak;
    let change = now.change.filter(|_| moved);
    Some(JudgeStand {
        judge: judge.id().clone(),
        before,
        after,
        given: answer.verdict,
        confidence: answer.confidence,
        position: answer
            .position
            .clone()
            .unwrap_or_else(|| answer.key_insight.clone()),
        evidence: change.as_ref().and_then(|c| c.evidence.clone()),
        note: change.filter(|_| weak).map(|c| c.note).unwrap_or_default(),
        arguments: answer.arguments.clone(),
    })
}

/// The round that has just been closed, in a line for whoever watches (seed 001, "Present Round Summary").
pub(super) fn progress_line(floor: &DebateState, rounds: u8) -> String {
    let Some(last) = floor.ledger.rounds.last() else {
        return String::new();
    };
    let role = |judge: &JudgeId| {
        let chair = floor.bench.seat_of(judge);
        chair.map_or("", |chair| floor.bench.judges[chair].role())
    };
    let (done, asked) = (last.answered.len(), last.asked);
    let head = match last.round {
        1 => format!("[Opening] {done}/{asked} councillors spoke"),
        _ if floor.ending => format!("[Ballots] {done}/{asked} cast"),
        round => format!(
            "[Round {} of {rounds}] {done}/{asked} councillors answered",
            round - 1
        ),
    };
    let mut parts = vec![head];
    let made = floor.challenges.iter().filter(|c| c.round == last.round);
    match made.count() {
        0 => {}
        1 => parts.push("1 challenge".to_owned()),
        n => parts.push(format!("{n} challenges")),
    }
    let moved = last.stands.iter().filter_map(|stand| {
        let before = stand.before.filter(|before| *before != stand.after)?;
        let (who, before, after) = (role(&stand.judge), before.as_str(), stand.after.as_str());
        Some(format!("{who} moved from {before} to {after}"))
    });
    parts.extend(moved);
    let interventions = floor.ledger.interventions.iter();
    let interventions = interventions.filter(|i| i.round == last.round);
    parts.extend(interventions.map(|i| format!("moderator: {}", i.kind.name())));
    if last.round > 1 {
        let (agreed, disputed) = (last.consensus.len(), last.disputed.len());
        parts.push(format!(
            "{agreed} agreed by three or more, {disputed} disputed"
        ));
    }
    parts.join(" · ")
}

/// Notes who made fewer challenges than were asked for in the round that has just ended.
pub(super) fn note_unchallenged(floor: &mut DebateState, wanted: usize) {
    let round = floor.begun;
    for chair in floor.bench.seats_where(|j| j.answers.contains_key(&round)) {
        let judge = &floor.bench.judges[chair];
        let made = floor
            .challenges
            .iter()
            .filter(|c| c.round == round && c.from == *judge.id())
            .count();
        if made < wanted {
            let reason = judge
                .answers
                .get(&round)
                .and_then(|a| a.no_challenge.clone());
            let judge = judge.id().clone();
            let made = u32::try_from(made).unwrap_or(u32::MAX);
            floor.ledger.unchallenged.push(UnchallengedRecord {
                round,
                judge,
                made,
                reason: reason.unwrap_or_default(),
            });
        }
    }
}
