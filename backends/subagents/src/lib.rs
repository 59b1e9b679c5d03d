//! The subagents backend: a fresh process or request per turn; context only by the agent's own resume.

use council_agents::{Agents, Lanes, Local, Memory, Style};
use council_protocol::{Backend, Capability};

/// Fresh judges over these agents.
pub fn subagents(agents: Agents) -> Box<dyn Backend> {
    Box::new(Local::new(style(), agents))
}

/// `message` is left only where the agent can resume: re-briefing is never done unasked (2-architecture.md).
fn style() -> Style {
    Style {
        name: "subagents",
        version: env!("CARGO_PKG_VERSION"),
        capabilities: Capability::known().collect(),
        drivers: &["builtin", "command", "claude", "codex", "http"],
        lanes: Lanes::PerJudge,
        memory: Memory::Fresh,
    }
}
