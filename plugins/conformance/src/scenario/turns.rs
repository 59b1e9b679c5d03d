//! Speaking with judges that are seated.

use std::time::Duration;

use council_protocol::{Capability, Event, FailureKind};

use super::Played;
use crate::Candidate;
use crate::script::Told;
use crate::stage::{MARGIN, Reply, Stage, right};
use crate::table::Outcome;

/// A second message reaches the judge that it is for, and nobody else.
pub(super) fn one_and_only_one(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    let other = stage.claims(&Capability::Spawn);
    if other {
        stage.seat("judge-2")?;
        stage.answer("judge-2")?;
    }
    stage.answer("judge-1")?;
    let (turn, refused) = stage.ask("judge-1", Told::Answer);
    let reply = refused.map_or_else(|| stage.reply(turn, candidate.patience), Ok)?;
    if !stage.claims(&Capability::Message) {
        return unclaimed(stage, &reply);
    }
    right("judge-1", turn, &reply)?;
    let replies = stage.listen(Duration::from_millis(200)).iter();
    let of_other =
        |e: &&Event| matches!(e, Event::Answered { judge, .. } if judge.as_str() == "judge-2");
    let answers = replies.filter(of_other).count();
    if answers != usize::from(other) {
        return Err(format!(
            "judge-2 was asked once and has answered {answers} times"
        ));
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// Without `message` a second turn is refused as unsupported, or answered by a judge that remembers nothing.
fn unclaimed(stage: Stage<'_>, reply: &Reply) -> Played {
    stage.close()?;
    match reply {
        Reply::Failed(failure) if failure.kind == FailureKind::Unsupported => {
            Ok(Outcome::Unclaimed("a second turn is refused".into()))
        }
        Reply::Failed(failure) => Err(format!("a second turn is refused, but as {failure}")),
        Reply::Answered(_) => Ok(Outcome::Unclaimed(
            "a second turn is answered without memory".into(),
        )),
    }
}

/// Five messages, each sent when the one before is answered, each with its own answer.
pub(super) fn in_order(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    if !stage.claims(&Capability::Message) {
        stage.close()?;
        return Ok(Outcome::Unclaimed("see above".into()));
    }
    stage.seat("judge-1")?;
    for _ in 0..5 {
        stage.answer("judge-1")?;
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// A judge that is interrupted fails its turn as cancelled and stays seated.
pub(super) fn cancelled(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    let (turn, _) = stage.ask_within("judge-1", Told::Wait(30), Duration::from_secs(60));
    stage.listen(Duration::from_millis(300));
    stage
        .backend()
        .cancel(&"judge-1".into())
        .map_err(|error| format!("cancel was refused: {error}"))?;
    match stage.reply(turn, MARGIN)? {
        Reply::Failed(failure) if failure.kind == FailureKind::Cancelled => {}
        other => return Err(format!("a cancelled turn came back as {other:?}")),
    }
    if stage.claims(&Capability::Message) {
        stage.answer("judge-1")?;
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// A turn that is over time and was given up has one outcome, which is no answer, and the next turn is not answered by
/// what comes late.
pub(super) fn late(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    let (turn, _) = stage.ask_within("judge-1", Told::Wait(2), Duration::from_millis(500));
    stage.listen(Duration::from_millis(600));
    // The program gives up on time of its own accord; a backend may have done so before.
    let _ = stage.backend().cancel(&"judge-1".into());
    if let Reply::Answered(_) = stage.reply(turn, MARGIN)? {
        return Err("an answer was taken after its time".into());
    }
    if stage.claims(&Capability::Message) {
        stage.answer("judge-1")?;
    }
    stage.listen(Duration::from_secs(2));
    stage.close()?;
    Ok(Outcome::Passed)
}
