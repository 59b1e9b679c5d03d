//! What an API's answer holds beside the places that are read: a second answer in a call of another kind, an objection in a
//! part that nobody knows. There is no list of such places: every value is walked, and what was heard already is left out.

use serde_json::{Map, Value};

use super::{AnswerEnd, ApiAnswer};
use crate::meant_answer::is_meant_as_answer;

/// What a server says again of what it was sent, and beside an answer; of a body and of the `response` in an event alone.
const ECHOES: [&str; 11] = [
    "input",
    "instructions",
    "metadata",
    "model",
    "prompt",
    "reasoning",
    "request",
    "text",
    "tool_choice",
    "tools",
    "usage",
];

/// Words in what is meant as an answer, or as a part of one.
const ANSWER_WORDS: [&str; 2] = ["verdict", "severity"];

/// The most texts that are kept; the first ones tell enough.
const MAX_KEPT: usize = 16;

/// Takes from an event what stands in no place that is read: a refusal is one wherever it stands, and what sounds like an
/// answer is kept. Behind the end, also what came in pieces.
pub(super) fn hear_beside(heard: &mut ApiAnswer, event: &Value) {
    for_body(heard, event);
    if heard.ended.is_some() {
        let items = std::mem::take(&mut heard.items);
        items.iter().for_each(|item| walk(heard, item));
        heard.items = items;
    }
}

fn for_body(heard: &mut ApiAnswer, body: &Value) {
    if let Some(events) = body.as_array() {
        return events.iter().for_each(|event| for_body(heard, event));
    }
    for (name, inner) in body.as_object().into_iter().flatten() {
        match name.as_str() {
            "response" | "message" if inner.is_object() => for_body(heard, inner),
            "refusal" => hear_refusal(heard, inner),
            name if ECHOES.contains(&name) => {}
            _ => walk(heard, inner),
        }
    }
}

fn walk(heard: &mut ApiAnswer, value: &Value) {
    match value {
        Value::String(text) => keep(heard, text, is_answer(text)),
        Value::Array(items) => items.iter().for_each(|item| walk(heard, item)),
        Value::Object(fields) if is_thought(fields) => {}
        Value::Object(fields) if fields.contains_key("verdict") => {
            keep(heard, &value.to_string(), true);
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                match name.as_str() {
                    "refusal" => hear_refusal(heard, inner),
                    name if names_thought(name) => {}
                    _ => walk(heard, inner),
                }
            }
        }
        _ => {}
    }
}

/// Thoughts weigh one thing against another, and mean nothing behind a whole answer.
fn is_thought(part: &Map<String, Value>) -> bool {
    let kind = part.get("type").and_then(Value::as_str);
    kind.is_some_and(names_thought) || part.get("thought") == Some(&Value::Bool(true))
}

fn names_thought(name: &str) -> bool {
    ["reason", "think", "thought"]
        .iter()
        .any(|word| name.contains(word))
}

fn is_answer(text: &str) -> bool {
    ANSWER_WORDS.iter().any(|word| text.contains(word)) || is_meant_as_answer(text, "")
}

fn keep(heard: &mut ApiAnswer, said: &str, is_answer: bool) {
    let is_known =
        |heard: &ApiAnswer| heard.is_heard(said) || heard.beside.iter().any(|one| one == said);
    if is_answer && heard.beside.len() < MAX_KEPT && !is_known(heard) {
        heard.beside.push(said.to_owned());
    }
}

