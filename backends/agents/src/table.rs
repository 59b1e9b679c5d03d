//! The agents' table.

use std::sync::Arc;

use council_protocol::seat::AgentKind;
use council_protocol::{Failure, FailureKind};

use crate::acp::Acp;
use crate::builtin::Builtin;
use crate::claude::Claude;
use crate::codex::Codex;
use crate::command::Command;
use crate::recorded::Recorded;
use crate::{Agent, Workshop};

/// Every agent that this program can speak with, by the name of its driver.
#[derive(Clone)]
pub struct Agents(Vec<Arc<dyn Agent>>);

impl Agents {
    /// The table: one line per agent.
    pub fn new(workshop: &Arc<Workshop>) -> Self {
        Self::of(vec![
            Arc::new(Builtin(Arc::clone(workshop))),
            Arc::new(Command(Arc::clone(workshop))),
            Arc::new(Claude(Arc::clone(workshop))),
            Arc::new(Codex::new(workshop)),
            Arc::new(Acp(Arc::clone(workshop))),
            Arc::new(Recorded),
            #[cfg(feature = "http")]
            Arc::new(crate::http::Http::new(Arc::clone(workshop))),
        ])
    }

    /// A table of the given agents.
    pub fn of(agents: Vec<Arc<dyn Agent>>) -> Self {
        Self(agents)
    }

    /// The agent of a kind.
    pub fn find(&self, kind: &AgentKind) -> Result<&Arc<dyn Agent>, Failure> {
        let driver = kind.driver();
        self.0
            .iter()
            .find(|agent| agent.driver() == driver)
            .ok_or_else(|| {
                let detail =
                    format!("this program has no driver for agents of the kind `{driver}`");
                Failure::new(FailureKind::Unsupported, detail)
            })
    }

    /// The agents in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Agent> {
        self.0.iter().map(|agent| &**agent)
    }
}
