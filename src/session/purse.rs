//! What the calls of a run cost: asked before each, counted after each, written down.

use std::collections::BTreeMap;

use council_protocol::message::Usage;
use council_protocol::price::{EXPECTED_OUTPUT, ModelPrice, SpendLimit, estimate_tokens};
use council_protocol::seat::AgentKind;
use council_protocol::tokens::weighed_bytes;
use council_protocol::{
    Event, Failure, FailureKind, JudgeId, JudgeSpec, Message, Millis, Request, RoundNumber, Turn,
    TurnId,
};
use serde::Serialize;

/// The file of a run in which every call of an agent that costs something stands, a JSON object a line.
pub(crate) const CALLS_FILE: &str = "calls.jsonl";

/// Tokens of an answer that nobody can be told to keep short: a program that speaks with a model by itself.
const UNBOUNDED_OUTPUT: u64 = 8_000;

/// As many calls as one turn may make at the price of the dearest, look-ups aside: the first, and a few of fallback models.
const CALLS_OF_A_TURN: f64 = 4.0;

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
pub(crate) struct Budget {
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
    /// Models that are tried when its own fails.
    fallback: Vec<String>,
    /// How often it may look something up in one turn: each is a call.
    tool_calls: u32,
    /// Whether somebody may want money for its answers: a program of the user's own is none of ours to price.
    is_model: bool,
    /// Bytes of its conversation so far, the brief included.
    bytes: u64,
    /// The same, as its tokens weigh.
    weight: u64,
    /// The most tokens that one answer may have; none: nobody says.
    max_output: Option<u64>,
}

/// A call under way: one line of the log when it is over.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LoggedCall {
    /// Milliseconds since the run began.
    at_ms: Millis,
    judge: JudgeId,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    round: RoundNumber,
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
    pub(crate) usage: Option<Usage>,
    /// What was laid aside for it, in US dollars.
    #[serde(skip)]
    reserved_usd: f64,
}

impl Budget {
    pub(crate) fn new(money: BudgetLimits) -> Self {
        Self {
            money,
            ..Self::default()
        }
    }

    /// An earlier process of this run has spent so much.
    pub(crate) fn count_earlier(&mut self, usd: f64) {
        self.spent_usd += usd;
    }

    /// Looks at a request before it is made, and says in it how much its calls may cost. An error: the call is not to be
    /// made, and this is what it comes to.
    pub(crate) fn before_request(
        &mut self,
        request: &mut Request,
        now: Millis,
    ) -> Result<(), Box<Event>> {
        match request {
            Request::Spawn { spec } => self.register_judge(spec),
            Request::Send {
                message: Message::Turn { judge, turn },
            } => self.before_turn(judge, turn, now)?,
            _ => {}
        }
        Ok(())
    }

    fn before_turn(
        &mut self,
        judge: &JudgeId,
        turn: &mut Turn,
        now: Millis,
    ) -> Result<(), Box<Event>> {
        let Some(spend) = self.judges.get_mut(judge) else {
            return Ok(());
        };
        spend.bytes += turn.prompt.len() as u64;
        spend.weight += weighed_bytes(&turn.prompt);
        let spend = &self.judges[judge];
        let first = self.first_call_usd(spend);
        if let Some(failure) = self.refuse_call(first) {
            return Err(Box::new(Event::Failed {
                judge: judge.clone(),
                turn: Some(turn.id),
                failure,
            }));
        }
        let reserved_usd = self.allowance_usd(spend, first);
        turn.spend = self.money.most_usd.map(|_| SpendLimit {
            micro_usd: (reserved_usd * 1e6).round() as u64,
            prices: self.money.prices.clone(),
        });
        let call = LoggedCall {
            at_ms: now,
            judge: judge.clone(),
            agent: spend.agent.clone(),
            model: spend.model.clone(),
            round: turn.round,
            task: serde_json::to_value(&turn.task)
                .ok()
                .and_then(|task| task["task"].as_str().map(str::to_owned))
                .unwrap_or_default(),
            input_bytes: spend.bytes,
            prompt_bytes: turn.prompt.len() as u64,
            answer_bytes: 0,
            elapsed_ms: 0,
            outcome: String::new(),
            usage: None,
            reserved_usd,
        };
        self.open.insert(turn.id, call);
        Ok(())
    }

