//! A topic without a change: seats that think about it, a document, and no verdict.

use council_protocol::Seat;
use council_protocol::seat::Perspective;

use crate::prompt::ProductionMode;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::convene;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::modes::document::{DocumentMode, require_thinking_agents, synthesizer_seat};
use crate::run::modes::requested::RequestedMode;
use crate::run::prepare::PreparedReview;
use crate::run::seats::SeatPlanner;

/// From which sides something is looked into when nobody says so (the preset `research`).
const SIDES: [(&str, &str); 3] = [
    (
        "breadth",
        "What there is at all: every answer, every school, every place where it was tried.",
    ),
    (
        "depth",
        "How it works: the few sources that matter, read to the bottom.",
    ),
    (
        "contrarian",
        "What speaks against the answer that everybody gives, and who says so.",
    ),
];

/// Lets agents collect ideas or findings about a topic, and one of them write the document.
pub(crate) fn gather_topic(
    prepared: PreparedReview,
    deep: bool,
    mode: ProductionMode,
    start: &RunContext,
) -> Result<Report, RunError> {
    if prepared.change.nothing.is_some() {
        return Err(RunError::usage("the topic is empty").hint("describe it in a sentence"));
    }
    let bench = SeatPlanner {
        config: &prepared.config,
        deep,
    };
    let mut seats = bench.plan_seats()?;
    let agents: Vec<_> = seats.iter().map(|seat| &seat.agent).collect();
    require_thinking_agents(&agents, "a topic")?;
    if mode == ProductionMode::Research {
        take_sides(&mut seats);
    }
    bench.check_agent_limit(seats.len() + 1)?;
    seats.extend(synthesizer_seat(&seats));
    let intensity = prepared.config.settings.review.intensity;
    let gathering = DocumentMode {
        seats,
        mode,
        rounds: intensity.profile().round_limits(),
        threshold: None,
        filing: None,
        listener: None,
        asked: RequestedMode::Topic(mode),
    };
    convene::convene_document(prepared, &gathering, start)
}

/// Goes on with such a run.
pub(crate) fn resume_topic(
    prepared: PreparedReview,
    mode: ProductionMode,
    left: &LoadedRun,
    start: &RunContext,
) -> Result<Report, RunError> {
    let gathering = DocumentMode {
        seats: left.seats(),
        mode,
        rounds: left.round_limits(),
        threshold: None,
        filing: None,
        listener: None,
        asked: RequestedMode::Topic(mode),
    };
    convene::resume_document(prepared, &gathering, left, start)
}

/// Whoever looks from no side in particular gets one.
fn take_sides(seats: &mut [Seat]) {
    if seats.iter().any(|seat| !seat.perspective.name.is_empty()) {
        return;
    }
    for (seat, (name, focus)) in seats.iter_mut().zip(SIDES) {
        seat.judge.0 = format!("judge-{name}");
        seat.perspective = Perspective {
            name: name.to_owned(),
            focus: focus.to_owned(),
        };
    }
}
