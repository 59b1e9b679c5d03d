//! A run that goes on in another process asks no model for what it was paid for, wherever the first one ended.

use std::sync::{Arc, Mutex};

use council_fake_models::{FakeModels, Reply as Says, Rule};
use council_protocol::seat::Api;
use serde_json::Value;

use super::tests::{APIS, context, turn};
use super::tool_tests::{ask, bodies, read_file, with_tools};
use super::*;
use crate::tools::{CodeTools, QueryBounds, QueryResult, StepStore, ToolQuery};

/// The look-ups that lead to the answer.
const FILES: [&str; 3] = ["a.rs", "b.rs", "c.rs"];

/// A run's folder.
#[derive(Default)]
struct Kept(Mutex<Vec<(String, Value)>>);

impl StepStore for Kept {
    fn keep(&self, turn: &str, step: Value) {
        self.0.lock().unwrap().push((turn.to_owned(), step));
    }

    fn kept(&self, turn: &str) -> Vec<Value> {
        let kept = self.0.lock().unwrap();
        let of_turn = kept.iter().filter(|(of, _)| of == turn);
        of_turn.map(|(_, step)| step.clone()).collect()
    }
}

impl CodeTools for Kept {
    fn run_query(&self, query: &ToolQuery, _: &QueryBounds) -> QueryResult {
        QueryResult {
            text: Ok(format!("result of {query:?}")),
            asked: "short".to_owned(),
            seen: Vec::new(),
        }
    }

    fn steps(&self) -> Option<&dyn StepStore> {
        Some(self)
    }
}

fn process(kept: &Arc<Kept>) -> HttpAgent {
    let tools = Arc::clone(kept) as Arc<dyn CodeTools>;
    HttpAgent::new(Arc::new(AgentContext {
        tools: Some(tools),
        ..context()
    }))
}

/// A model that looks up the files from one on, and then answers or ends in a refusal.
fn model(from: usize, to: usize, is_refused: bool) -> FakeModels {
    let beside = r#"{"verdict": "FAIL", "key": "k1"}"#;
    let look = |file: &&str| Rule::on(Says::calls([read_file(file)]).beside(beside)).times(1);
    let mut rules: Vec<Rule> = FILES[from..to].iter().map(look).collect();
    rules.extend(is_refused.then(|| Rule::on(Says::status(401))));
    FakeModels::start(rules).unwrap()
}

/// Two processes: the first one makes so many calls, and dies or fails; what the second one sends and tells.
fn go_on(api: (Api, &str), done: usize, dies: bool) {
    let kept = Arc::new(Kept::default());
    let first = model(0, done, true);
    let spec = with_tools(&first, api, 12);
    ask(&process(&kept), &spec, &turn(1, 20_000)).unwrap_err();
    assert_eq!(bodies(&first).len(), done + 1);
    if dies {
        // It had no time to tell what it cost.
        kept.0.lock().unwrap().retain(|(_, step)| step.is_object());
    }
    let second = model(done, FILES.len(), false);
    let spec = with_tools(&second, api, 12);
    let reply = ask(&process(&kept), &spec, &turn(1, 20_000)).unwrap();
    let sent = bodies(&second);
    assert_eq!(sent.len(), FILES.len() - done + 1, "{api:?} {done}");
    let last = sent.last().unwrap().to_string();
    let results = FILES.map(|file| {
        last.matches(&format!("result of ReadFile {{ path: \\\"{file}"))
            .count()
    });
    assert_eq!(results, [1; 3], "{api:?} {done}: {last}");
    let usage = reply.usage.unwrap();
    let paid = usage.earlier.len() + 1;
    // The call in which it died was paid for, too, and nobody knows how much.
    let before = if dies && done > 0 { done + 1 } else { 0 };
    let is_exact = usage
        .earlier
        .iter()
        .chain([&usage])
        .all(|call| call.unpriced.is_empty());
    assert_eq!(is_exact, before == 0, "{api:?} {done}");
    assert_eq!(
        paid,
        before + FILES.len() - done + 1,
        "{api:?} {done}: what was paid for counts once"
    );
    assert_eq!(usage.tool_calls.len(), FILES.len());
    assert_eq!(
        usage.unread.len(),
        FILES.len(),
        "an objection beside a call is told"
    );
}

#[test]
fn whoever_goes_on_repeats_no_finished_call() {
    for api in APIS {
        for done in 0..=FILES.len() {
            for dies in [true, false] {
                go_on(api, done, dies);
            }
        }
    }
}

#[test]
fn steps_of_another_question_or_another_model_are_not_taken_up() {
    let kept = Arc::new(Kept::default());
    let first = model(0, 2, true);
    ask(
        &process(&kept),
        &with_tools(&first, APIS[0], 12),
        &turn(1, 20_000),
    )
    .unwrap_err();
    for other in [turn(2, 20_000), turn(1, 20_000)] {
        let second = model(0, 3, false);
        let mut spec = with_tools(&second, APIS[0], 12);
        if other.round.0 == 1 {
            spec.seat.agent.model = Some("another".to_owned());
        }
        ask(&process(&kept), &spec, &other).unwrap();
        assert_eq!(bodies(&second).len(), FILES.len() + 1);
    }
}