    fn register_judge(&mut self, spec: &JudgeSpec) {
        let agent = &spec.seat.agent;
        if agent.kind.is_paid() {
            let spend = JudgeSpend {
                agent: agent.name.clone(),
                model: agent.model.clone(),
                fallback: match &agent.kind {
                    AgentKind::Http(endpoint) => endpoint.fallback.clone(),
                    _ => Vec::new(),
                },
                tool_calls: match &agent.kind {
                    AgentKind::Http(endpoint) => endpoint.tool_calls,
                    _ => 0,
                },
                is_model: !matches!(
                    agent.kind,
                    AgentKind::Command { .. } | AgentKind::Recorded { .. } | AgentKind::Backend {}
                ),
                bytes: spec.brief.len() as u64,
                weight: weighed_bytes(&spec.brief),
                max_output: match &agent.kind {
                    AgentKind::Http(endpoint) => Some(u64::from(endpoint.max_tokens)),
                    _ => None,
                },
            };
            self.judges.insert(spec.seat.judge.clone(), spend);
        }
    }

    /// What the first call of a turn may cost; nothing is known of a model without a price. A model behind an API is told
    /// how long its answer may be; another is not.
    fn first_call_usd(&self, spend: &JudgeSpend) -> f64 {
        let output = match spend.max_output {
            Some(_) => EXPECTED_OUTPUT,
            None => UNBOUNDED_OUTPUT,
        };
        let price = spend
            .model
            .as_ref()
            .and_then(|model| self.money.prices.get(model));
        price.map_or(0.0, |price| {
            price.max_usd(estimate_tokens(spend.weight), output)
        })
    }

    /// What the calls of a turn may cost together. The first is approved; for those of fallback models there is an equal
    /// share of what is left for every judge that is not at work, so that no judge spends what another needs.
    fn allowance_usd(&self, spend: &JudgeSpend, first: f64) -> f64 {
        let Some(most) = self.money.most_usd else {
            return first;
        };
        let models = spend.model.iter().chain(&spend.fallback);
        let output = spend.max_output.unwrap_or(UNBOUNDED_OUTPUT);
        let dearest = models
            .filter_map(|model| self.money.prices.get(model))
            .map(|price| price.max_usd(estimate_tokens(spend.weight), output))
            .fold(first, f64::max);
        let idle = self.judges.len().saturating_sub(self.open.len()).max(1);
        let share = (most - self.committed_usd()) / idle as f64;
        let calls = CALLS_OF_A_TURN + f64::from(spend.tool_calls);
        first.max(share.min(dearest * calls))
    }

    /// What is spent, or reserved for calls under way.
    fn committed_usd(&self) -> f64 {
        let reserved: f64 = self.open.values().map(|call| call.reserved_usd).sum();
        self.spent_usd + reserved
    }

    /// Why a call that may cost so much is not made.
    fn refuse_call(&self, usd: f64) -> Option<Failure> {
        let most = self.money.most_usd?;
        let committed = self.committed_usd();
        (committed >= most || committed + usd > most).then(|| {
            let detail = format!(
                "the call may cost ${usd:.4}, and ${committed:.4} of the ${most:.4} that the run may cost are spent \
                 or reserved: raise --max-cost"
            );
            Failure::new(FailureKind::Quota, detail)
        })
    }

    /// Looks at an event as it comes: puts a price on what has none, and hands out the call that is over.
    pub(crate) fn after_event(&mut self, event: &mut Event, now: Millis) -> Option<LoggedCall> {
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
        match event {
            Event::Answered { raw, usage, .. } => {
                call.answer_bytes = raw.len() as u64;
                if let Some(spend) = self.judges.get_mut(&call.judge) {
                    spend.bytes += call.answer_bytes;
                    spend.weight += weighed_bytes(raw);
                }
                *usage = self.count_usage(&call, usage.take(), true);
                call.usage = logged(usage.as_ref());
            }
            Event::Failed { failure, .. } => {
                let known = failure.usage.take().map(|usage| *usage);
                let usage = self.count_usage(&call, known, was_sent(failure.kind));
                call.usage = logged(usage.as_ref());
                failure.usage = usage.map(Box::new);
            }
            _ => {}
        }
        Some(call)
    }

