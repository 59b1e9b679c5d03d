//! What the calls of a run cost: asked before each, counted after each, written down.

use std::collections::BTreeMap;

use council_protocol::message::Usage;
use council_protocol::{
    Event, Failure, FailureKind, JudgeId, JudgeSpec, Message, Millis, Request, TurnId,
};
use serde::{Deserialize, Serialize};

/// The file of a run in which every call of an agent that costs something stands, a JSON object a line.
pub const CALLS_FILE: &str = "calls.jsonl";

/// Output tokens of an answer that has not come yet: a page with some findings.
pub const EXPECTED_OUTPUT: u64 = 1_500;

/// Tokens of so many bytes where nobody has counted them: four bytes each.
pub fn estimate_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(4)
}

/// What a model costs, in millionths of US dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelPrice {
    /// Input tokens that are read in full.
    pub input: u64,
    /// Input tokens from the provider's cache.
    pub cached: u64,
    /// Output tokens.
    pub output: u64,
}

impl ModelPrice {
    /// US dollars for so many tokens.
    pub fn cost_usd(&self, input: u64, cached: u64, output: u64) -> f64 {
        let part = |tokens: u64, price: u64| tokens as f64 * price as f64;
        (part(input, self.input) + part(cached, self.cached) + part(output, self.output)) / 1e12
    }
}

/// What a run may cost, and what its models do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BudgetLimits {
    /// By the model's name.
    pub prices: BTreeMap<String, ModelPrice>,
    /// The most US dollars of the run; none: no bound.
    pub most_usd: Option<f64>,
}

/// The money of a run between two calls.
#[derive(Debug, Default)]
pub(super) struct Budget {
    money: BudgetLimits,
    spent_usd: f64,
    judges: BTreeMap<JudgeId, JudgeSpend>,
    open: BTreeMap<TurnId, LoggedCall>,
}

/// Who is asked.
#[derive(Debug)]
struct JudgeSpend {
    agent: String,
    model: Option<String>,
    /// Bytes of its conversation so far, the brief included.
    bytes: u64,
}

/// A call under way: one line of the log when it is over.
#[derive(Debug, Clone, Serialize)]
pub(super) struct LoggedCall {
    /// Milliseconds since the run began.
    at_ms: Millis,
    judge: JudgeId,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    round: u8,
    task: String,
    /// Bytes of the conversation that the agent is sent or has, the prompt of this turn included.
    input_bytes: u64,
    /// Of these, the prompt of this turn.
    prompt_bytes: u64,
    answer_bytes: u64,
    elapsed_ms: Millis,
    /// `answered`, or the kind of the failure.
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// What was laid aside for it, in US dollars.
    #[serde(skip)]
    reserved_usd: f64,
}

impl Budget {
    pub(super) fn new(money: BudgetLimits) -> Self {
        Self {
            money,
            ..Self::default()
        }
    }

    /// Looks at a request before it is made. An error: the call is not to be made, and this is what it comes to.
    pub(super) fn before_request(
        &mut self,
        request: &Request,
        now: Millis,
    ) -> Result<(), Box<Event>> {
        match request {
            Request::Spawn { spec } => self.register_judge(spec),
            Request::Send {
                message: Message::Turn { judge, turn },
            } => {
                let Some(customer) = self.judges.get_mut(judge) else {
                    return Ok(());
                };
                customer.bytes += turn.prompt.len() as u64;
                let price = customer
                    .model
                    .as_ref()
                    .and_then(|model| self.money.prices.get(model));
                let reserved_usd = price.map_or(0.0, |price| {
                    price.cost_usd(estimate_tokens(customer.bytes), 0, EXPECTED_OUTPUT)
                });
                let call = LoggedCall {
                    at_ms: now,
                    judge: judge.clone(),
                    agent: customer.agent.clone(),
                    model: customer.model.clone(),
                    round: turn.round,
                    task: serde_json::to_value(&turn.task)
                        .ok()
                        .and_then(|task| task["task"].as_str().map(str::to_owned))
                        .unwrap_or_default(),
                    input_bytes: customer.bytes,
                    prompt_bytes: turn.prompt.len() as u64,
                    answer_bytes: 0,
                    elapsed_ms: 0,
                    outcome: String::new(),
                    usage: None,
                    reserved_usd,
                };
                if let Some(failure) = self.refuse_call(reserved_usd) {
                    return Err(Box::new(Event::Failed {
                        judge: judge.clone(),
                        turn: Some(turn.id),
                        failure,
                    }));
                }
                self.open.insert(turn.id, call);
            }
            _ => {}
        }
        Ok(())
    }

    fn register_judge(&mut self, spec: &JudgeSpec) {
        let agent = &spec.seat.agent;
        if agent.kind.is_paid() {
            let customer = JudgeSpend {
                agent: agent.name.clone(),
                model: agent.model.clone(),
                bytes: spec.brief.len() as u64,
            };
            self.judges.insert(spec.seat.judge.clone(), customer);
        }
    }

    /// Why a call that may cost so much is not made.
    fn refuse_call(&self, usd: f64) -> Option<Failure> {
        let most = self.money.most_usd?;
        let reserved: f64 = self.open.values().map(|call| call.reserved_usd).sum();
        let bound = self.spent_usd + reserved;
        (bound >= most || bound + usd > most).then(|| {
            let detail = format!(
                "the call may cost ${usd:.4}, and ${bound:.4} of the ${most:.4} that the run may cost are spent or \
                 laid aside: raise --max-cost"
            );
            Failure::new(FailureKind::Quota, detail)
        })
    }

