//! What a run of the past left: its plan and its journal, whole and belonging together.

use super::error::CliError;
use super::history::Past;
use crate::council::Plan;
use crate::packet::sha256;
use crate::session::journal::{JOURNAL, Journal};
use crate::session::{Held, stored};

/// A run that was read.
pub(crate) struct Left {
    pub(crate) past: Past,
    pub(crate) journal: Journal,
    pub(crate) plan: Plan,
    /// The packet's bytes as judges may read them.
    pub(crate) packet: Vec<u8>,
    /// Held for as long as we go on with the run.
    _holder: Option<Held>,
}

impl Left {
    /// Reads a run; what does not fit together is refused.
    pub(crate) fn read(past: Past, holder: Option<Held>) -> Result<Self, CliError> {
        let name = past.name.clone();
        let broken = |error: &dyn std::fmt::Display| CliError::run(format!("{name}: {error}"));
        let journal = Journal::parse(&past.read(JOURNAL)?).map_err(|error| broken(&error))?;
        let plan = past.read(&journal.plan.file)?;
        let differs = |file: &str| broken(&format!("{file} is not the one that the journal names"));
        if sha256(&plan) != journal.plan.sha256 {
            return Err(differs(&journal.plan.file));
        }
        let plan = stored::parse(&plan).map_err(|error| broken(&error))?;
        let packet = past.read("packet.json")?;
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
}
