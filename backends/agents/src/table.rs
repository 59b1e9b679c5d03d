//! The agents' table.

use std::sync::Arc;

use council_protocol::seat::AgentKind;
use council_protocol::{Failure, FailureKind};

use crate::acp::AcpAgent;
use crate::builtin::BuiltinAgent;
use crate::claude::ClaudeAgent;
use crate::codex::CodexAgent;
use crate::command::CommandAgent;
use crate::recorded::RecordedAgent;
use crate::{Agent, AgentContext};

/// Every agent that this program can speak with, by the name of its driver.
#[derive(Clone)]
pub struct AgentTable(Vec<Arc<dyn Agent>>);

impl AgentTable {
    /// The table: one line per agent.
    pub fn new(context: &Arc<AgentContext>) -> Self {
        Self::from_agents(vec![
            Arc::new(BuiltinAgent(Arc::clone(context))),
            Arc::new(CommandAgent(Arc::clone(context))),
            Arc::new(ClaudeAgent(Arc::clone(context))),
            Arc::new(CodexAgent::new(context)),
            Arc::new(AcpAgent(Arc::clone(context))),
            Arc::new(RecordedAgent),
            #[cfg(feature = "http")]
            Arc::new(crate::http::HttpAgent::new(Arc::clone(context))),
        ])
    }

    /// A table of the given agents.
    pub fn from_agents(agents: Vec<Arc<dyn Agent>>) -> Self {
        Self(agents)
    }

    /// The agent of a kind.
    pub fn find_agent(&self, kind: &AgentKind) -> Result<&Arc<dyn Agent>, Failure> {
        let driver = kind.driver();
        self.0
            .iter()
            .find(|agent| agent.driver_name() == driver)
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
