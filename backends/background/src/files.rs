//! The files of a judge, written beside and renamed.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use council_protocol::worker::{self, WorkerReply};
use council_protocol::{JudgeId, JudgeSpec, Turn, TurnId};
use serde::Serialize;

/// Writes the seat for its workers.
pub(crate) fn write_seat(run: &Path, spec: &JudgeSpec) -> io::Result<()> {
    let judge = &spec.seat.judge;
    // Prompts lie there, and no other user may read them.
    let mut private = fs::DirBuilder::new();
    private.recursive(true).mode(0o700);
    private.create(worker::judge_folder(run, judge))?;
    write_whole(&worker::seat_file(run, judge), spec)
}

/// Writes a turn, and takes away what an earlier worker may have left for it: what that one said.
pub(crate) fn write_turn(run: &Path, judge: &JudgeId, turn: &Turn) -> io::Result<Vec<String>> {
    let earlier = read_reply(run, judge, turn.id);
    match fs::remove_file(worker::reply_file(run, judge, turn.id)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write_whole(&worker::turn_file(run, judge, turn.id), turn)?;
    Ok(earlier.map(said_in_reply).unwrap_or_default())
}

/// All that a judge said, in an answer or before it failed.
fn said_in_reply(reply: WorkerReply) -> Vec<String> {
    let (raw, usage) = match reply {
        WorkerReply::Answered { raw, usage } => (Some(raw), usage),
        WorkerReply::Failed { failure } => (None, failure.usage.map(|usage| *usage)),
    };
    let mut said = usage.map(|usage| usage.unread).unwrap_or_default();
    said.extend(raw);
    said
}

/// What a worker left; none when it left nothing, or nothing that can be read.
pub(crate) fn read_reply(run: &Path, judge: &JudgeId, turn: TurnId) -> Option<WorkerReply> {
    let text = fs::read(worker::reply_file(run, judge, turn)).ok()?;
    serde_json::from_slice(&text).ok()
}

fn write_whole(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.persist(path)?;
    Ok(())
}
