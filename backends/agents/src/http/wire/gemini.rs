//! The wire of Gemini.

use serde_json::{Value, json};

use super::{
    AnswerEnd, ApiAnswer, ApiMessage, ApiRequest, CallResult, ModelCall, ToolUse, split_cached,
};
use crate::tools::{ToolDeclaration, tool_declarations};

/// The provider finds the common beginning by itself.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let mut contents = Vec::new();
    for (at, said) in asked.said.iter().enumerate() {
        let mut parts = Vec::new();
        if at == 0 && !asked.brief.is_empty() {
            parts.push(json!({"text": asked.brief}));
        }
        let role = match said {
            ApiMessage::Prompt(_) | ApiMessage::Results(_) => "user",
            ApiMessage::Answer(_) | ApiMessage::Calls(_) => "model",
        };
        match said {
            ApiMessage::Prompt(text) | ApiMessage::Answer(text) => {
                parts.push(json!({ "text": text }));
            }
            ApiMessage::Calls(items) => parts.extend(items.iter().cloned()),
            ApiMessage::Results(results) => parts.extend(results.iter().map(result_part)),
        }
        contents.push(json!({"role": role, "parts": parts}));
    }
    let mut config = json!({"maxOutputTokens": asked.endpoint.max_tokens});
    // Thoughts count towards the limit of the answer.
    if let Some(tokens) = asked.endpoint.thinking {
        config["thinkingConfig"] = json!({"thinkingBudget": tokens});
        config["maxOutputTokens"] = asked.endpoint.max_tokens.saturating_add(tokens).into();
    }
    if let Some(effort) = asked.endpoint.effort {
        config["thinkingConfig"] = json!({"thinkingLevel": effort.as_str()});
    }
    if let Some(schema) = asked.schema {
        config["responseMimeType"] = "application/json".into();
        config["responseJsonSchema"] = schema.value().clone();
    }
    let mut body = json!({"contents": contents, "generationConfig": config});
    if asked.tools != ToolUse::Absent {
        let declared: Vec<Value> = tool_declarations().iter().map(declared_tool).collect();
        body["tools"] = json!([{ "functionDeclarations": declared }]);
    }
    if asked.tools == ToolUse::Forbidden {
        body["toolConfig"] = json!({"functionCallingConfig": {"mode": "NONE"}});
    }
    body
}

fn declared_tool(tool: &ToolDeclaration) -> Value {
    json!({"name": tool.name, "description": tool.about, "parameters": tool.schema})
}

fn result_part(result: &CallResult) -> Value {
    let field = if result.failed { "error" } else { "output" };
    let mut response = json!({"name": result.name, "response": {field: result.text}});
    if !result.id.is_empty() {
        response["id"] = result.id.clone().into();
    }
    json!({ "functionResponse": response })
}

/// A part of the answer. What belongs to a call goes back to the model as it came: newer ones refuse a call without the
/// signature that stands beside it.
fn read_part(heard: &mut ApiAnswer, part: &Value) {
    let is_thought = part["thought"] == true;
    let text = part["text"].as_str().filter(|_| !is_thought);
    heard.text.push_str(text.unwrap_or_default());
    let thought = part["text"].as_str().filter(|_| is_thought);
    heard.thoughts.push_str(thought.unwrap_or_default());
    let call = &part["functionCall"];
    if call.is_object() {
        let field = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
        heard.calls.push(ModelCall {
            id: field("id"),
            name: field("name"),
            arguments: match &call["args"] {
                Value::Null => String::new(),
                arguments => arguments.to_string(),
            },
            slot: heard.calls.len() as u64,
            ..ModelCall::default()
        });
    }
    let is_empty = part
        .as_object()
        .is_none_or(|fields| fields.is_empty() || (fields.len() == 1 && part["text"] == ""));
    if !is_thought && !is_empty {
        heard.items.push(part.clone());
    }
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    if event["error"].is_object() {
        return heard.set_error(&event["error"]);
    }
    if let Some(events) = event.as_array() {
        return events.iter().for_each(|event| on_event(heard, event));
    }
    let candidate = &event["candidates"][0];
    let others = event["candidates"].as_array().into_iter().flatten();
    for (nth, other) in (0..).zip(others).skip(1) {
        let parts = other["content"]["parts"].as_array().into_iter().flatten();
        let texts = parts.filter_map(|part| part["text"].as_str());
        heard.others.entry(nth).or_default().extend(texts);
    }
    for part in candidate["content"]["parts"]
        .as_array()
        .into_iter()
        .flatten()
    {
        read_part(heard, part);
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
        // The model slipped while it wrote a call: the same question again may do.
        Some(reason @ ("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")) => {
            heard.set_error(&json!({ "message": reason }));
        }
        Some("MAX_TOKENS") => heard.set_end(AnswerEnd::Limit),
        Some(reason) => {
            heard.refusal = reason.to_owned();
            heard.set_end(AnswerEnd::Refused);
        }
    }
}
