//! What the calls of a run cost: asked before each, counted after each, written down.

use std::collections::BTreeMap;

use council_protocol::message::Usage;
use council_protocol::price::{EXPECTED_OUTPUT, ModelPrice, SpendLimit, estimate_tokens};
use council_protocol::seat::AgentKind;
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
            price.cost_usd(estimate_tokens(spend.bytes), 0, output)
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
            .map(|price| price.cost_usd(estimate_tokens(spend.bytes), 0, output))
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
            _ => 0.0,
        }
    }

    fn with_price(&self, call: &LoggedCall, mut usage: Usage, is_model: bool) -> Usage {
        if usage.cost_usd.is_none() {
            let model = usage.model.as_ref().or(call.model.as_ref());
            let price = model.and_then(|model| self.money.prices.get(model));
            usage.cost_usd = price.and_then(|price| price.of_usage(&usage));
            // An answer that was cut off is named already.
            if usage.cost_usd.is_none() && is_model && usage.unpriced.is_empty() {
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
mod tests {
    use std::collections::BTreeSet;

    use council_protocol::seat::{AgentSpec, Endpoint};
    use council_protocol::{Seat, Task};

    use proptest::prelude::*;

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
                proves: false,
            };
            purse
                .before_request(&mut Request::Spawn { spec }, 0)
                .unwrap();
        }
        purse
    }

    fn ask(purse: &mut Budget, judge: &str, id: u32) -> Result<(), Box<Event>> {
        let turn = Turn {
            id: TurnId(id),
            round: RoundNumber::FIRST,
            key: String::new(),
            task: Task::Review,
            prompt: String::new(),
            timeout_ms: 1,
            spend: None,
        };
        let judge = judge.into();
        let message = Message::Turn { judge, turn };
        purse.before_request(&mut Request::Send { message }, 10)
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

    fn failed(judge: &str, id: u32, kind: FailureKind, usage: Option<Usage>) -> Event {
        Event::Failed {
            judge: judge.into(),
            turn: Some(TurnId(id)),
            failure: Failure::new(kind, "why").with_usage(usage),
        }
    }

    fn counted(output: u64, model: &str) -> Usage {
        Usage {
            input_tokens: Some(0),
            output_tokens: Some(output),
            model: Some(model.to_owned()),
            ..Usage::default()
        }
    }

    #[test]
    fn answers_that_do_not_count_cost_like_any_other() {
        let mut purse = purse(Some(1.0));
        let kinds = [
            FailureKind::Truncated,
            FailureKind::Refused,
            FailureKind::Empty,
            FailureKind::Timeout,
        ];
        for (id, kind) in (1..).zip(kinds) {
            ask(&mut purse, "a", id).unwrap();
            // 10,000 tokens at $15 for a million.
            let mut event = failed("a", id, kind, Some(counted(10_000, "m")));
            let call = purse.after_event(&mut event, 20).unwrap();
            assert!((call.usage.unwrap().cost_usd.unwrap() - 0.15).abs() < 1e-9);
            let Event::Failed { failure, .. } = event else {
                unreachable!()
            };
            assert!(
                failure.usage.unwrap().cost_usd.is_some(),
                "the council counts it, too"
            );
        }
        assert!((purse.spent_usd - 0.6).abs() < 1e-9, "{}", purse.spent_usd);
    }

    #[test]
    fn what_has_no_price_is_named() {
        let mut purse = purse(None);
        ask(&mut purse, "a", 1).unwrap();
        let usage = Usage {
            earlier: vec![counted(1_000, "m"), counted(1_000, "unheard-of")],
            ..counted(1_000, "m")
        };
        let call = purse.after_event(&mut answered("a", 1, usage), 20).unwrap();
        let sum = call.usage.unwrap();
        assert!((sum.cost_usd.unwrap() - 0.03).abs() < 1e-9);
        assert_eq!(sum.output_tokens, Some(3_000));
        assert_eq!(sum.unpriced, BTreeSet::from(["unheard-of".to_owned()]));
        ask(&mut purse, "b", 2).unwrap();
        let mut silent = failed("b", 2, FailureKind::Cancelled, None);
        let unknown = purse.after_event(&mut silent, 20).unwrap().usage.unwrap();
        let uncounted = "an answer of m that nobody counted";
        assert_eq!(unknown.unpriced, BTreeSet::from([uncounted.to_owned()]));
        assert!(purse.spent_usd > 0.03, "an estimate of it is spent");
        ask(&mut purse, "b", 3).unwrap();
        let mut never_sent = failed("b", 3, FailureKind::Quota, None);
        assert_eq!(purse.after_event(&mut never_sent, 20).unwrap().usage, None);
    }

    proptest! {
        /// Whatever judges do with what they are given, the run spends no more than it may.
        #[test]
        fn allowances_never_add_up_to_more_than_the_run_may_cost(
            most in 0.01..2.0_f64,
            turns in proptest::collection::vec((0..2_usize, 0.0..=1.0_f64, any::<bool>()), 1..60),
        ) {
            let mut purse = purse(Some(most));
            let mut open: Vec<(&str, u32, f64, f64)> = Vec::new();
            for (id, (who, share, ends)) in (1..).zip(turns) {
                let judge = ["a", "b"][who];
                if ask(&mut purse, judge, id).is_ok() {
                    let allowed = purse.open[&TurnId(id)].reserved_usd;
                    open.push((judge, id, allowed, share));
                }
                if ends && !open.is_empty() {
                    let (judge, id, allowed, share) = open.remove(0);
                    let usage = Usage { cost_usd: Some(allowed * share), ..Usage::default() };
                    purse.after_event(&mut answered(judge, id, usage), 20);
                }
                prop_assert!(purse.committed_usd() <= most + 1e-9);
            }
        }
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

    /// Nobody can tell a client of its own how long an answer may be.
    #[test]
    fn more_is_laid_aside_for_who_cannot_be_bounded() {
        let mut purse = purse(Some(1.0));
        ask(&mut purse, "a", 1).unwrap();
        let bounded = purse.first_call_usd(&purse.judges[&JudgeId::from("b")]);
        purse
            .judges
            .get_mut(&JudgeId::from("b"))
            .unwrap()
            .max_output = None;
        let unbounded = purse.first_call_usd(&purse.judges[&JudgeId::from("b")]);
        // 1,500 and 8,000 tokens at $15 for a million, behind 1,000 at $3.
        assert!((bounded - 0.0255).abs() < 1e-9, "{bounded}");
        assert!((unbounded - 0.123).abs() < 1e-9, "{unbounded}");
    }

    /// A server that never says what it counted does not make a run free.
    #[test]
    fn calls_that_nobody_counts_use_the_money_up() {
        let mut purse = purse(Some(0.2));
        let calls = (1..100).take_while(|id| {
            let asked = ask(&mut purse, "a", *id).is_ok();
            if asked {
                let usage = Usage::default();
                purse.after_event(&mut answered("a", *id, usage), 20);
            }
            asked
        });
        // Each is estimated at $0.0255.
        assert!((4..9).contains(&calls.count()));
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
