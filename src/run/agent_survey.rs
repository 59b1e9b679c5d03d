//! What can think for a judge here, and what is in the way of the others.

use council_agents::SeatProbe;
use council_agents::installed::{InstalledClient, find_clients};
use council_agents::known::{KNOWN_CLIENTS, KnownClient};
use council_protocol::seat::{AgentKind, AgentSpec};
use schemars::JsonSchema;
use serde::Serialize;

use crate::run::backends::{BackendTable, bare_agent_context};
use crate::run::context::RunContext;
use crate::run::doctor::silence_of;
use crate::run::error::RunError;
use crate::run::seats::SeatPlanner;
use crate::run::settings;

/// Something that can act as a judge: an element of `agents --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "AgentState")]
pub(crate) struct AgentState {
    pub(crate) name: String,
    pub(crate) driver: String,
    pub(crate) vendor: String,
    /// Whether it can be used as it is.
    pub(crate) ready: bool,
    /// Its version where it is ready, or what is in its way, in words.
    pub(crate) state: String,
    /// What it can do as a judge, by the names that `git council backends` explains; empty where it is not ready.
    pub(crate) capabilities: String,
}

impl AgentState {
    fn new(name: &str, driver: &str, vendor: &str, ready: bool, state: String) -> Self {
        let [name, driver, vendor] = [name, driver, vendor].map(str::to_owned);
        Self {
            name,
            driver,
            vendor,
            ready,
            state,
            capabilities: String::new(),
        }
    }
}

/// Every agent of the configuration, then known ones that are not set up or not here.
pub(crate) fn survey_agents(start: &RunContext) -> Result<Vec<AgentState>, RunError> {
    let config = settings::branch_config(start)?;
    let bench = SeatPlanner {
        config: &config,
        deep: false,
    };
    let table = BackendTable::without_change(start);
    let mut rows = Vec::new();
    let here = find_clients(&bare_agent_context(start));
    let agents = bench.known_agents()?;
    let others = unconfigured_clients(&agents, &here);
    for agent in agents {
        let driver = agent.kind.driver().to_owned();
        let (name, vendor) = (agent.name.clone(), agent.vendor.clone());
        let version = version_of(&agent.kind, &here);
        let is_plugins = matches!(agent.kind, AgentKind::Backend {});
        let mut capabilities = String::new();
        let state = match table.probe_agent(agent.clone()) {
            // Only the plugin itself can tell, and it is asked when the council is convened.
            Err(_) if is_plugins && !config.settings.backends.is_empty() => {
                let names: Vec<&str> = config
                    .settings
                    .backends
                    .keys()
                    .map(String::as_str)
                    .collect();
                format!(
                    "run by a plugin: --backend {}",
                    names.join(" or --backend ")
                )
            }
            Ok(probe) => {
                capabilities = probe.capabilities.to_string();
                match silence_of(&agent) {
                    Some(why) => format!("not available: {why}"),
                    None => describe_ready(version, &probe),
                }
            }
            Err(failure) => format!("not available: {}", failure.detail),
        };
        let ready = state.starts_with("ready");
        let agent = AgentState::new(&name, &driver, &vendor, ready, state);
        rows.push(AgentState {
            capabilities,
            ..agent
        });
    }
    for other in others {
        let KnownClient {
            name,
            driver,
            vendor,
            ..
        } = other.known;
        let version = other.version.as_deref().unwrap_or("no version");
        let state = format!("installed ({version}), not set up: `git council init` does that");
        rows.push(AgentState::new(name, driver, vendor, false, state));
    }
    for known in missing_clients(&bench.known_agents()?, &here) {
        let state = format!("not installed: there is no `{}` in PATH", known.argv[0]);
        rows.push(AgentState::new(
            known.name,
            known.driver,
            known.vendor,
            false,
            state,
        ));
    }
    Ok(rows)
}

/// That an agent can be used, with its version and what it says of itself.
fn describe_ready(version: Option<&str>, probe: &SeatProbe) -> String {
    let more = [version.unwrap_or_default(), &probe.note];
    let more: Vec<&str> = more.into_iter().filter(|text| !text.is_empty()).collect();
    match more.is_empty() {
        true => "ready".to_owned(),
        false => format!("ready: {}", more.join("; ")),
    }
}

/// Clients that are known by name, and neither here nor in the configuration.
fn missing_clients(agents: &[AgentSpec], here: &[InstalledClient]) -> Vec<&'static KnownClient> {
    let there = |known: &&KnownClient| {
        agents.iter().any(|agent| agent.name == known.name)
            || here.iter().any(|one| one.known == *known)
    };
    KNOWN_CLIENTS.iter().filter(|known| !there(known)).collect()
}

/// Clients that are here, and that no agent of the configuration is.
fn unconfigured_clients<'a>(
    agents: &[AgentSpec],
    here: &'a [InstalledClient],
) -> Vec<&'a InstalledClient> {
    let is_set_up =
        |one: &&InstalledClient| agents.iter().any(|agent| agent.name == one.known.name);
    here.iter().filter(|one| !is_set_up(one)).collect()
}

/// The version of an agent's program, where it is a client that we know.
fn version_of<'a>(kind: &AgentKind, here: &'a [InstalledClient]) -> Option<&'a str> {
    let (AgentKind::Claude(client) | AgentKind::Codex(client) | AgentKind::Acp(client)) = kind
    else {
        return None;
    };
    let program = client.argv.first()?;
    let known = here.iter().find(|one| one.known.argv[0] == program)?;
    known.version.as_deref().ok()
}
