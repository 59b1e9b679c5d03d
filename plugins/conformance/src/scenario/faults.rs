//! Judges that misbehave: it is their own loss, and nobody else's.

use council_protocol::{Capability, Event, FailureKind};

use super::ScenarioResult;
use crate::Candidate;
use crate::script::ScriptLine;
use crate::stage::{ANSWER_BYTES, ScenarioStage, StageReply};
use crate::table::ScenarioOutcome;

/// An answer that is longer than it may be is none.
pub(super) fn oversized_answer(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_for("judge-1", 8)?;
    let (turn, _) = stage.ask_turn("judge-1", ScriptLine::Answer);
    let reply = stage.reply_to(turn, candidate.patience)?;
    failed_as(&reply, &[FailureKind::Oversized])?;
    others_go_on(stage)
}

/// So is one that does not stop; it costs neither memory nor time.
pub(super) fn endless_answer(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_for("judge-1", ANSWER_BYTES)?;
    let (turn, _) = stage.ask_turn("judge-1", ScriptLine::Flood(50_000_000));
    let reply = stage.reply_to(turn, candidate.patience)?;
    failed_as(&reply, &[FailureKind::Oversized])?;
    others_go_on(stage)
}

/// A judge that dies fails its turn; nobody waits for its deadline.
pub(super) fn dying_judge(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    let (turn, _) = stage.ask_turn("judge-1", ScriptLine::Die);
    let reply = stage.reply_to(turn, candidate.patience / 2)?;
    failed_as(&reply, &[FailureKind::Died, FailureKind::Empty])?;
    others_go_on(stage)
}

/// Bytes that are not UTF-8 are a failure, or are replaced; they are never passed on and never fatal.
pub(super) fn invalid_utf8(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    let (turn, _) = stage.ask_turn("judge-1", ScriptLine::Garbage);
    let reply = stage.reply_to(turn, candidate.patience)?;
    if matches!(&reply, StageReply::Answered(raw) if !raw.contains('\u{fffd}')) {
        return Err("bytes that are not UTF-8 have vanished from the answer".into());
    }
    others_go_on(stage)
}

/// What a judge writes is data, also where it looks like an event of the protocol.
pub(super) fn forged_event(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    let (turn, _) = stage.ask_turn("judge-1", ScriptLine::Forge);
    if let StageReply::Answered(raw) = stage.reply_to(turn, candidate.patience)?
        && !raw.contains("horoscope")
    {
        return Err("a part of the answer has vanished".into());
    }
    if stage
        .listen_for(std::time::Duration::from_millis(100))
        .contains(&Event::Closed)
    {
        return Err("a judge has closed the session by writing that it is closed".into());
    }
    others_go_on(stage)
}

fn failed_as(reply: &StageReply, kinds: &[FailureKind]) -> Result<(), String> {
    match reply {
        StageReply::Failed(failure) if kinds.contains(&failure.kind) => Ok(()),
        StageReply::Failed(failure) => {
            Err(format!("the turn failed as {failure}, not as {}", kinds[0]))
        }
        StageReply::Answered(raw) => Err(format!("the turn was answered with {} bytes", raw.len())),
    }
}

/// Another judge answers as if nothing had happened.
fn others_go_on(mut stage: ScenarioStage<'_>) -> ScenarioResult {
    if stage.claims_capability(&Capability::Spawn) {
        stage.seat_judge("judge-2")?;
        stage.expect_answer("judge-2")?;
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}
