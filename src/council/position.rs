//! Votes over the rounds, and the evidence that changing one takes.

use council_protocol::answer::{Answer, Change, Evidence, Stance};
use council_protocol::{Finding, RoundNumber, Severity, Vote};

use super::bearing::FindingPlace;
use super::judges::{JudgeState, SeatIndex};
use super::outcome::PositionChange;
use super::plan::{DebateSubject, Procedure};
use super::state::DebateState;

/// Where a judge stood and stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct JudgePosition {
    /// The vote of R1.
    pub(super) first: Option<Vote>,
    /// The vote of the last later round, as it was given.
    pub(super) last: Option<Vote>,
    /// The vote that counts.
    pub(super) counted: Option<Vote>,
    /// The last change, weak ones included.
    pub(super) change: Option<PositionChange>,
    /// A stricter vote of an earlier round that did not count for want of evidence, and that the judge replaced by a milder
    /// one without any either: with its round.
    pub(super) dropped: Option<(RoundNumber, Vote)>,
}

/// A judge's position after all its rounds.
pub(super) fn judge_position(state: &DebateState, seat: SeatIndex) -> JudgePosition {
    position_before(state, seat, RoundNumber(u8::MAX))
}

/// A judge's position before a round.
pub(super) fn position_before(
    state: &DebateState,
    seat: SeatIndex,
    before: RoundNumber,
) -> JudgePosition {
    let judge = &state.judges[seat];
    let first = judge.first_vote();
    let mut position = JudgePosition {
        first,
        counted: first,
        ..JudgePosition::default()
    };
    for (&round, answer) in judge
        .answers
        .range(RoundNumber::SECOND..before.max(RoundNumber::SECOND))
    {
        let Some(held) = position.counted else { break };
        position.last = Some(answer.verdict);
        if answer.verdict != held {
            let change = vote_change(state, judge, round, held, answer);
            if !change.weak {
                position.counted = Some(answer.verdict);
            }
            position.change = Some(change);
        }
        position.keep_objection(state, judge, round, answer);
    }
    let (counted, last) = (position.counted, position.last);
    position.dropped = position
        .dropped
        .filter(|(_, vote)| Some(*vote) > last.max(counted));
    position
}

impl JudgePosition {
    /// Notes a stricter vote that does not count, until the judge takes it back with evidence; over a question, where there is
    /// nothing to cite, by naming the change.
    fn keep_objection(
        &mut self,
        state: &DebateState,
        judge: &JudgeState,
        round: RoundNumber,
        answer: &Answer,
    ) {
        if judge.is_deterministic() {
            return;
        }
        let given = answer.verdict;
        let before = self.dropped.map(|(_, vote)| vote);
        if Some(given) > self.counted && Some(given) >= before {
            self.dropped = Some((round, given));
        } else if let Some(vote) = before.filter(|vote| given < *vote) {
            let is_grounded = change_objection(state, judge, round, vote, answer).is_none();
            self.dropped = self.dropped.filter(|_| !is_grounded);
        }
    }
}

/// A changed vote, held against the bar: evidence that is found, and that the judge had not itself reported.
fn vote_change(
    state: &DebateState,
    judge: &JudgeState,
    round: RoundNumber,
    held: Vote,
    answer: &Answer,
) -> PositionChange {
    let note = change_objection(state, judge, round, held, answer);
    let named = answer.change.as_ref().and_then(|c| c.evidence.clone());
    let evidence = named.or_else(|| missed_before(state, judge, round, answer));
    PositionChange {
        from: held,
        to: answer.verdict,
        weak: note.is_some(),
        evidence: evidence.map(|evidence| state.claims.in_place(&evidence)),
        note: note.unwrap_or_default().to_owned(),
    }
}

/// What a stricter vote rests on where its answer says so elsewhere than in `change`: a new finding as grave as the vote, or
/// the evidence for an agreement. Models write the line once, and leave out what is optional.
fn missed_before(
    state: &DebateState,
    judge: &JudgeState,
    round: RoundNumber,
    answer: &Answer,
) -> Option<Evidence> {
    let is_grave = |finding: &Finding| match answer.verdict {
        Vote::Fail => finding.severity == Severity::Critical,
        _ => finding.severity >= Severity::Significant,
    };
    let raised = judge.raised.iter().filter(|raised| raised.round == round);
    let found = raised
        .map(|raised| &raised.finding)
        .filter(|found| is_grave(found));
    let found = found.map(|found| Evidence {
        path: found.location.path.clone(),
        line: found.location.line,
        quote: found.quote.clone(),
    });
    let agrees = answer
        .responses
        .iter()
        .filter(|said| said.stance == Stance::Agreed);
    let agreed = agrees.filter_map(|said| said.evidence.clone());
    let is_new = |evidence: &Evidence| {
        state.claims.resolves(evidence) && !judge.reported_before(round, evidence)
    };
    found.chain(agreed).find(is_new)
}

fn change_objection(
    state: &DebateState,
    judge: &JudgeState,
    round: RoundNumber,
    held: Vote,
    answer: &Answer,
) -> Option<&'static str> {
    // A ballot is the final vote. One that is stricter needs no ceremony; a milder one says why.
    let is_stricter = answer.verdict > held;
    if is_stricter
        && (answer.ballot.is_some() || missed_before(state, judge, round, answer).is_some())
    {
        return None;
    }
    let Some(Change { from, to, evidence }) = &answer.change else {
        return Some("nothing was named that had been missed");
    };
    if (*from, *to) != (held, answer.verdict) {
        return Some("the change does not name the votes that it is between");
    }
    match evidence {
        // A plan or a topic has no lines to point to; what is pointed to nevertheless has to be there.
        None if state.plan.options.subject == DebateSubject::Text => None,
        None => Some("no evidence was named"),
        Some(e) if !state.claims.resolves(e) => Some("the evidence was not found"),
        Some(e) if judge.reported_before(round, e) => {
            Some("the judge had reported this evidence itself")
        }
        Some(e) if to < from && !answers_own_finding(state, judge, round, e) => {
            Some("the evidence says nothing of what the judge had found")
        }
        Some(_) => None,
    }
}

/// Whether evidence for a milder vote is about something that the judge had found. Where it had found nothing, nobody knows
/// what it objected to, and no line of the change answers that. Councillors who examine each other argue in words: there it
/// has to stand in a file of the change.
fn answers_own_finding(
    state: &DebateState,
    judge: &JudgeState,
    round: RoundNumber,
    evidence: &Evidence,
) -> bool {
    let before = || judge.raised.iter().filter(|r| r.round < round);
    let argues = state.plan.procedure == Procedure::CrossExamination && before().next().is_none();
    let mut changed = judge.planned.coverage.files.iter();
    let answers = |finding: &Finding| {
        let (proof, context) = state.claims.proof_of(&finding.location, &finding.quote);
        let place = FindingPlace {
            finding,
            proof: &proof,
            context,
        };
        place.is_answered_by(evidence, &state.claims)
    };
    before().any(|raised| answers(&raised.finding))
        || argues && changed.any(|file| file.path == evidence.path)
}

/// Whether the votes of R1 differed and the last votes do not: persuasion, or anchoring?
pub(super) fn has_converged(positions: &[JudgePosition]) -> bool {
    let same = |votes: &[Vote]| votes.windows(2).all(|pair| pair[0] == pair[1]);
    let first: Vec<Vote> = positions.iter().filter_map(|p| p.first).collect();
    let last: Vec<Vote> = positions
        .iter()
        .filter_map(|p| p.last.or(p.first))
        .collect();
    !same(&first) && same(&last)
}
