//! Answers that come as the arguments of a call: taken at their word at once, with what was said beside them.

use council_fake_models::{FakeModels, Reply as Says, Rule, Tool};
use council_protocol::seat::Api;
use serde_json::{Value, json};

use super::tests::{APIS, turn};
use super::tool_tests::{agent, ask, bodies, read_file, with_tools};

fn submitted() -> Value {
    json!({"schema_version": 1, "round": 1, "key": "k1", "verdict": "PASS", "findings": []})
}

/// The reply that a model's calls, with the words beside them, come to, and how often it was asked.
fn reply_to(api: usize, says: Says) -> (String, usize) {
    let models = FakeModels::start([Rule::on(says).times(1)]).unwrap();
    let (_, agent) = agent();
    let reply = ask(
        &agent,
        &with_tools(&models, APIS[api], 12),
        &turn(1, 20_000),
    )
    .unwrap();
    (reply.raw, bodies(&models).len())
}

#[test]
fn an_answer_in_a_call_of_submit_verdict_is_taken_at_once() {
    for api in 0..APIS.len() {
        for name in ["submit_verdict", "submit", "final_answer"] {
            let call = Tool::call(name, submitted());
            let (raw, asked) = reply_to(api, Says::calls([call]));
            assert_eq!(asked, 1, "{api} {name}");
            let taken: Value = serde_json::from_str(raw.trim()).unwrap();
            assert_eq!(taken, submitted(), "{api} {name}");
        }
        let calls = [read_file("a.rs"), Tool::call("submit_verdict", submitted())];
        assert_eq!(
            reply_to(api, Says::calls(calls)).1,
            1,
            "{api}: nothing is read behind an answer"
        );
    }
}

/// Words beside it may object to what it votes for.
#[test]
fn what_is_said_beside_an_answer_in_a_call_stays_beside_it() {
    for api in 0..APIS.len() {
        let call = Tool::call("submit_verdict", submitted());
        let says = Says::calls([call]).beside("Do not merge this.");
        let (raw, asked) = reply_to(api, says);
        assert_eq!(asked, 1, "{api}");
        assert!(raw.starts_with("Do not merge this.\n"), "{raw}");
        assert!(raw.contains("\"verdict\""), "{raw}");
    }
}

/// Models that are asked to call `submit_verdict` write their answer down as well: each look-up that was left was paid for with
/// the whole prompt.
#[test]
fn an_answer_in_the_text_and_in_a_call_is_taken_at_once() {
    let said = submitted().to_string();
    let objecting =
        json!({"schema_version": 1, "round": 1, "key": "k1", "verdict": "FAIL", "findings": []});
    for api in 0..APIS.len() {
        for text in [said.clone(), format!("Here it is.\n```json\n{said}\n```\n")] {
            let again = Tool::call("submit_verdict", submitted());
            let (raw, asked) = reply_to(api, Says::calls([again]).beside(&text));
            assert_eq!((asked, raw.trim()), (1, text.trim()), "{api}");
            // Who says something else in the call is heard with both.
            let other = Tool::call("submit_verdict", objecting.clone());
            let (raw, asked) = reply_to(api, Says::calls([other]).beside(&text));
            assert_eq!(asked, 1, "{api}");
            assert!(raw.contains("PASS") && raw.contains("FAIL"), "{raw}");
        }
    }
}

/// A call of another unknown name may hold a finding, and a look-up may name anything.
#[test]
fn two_unknown_calls_and_calls_without_the_key_are_no_answer() {
    for api in 0..APIS.len() {
        let finding = Tool::call(
            "report_finding",
            json!({"severity": "critical", "description": "x"}),
        );
        let keyless = Tool::call("submit_verdict", json!({"verdict": "PASS"}));
        for calls in [
            vec![finding, Tool::call("submit_verdict", submitted())],
            vec![keyless],
            vec![Tool::call("search", json!({"regex": "k1"}))],
        ] {
            assert_eq!(reply_to(api, Says::calls(calls)).1, 2, "{api}");
        }
    }
}

/// An answer in one piece, with a part behind it of a kind that nobody reads.
fn with_part(api: Api, said: &str, part: &Value) -> Value {
    let text = json!({"type": "text", "text": said});
    match api {
        Api::Anthropic => {
            json!({"type": "message", "content": [text, part], "stop_reason": "end_turn"})
        }
        Api::Responses => {
            let content = json!([{"type": "output_text", "text": said}]);
            let item = json!({"type": "message", "status": "completed", "content": content});
            json!({"object": "response", "status": "completed", "output": [item, part]})
        }
        Api::Chat => {
            let message = json!({"content": [text, part]});
            json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        }
        Api::Gemini => {
            let content = json!({"parts": [{"text": said}, part]});
            json!({"candidates": [{"content": content, "finishReason": "STOP"}]})
        }
    }
}

/// Through the whole driver, what a part of an unknown kind objects to is told beside the answer that counts.
#[test]
fn an_objection_in_a_part_of_an_unknown_kind_is_told_beside_the_answer() {
    let second =
        json!({"schema_version": 1, "round": 1, "key": "k1", "verdict": "FAIL", "findings": []});
    let parts = [
        json!({"type": "custom_tool_call", "name": "submit_verdict", "input": second.to_string()}),
        json!({"type": "mcp_call", "name": "submit_verdict", "arguments": second.to_string()}),
        json!({"type": "server_tool_use", "id": "t", "name": "submit_verdict", "input": second}),
        json!({"type": "json", "json": second}),
        json!({"type": "remark", "remark": "So I must vote FAIL."}),
    ];
    for (api, part) in APIS
        .into_iter()
        .flat_map(|api| parts.iter().map(move |part| (api, part)))
    {
        let body = with_part(api.0, &submitted().to_string(), part).to_string();
        let says = Says {
            body: Some(body),
            ..Says::default()
        };
        let says = says.header("content-type", "application/json");
        let models = FakeModels::start([Rule::on(says)]).unwrap();
        let (_, agent) = agent();
        let reply = ask(&agent, &with_tools(&models, api, 0), &turn(1, 20_000)).unwrap();
        assert_eq!(reply.raw, submitted().to_string(), "{api:?} {part}");
        let unread = reply.usage.unwrap().unread;
        assert!(
            unread.iter().any(|said| said.contains("FAIL")),
            "{api:?} {part} {unread:?}"
        );
    }
}
