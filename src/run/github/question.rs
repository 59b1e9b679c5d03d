//! Whether a review of a pull request asks more than the one that stands there.

use council_protocol::Seat;

use crate::config::Settings;
use crate::council::plan::{DebateMode, Procedure};
use crate::report::Report;

/// What judges say to one another, from the question that settles the least to the one that settles the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exchange {
    None,
    /// A second round over what is open, with those for whom something is.
    OfOpenPoints,
    /// A second round of everybody over everything.
    OfEverything,
    /// Rounds with roles or stages of their own.
    Of(Procedure),
}

impl Exchange {
    fn under(procedure: Procedure, debate: DebateMode, rounds: u8) -> Self {
        match (procedure, debate) {
            _ if rounds < 2 => Self::None,
            (Procedure::Quick, _) | (Procedure::Review, DebateMode::Off) => Self::None,
            (Procedure::Review, DebateMode::Auto) => Self::OfOpenPoints,
            (Procedure::Review, DebateMode::Force) | (Procedure::Debate, _) => Self::OfEverything,
            (procedure, _) => Self::Of(procedure),
        }
    }

    fn held_in(report: &Report) -> Self {
        let outcome = &report.outcome;
        let debate = report.receipt.run.debate.unwrap_or(DebateMode::Auto);
        let procedure = outcome.procedure.unwrap_or(Procedure::Review);
        Self::under(procedure, debate, outcome.rounds)
    }

    /// What is certain to be held: whether judges disagree nobody knows before.
    fn asked_by(settings: &Settings) -> Self {
        let review = &settings.review;
        match Self::under(review.procedure, review.debate, 2) {
            Self::OfOpenPoints => Self::None,
            certain => certain,
        }
    }

    /// Whether it settles more than another one, or does it in another way.
    fn is_more_than(self, held: Self) -> bool {
        match (self, held) {
            (Self::Of(asked), Self::Of(held)) => asked != held,
            _ => self.rank() > held.rank(),
        }
    }

    fn rank(self) -> u8 {
        match self {
            Self::None => 0,
            Self::OfOpenPoints => 1,
            Self::OfEverything => 2,
            Self::Of(_) => 3,
        }
    }
}

/// Whether these seats under these settings are a stricter question than the one that a report answers, or another one.
pub(super) fn asks_more(seats: &[Seat], settings: &Settings, before: &Report) -> bool {
    let model = |seat: &Seat| (seat.agent.name.clone(), seat.agent.model.clone());
    let judges = &before.outcome.judges;
    let heard = judges.iter().filter(|judge| judge.counted.is_some());
    let mut heard: Vec<_> = heard.map(|judge| model(&judge.seat)).collect();
    let mut asked = seats.iter().filter(|seat| !seat.agent.deterministic);
    let is_new = |seat: &Seat| {
        let known = heard.iter().position(|one| *one == model(seat));
        known.map(|at| heard.swap_remove(at)).is_none()
    };
    Exchange::asked_by(settings).is_more_than(Exchange::held_in(before)) || asked.any(is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: a question that is the same, or less, is not asked again; each that is more, or another one, is.
    #[test]
    fn what_settles_more_is_asked_and_nothing_else() {
        use {DebateMode as D, Procedure as P};
        let held = |procedure, debate, rounds| Exchange::under(procedure, debate, rounds);
        let rising = [
            vec![
                held(P::Quick, D::Auto, 1),
                held(P::Review, D::Force, 1),
                held(P::Review, D::Off, 1),
            ],
            vec![held(P::Review, D::Auto, 2)],
            vec![held(P::Review, D::Force, 2), held(P::Debate, D::Auto, 2)],
            vec![held(P::Staged, D::Force, 3)],
        ];
        for (at, asked) in rising.iter().enumerate() {
            for (before, held) in rising.iter().enumerate() {
                let pairs = asked
                    .iter()
                    .flat_map(|one| held.iter().map(move |other| (*one, *other)));
                for (one, other) in pairs {
                    assert_eq!(one.is_more_than(other), at > before, "{one:?} {other:?}");
                }
            }
        }
        let examined = held(P::CrossExamination, D::Force, 3);
        let staged = held(P::Staged, D::Force, 2);
        assert!(examined.is_more_than(staged) && staged.is_more_than(examined));
    }
}
