//! What an answer refers to: findings of others and of the judge itself, by their ids. One that nobody has, or of which the
//! judge says two things at once, goes back to it.

use council_protocol::answer::Answer;
use council_protocol::{JudgeId, RoundNumber};

use super::judges::{Judges, SeatIndex};
use super::meant_ids::{only_finding, shown_findings};
use super::plain_words::excerpt;
use super::responses::{MeantFinding, is_contradictory, responses_by_finding};
use super::state::DebateState;

/// Every id in an answer that means nothing to its judge, and every finding of which it says two things at once.
pub(super) fn faulty_references(
    state: &DebateState,
    seat: SeatIndex,
    round: RoundNumber,
    answer: &Answer,
) -> Vec<String> {
    let known = KnownIds::of(state, seat, round);
    let responses = answer.responses.iter().enumerate();
    let responses = responses
        .filter(|(_, r)| !known.is_shown(&r.to) && !is_known_address(state, seat, r.to.trim()))
        .map(|(nth, r)| known.unknown(&format!("responses[{nth}].to"), &r.to));
    let withdrawals = answer.withdrawn.iter().enumerate();
    let withdrawals = withdrawals
        .filter(|(_, w)| !known.is_own(w.finding as usize))
        .map(|(nth, w)| known.unowned(&format!("withdrawn[{nth}].finding"), w.finding));
    let tests = answer.reproductions.iter().enumerate();
    // A test may be about a finding that comes in the same answer.
    let new = answer.findings.len() + answer.independent_findings.len();
    let only = only_finding(&state.judges, seat, round).is_some();
    let is_meant = |id: &str| {
        let is_told = known.is_shown(id) || is_number_to(id, known.own + new);
        is_told || id.trim().is_empty() && only
    };
    let tests = tests
        .filter(|(_, r)| !is_meant(&r.finding))
        .map(|(nth, r)| known.unknown(&format!("reproductions[{nth}].finding"), &r.finding));
    let challenges = answer.answers.iter().enumerate();
    let challenges = challenges
        .filter(|(_, given)| !is_challenge(state, given.challenge.trim()))
        .map(|(nth, given)| {
            let id = excerpt(&given.challenge);
            format!("answers[{nth}].challenge: no challenge has the id `{id}`; answer those that were put to you")
        });
    let contradicted = contradicted_ids(&state.judges, seat, round, answer);
    let contradictions = contradicted.iter().map(|id| {
        format!(
            "responses: you both agree and disagree with `{id}`; say one of them, or neither counts"
        )
    });
    let unknown = responses.chain(withdrawals).chain(tests).chain(challenges);
    unknown.chain(contradictions).collect()
}

/// What a judge may refer to.
struct KnownIds {
    /// The others' findings as the judge knows them.
    shown: Vec<String>,
    /// How many findings of its own it has reported so far.
    own: usize,
}

impl KnownIds {
    fn of(state: &DebateState, seat: SeatIndex, round: RoundNumber) -> Self {
        Self {
            shown: shown_findings(&state.judges, seat, round)
                .into_iter()
                .map(|s| s.id)
                .collect(),
            own: state.judges[seat].raised.len(),
        }
    }

    fn is_shown(&self, id: &str) -> bool {
        self.shown
            .iter()
            .any(|known| known.eq_ignore_ascii_case(id.trim()))
    }

    fn is_own(&self, number: usize) -> bool {
        (1..=self.own).contains(&number)
    }

    fn unknown(&self, field: &str, id: &str) -> String {
        let list = match self.shown.as_slice() {
            [] => "none".to_owned(),
            ids => ids.join(", "),
        };
        let id = excerpt(id);
        format!("{field}: no finding has the id `{id}`; the ids that you were shown are {list}")
    }

    fn unowned(&self, field: &str, number: u32) -> String {
        let own = match self.own {
            0 => "you have reported none".to_owned(),
            1 => "you have reported 1".to_owned(),
            many => format!("you have reported {many}, numbered from 1"),
        };
        format!("{field}: you have no finding {number}; {own}")
    }
}

/// What else a response may speak to: a judge, a challenge, a finding of one's own.
pub(super) fn is_known_address(state: &DebateState, seat: SeatIndex, to: &str) -> bool {
    let is_own = is_number_to(to, state.judges[seat].raised.len());
    is_own || is_challenge(state, to) || state.find_addressee(seat, to).is_some()
}

fn is_challenge(state: &DebateState, id: &str) -> bool {
    let mut challenges = state.challenges.iter();
    challenges.any(|c| c.id.eq_ignore_ascii_case(id))
}

fn is_number_to(id: &str, last: usize) -> bool {
    let number = id.trim().parse::<usize>();
    number.is_ok_and(|number| (1..=last).contains(&number))
}

/// The ids of which an answer says two things at once.
fn contradicted_ids(
    judges: &Judges,
    seat: SeatIndex,
    round: RoundNumber,
    answer: &Answer,
) -> Vec<String> {
    let by_finding = responses_by_finding(judges, seat, round, answer);
    let contradicted = by_finding
        .into_values()
        .filter(|said| is_contradictory(said));
    contradicted
        .filter_map(|said| said.first().map(|r| r.to.trim().to_owned()))
        .collect()
}

/// Who contradicts itself about whose finding: neither word counts, and the reader is told.
pub(super) fn contradictions(state: &DebateState) -> Vec<String> {
    let mut notes = Vec::new();
    for seat in state.judges.counted_seats() {
        let judge = &state.judges[seat];
        for (&round, answer) in judge.answers.range(RoundNumber::SECOND..) {
            let by_finding = responses_by_finding(&state.judges, seat, round, answer);
            let both = by_finding
                .into_iter()
                .filter(|(_, said)| is_contradictory(said));
            notes.extend(both.filter_map(|(meant, _)| note(state, judge.id(), meant)));
        }
    }
    notes
}

fn note(state: &DebateState, speaker: &JudgeId, (whose, number): MeantFinding) -> Option<String> {
    let owner = &state.judges[whose];
    let place = &owner.raised.get(number.checked_sub(1)?)?.finding.location;
    let (path, line, owner) = (place.path.display(), place.line, owner.id());
    Some(format!(
        "{speaker} both agrees and disagrees with what {owner} reports at {path}:{line}: neither counts"
    ))
}
