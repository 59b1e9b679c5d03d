use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::allowance::ToolAnswer;
use super::*;

/// Counts what it is asked for; panics where it is told to.
#[derive(Default)]
struct Counting(AtomicUsize);

impl CodeTools for Counting {
    fn run_query(&self, query: &ToolQuery, bounds: &QueryBounds) -> QueryResult {
        self.0.fetch_add(1, Ordering::Relaxed);
        if let ToolQuery::Symbol { name } = query {
            assert_ne!(name, "panic");
        }
        QueryResult {
            text: Ok("x".repeat(bounds.max_bytes.min(100))),
            asked: "x".to_owned(),
            seen: Vec::new(),
        }
    }
}

fn ask(tools: &mut TurnTools, tool: &str, arguments: Value) -> ToolAnswer {
    tools.answer_call(
        tool,
        &Ok(arguments),
        Instant::now() + Duration::from_secs(9),
    )
}

fn tools(max_calls: u32) -> (Arc<Counting>, TurnTools) {
    let runner = Arc::new(Counting::default());
    let setup = ToolSetup {
        runner: Arc::clone(&runner) as Arc<dyn CodeTools>,
        judge: "judge-1".into(),
        max_calls,
    };
    (runner, TurnTools::new(setup))
}

#[test]
fn a_thousand_calls_run_no_more_than_the_limit() {
    let (runner, mut tools) = tools(3);
    for nth in 0..1000 {
        let answer = ask(&mut tools, "list", json!({}));
        assert_eq!(answer.failed, nth >= 3, "{nth}: {answer:?}");
        let expected = match nth {
            0 | 1 => "calls left in this turn",
            _ => "no more calls in this turn: answer the task now",
        };
        assert!(answer.text.contains(expected), "{nth}: {answer:?}");
    }
    assert_eq!(runner.0.load(Ordering::Relaxed), 3);
    assert_eq!(tools.take_calls().len(), 4, "the flood is told once");
    tools.begin_turn();
    assert!(!ask(&mut tools, "list", json!({})).failed);
}

#[test]
fn what_cannot_be_read_is_told_and_counts() {
    let cases = [
        ("rm", json!({}), "there is no such tool"),
        ("read_file", json!([1]), "have to be a JSON object"),
        ("read_file", json!({}), "`path` is missing"),
        ("read_file", json!({"path": 7}), "`path` has to be a string"),
        ("search", json!({"regex": "x".repeat(2000)}), "longer than"),
        (
            "history",
            json!({"path": "a", "from": 9, "to": 3}),
            "`to` is before `from`",
        ),
        ("history", json!({"path": "a", "from": 1.5}), "whole number"),
        ("history", json!({"path": "a", "from": -1}), "negative"),
        ("symbol", json!({"name": "panic"}), "the look-up failed"),
    ];
    let (_, mut tools) = tools(20);
    for (tool, arguments, problem) in cases {
        let answer = ask(&mut tools, tool, arguments);
        assert!(answer.failed && answer.text.contains(problem), "{answer:?}");
    }
    let odd = Err("the arguments are no JSON".to_owned());
    let until = Instant::now();
    assert!(tools.answer_call("list", &odd, until).failed);
    let calls = tools.take_calls();
    assert_eq!(calls.len(), 10);
    assert!(calls.iter().all(|call| call.failed));
    let words = council_protocol::tool_call::count_in_words(&calls);
    assert_eq!(words, "failed 10", "no word of a model is in it");
}

#[test]
fn numbers_are_read_as_models_write_them() {
    let range = |from: Value, to: Value| {
        let arguments = json!({"path": "a.rs", "from": from, "to": to});
        match ToolQuery::parse("read_file", &arguments) {
            Ok(ToolQuery::ReadFile { lines, .. }) => (lines.from, lines.to),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(range(json!(3), json!("9")), (Some(3), Some(9)));
    assert_eq!(range(json!(0), json!(4.0)), (Some(1), Some(4)));
    assert_eq!(range(Value::Null, json!(1e300)), (None, Some(u32::MAX)));
}

#[test]
fn declarations_are_the_same_bytes_and_name_what_is_read() {
    for tool in tool_declarations() {
        let fields = tool.schema["properties"].as_object().unwrap();
        let value = |name: &str| match fields[name]["type"].as_str() {
            Some("integer") => json!(2),
            _ => json!("x"),
        };
        let arguments = fields
            .keys()
            .map(|name| (name.clone(), value(name)))
            .collect();
        assert!(
            ToolQuery::parse(tool.name, &Value::Object(arguments)).is_ok(),
            "{}",
            tool.name
        );
    }
    assert_eq!(tool_declarations().len(), 5);
}
