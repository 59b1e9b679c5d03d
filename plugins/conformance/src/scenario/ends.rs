//! Ending judges and sessions.

use std::time::Duration;

use council_protocol::message::Ending;
use council_protocol::{Capability, Event};

use super::ScenarioResult;
use crate::Candidate;
use crate::script::ScriptLine;
use crate::stage::{ScenarioStage, StageReply};
use crate::table::ScenarioOutcome;

const GRACE: Duration = Duration::from_secs(5);
const SHORT_GRACE: Duration = Duration::from_millis(500);

/// A judge that does nothing ends when it is asked to, and confirms.
pub(super) fn idle_judge(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    stage.expect_answer("judge-1")?;
    if !stage.claims_capability(&Capability::Shutdown) {
        return without_shutdown(stage);
    }
    match stage.shutdown_judge("judge-1", GRACE)? {
        Ending::Graceful => {}
        ending => return Err(format!("an idle judge ended as {ending:?}")),
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Without `shutdown` the call is refused, or the judge is ended by force; it never confirms.
fn without_shutdown(mut stage: ScenarioStage<'_>) -> ScenarioResult {
    let ended = stage.shutdown_judge("judge-1", SHORT_GRACE);
    if ended == Ok(Ending::Graceful) {
        return Err("it does not claim `shutdown` and confirms one".into());
    }
    let what = if ended.is_ok() {
        "the judge is ended by force"
    } else {
        "shutdown is refused"
    };
    stage.close_backend()?;
    Ok(ScenarioOutcome::Unclaimed(what.into()))
}

/// The end of one judge is not the end of another.
pub(super) fn one_of_two(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    if !(stage.claims_capability(&Capability::Shutdown)
        && stage.claims_capability(&Capability::Spawn))
    {
        stage.close_backend()?;
        return Ok(ScenarioOutcome::Unclaimed(
            "it needs `spawn` as well".into(),
        ));
    }
    stage.seat_judge("judge-1")?;
    stage.seat_judge("judge-2")?;
    stage.shutdown_judge("judge-1", GRACE)?;
    stage.expect_answer("judge-2")?;
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// A judge that is at work ends within the grace, and so does its turn.
pub(super) fn mid_answer(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    if !stage.claims_capability(&Capability::Shutdown) {
        stage.close_backend()?;
        return Ok(ScenarioOutcome::Unclaimed("see above".into()));
    }
    stage.seat_judge("judge-1")?;
    let (turn, _) = stage.ask_within("judge-1", ScriptLine::Wait(30), Duration::from_secs(60));
    stage.listen_for(Duration::from_millis(300));
    stage.shutdown_judge("judge-1", SHORT_GRACE)?;
    if let StageReply::Answered(_) = stage.reply_to(turn, Duration::ZERO)? {
        return Err("a judge that was ended has answered".into());
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// A judge that does not listen is ended by force, and that is said.
pub(super) fn ignored_shutdown(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    if !stage.claims_capability(&Capability::Shutdown) {
        stage.close_backend()?;
        return Ok(ScenarioOutcome::Unclaimed("see above".into()));
    }
    stage.seat_judge("judge-1")?;
    stage.ask_within("judge-1", ScriptLine::Deaf(30), Duration::from_secs(60));
    stage.listen_for(Duration::from_millis(300));
    match stage.shutdown_judge("judge-1", SHORT_GRACE)? {
        Ending::Forced => {}
        ending => {
            return Err(format!(
                "a judge that ignores its shutdown ended as {ending:?}"
            ));
        }
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Closing twice is fine, `closed` comes once, and nothing is accepted any more.
pub(super) fn double_close(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    stage
        .backend()
        .close()
        .map_err(|error| format!("close was refused: {error}"))?;
    let (turn, refused) = stage.ask_turn("judge-1", ScriptLine::Answer);
    if refused.is_none()
        && matches!(
            stage.reply_to(turn, Duration::from_millis(300)),
            Ok(StageReply::Answered(_))
        )
    {
        return Err("a turn was answered after `close`".into());
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Closing ends what is at work, at once.
pub(super) fn close_mid_answer(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    let judges: &[&str] = if stage.claims_capability(&Capability::Spawn) {
        &["judge-1", "judge-2"]
    } else {
        &["judge-1"]
    };
    for judge in judges {
        stage.seat_judge(judge)?;
        stage.ask_within(judge, ScriptLine::Wait(30), Duration::from_secs(60));
    }
    let events = stage.listen_for(Duration::from_millis(300));
    if events.iter().any(|e| matches!(e, Event::Answered { .. })) {
        return Err("the scripted judge does not wait when it is told to".into());
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}
