//! The wire of OpenAI Responses.

use serde_json::{Value, json};

use super::{
    AnswerEnd, ApiAnswer, ApiMessage, ApiRequest, CallResult, ModelCall, Parameter, ToolUse,
    cache_key, split_cached,
};
use crate::tools::{ToolDeclaration, tool_declarations};

/// Nothing is kept at the provider: the conversation goes along.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let mut input = Vec::new();
    for (at, said) in asked.said.iter().enumerate() {
        let brief = (at == 0 && !asked.brief.is_empty()).then_some(asked.brief);
        match said {
            ApiMessage::Prompt(text) => input.push(spoken("user", "input_text", brief, text)),
            ApiMessage::Answer(text) => input.push(spoken("assistant", "output_text", None, text)),
            ApiMessage::Calls(items) => input.extend(items.iter().cloned()),
            ApiMessage::Results(results) => input.extend(results.iter().map(call_output)),
        }
    }
    let mut body = json!({
        "model": asked.model, "max_output_tokens": asked.endpoint.max_tokens, "stream": asked.streams(), "store": false,
        "input": input,
    });
    if !asked.habits.leaves_out(Parameter::CacheKey) {
        body["prompt_cache_key"] = cache_key(asked.brief).into();
    }
    // Nothing is kept at the provider: what a model thinks before it looks something up comes to us, and goes back.
    if asked.tools != ToolUse::Absent && !asked.habits.leaves_out(Parameter::Include) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if asked.tools != ToolUse::Absent {
        body["tools"] = tool_declarations().iter().map(declared_tool).collect();
    }
    if asked.tools == ToolUse::Forbidden {
        body["tool_choice"] = "none".into();
    }
    if let Some(effort) = asked.endpoint.effort {
        body["reasoning"] = json!({"effort": effort.as_str()});
    }
    if let Some(schema) = asked.schema {
        let format = json!({"type": "json_schema", "name": "answer", "strict": true, "schema": schema.value()});
        body["text"] = json!({ "format": format });
    }
    body
}

fn spoken(role: &str, kind: &str, brief: Option<&str>, text: &str) -> Value {
    let parts = brief.into_iter().chain([text]);
    let parts: Vec<Value> = parts
        .map(|text| json!({"type": kind, "text": text}))
        .collect();
    json!({"role": role, "content": parts})
}

fn call_output(result: &CallResult) -> Value {
    json!({"type": "function_call_output", "call_id": result.id, "output": result.text})
}

/// Without `strict`, which is the default of this API alone and takes no argument that may be left out.
fn declared_tool(tool: &ToolDeclaration) -> Value {
    json!({
        "type": "function", "name": tool.name, "description": tool.about, "parameters": tool.schema, "strict": false,
    })
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    let delta = event["delta"].as_str().unwrap_or_default();
    match event["type"].as_str() {
        Some("response.output_text.delta") => heard.text.push_str(delta),
        Some("response.refusal.delta") => heard.refusal.push_str(delta),
        // `reasoning_text`, `reasoning_summary_text`, and what servers call it besides.
        Some(kind) if kind.starts_with("response.reasoning") && kind.ends_with(".delta") => {
            heard.thoughts.push_str(delta);
        }
        Some("response.function_call_arguments.delta") => {
            let nth = event["output_index"].as_u64().unwrap_or_default();
            heard.others.entry(nth).or_default().push_str(delta);
        }
        Some("response.output_item.done") => {
            // The call has its arguments now.
            if let Some(nth) = event["output_index"].as_u64() {
                heard.others.remove(&nth);
            }
            read_item(heard, &event["item"]);
        }
        Some("response.completed" | "response.incomplete") => {
            // Some servers tell what they answer only here.
            if heard.items.is_empty() {
                heard.others.clear();
                let items = event["response"]["output"].as_array();
                let items = items.into_iter().flatten();
                items.for_each(|item| read_item(heard, item));
            }
            read_end(heard, &event["response"]);
        }
        Some("response.failed") => heard.set_error(&event["response"]["error"]),
        Some("error") => heard.set_error(if event["error"].is_object() {
            &event["error"]
        } else {
            event
        }),
        None if event["object"] == "response" => read_whole(heard, event),
        None if event["error"].is_object() => heard.set_error(&event["error"]),
        // A piece of something that nobody offered, such as a call of another kind.
        _ if !delta.is_empty() => {
            let nth = event["output_index"].as_u64().unwrap_or_default();
            heard.others.entry(nth).or_default().push_str(delta);
        }
        _ => {}
    }
}

