//! Anthropic Messages.

use serde_json::{Value, json};

use super::{AnswerEnd, ApiAnswer, ApiRequest};

/// One marker behind the brief, which all judges share, and one behind the last prompt, which the next turn of this
/// judge shares: what stands before a marker is kept.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let mut messages = Vec::new();
    let last = asked.said.len() - 1;
    for (at, said) in asked.said.iter().enumerate() {
        let mut blocks = Vec::new();
        if at == 0 && !asked.brief.is_empty() {
            blocks.push(text_block(asked.brief, true));
        }
        blocks.push(text_block(said, at == last));
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        messages.push(json!({"role": role, "content": blocks}));
    }
    let mut body = json!({
        "model": asked.model, "max_tokens": asked.endpoint.max_tokens, "stream": true, "messages": messages,
    });
    if let Some(schema) = asked.schema {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    body
}

fn text_block(text: &str, marker: bool) -> Value {
    let mut block = json!({"type": "text", "text": text});
    if marker {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    match event["type"].as_str() {
        Some("message_start") => read_usage(heard, &event["message"]["usage"]),
        Some("content_block_delta") => {
            heard
                .text
                .push_str(event["delta"]["text"].as_str().unwrap_or_default());
        }
        Some("message_delta") => {
            read_usage(heard, &event["usage"]);
            read_stop(heard, &event["delta"]["stop_reason"]);
        }
        Some("message") => {
            let blocks = event["content"].as_array().into_iter().flatten();
            let texts = blocks.filter_map(|block| block["text"].as_str());
            texts.for_each(|text| heard.text.push_str(text));
            read_usage(heard, &event["usage"]);
            read_stop(heard, &event["stop_reason"]);
        }
        Some("error") => heard.set_error(&event["error"]),
        _ => {}
    }
}

/// What was written to the cache was read in full before. The end of a stream tells the output again.
fn read_usage(heard: &mut ApiAnswer, usage: &Value) {
    if let Some(input) = usage["input_tokens"].as_u64() {
        let stored = usage["cache_creation_input_tokens"].as_u64().unwrap_or(0);
        heard.usage.input_tokens = Some(input + stored);
    }
    if let Some(cached) = usage["cache_read_input_tokens"].as_u64() {
        heard.usage.cached_tokens = Some(cached);
    }
    if let Some(output) = usage["output_tokens"].as_u64() {
        heard.usage.output_tokens = Some(output);
    }
}

fn read_stop(heard: &mut ApiAnswer, reason: &Value) {
    match reason.as_str() {
        None => {}
        Some("max_tokens" | "model_context_window_exceeded") => heard.set_end(AnswerEnd::Limit),
        Some("refusal") => {
            heard.refusal = heard.text.clone();
            heard.set_end(AnswerEnd::Refused);
        }
        Some(_) => heard.set_end(AnswerEnd::Done),
    }
}
