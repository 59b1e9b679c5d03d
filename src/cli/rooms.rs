//! The rooms of agents that are programs: exports of the reviewed tree, away from the repository.

use std::borrow::Cow;

use council_agents::room::{self, RoomBounds};
use council_protocol::change::BlobSource;
use council_protocol::{RepoPath, Seat};
use tempfile::TempDir;

use crate::prompt::redact_file;
use crate::session;

use super::error::CliError;

/// What the names of all rooms begin with.
pub(super) const PREFIX: &str = "council-room-";

/// The rooms of a council, removed with the value.
#[derive(Default)]
pub(super) struct Rooms {
    redacted: Option<Room>,
    whole: Option<Room>,
}

/// One room, removed with the value.
struct Room(TempDir);

impl Drop for Room {
    fn drop(&mut self) {
        // What is left of it is no part of the verdict.
        let _ = room::remove(self.0.path());
    }
}

impl Rooms {
    /// The rooms that these seats need.
    pub(super) fn of(seats: &[Seat], blobs: &dyn BlobSource) -> Result<Self, CliError> {
        let mut programs = seats
            .iter()
            .filter(|seat| seat.agent.kind.reads_text())
            .peekable();
        if !blobs.has_blobs() || programs.peek().is_none() {
            return Ok(Self::default());
        }
        let (tools, thinkers): (Vec<_>, Vec<_>) = programs.partition(|s| s.agent.kind.is_tool());
        Ok(Self {
            redacted: (!thinkers.is_empty())
                .then(|| Room::export(blobs, &shown))
                .transpose()?,
            whole: (!tools.is_empty())
                .then(|| Room::export(blobs, &as_it_is))
                .transpose()?,
        })
    }

    /// Where they are.
    pub(super) fn places(&self) -> session::Rooms {
        let place = |room: &Option<Room>| {
            room.as_ref()
                .map(|Room(folder)| folder.path().to_path_buf())
        };
        session::Rooms {
            redacted: place(&self.redacted),
            whole: place(&self.whole),
        }
    }
}

impl Room {
    fn export(blobs: &dyn BlobSource, shown: &room::Shown<'_>) -> Result<Self, CliError> {
        let cannot = |error| CliError::run(format!("cannot export the reviewed tree: {error}"));
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir()
            .map_err(cannot)?;
        let room = Self(folder);
        room::export(blobs, room.0.path(), &RoomBounds::default(), shown).map_err(cannot)?;
        Ok(room)
    }
}

/// A file as a judge is shown it that passes on what it reads: binary files hold no text to redact.
fn shown<'a>(path: &RepoPath, content: &'a [u8]) -> Cow<'a, [u8]> {
    match std::str::from_utf8(content) {
        Ok(text) => match redact_file(path, text) {
            (_, 0) => Cow::Borrowed(content),
            (redacted, _) => Cow::Owned(redacted.into_bytes()),
        },
        Err(_) => Cow::Borrowed(content),
    }
}

fn as_it_is<'a>(_: &RepoPath, content: &'a [u8]) -> Cow<'a, [u8]> {
    Cow::Borrowed(content)
}
