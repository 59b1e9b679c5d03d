//! Turns in which a model looks much up: what its server reads of them, what it keeps, and how they end.

use std::sync::{Arc, Mutex};

use council_fake_models::{FakeModels, Reply as Says, Rule, Stop as Ends, Tokens};
use council_protocol::FailureKind;
use council_protocol::seat::Api;
use serde_json::{Value, json};

use super::tests::{APIS, context, endpoint, turn};
use super::tool_tests::{ask, bodies, read_file, with_tools};
use super::*;
use crate::tools::{CodeTools, QueryBounds, QueryResult, ToolQuery};

/// Answers every query with a long text, and counts them.
#[derive(Default)]
struct LongFile(Mutex<u32>);

impl CodeTools for LongFile {
    fn run_query(&self, _: &ToolQuery, _: &QueryBounds) -> QueryResult {
        *self.0.lock().unwrap() += 1;
        let line = |n: u32| format!("Whatever stands in paragraph_{n} continues elsewhere\n");
        QueryResult {
            text: Ok((0..100).map(line).collect()),
            asked: String::new(),
            seen: Vec::new(),
        }
    }
}

fn agent() -> (Arc<LongFile>, Arc<HttpAgent>) {
    let tools = Arc::new(LongFile::default());
    let context = AgentContext {
        tools: Some(Arc::clone(&tools) as Arc<dyn CodeTools>),
        ..context()
    };
    (tools, Arc::new(HttpAgent::new(Arc::new(context))))
}

fn counting(says: Says, input: u64) -> Rule {
    let usage = Some(Tokens {
        input,
        ..Tokens::default()
    });
    Rule::on(Says { usage, ..says }).times(1)
}

/// Law: within a turn a prompt only grows: a server that reports no more of a longer one has cut it.
#[test]
fn a_server_that_drops_what_came_first_is_noticed() {
    for (counts, is_cut) in [
        ([9_000, 20_501, 20_401], true),
        ([9_001, 20_501, 20_501], true),
        ([9_001, 8_001, 20_501], true),
        ([9_001, 20_501, 30_501], false),
    ] {
        for api in APIS {
            let look = || Says::calls([read_file("a.rs")]);
            let rules = [
                counting(look(), counts[0]),
                counting(look(), counts[1]),
                counting(Says::default(), counts[2]),
            ];
            let models = FakeModels::start(rules).unwrap();
            let (_, agent) = agent();
            let reply = ask(&agent, &with_tools(&models, api, 12), &turn(1, 20_000));
            let kind = reply.as_ref().err().map(|failure| failure.kind);
            let expected = is_cut.then_some(FailureKind::ContextCut);
            assert_eq!(kind, expected, "{:?} {counts:?}: {reply:?}", api.0);
        }
    }
}

/// Law: whatever a model says instead of an answer behind its look-ups, the turn goes on with what was read: nothing is looked
/// up or paid for twice.
#[test]
fn a_turn_goes_on_where_look_ups_are_followed_by_no_answer() {
    let look = || Says::calls([read_file("a.rs")]);
    for api in APIS {
        for (instead, most) in [
            (Says::text(""), 12),
            (Says::stop(Ends::MaxTokens), 12),
            (look(), 1),
        ] {
            // A model that has no calls left is told so before it is kept from calling.
            let extra = if most == 1 { 2 } else { 1 };
            let rules = [
                Rule::on(look()).times(1),
                Rule::on(instead.clone()).times(extra),
            ];
            let models = FakeModels::start(rules).unwrap();
            let (tools, agent) = agent();
            let reply = ask(&agent, &with_tools(&models, api, most), &turn(1, 20_000));
            assert!(reply.is_ok(), "{:?} {instead:?}: {reply:?}", api.0);
            assert_eq!(*tools.0.lock().unwrap(), 1, "{:?} {instead:?}", api.0);
            let last = bodies(&models).pop().unwrap().to_string();
            assert!(
                last.contains("Answer the task now") && last.contains("paragraph_99"),
                "{last}"
            );
        }
        // It is told so once.
        let models =
            FakeModels::start([Rule::on(look()).times(1), Rule::on(Says::text(""))]).unwrap();
        let (_, agent) = agent();
        let failure = ask(&agent, &with_tools(&models, api, 12), &turn(1, 20_000)).unwrap_err();
        assert_eq!(
            (failure.kind, models.stats().requests),
            (FailureKind::Empty, 3),
            "{:?}",
            api.0
        );
    }
}

