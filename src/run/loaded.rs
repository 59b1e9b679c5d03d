//! What a run of the past left: its plan and its journal, whole and belonging together.

use council_protocol::Seat;

use crate::council::plan::{Intensity, RoundLimits};
use crate::council::{Input, Plan};
use crate::packet::sha256;
use crate::report::DUEL_BACKEND;
use crate::report::Report;
use crate::run::error::RunError;
use crate::run::modes::duel_cut::check_cut_duel;
use crate::run::store::StoredRun;
use crate::session::journal::{JOURNAL_FILE, RunJournal};
use crate::session::{RunLock, before_losses, stored};

/// A run that was read.
pub(crate) struct LoadedRun {
    pub(crate) past: StoredRun,
    pub(crate) journal: RunJournal,
    pub(crate) plan: Plan,
    /// The packet's bytes as judges may read them.
    pub(crate) packet: Vec<u8>,
    /// Held for as long as we go on with the run.
    _holder: Option<RunLock>,
}

impl LoadedRun {
    /// Reads a run; what does not fit together is refused.
    pub(crate) fn load(past: StoredRun, holder: Option<RunLock>) -> Result<Self, RunError> {
        let name = past.name.clone();
        let broken = |error: &dyn std::fmt::Display| RunError::run(format!("{name}: {error}"));
        let journal =
            RunJournal::parse(&past.read_file(JOURNAL_FILE)?).map_err(|error| broken(&error))?;
        let plan = past.read_file(&journal.plan.file)?;
        let differs = |file: &str| broken(&format!("{file} does not match the journal"));
        if sha256(&plan) != journal.plan.sha256 {
            return Err(differs(&journal.plan.file));
        }
        let plan = stored::parse_plan(&plan).map_err(|error| broken(&error))?;
        let packet = past.read_file("packet.json")?;
        let named = journal.header.packet.as_ref();
        if named.is_some_and(|named| *named != sha256(&packet)) {
            return Err(differs("packet.json"));
        }
        Ok(Self {
            past,
            journal,
            plan,
            packet,
            _holder: holder,
        })
    }

    /// The seats of its plan, as they were filled.
    pub(crate) fn seats(&self) -> Vec<Seat> {
        let planned = self.plan.seats.iter();
        planned.map(|planned| planned.seat.clone()).collect()
    }

    /// How many rounds there may be.
    pub(crate) fn round_limits(&self) -> RoundLimits {
        let rounds = self.plan.options.rounds;
        rounds.unwrap_or_else(|| Intensity::Light.profile().round_limits())
    }

    /// What is wrong with what it left.
    pub(crate) fn broken(&self, error: &dyn std::fmt::Display) -> RunError {
        RunError::run(format!("{}: {error}", self.past.name))
    }

    /// A run that is over goes on only where judges were lost to the machine, the network or the clock.
    pub(crate) fn forget_losses(&mut self) -> Result<(), RunError> {
        let Some(report) = self.past.report()? else {
            self.forget_interrupt();
            return Ok(());
        };
        if self.journal.backend == DUEL_BACKEND {
            return check_cut_duel(&self.past, &report);
        }
        let kept = before_losses(self.plan.clone(), &self.journal.entries)
            .ok_or_else(|| nobody_to_ask(&self.past.name, &report))?;
        self.journal.truncate_entries(kept);
        Ok(())
    }

    /// A process that was told to end, and did so before its judges had, left no report: what it was told is over with it.
    fn forget_interrupt(&mut self) {
        let mut inputs = self.journal.entries.iter().map(|entry| &entry.input);
        if self.journal.backend != DUEL_BACKEND
            && inputs.any(|input| matches!(input, Input::Cancel { .. }))
            && let Some(kept) = before_losses(self.plan.clone(), &self.journal.entries)
        {
            self.journal.truncate_entries(kept);
        }
    }
}

/// Why a run that is over has nobody to ask again: each judge answered, or what it did wrong was its own doing.
fn nobody_to_ask(name: &str, report: &Report) -> RunError {
    let silent: Vec<&str> = report
        .outcome
        .judges
        .iter()
        .filter(|judge| judge.counted.is_none() && judge.own_failure().is_some())
        .map(|judge| judge.seat.judge.as_str())
        .collect();
    if silent.is_empty() {
        return RunError::usage(format!("{name} is complete: every judge answered"))
            .hint(format!("`git council show {name}` prints its report"));
    }
    RunError::usage(format!(
        "{name} is over: {} gave no answer that counts, and `resume` asks only judges that were lost to time, \
         network, quota or a crash",
        silent.join(", ")
    ))
    .hint(format!("`git council show {name}` says why"))
    .hint("to ask all judges again: git council review --fresh")
}
