//! Which model thinks for a seat: the strongest layer that says so.

use council_protocol::Seat;
use council_protocol::seat::{AgentKind, AgentSpec};

use crate::config::{LayerSource, ResolvedKey};
use crate::run::error::RunError;
use crate::run::seats::SeatPlanner;

/// Claude's model where nobody says otherwise; every other client has its user's own default.
const CLAUDE_DEFAULT: &str = "sonnet";

impl SeatPlanner<'_> {
    /// The model of a seat: its own (`[[judge]]`), its agent's, or the one that a flag or a variable names for all agents
    /// of its client. The strongest layer is followed; in one layer, in this order.
    pub(crate) fn seat_model(&self, own: Option<String>, agent: &AgentSpec) -> Option<String> {
        let strength =
            |key: &str| Some(self.config.entry(key).and_then(ResolvedKey::origin)?.source);
        let agents_key = format!("agents.{}.model", agent.name);
        let client = agent.kind.driver();
        let clients_key = format!("agents.{client}.model");
        let of_client = self.settings().agents.get(client);
        let of_client = of_client.and_then(|settings| settings.model.clone());
        // A table of another agent says nothing of this one; a flag or a variable names the client.
        let names_client =
            strength(&clients_key).filter(|source| *source >= LayerSource::Environment);
        let said = [
            (names_client, of_client),
            (strength(&agents_key), agent.model.clone()),
            (strength("judge"), own),
        ];
        // The last of equals is taken.
        let said = said
            .into_iter()
            .filter_map(|(source, model)| Some((source?, model?)));
        let strongest = said
            .max_by_key(|(source, _)| *source)
            .map(|(_, model)| model);
        strongest.or_else(|| default_model(agent))
    }

    /// The model that a flag or a variable names for an agent or for all agents of its client.
    pub(crate) fn forced_model(&self, agent: &AgentSpec) -> Option<String> {
        let said = [agent.name.as_str(), agent.kind.driver()]
            .into_iter()
            .filter_map(|name| {
                let key = format!("agents.{name}.model");
                let source = self
                    .config
                    .entry(&key)
                    .and_then(ResolvedKey::origin)?
                    .source;
                let model = self.settings().agents.get(name)?.model.clone()?;
                (source >= LayerSource::Environment).then_some((source, model))
            });
        said.max_by_key(|(source, _)| *source)
            .map(|(_, model)| model)
    }

    /// A flag that names a model for nobody is a mistake.
    pub(crate) fn check_models(&self, seats: &[Seat]) -> Result<(), RunError> {
        for (client, flag) in [("claude", "--claude-model"), ("codex", "--codex-model")] {
            let key = format!("agents.{client}.model");
            let origin = self.config.entry(&key).and_then(ResolvedKey::origin);
            let is_it =
                |seat: &Seat| seat.agent.name == client || seat.agent.kind.driver() == client;
            let flagged = origin.is_some_and(|o| o.source == LayerSource::Flag && o.place == flag);
            if flagged && !seats.iter().any(is_it) {
                let message = format!("{flag} has no effect: no judge uses `{client}`");
                return Err(RunError::usage(message).hint(format!("add one: --agents {client}")));
            }
        }
        Ok(())
    }
}

fn default_model(agent: &AgentSpec) -> Option<String> {
    matches!(agent.kind, AgentKind::Claude(_)).then(|| CLAUDE_DEFAULT.to_owned())
}
