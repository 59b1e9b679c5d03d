//! What agents that read text are sent: one brief for all of them, and a prompt for each turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::{Coverage, Seat, Turn};

use crate::council::plan::Seed;
use crate::prompt::{self, Brief, BriefClass, Prompter};
use crate::session::{self, Redact};

use super::error::CliError;
use super::prepare::Prepared;

/// The prompts of a run.
pub(crate) struct Prompts {
    prompter: Prompter,
    brief: Brief,
    coverage: Arc<Coverage>,
}

impl Prompts {
    /// Renders the brief when a seat needs one; judges that read the packet as it is do not.
    pub(crate) fn for_seats(
        seats: &[Seat],
        prepared: &Prepared,
        seed: &Seed,
    ) -> Result<Option<Arc<Self>>, CliError> {
        if !seats.iter().any(|seat| seat.agent.kind.reads_text()) {
            return Ok(None);
        }
        let prompter = Prompter::new(seed, &BTreeMap::new()).map_err(CliError::run)?;
        let budget = usize::try_from(prepared.config.settings.limits.brief).unwrap_or(usize::MAX);
        let class = BriefClass {
            budget_bytes: budget,
            ..BriefClass::default()
        };
        let brief = prompter
            .brief(&prepared.packet, &class)
            .map_err(CliError::run)?;
        let coverage = Arc::new(brief.coverage.clone());
        Ok(Some(Arc::new(Self {
            prompter,
            brief,
            coverage,
        })))
    }

    /// The brief.
    pub(crate) fn text(&self) -> Arc<str> {
        Arc::clone(&self.brief.text)
    }

    /// What of the change the brief shows.
    pub(crate) fn coverage(&self) -> Arc<Coverage> {
        Arc::clone(&self.coverage)
    }

    /// SHA-256 of the templates.
    pub(crate) fn digest(&self) -> String {
        self.prompter.digest()
    }

    /// Takes secrets out of a text as they are taken out of the brief.
    pub(crate) fn redact() -> Redact {
        Arc::new(|path, text| prompt::redact_file(path, text).0)
    }
}

impl session::Prompter for Prompts {
    fn brief(&self, _: &Seat) -> Arc<str> {
        Arc::clone(&self.brief.text)
    }

    fn prompt(&self, seat: &Seat, turn: &Turn, explorers: u8) -> String {
        // Only a template that the user put in place of a built-in one can fail, and there is none.
        self.prompter
            .turn_exploring(seat, turn.round, &turn.key, &turn.task, explorers)
            .unwrap_or_default()
    }

    fn reminder(&self, said: &[Arc<str>]) -> String {
        self.prompter.reminder(said).unwrap_or_default()
    }
}
