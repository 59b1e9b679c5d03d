//! What the calls of one turn cost: every one counts, and each is asked for before it is made.

use council_protocol::message::Usage;
use council_protocol::price::{EXPECTED_OUTPUT, SpendLimit, estimate_tokens};
use council_protocol::{Failure, FailureKind};

/// More bytes than a token has on average in any answer, so that a server that obeys its limit is never cut short.
const MAX_TOKEN_BYTES: u64 = 6;

/// What a model may write before it looks something up: where there is no room for that, it is better not asked to.
const LOOK_UP_OUTPUT: u64 = 4 * EXPECTED_OUTPUT;

/// The calls of a turn so far.
#[derive(Debug, Default)]
pub(super) struct TurnSpending {
    limit: Option<SpendLimit>,
    calls: Vec<SentCall>,
    /// Whether another model goes on with the turn than the one that it was approved for.
    has_changed_model: bool,
}

/// A call that the server may have taken: from there on it costs money, however it ends.
#[derive(Debug)]
struct SentCall {
    /// Bytes of the conversation that went along.
    bytes: u64,
    usage: Usage,
    /// Whether its answer was heard to the end: what was counted of another is only a part.
    is_whole: bool,
}

impl TurnSpending {
    pub(super) fn new(limit: Option<SpendLimit>) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Another model goes on, which may be dearer: its first call was approved by nobody.
    pub(super) fn change_model(&mut self) {
        self.has_changed_model = true;
    }

    /// Whether the turn may pay for an answer behind so many tokens of thought, which are paid for like its own.
    pub(super) fn approve_thought(
        &self,
        model: &str,
        bytes: u64,
        thought: u32,
    ) -> Result<(), Failure> {
        let needed = u64::from(thought).saturating_add(EXPECTED_OUTPUT);
        match self.affordable_tokens(model, bytes) {
            Some(tokens) if thought > 0 && u64::from(tokens) < needed => {
                let detail = format!(
                    "{thought} tokens of thought of {model} and an answer may cost more than is left for the turn: \
                     raise --max-cost, or lower `thinking` of the agent"
                );
                Err(Failure::new(FailureKind::Quota, detail))
            }
            _ => Ok(()),
        }
    }

