//! Gemini.

use serde_json::{Value, json};

use super::{AnswerEnd, ApiAnswer, ApiRequest, split_cached};

/// The provider finds the common beginning by itself.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let mut contents = Vec::new();
    for (at, said) in asked.said.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "model" };
        let mut parts = Vec::new();
        if at == 0 && !asked.brief.is_empty() {
            parts.push(json!({"text": asked.brief}));
        }
        parts.push(json!({ "text": said }));
        contents.push(json!({"role": role, "parts": parts}));
    }
    let mut config = json!({"maxOutputTokens": asked.endpoint.max_tokens});
    if let Some(schema) = asked.schema {
        config["responseMimeType"] = "application/json".into();
        config["responseJsonSchema"] = schema.clone();
    }
    json!({"contents": contents, "generationConfig": config})
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    if event["error"].is_object() {
        return heard.set_error(&event["error"]);
    }
    if let Some(events) = event.as_array() {
        return events.iter().for_each(|event| on_event(heard, event));
    }
    let candidate = &event["candidates"][0];
    for part in candidate["content"]["parts"]
        .as_array()
        .into_iter()
        .flatten()
    {
        if part["thought"] != true {
            heard
                .text
                .push_str(part["text"].as_str().unwrap_or_default());
        }
    }
    let usage = &event["usageMetadata"];
    if usage.is_object() {
        split_cached(
            &mut heard.usage,
            &usage["promptTokenCount"],
            &usage["cachedContentTokenCount"],
        );
        let thoughts = usage["thoughtsTokenCount"].as_u64().unwrap_or(0);
        let output = usage["candidatesTokenCount"].as_u64();
        heard.usage.output_tokens = output.map(|output| output + thoughts);
    }
    let blocked = event["promptFeedback"]["blockReason"].as_str();
    match candidate["finishReason"].as_str().or(blocked) {
        None => {}
        Some("STOP") => heard.set_end(AnswerEnd::Done),
        Some("MAX_TOKENS") => heard.set_end(AnswerEnd::Limit),
        Some(reason) => {
            heard.refusal = reason.to_owned();
            heard.set_end(AnswerEnd::Refused);
        }
    }
}
