//! The teams backend: live judges, one thread and one conversation each, kept across rounds.

use council_agents::{AgentTable, JudgeMemory, LocalBackend, LocalStyle, ThreadSharing};
use council_protocol::{Backend, Capability};

/// Live judges over these agents.
pub fn teams_backend(agents: AgentTable) -> Box<dyn Backend> {
    Box::new(LocalBackend::new(teams_style(), agents))
}

/// It limits nothing that an agent can do.
fn teams_style() -> LocalStyle {
    LocalStyle {
        name: "teams",
        version: env!("CARGO_PKG_VERSION"),
        capabilities: Capability::known().collect(),
        drivers: &["builtin", "claude", "codex", "acp", "http", "recorded"],
        lanes: ThreadSharing::PerJudge,
        memory: JudgeMemory::Kept,
    }
}

#[cfg(test)]
mod tests;
