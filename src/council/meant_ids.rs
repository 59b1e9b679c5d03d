//! Which finding a response means. Judges write what every report calls it (`F1`), what a reader would (`judge-1 A1`,
//! `#1`, `finding A1`), or an id that nobody has. What names exactly one finding is taken; what names none is told.

use council_protocol::answer::{Response, Stance};
use council_protocol::{Answer, Finding, RoundNumber};

use super::anonymity::{self, judge_names};
use super::judges::{Judges, SeatIndex};
use super::lost_answer::LostAnswer;
use super::merge::{is_same_id, is_same_problem};
use super::plain_words::excerpt;
use super::plain_words::{asks_about_problem, names_problem, objects, stops};
use super::plan::{DebateSubject, Procedure};
use super::references::is_known_address;
use super::state::DebateState;

/// Words beside a number or a label that say no more than that a finding follows.
const FILLERS: [&str; 13] = [
    "finding", "findings", "f", "issue", "problem", "point", "id", "no", "nr", "number", "peer",
    "judge", "the",
];

/// A finding of another judge, under the id by which the reader knows it.
pub(super) struct ShownFinding<'a> {
    owner: SeatIndex,
    number: usize,
    pub(super) id: String,
    finding: &'a Finding,
}

/// The others' findings as this judge knows them.
pub(super) fn shown_findings(
    judges: &Judges,
    seat: SeatIndex,
    round: RoundNumber,
) -> Vec<ShownFinding<'_>> {
    let Some(order) = judges[seat].peers.get(&round) else {
        return Vec::new();
    };
    let found = order.iter().enumerate().flat_map(|(index, &owner)| {
        let raised = judges[owner].raised.iter().enumerate();
        let label = anonymity::peer_label(index);
        raised
            .filter(move |(_, r)| r.round < round)
            .map(move |(nth, r)| ShownFinding {
                owner,
                number: nth + 1,
                id: format!("{label}{}", nth + 1),
                finding: &r.finding,
            })
    });
    found.collect()
}

/// Writes each response to the id of the finding that it means, where it names exactly one.
pub(super) fn resolve_ids(
    state: &DebateState,
    seat: SeatIndex,
    round: RoundNumber,
    answer: &mut Answer,
) {
    if state.plan.options.transcript {
        return;
    }
    let shown = shown_findings(&state.judges, seat, round);
    let known = |id: &str| shown.iter().any(|s| is_same_id(&s.id, id));
    let named: Vec<String> = answer
        .responses
        .iter()
        .map(|r| r.to.clone())
        .filter(|to| known(to))
        .collect();
    for response in answer.responses.iter_mut().filter(|r| !known(&r.to)) {
        let meant = meant_finding(state, seat, &shown, &response.to);
        // Who answers a finding by its id, and its owner beside it, does not speak of the finding twice.
        let meant = meant.filter(|meant| !named.iter().any(|id| is_same_id(id, &meant.id)));
        if let Some(meant) = meant {
            response.to.clone_from(&meant.id);
        }
    }
}

/// The one finding that an id means which is not the id of any; none: it means none, or could mean several.
fn meant_finding<'s, 'a>(
    state: &DebateState,
    seat: SeatIndex,
    shown: &'s [ShownFinding<'a>],
    to: &str,
) -> Option<&'s ShownFinding<'a>> {
    let (owner, rest) = split_owner(state, to);
    let words: Vec<&str> = rest
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let has_id = |id: &str| words.iter().any(|word| is_same_id(word, id));
    let named: Vec<&ShownFinding> = shown.iter().filter(|s| has_id(&s.id)).collect();
    if !named.is_empty() {
        let is_alone = words.iter().filter(|word| is_id_like(word)).count() == 1;
        return only_one(&named).filter(|_| is_alone);
    }
    let rest: Vec<&str> = words
        .into_iter()
        .filter(|w| !FILLERS.contains(&w.to_ascii_lowercase().as_str()))
        .collect();
    let label = rest
        .first()
        .copied()
        .filter(|word| word.chars().all(|c| c.is_ascii_uppercase()));
    let owner = owner.or_else(|| {
        anonymity::seat_by_label(state.judges[seat].peers.values().next_back()?, label?)
    });
    let rest = &rest[usize::from(label.is_some())..];
    let is_whose = |s: &&ShownFinding| owner.is_none_or(|owner| s.owner == owner);
    let number = match rest {
        [] if owner.is_some() => None,
        [number] => Some(
            number
                .trim_start_matches(['f', 'F'])
                .parse::<usize>()
                .ok()?,
        ),
        _ => return None,
    };
    let is_numbered = |s: &&ShownFinding| number.is_none_or(|number| s.number == number);
    let meant: Vec<&ShownFinding> = shown.iter().filter(is_whose).filter(is_numbered).collect();
    let one = only_one(&meant)?;
    // A number alone may be one of the judge's own findings.
    let own = state.judges[seat].raised.iter().filter(|_| owner.is_none());
    let own = own.enumerate().find(|(nth, _)| Some(nth + 1) == number);
    own.is_none_or(|(_, own)| is_same_problem(&own.finding, one.finding))
        .then_some(one)
}

/// The judge whose name an id begins with, and what follows.
fn split_owner<'t>(state: &DebateState, to: &'t str) -> (Option<SeatIndex>, &'t str) {
    let to = to.trim();
    for name in judge_names(&state.judges) {
        let head = to.get(..name.as_str().len());
        let rest = to.get(name.as_str().len()..).unwrap_or_default();
        let is_whole = !rest.starts_with(char::is_alphanumeric);
        if is_whole && head.is_some_and(|head| head.eq_ignore_ascii_case(name.as_str())) {
            return (
                state
                    .judges
                    .seats_where(|j| j.id() == name)
                    .first()
                    .copied(),
                rest,
            );
        }
    }
    (None, to)
}

