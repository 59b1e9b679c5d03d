//! The subagents backend: a fresh process or request per turn; context only by the agent's own resume.

use council_agents::{AgentTable, JudgeMemory, LocalBackend, LocalStyle, ThreadSharing};
use council_protocol::{Backend, Capability};

/// Fresh judges over these agents.
pub fn subagents_backend(agents: AgentTable) -> Box<dyn Backend> {
    Box::new(LocalBackend::new(subagents_style(), agents))
}

/// `message` is left only where the agent can resume: re-briefing is never done unasked.
fn subagents_style() -> LocalStyle {
    LocalStyle {
        name: "subagents",
        version: env!("CARGO_PKG_VERSION"),
        capabilities: Capability::known().collect(),
        drivers: &["builtin", "command", "claude", "codex", "http"],
        lanes: ThreadSharing::PerJudge,
        memory: JudgeMemory::Fresh,
    }
}
