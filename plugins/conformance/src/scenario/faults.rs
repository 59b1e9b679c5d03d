//! Judges that misbehave: it is their own loss, and nobody else's.

use council_protocol::{Capability, Event, FailureKind};

use super::Played;
use crate::Candidate;
use crate::script::Told;
use crate::stage::{ANSWER_BYTES, Reply, Stage};
use crate::table::Outcome;

/// An answer that is longer than it may be is none.
pub(super) fn oversized(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat_for("judge-1", 8)?;
    let (turn, _) = stage.ask("judge-1", Told::Answer);
    let reply = stage.reply(turn, candidate.patience)?;
    failed_as(&reply, &[FailureKind::Oversized])?;
    others_go_on(stage)
}

/// So is one that does not stop; it costs neither memory nor time.
pub(super) fn flood(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat_for("judge-1", ANSWER_BYTES)?;
    let (turn, _) = stage.ask("judge-1", Told::Flood(50_000_000));
    let reply = stage.reply(turn, candidate.patience)?;
    failed_as(&reply, &[FailureKind::Oversized])?;
    others_go_on(stage)
}

/// A judge that dies fails its turn; nobody waits for its deadline.
pub(super) fn death(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    let (turn, _) = stage.ask("judge-1", Told::Die);
    let reply = stage.reply(turn, candidate.patience / 2)?;
    failed_as(&reply, &[FailureKind::Died, FailureKind::Empty])?;
    others_go_on(stage)
}

/// Bytes that are not UTF-8 are a failure, or are replaced; they are never passed on and never fatal.
pub(super) fn garbage(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    let (turn, _) = stage.ask("judge-1", Told::Garbage);
    let reply = stage.reply(turn, candidate.patience)?;
    if matches!(&reply, Reply::Answered(raw) if !raw.contains('\u{fffd}')) {
        return Err("bytes that are not UTF-8 have vanished from the answer".into());
    }
    others_go_on(stage)
}

/// What a judge writes is data, also where it looks like an event of the protocol.
pub(super) fn forged(candidate: &Candidate<'_>) -> Played {
    let mut stage = Stage::open(candidate)?;
    stage.seat("judge-1")?;
    let (turn, _) = stage.ask("judge-1", Told::Forge);
    if let Reply::Answered(raw) = stage.reply(turn, candidate.patience)?
        && !raw.contains("horoscope")
    {
        return Err("a part of the answer has vanished".into());
    }
    if stage
        .listen(std::time::Duration::from_millis(100))
        .contains(&Event::Closed)
    {
        return Err("a judge has closed the session by writing that it is closed".into());
    }
    others_go_on(stage)
}

fn failed_as(reply: &Reply, kinds: &[FailureKind]) -> Result<(), String> {
    match reply {
        Reply::Failed(failure) if kinds.contains(&failure.kind) => Ok(()),
        Reply::Failed(failure) => Err(format!("the turn failed as {failure}, not as {}", kinds[0])),
        Reply::Answered(raw) => Err(format!("the turn was answered with {} bytes", raw.len())),
    }
}

/// Another judge answers as if nothing had happened.
fn others_go_on(mut stage: Stage<'_>) -> Played {
    if stage.claims(&Capability::Spawn) {
        stage.seat("judge-2")?;
        stage.answer("judge-2")?;
    }
    stage.close()?;
    Ok(Outcome::Passed)
}
