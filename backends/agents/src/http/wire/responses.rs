//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Asked, Ended, Heard, apart, cache_key};

/// Nothing is kept at the provider: the conversation goes along.
pub(super) fn body(asked: &Asked<'_>) -> Value {
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

pub(super) fn hear(heard: &mut Heard, event: &Value) {
    let delta = event["delta"].as_str().unwrap_or_default();
    match event["type"].as_str() {
        Some("response.output_text.delta") => heard.text.push_str(delta),
        Some("response.refusal.delta") => heard.refusal.push_str(delta),
        Some("response.completed" | "response.incomplete") => finish(heard, &event["response"]),
        Some("response.failed") => heard.fail(&event["response"]["error"]),
        Some("error") => heard.fail(if event["error"].is_object() {
            &event["error"]
        } else {
            event
        }),
        None if event["object"] == "response" => whole(heard, event),
        None if event["error"].is_object() => heard.fail(&event["error"]),
        _ => {}
    }
}

fn whole(heard: &mut Heard, response: &Value) {
    let items = response["output"].as_array().into_iter().flatten();
    for part in items.flat_map(|item| item["content"].as_array().into_iter().flatten()) {
        heard
            .text
            .push_str(part["text"].as_str().unwrap_or_default());
        heard
            .refusal
            .push_str(part["refusal"].as_str().unwrap_or_default());
    }
    finish(heard, response);
}

fn finish(heard: &mut Heard, response: &Value) {
    let usage = &response["usage"];
    apart(
        &mut heard.usage,
        &usage["input_tokens"],
        &usage["input_tokens_details"]["cached_tokens"],
    );
    heard.usage.output_tokens = usage["output_tokens"].as_u64();
    let reason = response["incomplete_details"]["reason"].as_str();
    heard.end(match (heard.refusal.is_empty(), reason) {
        (false, _) | (_, Some("content_filter")) => Ended::Refused,
        (_, Some(_)) => Ended::Limit,
        (_, None) => Ended::Done,
    });
}
