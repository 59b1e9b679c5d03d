//! Servers of models on this machine: whether one runs is free to find out, and nothing else says it before a review.

use std::collections::BTreeMap;

use council_protocol::Seat;
use council_protocol::seat::{AgentKind, AgentSpec};

/// The agents whose server of this machine does not run, each once, with what to do.
pub(super) fn silent_servers(seats: &[Seat]) -> Vec<(String, String)> {
    let agents = seats.iter().map(|seat| (&seat.agent.name, &seat.agent));
    let agents: BTreeMap<&String, &AgentSpec> = agents.collect();
    let silent = agents.into_iter().filter_map(|(name, agent)| {
        let why = silence_of(agent)?;
        let what = format!("{why}: start its server, or correct `agents.{name}.url`");
        Some((name.clone(), what))
    });
    silent.collect()
}

/// Why nothing answers where an agent's server is; none: something does, or it was not tried.
pub(crate) fn silence_of(agent: &AgentSpec) -> Option<String> {
    match &agent.kind {
        AgentKind::Http(endpoint) => council_agents::unreachable_server(endpoint),
        _ => None,
    }
}