/// Law: a model whose call comes as text is told so and answers, whatever its form of a call; once a turn. A text that has the
/// key of the turn is an answer, whatever stands in it.
#[test]
fn a_call_that_comes_as_text_is_told_what_became_of_it() {
    let call = r#"{"name": "read_file", "arguments": {"path": "a.rs"}}"#;
    let llama = r#"{"name": "search", "parameters": {"regex": "lock"}}"#;
    for said in [
        format!("<tool_call>\n{call}\n</tool_call>"),
        format!("I look first.\n<function_call>{call}</function_call>"),
        "<function=read_file>{\"path\": \"a.rs\"}</function>".to_owned(),
        format!("[TOOL_CALLS][{call}]"),
        format!("<|python_tag|>{llama}"),
        llama.to_owned(),
        format!("```json\n{llama}\n```"),
        format!("I look first.\n\n```\n{call}\n```\n"),
    ] {
        for api in APIS {
            let rules = [
                Rule::on(Says::text(&said)).times(1),
                Rule::on(Says::text("k1: PASS")),
            ];
            let models = FakeModels::start(rules).unwrap();
            let (_, agent) = agent();
            let reply = ask(&agent, &with_tools(&models, api, 12), &turn(1, 20_000));
            assert!(
                reply.is_ok_and(|reply| reply.raw == "k1: PASS"),
                "{:?} {said}",
                api.0
            );
            let last = bodies(&models).pop().unwrap().to_string();
            assert!(last.contains("came as text"), "{:?} {last}", api.0);
            let models = FakeModels::start([Rule::on(Says::text(&said))]).unwrap();
            let reply = ask(&agent, &with_tools(&models, api, 12), &turn(1, 20_000));
            assert_eq!(
                (reply.unwrap().raw, models.stats().requests),
                (said.clone(), 2)
            );
            let answer = format!("{{\"key\": \"k1\"}} {said}");
            let models = FakeModels::start([Rule::on(Says::text(&answer))]).unwrap();
            let reply = ask(&agent, &with_tools(&models, api, 12), &turn(1, 20_000));
            assert_eq!((reply.unwrap().raw, models.stats().requests), (answer, 1));
        }
    }
}

/// The places of the marks in a body, by message and block.
fn marks(body: &Value) -> Vec<(usize, usize)> {
    let messages = body["messages"].as_array().unwrap().iter().enumerate();
    let blocks = messages.flat_map(|(message, said)| {
        let blocks = said["content"].as_array().unwrap().iter().enumerate();
        blocks.map(move |(block, said)| (message, block, said))
    });
    blocks
        .filter(|(.., said)| said.get("cache_control").is_some())
        .map(|(message, block, _)| (message, block))
        .collect()
}

/// Law: what a call has marked last, the next one marks, too: a provider looks for it twenty blocks back at most, and a message
/// may have more.
#[test]
fn the_mark_of_the_call_before_stays() {
    let looks = |many: usize| Rule::on(Says::calls(vec![read_file("a.rs"); many])).times(1);
    let models = FakeModels::start([looks(12), looks(1), looks(11)]).unwrap();
    let (_, agent) = agent();
    ask(
        &agent,
        &with_tools(&models, (Api::Anthropic, "/v1"), 40),
        &turn(1, 20_000),
    )
    .unwrap();
    let marks: Vec<_> = bodies(&models).iter().map(marks).collect();
    assert_eq!(marks.len(), 4);
    for pair in marks.windows(2) {
        let last = pair[0].last().unwrap();
        assert!(pair[1].contains(last) && pair[1].len() <= 4, "{marks:?}");
    }
}

