//! Opening, probing, seating.

use std::time::{Duration, Instant};

use council_protocol::{Capability, Event, FailureKind, PROTOCOL_VERSION, TurnId};

use super::ScenarioResult;
use crate::Candidate;
use crate::script::ScriptLine;
use crate::stage::{ANSWER_BYTES, MARGIN, ScenarioStage, StageReply, check_order, raise_backend};
use crate::table::ScenarioOutcome;

/// Of several versions the one is chosen that both speak, and probes claim no more than the manifest.
pub(super) fn version_handshake(candidate: &Candidate<'_>) -> ScenarioResult {
    const UNHEARD_OF: u32 = 4_000_000_000;
    let (mut stage, opened) = raise_backend(candidate, &[UNHEARD_OF, PROTOCOL_VERSION])?;
    opened.map_err(|error| format!("it cannot be opened: {error}"))?;
    let manifest = stage.backend().manifest();
    if manifest.name.is_empty() || !manifest.protocols.contains(&PROTOCOL_VERSION) {
        return Err(format!(
            "the manifest needs a name and protocol {PROTOCOL_VERSION}"
        ));
    }
    let chosen = stage.wait_until("`opened`", candidate.patience, |event| match event {
        Event::Opened { protocol } => Some(*protocol),
        _ => None,
    })?;
    if chosen != PROTOCOL_VERSION {
        return Err(format!(
            "it chose protocol {chosen} where {PROTOCOL_VERSION} was offered"
        ));
    }
    let beyond = manifest.capabilities.missing(&stage.probe_seat("judge-1")?);
    if !beyond.is_empty() {
        return Err(format!(
            "a probe claims what the manifest does not: {beyond}"
        ));
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// A backend that speaks none of the versions offered says so and does not open.
pub(super) fn no_version_in_common(candidate: &Candidate<'_>) -> ScenarioResult {
    let (mut stage, opened) = raise_backend(candidate, &[4_000_000_000])?;
    if opened.is_ok() {
        let refused = stage.wait_until("a refusal", MARGIN, |event| match event {
            Event::Error { .. } => Some(true),
            Event::Opened { .. } => Some(false),
            _ => None,
        })?;
        if !refused {
            return Err("it opened with a version that it cannot know".into());
        }
    }
    // It was never open, so how it closes is its own affair.
    let _ = stage.backend().close();
    Ok(ScenarioOutcome::Passed)
}

pub(super) fn one_answer(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    stage.expect_answer("judge-1")?;
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Calls about a judge that was never seated are refused, one way or the other, and do no harm.
pub(super) fn unknown_judge(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    let (turn, refused) = stage.ask_turn("judge-9", ScriptLine::Answer);
    let reply = refused.map_or_else(|| stage.reply_to(turn, MARGIN), Ok)?;
    if let StageReply::Answered(_) = reply {
        return Err("a judge that was never seated has answered".into());
    }
    // Refused at once, by an error event or not at all: there is nothing to cancel and nobody to end.
    let _ = stage.backend().cancel(&"judge-9".into());
    let _ = stage.backend().shutdown(&"judge-9".into(), 0);
    stage.seat_judge("judge-1")?;
    stage.expect_answer("judge-1")?;
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Three judges think at the same time and each answers for itself.
pub(super) fn several_judges(candidate: &Candidate<'_>) -> ScenarioResult {
    const JUDGES: [&str; 3] = ["judge-1", "judge-2", "judge-3"];
    const THINKING: u32 = 2;
    let mut stage = ScenarioStage::open_backend(candidate)?;
    if !stage.claims_capability(&Capability::Spawn) {
        return without_spawn(stage);
    }
    for judge in JUDGES {
        stage.seat_judge(judge)?;
    }
    let told = if candidate.scripted {
        ScriptLine::Wait(THINKING)
    } else {
        ScriptLine::Answer
    };
    let began = Instant::now();
    let turns: Vec<(&str, TurnId)> = JUDGES
        .map(|judge| (judge, stage.ask_turn(judge, told).0))
        .to_vec();
    for (judge, turn) in turns {
        let reply = stage.reply_to(turn, candidate.patience)?;
        check_order(judge, turn, &reply)?;
    }
    let one_after_another = Duration::from_secs(u64::from(THINKING) * 2);
    if candidate.scripted && began.elapsed() >= one_after_another {
        return Err(format!(
            "three judges that think {THINKING} s took {:.1} s",
            began.elapsed().as_secs_f32()
        ));
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Without `spawn` a second judge is refused as unsupported, or has its turn after the first.
fn without_spawn(mut stage: ScenarioStage<'_>) -> ScenarioResult {
    stage.seat_judge("judge-1")?;
    let what = match stage.try_seat("judge-2", ANSWER_BYTES)? {
        Some(failure) if failure.kind == FailureKind::Unsupported => "a second judge is refused",
        Some(failure) => return Err(format!("a second judge is refused, but as {failure}")),
        None => {
            stage.expect_answer("judge-2")?;
            "a second judge has its turn after the first"
        }
    };
    stage.expect_answer("judge-1")?;
    stage.close_backend()?;
    Ok(ScenarioOutcome::Unclaimed(what.into()))
}
