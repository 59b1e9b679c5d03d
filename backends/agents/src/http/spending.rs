//! What the calls of one turn cost: every one counts, and each is asked for before it is made.

use council_protocol::message::Usage;
use council_protocol::price::{SpendLimit, estimate_tokens};
use council_protocol::{Failure, FailureKind};

/// The calls of a turn so far.
#[derive(Debug, Default)]
pub(super) struct TurnSpending {
    limit: Option<SpendLimit>,
    calls: Vec<SentCall>,
}

/// A call that the server has taken: from there on it costs money, however it ends.
#[derive(Debug)]
struct SentCall {
    /// Bytes of the conversation that went along.
    bytes: u64,
    usage: Usage,
}

impl TurnSpending {
    pub(super) fn new(limit: Option<SpendLimit>) -> Self {
        Self {
            limit,
            calls: Vec::new(),
        }
    }

    /// Whether the turn may pay for so many further calls. The first was approved with the turn.
    pub(super) fn approve_calls(&self, model: &str, bytes: u64, calls: u32) -> Result<(), Failure> {
        let Some(limit) = self.limit.as_ref().filter(|_| !self.calls.is_empty()) else {
            return Ok(());
        };
        let price = limit.prices.get(model);
        let usd = price.map_or(0.0, |price| price.estimate_usd(bytes)) * f64::from(calls);
        let spent = self.spent_usd(limit);
        if spent < limit.usd() && spent + usd <= limit.usd() {
            return Ok(());
        }
        let detail = format!(
            "another call, of {model}, may cost ${usd:.4}, and ${spent:.4} of the ${:.4} that the turn may cost are \
             spent: raise --max-cost",
            limit.usd()
        );
        Err(Failure::new(FailureKind::Quota, detail))
    }

    /// The most tokens of an answer that what is left can pay for; none: there is no limit, or no price.
    pub(super) fn affordable_tokens(&self, model: &str, bytes: u64) -> Option<u32> {
        let limit = self.limit.as_ref()?;
        let price = limit.prices.get(model).filter(|price| price.output > 0)?;
        let input_usd = price.cost_usd(estimate_tokens(bytes), 0, 0);
        let left_usd = limit.usd() - self.spent_usd(limit) - input_usd;
        // Sums of floats fall short by a hair.
        let tokens = (left_usd / price.cost_usd(0, 0, 1) + 1e-6).floor();
        // The first call was approved, so that something is left; a float may say otherwise by a hair.
        Some(tokens.clamp(1.0, f64::from(u32::MAX)) as u32)
    }

    /// The server has taken a call.
    pub(super) fn begin_call(&mut self, model: &str, bytes: u64) {
        let usage = Usage {
            model: Some(model.to_owned()),
            ..Usage::default()
        };
        self.calls.push(SentCall { bytes, usage });
    }

    /// What the server counts of the call under way.
    pub(super) fn update_call(&mut self, counted: &Usage) {
        if let Some(call) = self.calls.last_mut() {
            call.usage = Usage {
                model: call.usage.model.take(),
                ..counted.clone()
            };
        }
    }

    /// What the last call cost, with those before it; none when none was taken.
    pub(super) fn take_usage(&mut self) -> Option<Usage> {
        let mut usages: Vec<Usage> = self.calls.drain(..).map(|call| call.usage).collect();
        let last = usages.pop()?;
        Some(Usage {
            earlier: usages,
            ..last
        })
    }

    /// A call that nobody counted has cost what was expected of it.
    fn spent_usd(&self, limit: &SpendLimit) -> f64 {
        let cost = |call: &SentCall| {
            let price = limit.prices.get(call.usage.model.as_ref()?)?;
            let counted = price.of_usage(&call.usage);
            Some(counted.unwrap_or_else(|| price.estimate_usd(call.bytes)))
        };
        self.calls.iter().filter_map(cost).sum()
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::price::ModelPrice;

    use super::*;

    #[test]
    fn an_answer_may_be_as_long_as_what_is_left_pays_for() {
        let price = ModelPrice {
            input: 10_000_000,
            cached: 0,
            output: 100_000_000,
        };
        let mut spending = TurnSpending::new(Some(SpendLimit {
            micro_usd: 1_000_000,
            prices: [("m".to_owned(), price)].into(),
        }));
        // 40,000 bytes are 10,000 tokens: ten cents. Ninety are left for the answer.
        assert_eq!(spending.affordable_tokens("m", 40_000), Some(9_000));
        assert_eq!(spending.affordable_tokens("unknown", 40_000), None);
        spending.begin_call("m", 40_000);
        spending.update_call(&Usage {
            input_tokens: Some(10_000),
            output_tokens: Some(8_000),
            ..Usage::default()
        });
        assert_eq!(spending.affordable_tokens("m", 0), Some(1_000));
        assert_eq!(TurnSpending::default().affordable_tokens("m", 0), None);
    }
}
