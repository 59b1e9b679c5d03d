//! OpenAI Responses.

use serde_json::{Value, json};

use super::{AnswerEnd, ApiAnswer, ApiRequest, cache_key, split_cached};

/// Nothing is kept at the provider: the conversation goes along.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let mut input = Vec::new();
    for (at, said) in asked.said.iter().enumerate() {
        let (role, kind) = if at % 2 == 0 {
            ("user", "input_text")
        } else {
            ("assistant", "output_text")
        };
        let mut parts = Vec::new();
        if at == 0 && !asked.brief.is_empty() {
            parts.push(json!({"type": kind, "text": asked.brief}));
        }
        parts.push(json!({"type": kind, "text": said}));
        input.push(json!({"role": role, "content": parts}));
    }
    let mut body = json!({
        "model": asked.model, "max_output_tokens": asked.endpoint.max_tokens, "stream": true, "store": false,
        "input": input, "prompt_cache_key": cache_key(asked.brief),
    });
    if let Some(schema) = asked.schema {
        let format =
            json!({"type": "json_schema", "name": "answer", "strict": true, "schema": schema});
        body["text"] = json!({ "format": format });
    }
    body
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    let delta = event["delta"].as_str().unwrap_or_default();
    match event["type"].as_str() {
        Some("response.output_text.delta") => heard.text.push_str(delta),
        Some("response.refusal.delta") => heard.refusal.push_str(delta),
        Some("response.completed" | "response.incomplete") => read_end(heard, &event["response"]),
        Some("response.failed") => heard.set_error(&event["response"]["error"]),
        Some("error") => heard.set_error(if event["error"].is_object() {
            &event["error"]
        } else {
            event
        }),
        None if event["object"] == "response" => read_whole(heard, event),
        None if event["error"].is_object() => heard.set_error(&event["error"]),
        _ => {}
    }
}

fn read_whole(heard: &mut ApiAnswer, response: &Value) {
    let items = response["output"].as_array().into_iter().flatten();
    for part in items.flat_map(|item| item["content"].as_array().into_iter().flatten()) {
        heard
            .text
            .push_str(part["text"].as_str().unwrap_or_default());
        heard
            .refusal
            .push_str(part["refusal"].as_str().unwrap_or_default());
    }
    read_end(heard, response);
}

fn read_end(heard: &mut ApiAnswer, response: &Value) {
    let usage = &response["usage"];
    split_cached(
        &mut heard.usage,
        &usage["input_tokens"],
        &usage["input_tokens_details"]["cached_tokens"],
    );
    heard.usage.output_tokens = usage["output_tokens"].as_u64();
    let reason = response["incomplete_details"]["reason"].as_str();
    heard.set_end(match (heard.refusal.is_empty(), reason) {
        (false, _) | (_, Some("content_filter")) => AnswerEnd::Refused,
        (_, Some(_)) => AnswerEnd::Limit,
        (_, None) => AnswerEnd::Done,
    });
}
