//! The teams backend: live judges, one thread and one conversation each, kept across rounds.

use council_agents::{Agents, Lanes, Local, Memory, Style};
use council_protocol::{Backend, Capability};

/// Live judges over these agents.
pub fn teams(agents: Agents) -> Box<dyn Backend> {
    Box::new(Local::new(style(), agents))
}

/// It limits nothing that an agent can do.
fn style() -> Style {
    Style {
        name: "teams",
        version: env!("CARGO_PKG_VERSION"),
        capabilities: Capability::known().collect(),
        drivers: &["builtin", "claude", "codex", "acp", "http", "recorded"],
        lanes: Lanes::PerJudge,
        memory: Memory::Kept,
    }
}

#[cfg(test)]
mod tests;