/// One or two letters and a number. `F1` beside `A1` is what a report calls the same.
fn is_id_like(word: &str) -> bool {
    let letters = word.chars().take_while(char::is_ascii_alphabetic).count();
    let digits = &word[letters..];
    let is_id = (1..=2).contains(&letters)
        && !digits.is_empty()
        && digits.chars().all(|c| c.is_ascii_digit());
    is_id && !word.starts_with(['f', 'F'])
}

/// The first of several findings that are one problem.
fn only_one<'s, 'a>(meant: &[&'s ShownFinding<'a>]) -> Option<&'s ShownFinding<'a>> {
    let (first, others) = meant.split_first()?;
    let is_one = others
        .iter()
        .all(|other| is_same_problem(other.finding, first.finding));
    is_one.then_some(first)
}

/// Whether a response to an id that nobody has was given again under one that there is, when it was sent back.
pub(super) fn is_mended_elsewhere(
    state: &DebateState,
    seat: SeatIndex,
    round: RoundNumber,
    response: &Response,
    mended: &Answer,
) -> bool {
    let shown = shown_findings(&state.judges, seat, round);
    let is_shown = |to: &str| shown.iter().any(|s| is_same_id(&s.id, to));
    let says_it = |r: &Response| r.stance == response.stance && is_shown(&r.to);
    !is_shown(&response.to) && mended.responses.iter().any(says_it)
}

/// What an answer says that is attached to no finding.
#[derive(Debug, Default)]
pub(super) struct StrayWords {
    /// Responses to ids that nobody has, for the reader.
    pub(super) notes: Vec<String>,
    /// What objects to the change.
    pub(super) objection: Option<LostAnswer>,
}

/// Responses and questions that no finding takes up. Nothing that objects is lost without a line in the report.
pub(super) fn stray_words(
    state: &DebateState,
    seat: SeatIndex,
    round: RoundNumber,
    answer: &Answer,
) -> StrayWords {
    let judge = &state.judges[seat];
    if !is_about_findings(state) || judge.is_deterministic() {
        return StrayWords::default();
    }
    let shown = shown_findings(&state.judges, seat, round);
    let mut stray = StrayWords::default();
    let mut objections = Vec::new();
    for response in &answer.responses {
        if shown.iter().any(|s| is_same_id(&s.id, &response.to)) {
            continue;
        }
        let is_address = is_known_address(state, seat, response.to.trim());
        let words = describe(response);
        // Whoever agrees with a problem that nobody has reported sees one.
        let agrees = !is_address && response.stance != Stance::Disagreed;
        if agrees || objects(&response.reasoning) || names_problem(&response.reasoning) {
            objections.push(words);
        } else if !is_address {
            stray.notes.push(format!(
                "{} answered what nobody has reported: {words}",
                judge.id()
            ));
        }
    }
    objections.extend(objecting_questions(state, seat, &shown, answer));
    stray.objection =
        (!objections.is_empty()).then(|| LostAnswer::unclear(round, &objections.join("; ")));
    stray
}

/// `to "B9": agreed: divides by zero`
fn describe(response: &Response) -> String {
    let stance = match response.stance {
        Stance::Agreed => "agreed",
        Stance::PartiallyAgreed => "partially agreed",
        Stance::Disagreed => "disagreed",
    };
    let (to, why) = (excerpt(&response.to), excerpt(&response.reasoning));
    format!("to \"{to}\": {stance}: {why}")
}

/// Whether judges answer findings. Where plans and questions are examined, they answer each other's positions, and what those
/// come to the ballots say; what the sides of a duel say of a point is read from their transcript.
fn is_about_findings(state: &DebateState) -> bool {
    let options = &state.plan.options;
    let answers_findings = match state.plan.procedure {
        Procedure::Debate | Procedure::Review => true,
        Procedure::Staged => options.subject == DebateSubject::Change,
        _ => false,
    };
    answers_findings && !options.transcript
}

/// Questions and messages that name a problem which nobody has reported.
fn objecting_questions(
    state: &DebateState,
    seat: SeatIndex,
    shown: &[ShownFinding<'_>],
    answer: &Answer,
) -> Vec<String> {
    let is_reported = |to: &str| {
        let addressee = state.find_addressee(seat, to);
        shown
            .iter()
            .any(|s| Some(s.owner) == addressee || is_same_id(&s.id, to))
    };
    let asked = answer.challenges.iter().filter(|c| !is_reported(&c.to));
    let asked = asked
        .flat_map(|c| [&c.claim, &c.question])
        .filter(|text| stops(text) || asks_about_problem(text));
    let told = answer
        .messages
        .iter()
        .map(|m| &m.text)
        .filter(|text| objects(text) || names_problem(text));
    asked.chain(told).map(|text| excerpt(text)).collect()
}

/// The one that a judge means which names none: where there is one alone, of its own or of those it was shown.
pub(super) fn only_finding(
    judges: &Judges,
    seat: SeatIndex,
    round: RoundNumber,
) -> Option<(SeatIndex, usize)> {
    let others = judges[seat].peers.get(&round);
    let seats = std::iter::once(seat).chain(others.into_iter().flatten().copied());
    let all = seats.flat_map(|whose| {
        let raised = judges[whose].raised.iter().zip(1..);
        let known = raised.filter(move |(raised, _)| whose == seat || raised.round < round);
        known.map(move |(_, number)| (whose, number))
    });
    let all: Vec<_> = all.collect();
    match all.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}