/// Whoever declines anywhere has declined.
fn hear_refusal(heard: &mut ApiAnswer, refusal: &Value) {
    let Some(said) = refusal.as_str().filter(|said| !said.trim().is_empty()) else {
        return;
    };
    if !heard.refusal.contains(said) {
        heard.refusal.push_str(said);
    }
    if heard.ended == Some(AnswerEnd::Done) {
        heard.set_end(AnswerEnd::Refused);
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::seat::Api;
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::on_event;
    use super::*;

    /// A whole PASS as each API sends it, with the place of its parts.
    fn whole(api: Api) -> (Value, &'static str) {
        let said = "{\"key\":\"k1\",\"verdict\":\"PASS\"}";
        match api {
            Api::Anthropic => (
                json!({"type": "message", "content": [{"type": "text", "text": said}], "stop_reason": "end_turn"}),
                "/content",
            ),
            Api::Responses => {
                let content = json!([{"type": "output_text", "text": said}]);
                let item = json!({"type": "message", "status": "completed", "content": content});
                (
                    json!({"object": "response", "status": "completed", "output": [item]}),
                    "/output",
                )
            }
            Api::Chat => {
                let message = json!({"content": [{"type": "text", "text": said}]});
                let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
                (json!({"choices": [choice]}), "/choices/0/message/content")
            }
            Api::Gemini => {
                let content = json!({"parts": [{"text": said}]});
                let candidate = json!({"content": content, "finishReason": "STOP"});
                (
                    json!({"candidates": [candidate]}),
                    "/candidates/0/content/parts",
                )
            }
        }
    }

    const APIS: [Api; 4] = [Api::Anthropic, Api::Responses, Api::Chat, Api::Gemini];

    fn heard_of(api: Api, event: &Value) -> ApiAnswer {
        let mut heard = ApiAnswer::default();
        on_event(api, &mut heard, event);
        heard
    }

    /// What an answer says once is said nowhere beside it.
    #[test]
    fn a_plain_answer_leaves_nothing_beside_it() {
        for api in APIS {
            let heard = heard_of(api, &whole(api).0);
            assert_eq!(heard.ended, Some(AnswerEnd::Done), "{api:?}");
            assert_eq!(heard.strays().count(), 0, "{api:?} {heard:?}");
        }
        let mut thinking = whole(Api::Chat).0;
        thinking["choices"][0]["message"]["thinking"] =
            "Line 3 crashes, so I must vote FAIL.".into();
        assert_eq!(heard_of(Api::Chat, &thinking).strays().count(), 0);
        let mut echoed = whole(Api::Responses).0;
        echoed["instructions"] = "Vote PASS, WARN or FAIL; `severity` is one of three.".into();
        echoed["text"] =
            json!({"format": {"schema": {"properties": {"verdict": {"type": "string"}}}}});
        assert_eq!(heard_of(Api::Responses, &echoed).strays().count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// A second answer is kept at every API, in a part of whichever kind, under whichever name, as a text or as an object.
        #[test]
        fn no_second_answer_is_lost(
            api in prop::sample::select(APIS.to_vec()),
            kind in prop_oneof![
                "[a-z]{3,9}_x",
                prop::sample::select(vec![
                    "custom_tool_call", "mcp_call", "server_tool_use", "mcp_tool_use", "tool_use", "json", "message",
                ]).prop_map(str::to_owned),
            ],
            name in prop_oneof!["[a-z]{3,9}_x", prop::sample::select(vec!["input", "arguments", "json"]).prop_map(str::to_owned)],
            is_text in any::<bool>(),
            depth in 0usize..3,
            is_first in any::<bool>(),
        ) {
            let second = json!({"key": "k1", "verdict": "FAIL"});
            let second = if is_text { json!(second.to_string()) } else { second };
            let inner = (0..depth).fold(second, |inner, _| json!([{"value": inner}]));
            let part = json!({"type": kind, "name": "submit_verdict", name: inner});
            let (mut event, at) = whole(api);
            let parts = event.pointer_mut(at).unwrap().as_array_mut().unwrap();
            parts.insert(if is_first { 0 } else { parts.len() }, part);
            let heard = heard_of(api, &event);
            let is_kept = heard.asides().chain([heard.text.as_str()]).any(|said| said.contains("FAIL"));
            prop_assert!(is_kept, "{:?} {}", api, event);
        }

        /// Whoever declines in a part of an answer has declined, whatever the other parts say.
        #[test]
        fn a_refusal_in_a_part_is_one(
            api in prop::sample::select(APIS.to_vec()),
            kind in prop_oneof![Just("refusal".to_owned()), "[a-z]{3,9}_x"],
            is_first in any::<bool>(),
        ) {
            let (mut event, at) = whole(api);
            let parts = event.pointer_mut(at).unwrap().as_array_mut().unwrap();
            let part = json!({"type": kind, "refusal": "I cannot help with that."});
            parts.insert(if is_first { 0 } else { parts.len() }, part);
            let heard = heard_of(api, &event);
            prop_assert_eq!(heard.ended, Some(AnswerEnd::Refused), "{}", event);
            prop_assert!(heard.refusal.contains("I cannot help"), "{:?}", heard);
        }
    }

    /// Only `completed` is whole, wherever a response says otherwise.
    #[test]
    fn a_response_that_is_not_completed_is_no_answer() {
        let said = whole(Api::Responses).0;
        for status in [
            "failed",
            "cancelled",
            "in_progress",
            "queued",
            "incomplete",
            "strange",
        ] {
            let mut by_status = said.clone();
            by_status["status"] = status.into();
            let mut by_item = said.clone();
            by_item["output"][0]["status"] = status.into();
            let in_event =
                |response: &Value| json!({"type": "response.completed", "response": response});
            for event in [
                by_status.clone(),
                in_event(&by_status),
                by_item.clone(),
                in_event(&by_item),
            ] {
                let heard = heard_of(Api::Responses, &event);
                let words = heard.error.as_ref().map(|error| error.words.as_str());
                assert!(
                    heard.ended.is_none() && words.is_some_and(|words| words.contains(status)),
                    "{event}"
                );
            }
        }
        let mut failed = said.clone();
        failed["error"] = json!({"code": "server_error", "message": "the model died"});
        let words = heard_of(Api::Responses, &failed)
            .error
            .map(|error| error.words);
        assert_eq!(words.as_deref(), Some("the model died"));
        let mut plain = said;
        plain["error"] = Value::Null;
        plain.as_object_mut().unwrap().remove("status");
        assert_eq!(
            heard_of(Api::Responses, &plain).ended,
            Some(AnswerEnd::Done)
        );
    }
}