    /// Puts a price on every call of a turn, adds them up and counts them. A model that was asked and tells no count has
    /// cost something that nobody knows.
    fn count_usage(
        &mut self,
        call: &LoggedCall,
        known: Option<Usage>,
        was_asked: bool,
    ) -> Option<Usage> {
        let is_model = self
            .judges
            .get(&call.judge)
            .is_some_and(|judge| judge.is_model);
        let mut usage = known.or_else(|| (was_asked && is_model).then(Usage::default))?;
        let earlier = std::mem::take(&mut usage.earlier);
        let all = earlier.into_iter().chain([usage]);
        let priced: Vec<Usage> = all
            .map(|usage| self.with_price(call, usage, is_model))
            .collect();
        let uncounted: f64 = priced
            .iter()
            .map(|usage| self.uncounted_usd(call, usage))
            .sum();
        let sum = priced.into_iter().reduce(|sum, usage| sum.plus(&usage))?;
        let counted = sum.cost_usd.unwrap_or(0.0);
        // What nobody counted was laid aside: it is not given back.
        self.spent_usd += counted + uncounted.min((call.reserved_usd - counted).max(0.0));
        Some(sum)
    }

    /// About what a call costs that nobody counted, where its model has a price.
    fn uncounted_usd(&self, call: &LoggedCall, usage: &Usage) -> f64 {
        let model = usage.model.as_ref().or(call.model.as_ref());
        let price = model.and_then(|model| self.money.prices.get(model));
        match (usage.cost_usd, price) {
            (None, Some(price)) => price.estimate_usd(call.input_bytes),
            (Some(counted), Some(price)) if !usage.unpriced.is_empty() && !is_counted(usage) => {
                (price.estimate_usd(call.input_bytes) - counted).max(0.0)
            }
            _ => 0.0,
        }
    }

    fn with_price(&self, call: &LoggedCall, mut usage: Usage, is_model: bool) -> Usage {
        if usage.cost_usd.is_none() {
            let model = usage.model.as_ref().or(call.model.as_ref());
            let price = model.and_then(|model| self.money.prices.get(model));
            usage.cost_usd = price.and_then(|price| least_usd(price, &usage));
            let is_known = usage.cost_usd.is_some() && is_counted(&usage);
            // An answer that was cut off is named already.
            if !is_known && is_model && usage.unpriced.is_empty() {
                let name = model.unwrap_or(&call.agent);
                usage.unpriced.insert(match price {
                    Some(_) => format!("an answer of {name} that nobody counted"),
                    None => name.clone(),
                });
            }
        }
        usage
    }
}

/// Whether somebody counted what was read and what was written.
fn is_counted(usage: &Usage) -> bool {
    usage.input_tokens.is_some() && usage.output_tokens.is_some()
}

/// What was counted of a call costs at least so much; none: nothing was.
fn least_usd(price: &ModelPrice, usage: &Usage) -> Option<f64> {
    let is_written = usage.output_tokens.is_some_and(|tokens| tokens > 0);
    let written_alone = || {
        is_written.then(|| Usage {
            input_tokens: Some(0),
            ..usage.clone()
        })
    };
    let counted = price.of_usage(usage);
    counted.or_else(|| price.of_usage(&written_alone()?))
}

/// The usage of a call as its line of the log has it: what models said is no matter of money.
fn logged(usage: Option<&Usage>) -> Option<Usage> {
    usage.map(|usage| Usage {
        unread: Vec::new(),
        ..usage.clone()
    })
}

/// What a run's log of calls comes to, in US dollars; a torn line is none.
pub(crate) fn sum_of_calls(log: &[u8]) -> f64 {
    log.split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .filter_map(|call| call["usage"]["cost_usd"].as_f64())
        .sum()
}

/// Whether a turn that failed so was sent to whoever answers, who may want money for it though nobody says how much.
fn was_sent(kind: FailureKind) -> bool {
    use FailureKind::{Prose, Quota, Spawn, Unsupported, Violation, WrongKey, WrongRound};
    !matches!(
        kind,
        Spawn | Quota | Unsupported | Prose | Violation | WrongKey | WrongRound
    )
}

#[cfg(test)]
#[path = "purse_tests.rs"]
mod tests;
