//! OpenAI Chat Completions, and everybody who speaks it: Ollama, llama.cpp, vLLM, OpenRouter, Azure.

use serde_json::{Value, json};

use super::{AnswerEnd, ApiAnswer, ApiRequest, cache_key, split_cached};

pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let message = |(at, said): (usize, &String)| {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        // One text: not every server takes a list of parts.
        let content = if at == 0 {
            format!("{}{said}", asked.brief)
        } else {
            said.clone()
        };
        json!({"role": role, "content": content})
    };
    let messages: Vec<Value> = asked.said.iter().enumerate().map(message).collect();
    let mut body = json!({
        "model": asked.model, "stream": true, "stream_options": {"include_usage": true}, "messages": messages,
    });
    // OpenAI itself refuses the old name for its newer models; other servers know no other.
    if is_openai(asked.host) {
        body["max_completion_tokens"] = asked.endpoint.max_tokens.into();
        body["prompt_cache_key"] = cache_key(asked.brief).into();
    } else {
        body["max_tokens"] = asked.endpoint.max_tokens.into();
    }
    if let Some(schema) = asked.schema {
        let schema = json!({"name": "answer", "strict": true, "schema": schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    body
}

fn is_openai(host: &str) -> bool {
    host == "api.openai.com" || host.ends_with(".azure.com")
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    if event["error"].is_object() {
        return heard.set_error(&event["error"]);
    }
    let choice = &event["choices"][0];
    let said = if choice["delta"].is_object() {
        &choice["delta"]
    } else {
        &choice["message"]
    };
    heard
        .text
        .push_str(said["content"].as_str().unwrap_or_default());
    heard
        .refusal
        .push_str(said["refusal"].as_str().unwrap_or_default());
    let usage = &event["usage"];
    if usage.is_object() {
        split_cached(
            &mut heard.usage,
            &usage["prompt_tokens"],
            &usage["prompt_tokens_details"]["cached_tokens"],
        );
        heard.usage.output_tokens = usage["completion_tokens"].as_u64();
    }
    match choice["finish_reason"].as_str() {
        None => {}
        Some("length") => heard.set_end(AnswerEnd::Limit),
        Some("content_filter") => heard.set_end(AnswerEnd::Refused),
        Some(_) if !heard.refusal.is_empty() => heard.set_end(AnswerEnd::Refused),
        Some(_) => heard.set_end(AnswerEnd::Done),
    }
}
