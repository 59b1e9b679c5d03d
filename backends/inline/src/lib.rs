//! The inline backend: judges in this process, one after another; always there.

use council_agents::{AgentTable, JudgeMemory, LocalBackend, LocalStyle, ThreadSharing};
use council_protocol::{Backend, Capability};

/// Judges one after another over these agents.
pub fn inline_backend(agents: AgentTable) -> Box<dyn Backend> {
    Box::new(LocalBackend::new(inline_style(), agents))
}

/// Everything but `spawn`: several judges may sit, but they think in turn.
fn inline_style() -> LocalStyle {
    LocalStyle {
        name: "inline",
        version: env!("CARGO_PKG_VERSION"),
        capabilities: Capability::known()
            .filter(|c| *c != Capability::Spawn)
            .collect(),
        drivers: &["builtin", "command", "http"],
        lanes: ThreadSharing::One,
        memory: JudgeMemory::Kept,
    }
}

#[cfg(test)]
mod tests;
