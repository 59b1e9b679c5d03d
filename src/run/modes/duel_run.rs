//! The run of a duel: it is there from the beginning, so that a duel whose process is killed is told like any other run.

use std::fs;
use std::sync::Arc;

use council_protocol::Seat;

use crate::council::plan::RunSeed;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::run::convene::begin_run;
use crate::run::error::RunError;
use crate::run::modes::duel::Duel;
use crate::run::modes::duel_subject::DUEL_BACKEND;
use crate::run::prompts::SeatPrompts;
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
    _held: Option<RunLock>,
}

impl DuelRun {
    /// Leaves nothing behind: the duel was refused before anybody was asked.
    pub(super) fn forget(&self) {
        if let Some(folder) = &self.run.folder
            && safe_file::check_place(folder).is_ok()
        {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl Duel<'_> {
    /// Begins the run with a journal that has heard nothing. The side of another process of ours has none: that one has it.
    pub(super) fn begin_run(
        &self,
        world: &RealWorld,
        seed: RunSeed,
        prompts: Option<Arc<SeatPrompts>>,
        seats: &[Seat],
    ) -> Result<DuelRun, RunError> {
        let began = world.read_calendar();
        let packet = &self.prepared.packet;
        let (run, held) = if self.relayed {
            let nowhere = RunFolders::default();
            let run = RunRef::create(world, &nowhere, &packet.target.slug, &began)?;
            (run, None)
        } else {
            begin_run(self.prepared, seats, self.start, world, &began)?
        };
        let begun = DuelRun {
            run,
            began,
            seed,
            prompts,
            _held: held,
        };
        if !self.relayed {
            let plan = self.plan(&DebateTranscript::parse(""), &begun)?;
            record_council(world, &begun.run, packet, &plan, DUEL_BACKEND, &[])?;
        }
        Ok(begun)
    }
}