/// Law: what a server says of a call or of its reasoning beside the standard goes back to it as it came; and one that refuses
/// to take it back is not sent it again.
#[test]
fn what_a_server_says_of_its_calls_goes_back_to_it() {
    let details = json!([{"type": "reasoning.encrypted", "data": "DATA", "index": 0}]);
    let extra = json!({"google": {"thought_signature": "SIGNATURE"}});
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let call = json!({"index": 0, "id": "1", "extra_content": extra, "function": {"name": "read_file", "arguments": ""}});
    let events = [
        delta(json!({"role": "assistant", "reasoning": "I ", "refusal": null})),
        delta(json!({"reasoning": "think.", "reasoning_details": details})),
        delta(json!({"tool_calls": [call]})),
        delta(
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"path\":\"a.rs\"}"}}]}),
        ),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    ];
    let stream: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let calls = Says {
        body: Some(stream),
        ..Says::default()
    };
    let calls = Rule::on(calls.header("content-type", "text/event-stream")).times(1);
    let refused = Says {
        body: Some(
            json!({"error": {"message": "messages.1: reasoning: unknown field"}}).to_string(),
        ),
        ..Says::status(400)
    };
    let refused = Rule::on(refused).times(1);
    let models = FakeModels::start([calls, refused]).unwrap();
    let (_, agent) = agent();
    let reply = ask(&agent, &with_tools(&models, APIS[2], 12), &turn(1, 20_000)).unwrap();
    assert_eq!(reply.usage.unwrap().without_tools, None);
    let sent = bodies(&models);
    let [_, first, second] = sent.as_slice() else {
        panic!("{} requests", sent.len());
    };
    let said = &first["messages"][1];
    assert_eq!(said["reasoning"], "I think.");
    assert_eq!(said["reasoning_details"], details);
    assert_eq!(said["tool_calls"][0]["extra_content"], extra);
    assert_eq!(said.get("refusal"), None);
    let said = &second["messages"][1];
    assert_eq!(said.get("reasoning"), None);
    assert_eq!(
        said["tool_calls"][0]["function"],
        first["messages"][1]["tool_calls"][0]["function"]
    );
    assert_eq!(said["tool_calls"][0].get("extra_content"), None);
}

/// Where nothing is kept at the provider, thoughts are asked for in a form that can go back, and not where that is refused.
#[test]
fn reasoning_is_asked_for_where_it_can_go_back() {
    let refused = Says {
        body: Some(
            json!({"error": {"message": "Encrypted content is not supported with this model."}})
                .to_string(),
        ),
        ..Says::status(400)
    };
    let models = FakeModels::start([Rule::on(refused).times(1)]).unwrap();
    let (_, agent) = agent();
    let reply = ask(&agent, &with_tools(&models, APIS[1], 12), &turn(1, 20_000)).unwrap();
    assert_eq!(reply.usage.unwrap().without_tools, None);
    let sent = bodies(&models);
    assert_eq!(sent[0]["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(sent[1].get("include"), None);
    assert_eq!(sent.len(), 2);
}

/// Law: a conversation that look-ups made too long for its server goes on without them, with its schema; the brief was taken.
#[test]
fn a_conversation_that_grew_too_long_goes_on_without_its_look_ups() {
    for (status, words) in [
        (413, "Request too large"),
        (400, "prompt is too long: 210437 tokens > 200000 maximum"),
        (400, "Your input exceeds the context window of this model."),
        (
            400,
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        ),
    ] {
        for api in APIS {
            let too_long = Says {
                body: Some(json!({"error": {"message": words}}).to_string()),
                ..Says::status(status)
            };
            let rules = [
                Rule::on(Says::calls([read_file("a.rs")])).times(1),
                Rule::on(too_long).times(1),
            ];
            let models = FakeModels::start(rules).unwrap();
            let (_, agent) = agent();
            let mut spec = with_tools(&models, api, 12);
            endpoint(&mut spec).structured = true;
            let usage = ask(&agent, &spec, &turn(1, 20_000)).unwrap().usage.unwrap();
            assert!(
                usage.without_tools.unwrap().contains(words),
                "{api:?} {status}"
            );
            assert!(
                usage.passed_over.is_empty(),
                "{api:?} {status}: {:?}",
                usage.passed_over
            );
            assert_eq!(models.stats().requests, 3, "{api:?} {status}");
        }
    }
}
