//! What calls of models cost, and how much a turn may spend.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Usage;

/// Output tokens of an answer that has not come yet: a page with some findings.
pub const EXPECTED_OUTPUT: u64 = 1_500;

/// Tokens of so many bytes where nobody has counted them: four bytes each.
pub fn estimate_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// What a model costs, in millionths of US dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelPrice {
    /// Input tokens that are read in full.
    pub input: u64,
    /// Input tokens from the provider's cache.
    pub cached: u64,
    /// Tokens that the model writes.
    pub output: u64,
}

impl ModelPrice {
    /// US dollars for so many tokens.
    pub fn cost_usd(&self, input: u64, cached: u64, output: u64) -> f64 {
        let part = |tokens: u64, price: u64| tokens as f64 * price as f64;
        (part(input, self.input) + part(cached, self.cached) + part(output, self.output)) / 1e12
    }

    /// US dollars for a call that is about to send so many bytes.
    pub fn estimate_usd(&self, bytes: u64) -> f64 {
        self.cost_usd(estimate_tokens(bytes), 0, EXPECTED_OUTPUT)
    }

    /// US dollars for what was counted; none without a count of the input, since there is nothing to multiply then.
    pub fn of_usage(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input_tokens?;
        let cached = usage.cached_tokens.unwrap_or(0);
        Some(self.cost_usd(input, cached, usage.output_tokens.unwrap_or(0)))
    }
}

/// How much the calls of one turn may cost together: an agent that makes several calls for one answer (another model, a
/// second attempt) asks before each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpendLimit {
    /// Millionths of US dollars.
    pub micro_usd: u64,
    /// What models cost, by their names; one that is missing has no known price.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, ModelPrice>,
}

impl SpendLimit {
    /// The limit in US dollars.
    pub fn usd(&self) -> f64 {
        self.micro_usd as f64 / 1e6
    }
}
