//! The inline backend: judges in this process, one after another; always there.

use council_agents::{Agents, Lanes, Local, Memory, Style};
use council_protocol::{Backend, Capability};

/// Judges one after another over these agents.
pub fn inline(agents: Agents) -> Box<dyn Backend> {
    Box::new(Local::new(style(), agents))
}

/// Everything but `spawn`: several judges may sit, but they think in turn.
fn style() -> Style {
    Style {
        name: "inline",
        version: env!("CARGO_PKG_VERSION"),
        capabilities: Capability::known()
            .filter(|c| *c != Capability::Spawn)
            .collect(),
        drivers: &["builtin", "command", "http"],
        lanes: Lanes::One,
        memory: Memory::Kept,
    }
}

#[cfg(test)]
mod tests;