/// An item of the answer is whole: what of it came in pieces is known already.
fn read_item(heard: &mut ApiAnswer, item: &Value) {
    let parts = |name: &str| item[name].as_array().into_iter().flatten();
    if item["type"] == "reasoning" {
        for thought in parts("summary").chain(parts("content")) {
            let thought = thought["text"].as_str().unwrap_or_default();
            if !heard.thoughts.contains(thought) {
                heard.thoughts.push_str(thought);
            }
        }
    } else {
        let whole = item["content"].as_str();
        let text: String = parts("content")
            .filter_map(|part| part["text"].as_str())
            .chain(whole)
            .collect();
        if !heard.text.ends_with(&text) {
            heard.text.push_str(&text);
        }
        let refusal: String = parts("content")
            .filter_map(|part| part["refusal"].as_str())
            .collect();
        if !heard.refusal.ends_with(&refusal) {
            heard.refusal.push_str(&refusal);
        }
    }
    if item["type"] == "function_call" {
        let field = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        heard.calls.push(ModelCall {
            id: field("call_id"),
            name: field("name"),
            arguments: field("arguments"),
            slot: heard.calls.len() as u64,
            ..ModelCall::default()
        });
    }
    heard.items.push(item.clone());
}

/// The items of an answer as they are sent back. Nothing is kept at the provider, so no id of its own means anything
/// to it, and what it thought can be sent back only where it gave it to us whole.
pub(super) fn spoken_items(heard: &ApiAnswer) -> Vec<Value> {
    let mut calls = heard.calls.iter();
    let item = |item: &Value| match item["type"].as_str()? {
        "function_call" => {
            let call = calls.next()?;
            let arguments = call.arguments_object().to_string();
            Some(json!({
                "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments,
            }))
        }
        "message" => Some(json!({"role": "assistant", "content": item["content"]})),
        "reasoning" if item["encrypted_content"].is_string() => {
            let mut item = item.clone();
            item.as_object_mut()?.remove("id");
            item.as_object_mut()?.remove("status");
            Some(item)
        }
        _ => None,
    };
    heard.items.iter().filter_map(item).collect()
}

fn read_whole(heard: &mut ApiAnswer, response: &Value) {
    let output = response["output"].as_array().into_iter().flatten();
    output.for_each(|item| read_item(heard, item));
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
    if let Some(error) = broken_end(heard, response).filter(|_| reason.is_none()) {
        return heard.set_error(&error);
    }
    heard.set_end(match (heard.refusal.is_empty(), reason) {
        (false, _) | (_, Some("content_filter")) => AnswerEnd::Refused,
        (_, Some(_)) => AnswerEnd::Limit,
        (_, None) => AnswerEnd::Done,
    });
}

/// Why a response without a reason of its own is not whole: it says so, or that it failed, or one of its messages does. Only
/// `completed` is whole; some servers leave the status out.
fn broken_end(heard: &ApiAnswer, response: &Value) -> Option<Value> {
    let error = &response["error"];
    if error.is_object() {
        return Some(error.clone());
    }
    let unfinished = |thing: &Value| {
        let status = thing["status"].as_str();
        status
            .filter(|status| *status != "completed")
            .map(str::to_owned)
    };
    let output = response["output"].as_array().into_iter().flatten();
    let items = heard.items.iter().chain(output);
    let mut messages = items.filter(|item| item["type"] == "message");
    let status = unfinished(response).or_else(|| messages.find_map(unfinished))?;
    Some(json!({"message": format!("it says that its answer is `{status}`")}))
}