    /// Looks at an event as it comes: puts a price on what has none, and hands out the call that is over.
    pub(super) fn after_event(&mut self, event: &mut Event, now: Millis) -> Option<LoggedCall> {
        let (turn, outcome) = match event {
            Event::Answered { turn, .. } => (*turn, "answered".to_owned()),
            Event::Failed {
                turn: Some(turn),
                failure,
                ..
            } => (*turn, failure.kind.to_string()),
            _ => return None,
        };
        let mut call = self.open.remove(&turn)?;
        call.elapsed_ms = now.saturating_sub(call.at_ms);
        call.outcome = outcome;
        if let Event::Answered { raw, usage, .. } = event {
            call.answer_bytes = raw.len() as u64;
            if let Some(customer) = self.judges.get_mut(&call.judge) {
                customer.bytes += call.answer_bytes;
            }
            self.apply_price(&call, usage);
            call.usage.clone_from(usage);
        }
        Some(call)
    }

    fn apply_price(&mut self, call: &LoggedCall, usage: &mut Option<Usage>) {
        let Some(usage) = usage else { return };
        if usage.cost_usd.is_none() {
            let model = usage.model.as_ref().or(call.model.as_ref());
            let price = model.and_then(|model| self.money.prices.get(model));
            // Without a count of the input there is nothing to multiply.
            usage.cost_usd = price.zip(usage.input_tokens).map(|(price, input)| {
                price.cost_usd(
                    input,
                    usage.cached_tokens.unwrap_or(0),
                    usage.output_tokens.unwrap_or(0),
                )
            });
        }
        self.spent_usd += usage.cost_usd.unwrap_or(0.0);
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::seat::{AgentKind, AgentSpec, Endpoint};
    use council_protocol::{Seat, Task, Turn};

    use super::*;

    fn purse(most_usd: Option<f64>) -> Budget {
        let price = ModelPrice {
            input: 3_000_000,
            cached: 300_000,
            output: 15_000_000,
        };
        let prices = BTreeMap::from([("m".to_owned(), price)]);
        let mut purse = Budget::new(BudgetLimits { prices, most_usd });
        for judge in ["a", "b"] {
            let agent = AgentSpec {
                name: "api".into(),
                kind: AgentKind::Http(Endpoint::default()),
                vendor: "v".into(),
                model: Some("m".into()),
                deterministic: false,
            };
            let seat = Seat {
                judge: judge.into(),
                perspective: Default::default(),
                agent,
            };
            let spec = JudgeSpec {
                seat,
                brief: "x".repeat(4_000).into(),
                room: None,
                max_answer_bytes: 9,
            };
            purse.before_request(&Request::Spawn { spec }, 0).unwrap();
        }
        purse
    }

    fn ask(purse: &mut Budget, judge: &str, id: u32) -> Result<(), Box<Event>> {
        let turn = Turn {
            id: TurnId(id),
            round: 1,
            key: String::new(),
            task: Task::Review,
            prompt: String::new(),
            timeout_ms: 1,
        };
        let judge = judge.into();
        let message = Message::Turn { judge, turn };
        purse.before_request(&Request::Send { message }, 10)
    }

    fn answered(judge: &str, id: u32, usage: Usage) -> Event {
        Event::Answered {
            judge: judge.into(),
            turn: TurnId(id),
            raw: "raw".into(),
            usage: Some(usage),
        }
    }

    #[test]
    fn tokens_have_the_price_of_the_model_that_answered() {
        let mut purse = purse(None);
        ask(&mut purse, "a", 1).unwrap();
        let usage = Usage {
            input_tokens: Some(1_000),
            cached_tokens: Some(10_000),
            output_tokens: Some(100),
            ..Usage::default()
        };
        let mut event = answered("a", 1, usage.clone());
        let call = purse.after_event(&mut event, 30).unwrap();
        assert_eq!(
            (call.elapsed_ms, call.outcome.as_str(), call.task.as_str()),
            (20, "answered", "review")
        );
        let cost = call.usage.unwrap().cost_usd.unwrap();
        assert!((cost - (0.003 + 0.003 + 0.0015)).abs() < 1e-9, "{cost}");
        ask(&mut purse, "a", 2).unwrap();
        let other = Usage {
            model: Some("n".into()),
            ..usage
        };
        let call = purse.after_event(&mut answered("a", 2, other), 30).unwrap();
        assert_eq!(call.usage.unwrap().cost_usd, None, "unknown is unknown");
    }

    #[test]
    fn a_call_that_could_go_over_the_bound_is_not_made() {
        // A call is laid aside with 1,000 tokens in and 1,500 out: $0.0255.
        let mut purse = purse(Some(0.04));
        ask(&mut purse, "a", 1).unwrap();
        let Err(Some(Event::Failed { failure, .. })) =
            ask(&mut purse, "b", 2).map_err(|event| Some(*event))
        else {
            panic!("both at once could cost more")
        };
        assert_eq!(failure.kind, FailureKind::Quota);
        assert!(failure.detail.contains("--max-cost"), "{failure}");
        let cheap = Usage {
            cost_usd: Some(0.001),
            ..Usage::default()
        };
        purse.after_event(&mut answered("a", 1, cheap), 1).unwrap();
        ask(&mut purse, "b", 3).unwrap();
        let dear = Usage {
            cost_usd: Some(0.05),
            ..Usage::default()
        };
        purse.after_event(&mut answered("b", 3, dear), 1).unwrap();
        assert!(ask(&mut purse, "a", 4).is_err());
    }

    #[test]
    fn who_costs_nothing_is_no_customer() {
        let mut purse = purse(Some(0.0));
        assert!(ask(&mut purse, "a", 1).is_err());
        assert!(ask(&mut purse, "somebody", 2).is_ok());
        assert!(
            purse
                .after_event(&mut answered("somebody", 2, Usage::default()), 1)
                .is_none()
        );
    }
}
