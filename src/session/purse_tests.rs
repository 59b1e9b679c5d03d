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
        written: None,
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
    /// A count of one side alone is a lower bound: what is missing is named, and what is there is paid for.
    #[test]
    fn half_a_count_is_at_least_its_price(
        input in proptest::option::of(1..10_000_u64), output in proptest::option::of(1..10_000_u64),
    ) {
        let mut purse = purse(None);
        ask(&mut purse, "a", 1).unwrap();
        let usage = Usage {
            input_tokens: input,
            output_tokens: output,
            ..counted(0, "m")
        };
        let call = purse.after_event(&mut answered("a", 1, usage), 20).unwrap();
        let usage = call.usage.unwrap();
        prop_assert_eq!(usage.unpriced.is_empty(), input.is_some() && output.is_some());
        prop_assert_eq!(usage.cost_usd.is_some(), input.is_some() || output.is_some());
        let whole = Usage { input_tokens: Some(input.unwrap_or(0)), ..counted(output.unwrap_or(0), "m") };
        ask(&mut purse, "a", 2).unwrap();
        let whole = purse.after_event(&mut answered("a", 2, whole), 30).unwrap().usage.unwrap();
        prop_assert!((usage.cost_usd.unwrap_or(0.0) - whole.cost_usd.unwrap()).abs() < 1e-9);
    }

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
