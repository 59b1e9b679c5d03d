//! Ending judges and sessions.

use std::time::Duration;

use council_protocol::message::Ending;
use council_protocol::{Capability, Event};

use super::Played;
use crate::Candidate;
use crate::script::Told;
use crate::stage::{Reply, Stage};
use crate::table::Outcome;

const GRACE: Duration = Duration::from_secs(5);
const SHORT_GRACE: Duration = Duration::from_millis(500);

/// A judge that does nothing ends when it is asked to, and confirms.
pub(super) fn idle(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    stage.answer("judge-1")?;
    if !stage.claims(&Capability::Shutdown) {
        return unclaimed(stage);
    }
    match stage.shutdown("judge-1", GRACE)? {
        Ending::Graceful => {}
        ending => return Err(format!("an idle judge ended as {ending:?}")),
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// Without `shutdown` the call is refused, or the judge is ended by force; it never confirms.
fn unclaimed(mut stage: Stage<'_>) -> Played {
    let ended = stage.shutdown("judge-1", SHORT_GRACE);
    if ended == Ok(Ending::Graceful) {
        return Err("it does not claim `shutdown` and confirms one".into());
    }
    let what = if ended.is_ok() {
        "the judge is ended by force"
    } else {
        "shutdown is refused"
    };
    stage.close()?;
    Ok(Outcome::Unclaimed(what.into()))
}

/// The end of one judge is not the end of another.
pub(super) fn one_of_two(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    if !(stage.claims(&Capability::Shutdown) && stage.claims(&Capability::Spawn)) {
        stage.close()?;
        return Ok(Outcome::Unclaimed("it needs `spawn` as well".into()));
    }
    stage.seat("judge-1")?;
    stage.seat("judge-2")?;
    stage.shutdown("judge-1", GRACE)?;
    stage.answer("judge-2")?;
    stage.close()?;
    Ok(Outcome::Passed)
}

/// A judge that is at work ends within the grace, and so does its turn.
pub(super) fn mid_answer(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    if !stage.claims(&Capability::Shutdown) {
        stage.close()?;
        return Ok(Outcome::Unclaimed("see above".into()));
    }
    stage.seat("judge-1")?;
    let (turn, _) = stage.ask_within("judge-1", Told::Wait(30), Duration::from_secs(60));
    stage.listen(Duration::from_millis(300));
    stage.shutdown("judge-1", SHORT_GRACE)?;
    if let Reply::Answered(_) = stage.reply(turn, Duration::ZERO)? {
        return Err("a judge that was ended has answered".into());
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// A judge that does not listen is ended by force, and that is said.
pub(super) fn ignored(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    if !stage.claims(&Capability::Shutdown) {
        stage.close()?;
        return Ok(Outcome::Unclaimed("see above".into()));
    }
    stage.seat("judge-1")?;
    stage.ask_within("judge-1", Told::Deaf(30), Duration::from_secs(60));
    stage.listen(Duration::from_millis(300));
    match stage.shutdown("judge-1", SHORT_GRACE)? {
        Ending::Forced => {}
        ending => {
            return Err(format!(
                "a judge that ignores its shutdown ended as {ending:?}"
            ));
        }
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// Closing twice is fine, `closed` comes once, and nothing is accepted any more.
pub(super) fn double_close(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    stage
        .backend()
        .close()
        .map_err(|error| format!("close was refused: {error}"))?;
    let (turn, refused) = stage.ask("judge-1", Told::Answer);
    if refused.is_none()
        && matches!(
            stage.reply(turn, Duration::from_millis(300)),
            Ok(Reply::Answered(_))
        )
    {
        return Err("a turn was answered after `close`".into());
    }
    stage.close()?;
    Ok(Outcome::Passed)
}

/// Closing ends what is at work, at once.
pub(super) fn close_mid_answer(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    let judges: &[&str] = if stage.claims(&Capability::Spawn) {
        &["judge-1", "judge-2"]
    } else {
        &["judge-1"]
    };
    for judge in judges {
        stage.seat(judge)?;
        stage.ask_within(judge, Told::Wait(30), Duration::from_secs(60));
    }
    let events = stage.listen(Duration::from_millis(300));
    if events.iter().any(|e| matches!(e, Event::Answered { .. })) {
        return Err("the scripted judge does not wait when it is told to".into());
    }
    stage.close()?;
    Ok(Outcome::Passed)
}
