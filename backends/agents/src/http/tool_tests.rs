//! Models that call tools, at every API: what they are sent back, and how it ends.

use std::sync::{Arc, Mutex};

use council_fake_models::{FakeModels, Reply as Says, Rule, Tool};
use council_protocol::message::Usage;
use council_protocol::price::{ModelPrice, SpendLimit};
use council_protocol::seat::Api;
use council_protocol::{FailureKind, SeenLines, Turn};
use serde_json::{Value, json};

use super::tests::{APIS, context, endpoint, open, spec, turn};
use super::*;
use crate::tools::{CodeTools, QueryBounds, QueryResult, ToolQuery};
use crate::{AgentReply, StopSignal};

/// Tells every query what it was.
#[derive(Default)]
pub(super) struct Echo(Mutex<Vec<ToolQuery>>);

impl CodeTools for Echo {
    fn run_query(&self, query: &ToolQuery, _: &QueryBounds) -> QueryResult {
        self.0.lock().unwrap().push(query.clone());
        let text = match query {
            ToolQuery::Symbol { .. } => Err("no such name".to_owned()),
            other => Ok(format!("result of {other:?}")),
        };
        let seen = vec![SeenLines {
            path: "a.rs".into(),
            first: 1,
            last: 2,
        }];
        let asked = "short".to_owned();
        QueryResult { text, asked, seen }
    }
}

pub(super) fn agent() -> (Arc<Echo>, Arc<HttpAgent>) {
    let echo = Arc::new(Echo::default());
    let context = AgentContext {
        tools: Some(Arc::clone(&echo) as Arc<dyn CodeTools>),
        ..context()
    };
    (echo, Arc::new(HttpAgent::new(Arc::new(context))))
}

pub(super) fn with_tools(models: &FakeModels, api: (Api, &str), tool_calls: u32) -> JudgeSpec {
    let mut spec = spec(models, api);
    endpoint(&mut spec).tool_calls = tool_calls;
    spec
}

pub(super) fn read_file(path: &str) -> Tool {
    Tool::call("read_file", json!({"path": path, "from": 3}))
}

pub(super) fn ask(agent: &HttpAgent, spec: &JudgeSpec, turn: &Turn) -> Result<AgentReply, Failure> {
    open(agent, spec).take_turn(turn, &StopSignal::default())
}

pub(super) fn bodies(models: &FakeModels) -> Vec<Value> {
    let records = models.records();
    let bodies = records
        .iter()
        .map(|record| serde_json::from_str(&record.body).unwrap());
    bodies.collect()
}

