//! What calls of models cost, and how much a turn may spend.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Usage;
use crate::tokens::TOKEN_BYTES;

/// Output tokens of an answer that has not come yet: a page with some findings.
pub const EXPECTED_OUTPUT: u64 = 1_500;

/// Tokens of so many bytes where nobody has counted them: four bytes each.
pub fn estimate_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(TOKEN_BYTES)
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
    /// Input tokens that are written to the provider's cache; none: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
}

impl ModelPrice {
    /// US dollars for so many tokens, none of which is written to the provider's cache.
    pub fn cost_usd(&self, input: u64, cached: u64, output: u64) -> f64 {
        let part = |tokens: u64, price: u64| tokens as f64 * price as f64;
        (part(input, self.input) + part(cached, self.cached) + part(output, self.output)) / 1e12
    }

    /// The most US dollars for so many tokens: the provider may write all of the input to its cache.
    pub fn max_usd(&self, input: u64, output: u64) -> f64 {
        let dearest = Self {
            input: self.input.max(self.written_price()),
            ..*self
        };
        dearest.cost_usd(input, 0, output)
    }

    /// US dollars for a call that is about to send so many bytes.
    pub fn estimate_usd(&self, bytes: u64) -> f64 {
        self.max_usd(estimate_tokens(bytes), EXPECTED_OUTPUT)
    }

    /// US dollars for what was counted; none without a count of the input, since there is nothing to multiply then.
    pub fn of_usage(&self, usage: &Usage) -> Option<f64> {
        let input = usage.input_tokens?;
        let written = usage.written_tokens.unwrap_or(0).min(input);
        let cached = usage.cached_tokens.unwrap_or(0);
        let output = usage.output_tokens.unwrap_or(0);
        let stored = Self {
            input: self.written_price(),
            ..*self
        };
        Some(self.cost_usd(input - written, cached, output) + stored.cost_usd(written, 0, 0))
    }

    fn written_price(&self) -> u64 {
        self.written.unwrap_or(self.input)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Each kind of token costs its own price, and what is reserved for a call covers it, however its input is cached.
        #[test]
        fn every_token_has_its_price_and_is_reserved(
            prices in (0..100_u64, 0..10_u64, 0..100_u64, proptest::option::of(0..150_u64)),
            tokens in (0..1_000_000_u64, 0..1_000_000_u64, 0..1_000_000_u64, 0..10_000_u64),
        ) {
            let micro = 1_000_000;
            let (input, cached, output, written) = prices;
            let cached = cached.min(input);
            let price = ModelPrice {
                input: input * micro,
                cached: cached * micro,
                output: output * micro,
                written: written.map(|written| written * micro),
            };
            let (full, stored, read, answer) = tokens;
            let usage = Usage {
                input_tokens: Some(full + stored),
                written_tokens: Some(stored),
                cached_tokens: Some(read),
                output_tokens: Some(answer),
                ..Usage::default()
            };
            let sum = full * input + stored * written.unwrap_or(input) + read * cached + answer * output;
            let cost = price.of_usage(&usage).unwrap();
            prop_assert!((cost - sum as f64 / 1e6).abs() < 1e-6, "{} of {}", cost, sum);
            prop_assert!(cost <= price.max_usd(full + stored + read, answer) + 1e-9);
        }
    }
}
