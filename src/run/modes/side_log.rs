//! What a side of a duel keeps in the run's folder while it plays. What stands there is believed as the side's own words, so
//! each line bears the user's seal as a journal's does.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_protocol::{Location, Packet};
use council_secrets::Redactor;

use crate::duel::DuelRole;
use crate::duel::driver::{SideKeeper, SideLine, SidePast};
use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;
use crate::safe_file;
use crate::session::{HandedValues, RealWorld, RunRef, SealedLog, stands_in_change};

/// The names of the files in the run's folder.
pub(crate) const SIDE_FILES: [&str; 2] = ["side-a.jsonl", "side-b.jsonl"];

/// Where a side keeps what it hears.
pub(super) struct SideLog {
    log: RefCell<SealedLog>,
    redactor: Redactor,
    packet: Arc<Packet>,
}

impl SideLog {
    /// The log of a side; none where its run has no folder.
    pub(super) fn open(
        run: &RunRef,
        role: DuelRole,
        world: &RealWorld,
        prepared: &PreparedReview,
    ) -> Result<Option<Self>, RunError> {
        let Some(path) = run.file_path(file_of(role)) else {
            return Ok(None);
        };
        let (log, _) = SealedLog::open(world, &path)?;
        Ok(Some(Self {
            log: RefCell::new(log),
            redactor: prepared.redactor.clone(),
            packet: Arc::clone(&prepared.packet),
        }))
    }
}

impl SideKeeper for SideLog {
    fn keep(&self, line: &SideLine) -> io::Result<()> {
        let mut line = line.clone();
        if let SideLine::Heard(heard) = &mut line {
            // Whoever reads it in another shell does not know what the agent was handed in this one.
            let is_reviewed = |text: &str, _: &[Location]| stands_in_change(&self.packet, text);
            let handed = HandedValues::new(&self.redactor, &is_reviewed);
            handed.take_out_of_reply(heard.reply_mut());
        }
        let kept = self.log.borrow_mut().append(&line);
        kept.map_err(io::Error::other)
    }
}

/// What both sides of a run have kept.
pub(crate) fn read_sides(folder: &Path) -> [SidePast; 2] {
    [DuelRole::A, DuelRole::B].map(|role| read_side(folder, role))
}

/// What one side of a run has kept.
pub(super) fn read_side(folder: &Path, role: DuelRole) -> SidePast {
    let bytes = safe_file::read(path_of(folder, role)).unwrap_or_default();
    SidePast::of_lines(SealedLog::whole_lines(&bytes))
}

fn path_of(folder: &Path, role: DuelRole) -> PathBuf {
    folder.join(file_of(role))
}

fn file_of(role: DuelRole) -> &'static str {
    SIDE_FILES[usize::from(role == DuelRole::B)]
}