/// A whole answer beside a call of a tool is no answer yet, but what it objects to must not vanish.
#[test]
fn a_verdict_beside_a_call_is_kept_for_the_program_to_tell() {
    for api in APIS {
        for (said, kept) in [
            (r#"{"verdict": "FAIL", "key": "k1"}"#, 1),
            (r#"{"verdict": "FAIL", "key": "KEY"}"#, 1),
            ("**Verdict: FAIL** a.rs:1 is critical", 1),
            ("I look into it first.", 0),
        ] {
            let calls = Says::calls([read_file("a.rs")]).beside(said);
            let models = FakeModels::start([Rule::on(calls).times(1)]).unwrap();
            let (_, agent) = agent();
            let reply = ask(&agent, &with_tools(&models, api, 12), &turn(1, 20_000)).unwrap();
            let unread = reply.usage.unwrap().unread;
            assert_eq!(unread.len(), kept, "{api:?}: {unread:?}");
            assert!(
                unread.iter().all(|text| text.contains("FAIL")),
                "{unread:?}"
            );
        }
    }
}

#[test]
fn a_model_looks_things_up_and_answers_with_what_it_saw() {
    for api in APIS {
        let rules = [
            Rule::on(Says::calls([
                read_file("a.rs"),
                Tool::call("symbol", json!({"name": "f"})),
            ]))
            .times(1),
            Rule::on(Says::calls([Tool::call("list", Value::Null)]))
                .after("symbol")
                .times(1),
        ];
        let models = FakeModels::start(rules).unwrap();
        let (echo, agent) = agent();
        let mut talk = open(&agent, &with_tools(&models, api, 12));
        let reply = talk
            .take_turn(&turn(1, 20_000), &StopSignal::default())
            .unwrap();
        assert!(
            reply.raw.contains("\"key\":\"k1\""),
            "{api:?}: {}",
            reply.raw
        );
        assert_eq!(echo.0.lock().unwrap().len(), 3, "{api:?}");
        let usage = reply.usage.unwrap();
        assert_eq!(usage.earlier.len(), 2, "{api:?}: every call is counted");
        let tools: Vec<_> = usage
            .tool_calls
            .iter()
            .map(|call| (call.tool.as_str(), call.failed))
            .collect();
        assert_eq!(
            tools,
            [("read_file", false), ("symbol", true), ("list", false)]
        );
        assert_eq!(usage.tool_calls[0].asked, "short");
        assert!(!usage.tool_calls[0].seen.is_empty());
        let bodies = bodies(&models);
        let last = bodies[2].to_string();
        for told in [
            "result of ReadFile",
            "no such name",
            "result of List",
            "9 calls left",
        ] {
            assert!(last.contains(told), "{api:?}: {told} in {last}");
        }
        assert!(
            bodies
                .iter()
                .all(|body| body["tools"] == bodies[0]["tools"]),
            "{api:?}"
        );
        if api.0 == Api::Gemini {
            assert!(last.contains("\"thoughtSignature\":\"sig-1\""), "{last}");
        }
        // The next turn begins with all of it.
        talk.take_turn(&turn(2, 20_000), &StopSignal::default())
            .unwrap();
        let records = models.records();
        assert_eq!(records.len(), 4);
        for (before, after) in records.iter().zip(&records[1..]) {
            assert!(after.shared_bytes >= before.prompt_bytes, "{api:?}");
        }
    }
}

#[test]
fn every_call_has_one_result_in_the_next_message() {
    let rules = [Rule::on(Says::calls(
        (0..5).map(|nth| read_file(&format!("{nth}.rs"))),
    ))
    .times(1)];
    let ids = |value: &Value, of: &str, id: &str| {
        let (mut found, mut left) = (Vec::new(), vec![value]);
        while let Some(value) = left.pop() {
            if value["type"] == of || value["role"] == of {
                found.extend(value[id].as_str().map(str::to_owned));
            }
            left.extend(value.as_array().into_iter().flatten());
            left.extend(
                value
                    .as_object()
                    .into_iter()
                    .flat_map(|fields| fields.values()),
            );
        }
        found.sort();
        found
    };
    for (api, (call, call_id), (result, result_id)) in [
        (APIS[0], ("tool_use", "id"), ("tool_result", "tool_use_id")),
        (
            APIS[1],
            ("function_call", "call_id"),
            ("function_call_output", "call_id"),
        ),
        (APIS[2], ("function", "id"), ("tool", "tool_call_id")),
    ] {
        let models = FakeModels::start(rules.to_vec()).unwrap();
        ask(&agent().1, &with_tools(&models, api, 12), &turn(1, 20_000)).unwrap();
        let body = &bodies(&models)[1];
        let called = ids(body, call, call_id);
        assert_eq!(
            (called.len(), &called),
            (5, &ids(body, result, result_id)),
            "{api:?}"
        );
    }
}

#[test]
fn a_model_that_only_calls_is_stopped_and_one_that_then_answers_is_heard() {
    for api in APIS {
        let calls = || Rule::on(Says::calls([read_file("a.rs")]));
        let models = FakeModels::start([calls()]).unwrap();
        let (echo, agent) = agent();
        let failure = ask(&agent, &with_tools(&models, api, 3), &turn(1, 20_000)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Empty, "{api:?}: {failure}");
        assert_eq!(
            failure.usage.unwrap().tool_calls.len(),
            4,
            "paid for and told"
        );
        assert_eq!(echo.0.lock().unwrap().len(), 3, "{api:?}");
        let bodies = bodies(&models);
        // Three that are run, one that is told, one that is forbidden, and one that is asked for the answer.
        assert_eq!(bodies.len(), 6, "{api:?}");
        let choice = |body: &Value| {
            [&body["tool_choice"], &body["toolConfig"]]
                .map(|c| c.to_string().to_lowercase())
                .concat()
        };
        assert!(
            choice(&bodies[4]).contains("none"),
            "{api:?}: {}",
            bodies[4]
        );
        assert_eq!(choice(&bodies[3]), "nullnull", "{api:?}");

        let models = FakeModels::start([calls().times(4)]).unwrap();
        assert!(
            ask(&agent, &with_tools(&models, api, 3), &turn(1, 20_000)).is_ok(),
            "{api:?}"
        );
    }
}

#[test]
fn hostile_calls_are_answered_and_cost_no_more_than_their_number() {
    let broken = Tool {
        raw: Some("{\"path\": ".to_owned()),
        ..Tool::call("read_file", json!("none"))
    };
    let odd = [
        Tool::call("rm -rf", json!({"path": "/"})),
        Tool::call("read_file", json!({"path": ["a"]})),
        Tool::call("read_file", json!({"path": "a", "from": 9, "to": 1})),
        broken,
    ];
    let flood = (0..1000).map(|_| read_file("a.rs"));
    for api in APIS {
        let rules = [Rule::on(Says::calls(odd.clone().into_iter().chain(flood.clone()))).times(1)];
        let models = FakeModels::start(rules).unwrap();
        let (echo, agent) = agent();
        let mut spec = with_tools(&models, api, 12);
        spec.max_answer_bytes = 1 << 20;
        let reply = ask(&agent, &spec, &turn(1, 60_000)).unwrap();
        assert_eq!(
            echo.0.lock().unwrap().len(),
            8,
            "{api:?}: the rest of twelve"
        );
        let usage = reply.usage.unwrap();
        assert_eq!(usage.tool_calls.len(), 13);
        assert!(
            usage.tool_calls[..4].iter().all(|call| call.failed),
            "{usage:?}"
        );
        let body = models.records()[1].body.clone();
        assert!(body.contains("there is no such tool"), "{api:?}");
        assert_eq!(body.matches("answer the task now").count(), 993, "{api:?}");
    }
}

#[test]
fn a_server_without_tools_is_asked_without_and_it_is_told() {
    let refusals = [
        (400, "registry.ollama.ai/library/m does not support tools"),
        (404, "No endpoints found that support tool use"),
        (500, "tools param requires --jinja flag"),
    ];
    for (status, words) in refusals {
        for api in APIS {
            let says = Says {
                body: Some(json!({"error": {"message": words}}).to_string()),
                ..Says::status(status)
            };
            let models = FakeModels::start([Rule::on(says).times(1)]).unwrap();
            let mut spec = with_tools(&models, api, 12);
            endpoint(&mut spec).structured = true;
            let usage = ask(&agent().1, &spec, &turn(1, 20_000))
                .unwrap()
                .usage
                .unwrap();
            let why = usage.without_tools.unwrap_or_default();
            assert!(why.contains(words), "{api:?}: {why}");
            let bodies = bodies(&models);
            assert!(
                bodies[0]["tools"].is_array() && bodies[1]["tools"].is_null(),
                "{api:?}"
            );
            assert_eq!(bodies.len(), 2, "the schema stays");
        }
    }
    let models = FakeModels::start([]).unwrap();
    let usage = ask(
        &agent().1,
        &with_tools(&models, APIS[0], 0),
        &turn(1, 20_000),
    )
    .unwrap()
    .usage
    .unwrap();
    assert_eq!(
        usage.without_tools.as_deref(),
        Some("they are switched off in the configuration")
    );
    assert!(bodies(&models)[0]["tools"].is_null());
}

#[test]
fn calls_end_where_the_turn_could_not_pay_for_an_answer() {
    let models = FakeModels::start([Rule::on(Says::calls([read_file("a.rs")]))]).unwrap();
    let price = ModelPrice {
        output: 1_000_000_000,
        ..ModelPrice::default()
    };
    // An answer is expected to cost $1.50, and a call that is counted a few cents.
    let spend = |usd: u64| SpendLimit {
        micro_usd: usd * 1_000_000,
        prices: [("m".to_owned(), price)].into(),
    };
    let (echo, agent) = agent();
    let limited = Turn {
        spend: Some(spend(2)),
        ..turn(1, 20_000)
    };
    let failure = ask(&agent, &with_tools(&models, APIS[0], 12), &limited).unwrap_err();
    assert_eq!(
        echo.0.lock().unwrap().len(),
        0,
        "{failure}: the money is kept for the answer"
    );
    assert!(bodies(&models).len() <= 3, "{failure}");
    let first = &bodies(&models)[0]["tools"];
    assert!(
        first.is_null(),
        "no question is asked that leaves nothing for the answer: {first}"
    );
    let ample = Turn {
        spend: Some(spend(100)),
        ..turn(1, 20_000)
    };
    let _ = ask(&agent, &with_tools(&models, APIS[0], 12), &ample);
    assert_eq!(echo.0.lock().unwrap().len(), 12);
}

#[test]
fn calls_of_servers_that_number_them_all_alike_are_told_apart() {
    let stream = concat!(
        r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"list","arguments":"{\"glob\":"}}]}}]}"#,
        "\n\n",
        r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"x\"}"}}]}}]}"#,
        "\n\n",
        r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"search","arguments":{"regex":"y"}}}]}}]}"#,
        "\n\n",
        r#"data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "\n\n",
    );
    let heard = talk::decode_pieces(Api::Chat, stream.as_bytes().chunks(7));
    let calls: Vec<_> = heard
        .calls
        .iter()
        .map(|c| (c.name.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(
        calls,
        [("list", r#"{"glob":"x"}"#), ("search", r#"{"regex":"y"}"#)]
    );
}

#[test]
fn what_a_model_thought_goes_back_with_its_calls() {
    let event = |data: Value| format!("data: {data}\n\n");
    let anthropic = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t", "name": "list", "input": {}}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
    ];
    let stream = anthropic.map(event).concat();
    let heard = talk::decode_pieces(Api::Anthropic, stream.as_bytes().chunks(11));
    let sent = wire::ApiMessage::Calls(wire::spoken_calls(Api::Anthropic, heard));
    let expected = vec![
        json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
        json!({"type": "tool_use", "id": "t", "name": "list", "input": {}}),
    ];
    assert_eq!(
        sent,
        wire::ApiMessage::Calls(expected),
        "and no empty text, which is refused"
    );
    let responses = [
        json!({"type": "response.output_item.done", "item": {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}}),
        json!({"type": "response.output_item.done", "item": {"type": "reasoning", "id": "rs_2", "summary": []}}),
        json!({"type": "response.output_item.done", "item": {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "list", "arguments": ""}}),
        json!({"type": "response.completed", "response": {"output": [], "usage": {}}}),
    ];
    let stream = responses.map(event).concat();
    let heard = talk::decode_pieces(Api::Responses, stream.as_bytes().chunks(11));
    let sent = wire::ApiMessage::Calls(wire::spoken_calls(Api::Responses, heard));
    let expected = vec![
        json!({"type": "reasoning", "encrypted_content": "x"}),
        json!({"type": "function_call", "call_id": "c", "name": "list", "arguments": "{}"}),
    ];
    assert_eq!(
        sent,
        wire::ApiMessage::Calls(expected),
        "ids mean nothing where nothing is kept"
    );
}

#[test]
fn usage_of_a_turn_without_tools_says_nothing_of_them() {
    let models = FakeModels::start([]).unwrap();
    let http = HttpAgent::new(Arc::new(context()));
    let usage = ask(&http, &with_tools(&models, APIS[2], 12), &turn(1, 20_000))
        .unwrap()
        .usage
        .unwrap();
    assert_eq!((usage.tool_calls, usage.without_tools), (Vec::new(), None));
    assert_eq!(Usage::default().tool_calls, Vec::new());
}
