//! What one side of a duel may cost, and does: asked before each of its turns, counted after it, told to whoever started it.

use council_agents::AgentReply;
use council_protocol::message::Usage;
use council_protocol::{Event, Failure, JudgeId, JudgeSpec, Message, Request, Turn};
use serde::{Deserialize, Serialize};

use crate::duel::driver::TurnMeter;
use crate::duel::verdict::{SideAccount, UnheardReply};
use crate::session::{Budget, BudgetLimits, RealWorld, SessionWorld as _};

/// What a side has spent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SideSpending {
    /// The sum of its calls; none: it made none that cost anything.
    pub(super) usage: Option<Usage>,
    /// The calls as `calls.jsonl` has them.
    pub(super) calls: Vec<serde_json::Value>,
    /// What it said in answers that do not count.
    pub(super) unheard: Vec<UnheardReply>,
    /// Why it gave no more section; none: it played to the end, or was ended.
    pub(super) failure: Option<Failure>,
}

/// A call as a side tells it the process that started it.
#[derive(Serialize, Deserialize)]
struct ReportedCall {
    call: serde_json::Value,
    usage: Option<Usage>,
}

/// A reply that does not count, as a side tells it.
#[derive(Serialize, Deserialize)]
struct ReportedReply {
    unheard: UnheardReply,
}

/// Why a side breaks off, as it tells the process that started it.
#[derive(Serialize, Deserialize)]
struct ReportedFailure {
    broke_off: Failure,
}

impl SideSpending {
    /// What the verdict has to know of it.
    pub(super) fn account(&self) -> SideAccount {
        SideAccount {
            spent: self.usage.clone(),
            unheard: self.unheard.clone(),
            failure: self.failure.clone(),
            review: None,
            recommendation: String::new(),
        }
    }

    /// Counts a line of a side; false: it is something else.
    pub(super) fn count_line(&mut self, line: &str) -> bool {
        if let Ok(reported) = serde_json::from_slice::<ReportedReply>(line.as_bytes()) {
            self.unheard.push(reported.unheard);
            return true;
        }
        if let Ok(reported) = serde_json::from_slice::<ReportedFailure>(line.as_bytes()) {
            self.failure = Some(reported.broke_off);
            return true;
        }
        let Ok(reported) = serde_json::from_slice::<ReportedCall>(line.as_bytes()) else {
            return false;
        };
        self.count(reported);
        true
    }

    fn cost_usd(&self) -> f64 {
        let usage = self.usage.as_ref();
        usage.and_then(|usage| usage.cost_usd).unwrap_or_default()
    }

    fn count(&mut self, reported: ReportedCall) {
        self.calls.push(reported.call);
        if let Some(usage) = reported.usage {
            let before = self.usage.take().unwrap_or_default();
            self.usage = Some(before.plus(&usage));
        }
    }
}

/// Why a side broke off, if a line of it tells that.
pub(super) fn failure_in(line: &str) -> Option<Failure> {
    let reported = serde_json::from_slice::<ReportedFailure>(line.as_bytes());
    reported.ok().map(|reported| reported.broke_off)
}

/// The money of one side.
pub(super) struct SidePurse<'a> {
    judge: JudgeId,
    budget: Budget,
    clock: &'a RealWorld,
    /// Hears each call as a line.
    relay: &'a dyn Fn(&str),
    pub(super) spent: SideSpending,
}

impl<'a> SidePurse<'a> {
    pub(super) fn new(
        spec: &JudgeSpec,
        limits: BudgetLimits,
        clock: &'a RealWorld,
        relay: &'a dyn Fn(&str),
    ) -> Self {
        let mut budget = Budget::new(limits);
        let mut seated = Request::Spawn { spec: spec.clone() };
        // That somebody sits costs nothing yet.
        drop(budget.before_request(&mut seated, 0));
        Self {
            judge: spec.seat.judge.clone(),
            budget,
            clock,
            relay,
            spent: SideSpending::default(),
        }
    }
}

impl SidePurse<'_> {
    /// Counts what an earlier process of the same side told; false: it says nothing of this one.
    pub(super) fn recall(&mut self, line: &str) -> bool {
        let before = self.spent.cost_usd();
        if failure_in(line).is_some() || !self.spent.count_line(line) {
            return false;
        }
        self.budget.count_earlier(self.spent.cost_usd() - before);
        true
    }

    /// The side gives no more section. What its last call cost is counted with the call.
    pub(super) fn break_off(&mut self, failure: &Failure) {
        let failure = Failure {
            usage: None,
            ..failure.clone()
        };
        let reported = ReportedFailure {
            broke_off: failure.clone(),
        };
        (self.relay)(&(serde_json::to_string(&reported).unwrap_or_default() + "\n"));
        self.spent.failure = Some(failure);
    }
}

