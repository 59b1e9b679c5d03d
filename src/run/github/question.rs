//! Whether a review of a pull request asks more than the one that stands there.

use council_protocol::Seat;

use crate::config::Settings;
use crate::council::outcome::Outcome;
use crate::council::plan::{DebateMode, Procedure};

/// Whether these seats under these settings are a stricter question than the one that came to an outcome.
pub(super) fn asks_more(seats: &[Seat], settings: &Settings, before: &Outcome) -> bool {
    let review = &settings.review;
    let has_rounds = review.debate == DebateMode::Force
        || !matches!(review.procedure, Procedure::Quick | Procedure::Review);
    let model = |seat: &Seat| (seat.agent.name.clone(), seat.agent.model.clone());
    let heard = before.judges.iter().filter(|judge| judge.counted.is_some());
    let mut heard: Vec<_> = heard.map(|judge| model(&judge.seat)).collect();
    let mut asked = seats.iter().filter(|seat| !seat.agent.deterministic);
    let is_new = |seat: &Seat| {
        let known = heard.iter().position(|one| *one == model(seat));
        known.map(|at| heard.swap_remove(at)).is_none()
    };
    has_rounds && before.rounds < 2 || asked.any(is_new)
}
