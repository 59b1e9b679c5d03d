//! The run of a duel: it is there from the beginning, so that a duel whose process is killed is told like any other run.

use std::fs;
use std::sync::Arc;

use council_protocol::Seat;

use crate::council::plan::RunSeed;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::report::DUEL_BACKEND;
use crate::run::convene::{begin_run, reopen_run};
use crate::run::error::RunError;
use crate::run::modes::duel::Duel;
use crate::run::modes::requested::RequestedMode;
use crate::run::prompts::SeatPrompts;
use crate::run::stored_request::StoredRequest;
use crate::safe_file;
use crate::session::{
    CalendarMoment, RealWorld, RunFolders, RunLock, RunRef, SessionWorld as _, record_council,
};

/// A run while its duel goes on.
pub(crate) struct DuelRun {
    pub(super) run: RunRef,
    pub(super) began: CalendarMoment,
    pub(super) seed: RunSeed,
    /// What our sides are sent; none: none of them reads text.
    pub(super) prompts: Option<Arc<SeatPrompts>>,
    /// Whether another process can find out what was asked for.
    pub(super) is_resumable: bool,
    /// Whether it began here: what another process has begun is not thrown away.
    is_own: bool,
    _held: Option<RunLock>,
}

impl DuelRun {
    /// Leaves nothing behind: the duel was refused before anybody was asked.
    pub(super) fn forget(&self) {
        if let Some(folder) = self.run.folder.as_ref().filter(|_| self.is_own)
            && safe_file::check_place(folder).is_ok()
        {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl Duel<'_> {
    /// Begins the run with a journal that has heard nothing, or goes on with the one that was left.
    pub(super) fn begin_run(
        &self,
        world: &RealWorld,
        seed: RunSeed,
        prompts: Option<Arc<SeatPrompts>>,
        seats: &[Seat],
    ) -> Result<DuelRun, RunError> {
        let began = world.read_calendar();
        let (run, held) = match self.left {
            Some(left) => (reopen_run(self.prepared, left, world)?, None),
            None if self.relayed => (self.folderless_run(world, &began)?, None),
            None => begin_run(self.prepared, seats, self.start, world, &began)?,
        };
        let mut begun = DuelRun {
            run,
            began,
            seed,
            prompts,
            is_resumable: self.left.is_some(),
            is_own: self.left.is_none() && !self.relayed,
            _held: held,
        };
        if begun.is_own {
            let plan = self.plan(&DebateTranscript::parse(""), &begun)?;
            let packet = &self.prepared.packet;
            record_council(world, &begun.run, packet, &plan, DUEL_BACKEND, &[])?;
            begun.is_resumable = self.keep_request(&begun.run);
        }
        Ok(begun)
    }

    /// Whoever goes on with the run is told what was asked for. Says whether that is kept.
    fn keep_request(&self, run: &RunRef) -> bool {
        let Some(review) = &self.prepared.request else {
            return false;
        };
        let mode = RequestedMode::Duel(self.request.clone());
        let is_kept = StoredRequest::save_request(review, Some(&mode), self.start, run);
        is_kept && !review.target.is_standard_input()
    }

    /// The side of another process of ours whose run keeps nothing.
    fn folderless_run(
        &self,
        world: &RealWorld,
        began: &CalendarMoment,
    ) -> Result<RunRef, RunError> {
        let slug = &self.prepared.packet.target.slug;
        Ok(RunRef::create(world, &RunFolders::default(), slug, began)?)
    }
}