impl TurnMeter for SidePurse<'_> {
    fn before_turn(&mut self, turn: &mut Turn) -> Result<(), Failure> {
        let message = Message::Turn {
            judge: self.judge.clone(),
            turn: turn.clone(),
        };
        let mut request = Request::Send { message };
        let asked = self
            .budget
            .before_request(&mut request, self.clock.now_ms());
        if let Err(refused) = asked
            && let Event::Failed { failure, .. } = *refused
        {
            return Err(failure);
        }
        if let Request::Send {
            message: Message::Turn { turn: approved, .. },
        } = request
        {
            turn.spend = approved.spend;
        }
        Ok(())
    }

    fn after_turn(&mut self, turn: &Turn, reply: &Result<AgentReply, Failure>) {
        let mut event = match reply {
            Ok(reply) => Event::Answered {
                judge: self.judge.clone(),
                turn: turn.id,
                raw: reply.raw.as_str().into(),
                usage: reply.usage.clone(),
            },
            Err(failure) => Event::Failed {
                judge: self.judge.clone(),
                turn: Some(turn.id),
                failure: failure.clone(),
            },
        };
        let Some(call) = self.budget.after_event(&mut event, self.clock.now_ms()) else {
            return;
        };
        let reported = ReportedCall {
            usage: call.usage.clone(),
            // Numbers, names and counts: nothing in it fails to be written.
            call: serde_json::to_value(&call).unwrap_or_default(),
        };
        (self.relay)(&(serde_json::to_string(&reported).unwrap_or_default() + "\n"));
        self.spent.count(reported);
    }

    fn unheard(&mut self, reply: UnheardReply) {
        if self.spent.unheard.contains(&reply) {
            return;
        }
        let reported = ReportedReply { unheard: reply };
        (self.relay)(&(serde_json::to_string(&reported).unwrap_or_default() + "\n"));
        self.spent.unheard.push(reported.unheard);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    use council_protocol::price::ModelPrice;
    use council_protocol::seat::{AgentKind, AgentSpec, Endpoint};
    use council_protocol::{FailureKind, Seat, Task, TurnId};

    use super::*;

    fn spec() -> JudgeSpec {
        let agent = AgentSpec {
            name: "api".into(),
            kind: AgentKind::Http(Endpoint::default()),
            vendor: "v".into(),
            model: Some("m".into()),
            deterministic: false,
        };
        JudgeSpec {
            seat: Seat {
                judge: "judge-a".into(),
                perspective: Default::default(),
                agent,
            },
            brief: "x".repeat(4_000).into(),
            room: None,
            max_answer_bytes: 9,
            proves: false,
        }
    }

    #[test]
    fn a_side_stops_at_its_bound_and_tells_every_call() {
        let price = ModelPrice {
            input: 10_000_000,
            cached: 0,
            output: 100_000_000,
            written: None,
        };
        let limits = BudgetLimits {
            prices: BTreeMap::from([("m".to_owned(), price)]),
            most_usd: Some(0.4),
        };
        let (world, lines) = (RealWorld::new(), RefCell::new(String::new()));
        let relay = |line: &str| lines.borrow_mut().push_str(line);
        let mut purse = SidePurse::new(&spec(), limits, &world, &relay);
        let mut made = 0;
        let refused = loop {
            let mut turn = Turn {
                id: TurnId(made + 1),
                round: 1.into(),
                key: String::new(),
                task: Task::Review,
                prompt: String::new(),
                timeout_ms: 1,
                spend: None,
            };
            if let Err(failure) = purse.before_turn(&mut turn) {
                break failure;
            }
            assert!(turn.spend.is_some(), "the agent is told what it may cost");
            // 1,000 tokens in and 1,500 out: $0.16.
            let usage = Usage {
                input_tokens: Some(1_000),
                output_tokens: Some(1_500),
                ..Usage::default()
            };
            let reply = AgentReply {
                raw: "raw".into(),
                usage: Some(usage),
            };
            purse.after_turn(&turn, &Ok(reply));
            made += 1;
            assert!(made < 9, "nobody stopped it");
        };
        assert_eq!((made, refused.kind), (2, FailureKind::Quota));
        let mut heard = SideSpending::default();
        assert!(lines.borrow().lines().all(|line| heard.count_line(line)));
        assert_eq!(heard, purse.spent);
        assert_eq!(heard.calls.len(), 2);
        let cost = heard.usage.and_then(|usage| usage.cost_usd).unwrap();
        assert!((cost - 0.32).abs() < 1e-9, "{cost}");
    }
}
