//! Speaking with judges that are seated.

use std::time::Duration;

use council_protocol::{Capability, Event, FailureKind};

use super::ScenarioResult;
use crate::Candidate;
use crate::script::ScriptLine;
use crate::stage::{MARGIN, ScenarioStage, StageReply, check_order};
use crate::table::ScenarioOutcome;

/// A second message reaches the judge that it is for, and nobody else.
pub(super) fn one_and_only_one(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    let other = stage.claims_capability(&Capability::Spawn);
    if other {
        stage.seat_judge("judge-2")?;
        stage.expect_answer("judge-2")?;
    }
    stage.expect_answer("judge-1")?;
    let (turn, refused) = stage.ask_turn("judge-1", ScriptLine::Answer);
    let reply = refused.map_or_else(|| stage.reply_to(turn, candidate.patience), Ok)?;
    if !stage.claims_capability(&Capability::Message) {
        return without_message(stage, &reply);
    }
    check_order("judge-1", turn, &reply)?;
    let replies = stage.listen_for(Duration::from_millis(200)).iter();
    let of_other =
        |e: &&Event| matches!(e, Event::Answered { judge, .. } if judge.as_str() == "judge-2");
    let answers = replies.filter(of_other).count();
    if answers != usize::from(other) {
        return Err(format!(
            "judge-2 was asked once and has answered {answers} times"
        ));
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// Without `message` a second turn is refused as unsupported, or answered by a judge that remembers nothing.
fn without_message(stage: ScenarioStage<'_>, reply: &StageReply) -> ScenarioResult {
    stage.close_backend()?;
    match reply {
        StageReply::Failed(failure) if failure.kind == FailureKind::Unsupported => Ok(
            ScenarioOutcome::Unclaimed("a second turn is refused".into()),
        ),
        StageReply::Failed(failure) => Err(format!("a second turn is refused, but as {failure}")),
        StageReply::Answered(_) => Ok(ScenarioOutcome::Unclaimed(
            "a second turn is answered without memory".into(),
        )),
    }
}

/// Five messages, each sent when the one before is answered, each with its own answer.
pub(super) fn in_order(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    if !stage.claims_capability(&Capability::Message) {
        stage.close_backend()?;
        return Ok(ScenarioOutcome::Unclaimed("see above".into()));
    }
    stage.seat_judge("judge-1")?;
    for _ in 0..5 {
        stage.expect_answer("judge-1")?;
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// A judge that is interrupted fails its turn as cancelled and stays seated.
pub(super) fn cancelled_turn(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    let (turn, _) = stage.ask_within("judge-1", ScriptLine::Wait(30), Duration::from_secs(60));
    stage.listen_for(Duration::from_millis(300));
    stage
        .backend()
        .cancel(&"judge-1".into())
        .map_err(|error| format!("cancel was refused: {error}"))?;
    match stage.reply_to(turn, MARGIN)? {
        StageReply::Failed(failure) if failure.kind == FailureKind::Cancelled => {}
        other => return Err(format!("a cancelled turn came back as {other:?}")),
    }
    if stage.claims_capability(&Capability::Message) {
        stage.expect_answer("judge-1")?;
    }
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}

/// A turn that is over time and was given up has one outcome, which is no answer, and the next turn is not answered by
/// what comes late.
pub(super) fn late_answer(candidate: &Candidate<'_>) -> ScenarioResult {
    let mut stage = ScenarioStage::open_backend(candidate)?;
    stage.seat_judge("judge-1")?;
    let (turn, _) = stage.ask_within("judge-1", ScriptLine::Wait(2), Duration::from_millis(500));
    stage.listen_for(Duration::from_millis(600));
    // The program gives up on time of its own accord; a backend may have done so before.
    let _ = stage.backend().cancel(&"judge-1".into());
    if let StageReply::Answered(_) = stage.reply_to(turn, MARGIN)? {
        return Err("an answer was taken after its time".into());
    }
    if stage.claims_capability(&Capability::Message) {
        stage.expect_answer("judge-1")?;
    }
    stage.listen_for(Duration::from_secs(2));
    stage.close_backend()?;
    Ok(ScenarioOutcome::Passed)
}
