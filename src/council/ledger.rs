//! The ledger: what passed between judges. Written by the engine, read by the rules of a procedure and by the report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What passed between judges in the rounds after R1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Ledger {
    /// How the others' answers reached the judges; none: they never did.
    pub exchange: Option<ExchangeKind>,
    /// Findings that did not fit the budget of an inline exchange, summed over all messages.
    pub dropped: u32,
}

impl Ledger {
    /// Notes one message of an exchange.
    pub(super) fn exchanged(&mut self, used: ExchangeKind, dropped: u32) {
        self.exchange = match self.exchange {
            Some(before) if before != used => Some(ExchangeKind::Both),
            _ => Some(used),
        };
        self.dropped = self.dropped.saturating_add(dropped);
    }
}

/// How the others' answers reached the judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExchangeKind {
    /// Everybody read files (seed 003).
    Reference,
    /// Everybody was sent the findings (seed 000).
    Inline,
    /// Some read files, some were sent the findings.
    Both,
}