    /// Whether the turn may pay for so many further calls. The first was approved with the turn.
    pub(super) fn approve_calls(&self, model: &str, bytes: u64, calls: u32) -> Result<(), Failure> {
        let is_approved = self.calls.is_empty() && !self.has_changed_model;
        let Some(limit) = self.limit.as_ref().filter(|_| !is_approved) else {
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

    /// Whether what is left pays for a call that looks something up, behind some thought, and for the answer behind it, with
    /// `thought` tokens of thought in each.
    pub(super) fn pays_for_look_ups(&self, model: &str, bytes: u64, thought: u32) -> bool {
        let needed = LOOK_UP_OUTPUT.saturating_add(thought.into());
        let tokens = self.affordable_beside_answer(model, bytes, thought);
        let has_room = tokens.is_none_or(|tokens| u64::from(tokens) >= needed);
        let Some(limit) = &self.limit else {
            return true;
        };
        let price = limit.prices.get(model);
        let usd = price.map_or(0.0, |price| price.estimate_usd(bytes)) * 2.0;
        has_room && self.spent_usd(limit) + usd <= limit.usd()
    }

    /// The most tokens of an answer that what is left can pay for; none: there is no limit, or no price.
    pub(super) fn affordable_tokens(&self, model: &str, bytes: u64) -> Option<u32> {
        self.affordable_after(model, bytes, 0.0)
    }

    /// The same for a call that may look something up: an answer has to be paid for, too.
    pub(super) fn affordable_beside_answer(
        &self,
        model: &str,
        bytes: u64,
        thought: u32,
    ) -> Option<u32> {
        let limit = self.limit.as_ref()?;
        let price = limit.prices.get(model)?;
        let answer_usd = price.estimate_usd(bytes) + price.cost_usd(0, 0, thought.into());
        self.affordable_after(model, bytes, answer_usd)
    }

    fn affordable_after(&self, model: &str, bytes: u64, reserved_usd: f64) -> Option<u32> {
        let limit = self.limit.as_ref()?;
        let price = limit.prices.get(model).filter(|price| price.output > 0)?;
        let input_usd = price.max_usd(estimate_tokens(bytes), 0);
        let left_usd = limit.usd() - self.spent_usd(limit) - input_usd - reserved_usd;
        // Sums of floats fall short by a hair.
        let tokens = (left_usd / price.cost_usd(0, 0, 1) + 1e-6).floor();
        // The first call was approved, so that something is left; a float may say otherwise by a hair.
        Some(tokens.clamp(1.0, f64::from(u32::MAX)) as u32)
    }

    /// A call is made.
    pub(super) fn begin_call(&mut self, model: &str, bytes: u64) {
        let usage = Usage {
            model: Some(model.to_owned()),
            ..Usage::default()
        };
        self.calls.push(SentCall {
            bytes,
            usage,
            is_whole: false,
        });
    }

    /// A call that an earlier process of the run has paid for.
    pub(super) fn count_earlier(&mut self, bytes: u64, usage: Usage) {
        self.calls.push(SentCall {
            bytes,
            usage,
            is_whole: true,
        });
    }

    /// What the last call cost, and the bytes that went along.
    pub(super) fn last_call(&self) -> Option<(u64, Usage)> {
        self.calls
            .last()
            .map(|call| (call.bytes, call.usage.clone()))
    }

    /// The call under way was refused, or did not reach the server.
    pub(super) fn take_back_call(&mut self) {
        self.calls.pop();
    }

    /// The answer under way has come to its end.
    pub(super) fn end_call(&mut self) {
        if let Some(call) = self.calls.last_mut() {
            call.is_whole = true;
        }
    }

    /// The last call was made to learn something of the one before it, whose answer is the one that counts.
    pub(super) fn count_as_earlier(&mut self) {
        if let [.., answer, check] = self.calls.as_mut_slice() {
            std::mem::swap(answer, check);
        }
    }

    /// What the server counts of the call under way. No prompt and no answer has no tokens: a server that says so has not
    /// counted.
    pub(super) fn update_call(&mut self, counted: &Usage) {
        if let Some(call) = self.calls.last_mut() {
            let mut counted = counted.clone();
            if counted.all_input_tokens() == Some(0) && call.bytes > 0 {
                counted.input_tokens = None;
                counted.cached_tokens = None;
            }
            counted.output_tokens = counted.output_tokens.filter(|&tokens| tokens > 0);
            call.usage = Usage {
                model: call.usage.model.take(),
                ..counted
            };
        }
    }

    /// Counts what has come of the answer under way, and says why it is not read any further: some servers do not obey the
    /// number of tokens that they are told.
    pub(super) fn check_stream(&mut self, written_bytes: u64) -> Option<Failure> {
        let limit = self.limit.as_ref()?;
        let call = self.calls.last()?;
        let model = call.usage.model.clone()?;
        let price = limit.prices.get(&model)?;
        let counted = call.usage.output_tokens.unwrap_or(0);
        let output = counted.max(written_bytes / MAX_TOKEN_BYTES);
        let input = estimate_tokens(call.bytes);
        let input = call.usage.input_tokens.map_or(input, |tokens| {
            tokens.saturating_add(call.usage.cached_tokens.unwrap_or(0))
        });
        let most = limit.usd();
        let before = self
            .calls
            .split_last()
            .map_or(0.0, |(_, before)| spent_usd(before, limit));
        let so_far = Usage {
            output_tokens: Some(output),
            ..call.usage.clone()
        };
        let so_far = price.of_usage(&so_far);
        let usd = before + so_far.unwrap_or_else(|| price.max_usd(input, output));
        if usd <= most || output <= EXPECTED_OUTPUT {
            return None;
        }
        let detail = format!(
            "the answer of {model} was not read to its end: so far it costs about ${usd:.4}, more than the ${most:.4} \
             that the turn may cost. The server does not obey the limit of tokens that it was told; raise --max-cost"
        );
        if let Some(call) = self.calls.last_mut() {
            call.usage.input_tokens.get_or_insert(input);
            call.usage.output_tokens = Some(output);
        }
        Some(Failure::new(FailureKind::Quota, detail))
    }

    /// An earlier process of the run ended in this call: what it cost, nobody knows.
    pub(super) fn count_cut_off(&mut self, model: &str, bytes: u64) {
        self.begin_call(model, bytes);
    }

    /// What the last call cost, with those before it; none when none was taken.
    pub(super) fn take_usage(&mut self) -> Option<Usage> {
        let spent = self.usage_so_far();
        self.calls.clear();
        spent
    }

    /// The same of a turn that goes on.
    pub(super) fn usage_so_far(&self) -> Option<Usage> {
        let usage = |call: &SentCall| {
            let mut usage = call.usage.clone();
            if let (false, Some(model)) = (call.is_whole, &usage.model) {
                let rest = format!("the rest of an answer of {model} that was cut off");
                usage.unpriced.insert(rest);
            }
            usage
        };
        let mut usages: Vec<Usage> = self.calls.iter().map(usage).collect();
        let last = usages.pop()?;
        Some(Usage {
            earlier: usages,
            ..last
        })
    }

    fn spent_usd(&self, limit: &SpendLimit) -> f64 {
        spent_usd(&self.calls, limit)
    }
}

/// A call that nobody counted has cost what was expected of it.
fn spent_usd(calls: &[SentCall], limit: &SpendLimit) -> f64 {
    let cost = |call: &SentCall| {
        let price = limit.prices.get(call.usage.model.as_ref()?)?;
        let counted = price.of_usage(&call.usage);
        Some(counted.unwrap_or_else(|| price.estimate_usd(call.bytes)))
    };
    // The sum of nothing is a negative zero.
    calls
        .iter()
        .filter_map(cost)
        .fold(0.0, |sum, usd| sum + usd)
}

#[cfg(test)]
mod tests {
    use council_protocol::price::ModelPrice;
    use proptest::prelude::*;

    use super::*;

    fn limited(micro_usd: u64) -> TurnSpending {
        let price = ModelPrice {
            input: 10_000_000,
            cached: 0,
            output: 100_000_000,
            written: Some(12_500_000),
        };
        TurnSpending::new(Some(SpendLimit {
            micro_usd,
            prices: [("m".to_owned(), price)].into(),
        }))
    }

    proptest! {
        /// A count of nothing is no count: what such a call cost nobody knows. Any other count stays as it is.
        #[test]
        fn no_prompt_has_no_tokens(
            sent in 1..40_000_u64, input in 0..3_u64, cached in proptest::option::of(0..3_u64), output in 0..3_u64,
        ) {
            let counted = Usage {
                input_tokens: Some(input),
                cached_tokens: cached,
                output_tokens: Some(output),
                ..Usage::default()
            };
            let mut spending = limited(1);
            spending.begin_call("m", sent);
            spending.update_call(&counted);
            let (_, heard) = spending.last_call().unwrap();
            let is_counted = input + cached.unwrap_or(0) > 0;
            prop_assert_eq!(heard.all_input_tokens().is_some(), is_counted);
            prop_assert_eq!(heard.input_tokens == Some(input), is_counted);
            prop_assert_eq!(heard.output_tokens, (output > 0).then_some(output));
        }

        /// What is read of an answer never costs much more than the turn may, and a server that obeys is heard to its end.
        #[test]
        fn an_answer_beyond_the_limit_is_not_read_to_its_end(
            cents in 20..200_u64,
            sent in 0..40_000_u64,
            chunks in proptest::collection::vec(1..4_000_u64, 1..400),
        ) {
            let mut spending = limited(cents * 10_000);
            let allowed = u64::from(spending.affordable_tokens("m", sent).unwrap());
            spending.begin_call("m", sent);
            let (mut written, mut stopped) = (0, None);
            for chunk in chunks {
                written += chunk;
                stopped = spending.check_stream(written);
                if stopped.is_some() {
                    break;
                }
                let most = allowed.max(EXPECTED_OUTPUT).saturating_add(1);
                prop_assert!(written < (most + 1) * MAX_TOKEN_BYTES, "{written} of {allowed} tokens");
            }
            if let Some(failure) = stopped {
                prop_assert_eq!(failure.kind, FailureKind::Quota);
                prop_assert!(written / MAX_TOKEN_BYTES > allowed, "{} of {}", written, allowed);
                let usage = spending.take_usage().unwrap();
                prop_assert_eq!(usage.output_tokens, Some(written / MAX_TOKEN_BYTES));
            }
        }
    }

    proptest! {
        /// Thoughts are reserved with their answer: what a call may write never costs more than what is left.
        #[test]
        fn thoughts_and_a_dearer_model_are_reserved(
            cents in 1..200_u64, sent in 0..40_000_u64, thought in 0..20_000_u32,
        ) {
            let mut spending = limited(cents * 10_000);
            let price = spending.limit.as_ref().unwrap().prices["m"];
            let left = cents as f64 / 100.0;
            let most = price.max_usd(estimate_tokens(sent), u64::from(thought) + EXPECTED_OUTPUT);
            let is_approved = spending.approve_thought("m", sent, thought).is_ok();
            prop_assert!(!is_approved || thought == 0 || most <= left + 1e-6);
            prop_assert!(is_approved || most > left - 2e-4);
            prop_assert!(spending.approve_calls("m", sent, 1).is_ok(), "it was approved with the turn");
            spending.change_model();
            let fits = price.estimate_usd(sent) <= left;
            prop_assert_eq!(spending.approve_calls("m", sent, 1).is_ok(), fits);
            prop_assert!(spending.approve_calls("of unknown price", sent, 1).is_ok());
        }
    }

    proptest! {
        /// Law: where a look-up is called, its call may think and ask, and the answer behind it may think and be written, from
        /// what is left.
        #[test]
        fn a_look_up_leaves_the_price_of_thoughts_and_answer(
            cents in 1..400_u64, sent in 0..40_000_u64, thought in 0..20_000_u32,
        ) {
            let mut spending = limited(cents * 10_000);
            let price = spending.limit.as_ref().unwrap().prices["m"];
            prop_assume!(spending.pays_for_look_ups("m", sent, thought));
            let tokens = spending.affordable_beside_answer("m", sent, thought).unwrap();
            prop_assert!(u64::from(tokens) >= LOOK_UP_OUTPUT + u64::from(thought), "{}", tokens);
            spending.begin_call("m", sent);
            spending.update_call(&Usage {
                input_tokens: Some(estimate_tokens(sent)),
                output_tokens: Some(tokens.into()),
                ..Usage::default()
            });
            spending.end_call();
            let left = cents as f64 / 100.0 - spending.spent_usd(spending.limit.as_ref().unwrap());
            let answer = price.max_usd(estimate_tokens(sent), EXPECTED_OUTPUT + u64::from(thought));
            prop_assert!(left + 1e-3 >= answer, "{} of {}", left, answer);
        }
    }

    #[test]
    fn what_the_server_counts_stops_an_answer_too() {
        let mut spending = limited(1_000_000);
        spending.begin_call("m", 40_000);
        assert_eq!(spending.check_stream(10_000), None);
        spending.update_call(&Usage {
            input_tokens: Some(10_000),
            output_tokens: Some(9_001),
            ..Usage::default()
        });
        let failure = spending.check_stream(10_000).unwrap();
        assert!(failure.detail.contains("--max-cost"), "{failure}");
        assert_eq!(TurnSpending::default().check_stream(u64::MAX), None);
    }

    #[test]
    fn what_is_counted_of_an_answer_that_was_cut_off_is_a_lower_bound() {
        let counted = Usage {
            input_tokens: Some(10),
            output_tokens: Some(1),
            ..Usage::default()
        };
        let mut spending = TurnSpending::default();
        spending.begin_call("m", 40);
        spending.update_call(&counted);
        spending.end_call();
        spending.begin_call("refused", 40);
        spending.take_back_call();
        spending.begin_call("m", 40);
        spending.update_call(&counted);
        let usage = spending.take_usage().unwrap();
        assert_eq!((usage.input_tokens, usage.earlier.len()), (Some(10), 1));
        assert!(usage.earlier[0].unpriced.is_empty());
        let unknown: Vec<_> = usage.unpriced.into_iter().collect();
        assert_eq!(unknown, ["the rest of an answer of m that was cut off"]);
    }

    #[test]
    fn an_answer_may_be_as_long_as_what_is_left_pays_for() {
        let price = ModelPrice {
            input: 10_000_000,
            cached: 0,
            output: 100_000_000,
            written: None,
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
