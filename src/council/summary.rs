//! What a round came to: who took part, who stands where, what three or more agree on, what is disputed.

use council_protocol::JudgeId;
use council_protocol::RoundNumber;

use super::judges::SeatIndex;
use super::ledger::{JudgeStand, RoundRecord, UnchallengedRecord};
use super::plan::Procedure;
use super::position::position_before;
use super::state::DebateState;

/// From so many on, agreement is a point of consensus (three councillors and more).
pub(super) const CONSENSUS: usize = 3;

/// Writes the round that has just ended into the ledger.
pub(super) fn close_round(state: &mut DebateState) {
    let round = state.begun;
    let answered = state.judges.seats_where(|j| j.answers.contains_key(&round));
    let clusters = state.clusters();
    let live = || clusters.iter().filter(|c| c.is_live());
    let record = RoundRecord {
        round,
        asked: state.asked,
        // Rules have no position to move from and no confidence.
        stands: answered
            .iter()
            .filter(|&&seat| !state.judges[seat].is_deterministic())
            .filter_map(|&seat| judge_stand(state, seat, round))
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
            .map(|&seat| state.judges[seat].id().clone())
            .collect(),
        ballots: state.ending && state.plan.procedure == Procedure::CrossExamination,
    };
    state.ledger.rounds.push(record);
}

fn judge_stand(state: &DebateState, seat: SeatIndex, round: RoundNumber) -> Option<JudgeStand> {
    let judge = &state.judges[seat];
    let answer = judge.answers.get(&round)?;
    let before = position_before(state, seat, round)
        .counted
        .filter(|_| round > 1);
    let now = position_before(state, seat, round.next());
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

/// The round that has just been closed, in a line for whoever watches.
pub(super) fn progress_line(state: &DebateState, rounds: u8) -> String {
    let Some(last) = state.ledger.rounds.last() else {
        return String::new();
    };
    let role = |judge: &JudgeId| {
        let seat = state.judges.seat_of(judge);
        seat.map_or("", |seat| state.judges[seat].role())
    };
    let (done, asked) = (last.answered.len(), last.asked);
    let head = match last.round {
        RoundNumber::FIRST => format!("[Opening] {done}/{asked} councillors spoke"),
        _ if state.ending => format!("[Ballots] {done}/{asked} cast"),
        round => format!(
            "[Round {} of {rounds}] {done}/{asked} councillors answered",
            round.previous()
        ),
    };
    let mut parts = vec![head];
    let made = state.challenges.iter().filter(|c| c.round == last.round);
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
    let interventions = state.ledger.interventions.iter();
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
pub(super) fn note_unchallenged(state: &mut DebateState, wanted: usize) {
    let round = state.begun;
    for seat in state.judges.seats_where(|j| j.answers.contains_key(&round)) {
        let judge = &state.judges[seat];
        let made = state
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
            state.ledger.unchallenged.push(UnchallengedRecord {
                round,
                judge,
                made,
                reason: reason.unwrap_or_default(),
            });
        }
    }
}
