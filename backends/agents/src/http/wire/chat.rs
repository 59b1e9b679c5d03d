//! OpenAI Chat Completions, and everybody who speaks it: Ollama, llama.cpp, vLLM, OpenRouter, Azure.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    AnswerEnd, ApiAnswer, ApiMessage, ApiRequest, CallResult, ModelCall, Parameter, ToolUse,
    cache_key, count_of, split_cached,
};
use crate::tools::{ToolDeclaration, tool_declarations};

pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let keeps_extras = !asked.habits.leaves_out(Parameter::Reasoning);
    let messages = asked.said.iter();
    let messages = messages.flat_map(|said| spoken_messages(said, keeps_extras));
    let mut messages: Vec<Value> = messages.collect();
    // One text: not every server takes a list of parts.
    if let (Some(first), Some(ApiMessage::Prompt(said))) =
        (messages.first_mut(), asked.said.first())
    {
        first["content"] = format!("{}{said}", asked.brief).into();
    }
    let mut body = json!({
        "model": asked.model, "stream": asked.streams(), "messages": messages,
    });
    if asked.streams() && !asked.habits.leaves_out(Parameter::StreamOptions) {
        body["stream_options"] = json!({"include_usage": true});
    }
    // OpenAI itself refuses the old name for its newer models; other servers know no other, or say so.
    let limit = match is_openai(asked.host) || asked.habits.new_token_limit {
        true => "max_completion_tokens",
        false => "max_tokens",
    };
    body[limit] = asked.endpoint.max_tokens.into();
    if is_openai(asked.host) && !asked.habits.leaves_out(Parameter::CacheKey) {
        body["prompt_cache_key"] = cache_key(asked.brief).into();
    }
    if asked.tools != ToolUse::Absent {
        body["tools"] = tool_declarations().iter().map(declared_tool).collect();
    }
    if asked.tools == ToolUse::Forbidden {
        body["tool_choice"] = "none".into();
    }
    if let Some(effort) = asked.endpoint.effort {
        body["reasoning_effort"] = effort.as_str().into();
    }
    if let Some(schema) = asked.schema {
        let schema = json!({"name": "answer", "strict": true, "schema": schema.value()});
        body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    body
}

fn declared_tool(tool: &ToolDeclaration) -> Value {
    let function = json!({"name": tool.name, "description": tool.about, "parameters": tool.schema});
    json!({"type": "function", "function": function})
}

fn spoken_messages(said: &ApiMessage, keeps_extras: bool) -> Vec<Value> {
    match said {
        ApiMessage::Prompt(text) => vec![json!({"role": "user", "content": text})],
        ApiMessage::Answer(text) => vec![json!({"role": "assistant", "content": text})],
        ApiMessage::Calls(items) if keeps_extras => items.clone(),
        ApiMessage::Calls(items) => items.iter().map(without_extras).collect(),
        ApiMessage::Results(results) => {
            let message = |result: &CallResult| json!({"role": "tool", "tool_call_id": result.id, "content": result.text});
            results.iter().map(message).collect()
        }
    }
}

/// The message with the calls of an answer. What servers say in it beside the standard, such as their reasoning or its
/// signature, has to come back to them with it.
pub(super) fn spoken_items(heard: &ApiAnswer) -> Vec<Value> {
    let call = |call: &ModelCall| {
        let arguments = call.arguments_object().to_string();
        let mut spoken = json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}});
        for (name, value) in &call.extra {
            spoken[name] = value.clone();
        }
        spoken
    };
    let calls: Vec<Value> = heard.calls.iter().map(call).collect();
    let mut message = json!({"role": "assistant", "content": heard.text, "tool_calls": calls});
    for (name, value) in heard
        .items
        .first()
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        message[name] = value.clone();
    }
    vec![message]
}

/// The message with calls for a server that does not take back what it said of its reasoning.
fn without_extras(message: &Value) -> Value {
    let mut plain = message.clone();
    if let Some(fields) = plain.as_object_mut() {
        fields.retain(|name, _| matches!(name.as_str(), "role" | "content" | "tool_calls"));
    }
    for call in plain["tool_calls"].as_array_mut().into_iter().flatten() {
        if let Some(fields) = call.as_object_mut() {
            fields.retain(|name, _| matches!(name.as_str(), "id" | "type" | "function"));
        }
    }
    plain
}

pub(super) fn is_openai(host: &str) -> bool {
    host == "api.openai.com" || host.ends_with(".azure.com")
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    if event["error"].is_object() {
        return heard.set_error(&event["error"]);
    }
    let mut first = &Value::Null;
    for choice in event["choices"].as_array().into_iter().flatten() {
        match choice["index"].as_u64().unwrap_or(0) {
            0 if first.is_null() => first = choice,
            nth => {
                let other = heard.others.entry(nth).or_default();
                other.push_str(&content_text(&spoken(choice)["content"]));
            }
        }
    }
    let choice = first;
    let said = spoken(choice);
    heard.text.push_str(&content_text(&said["content"]));
    let refusals = said["content"]
        .as_array()
        .into_iter()
        .flatten()
        .chain([said]);
    for refused in refusals.filter_map(|part| part["refusal"].as_str()) {
        heard.refusal.push_str(refused);
    }
    read_thoughts(heard, said);
    keep_extras(heard, said);
    // What calls were before they had ids; some servers have kept it.
    if let Some(arguments) = said["function_call"]["arguments"].as_str() {
        heard
            .others
            .entry(u64::MAX)
            .or_default()
            .push_str(arguments);
    }
    for (at, piece) in (0..).zip(said["tool_calls"].as_array().into_iter().flatten()) {
        read_call(heard, piece, at);
        // A call of a tool of another type, which nobody offered.
        if let Some(input) = piece["custom"]["input"].as_str() {
            let nth = u64::MAX - 1 - at;
            heard.others.entry(nth).or_default().push_str(input);
        }
    }
    let usage = &event["usage"];
    if usage.is_object() {
        split_cached(
            &mut heard.usage,
            &prompt_tokens(usage),
            &usage["prompt_tokens_details"]["cached_tokens"],
        );
        heard.usage.output_tokens = count_of(&usage["completion_tokens"]);
    }
    match choice["finish_reason"].as_str() {
        None => {}
        Some("length") => heard.set_end(AnswerEnd::Limit),
        Some("content_filter") => heard.set_end(AnswerEnd::Refused),
        Some(_) if !heard.refusal.is_empty() => heard.set_end(AnswerEnd::Refused),
        Some(_) => heard.set_end(AnswerEnd::Done),
    }
}

/// The message of a choice, whole or a piece of it.
fn spoken(choice: &Value) -> &Value {
    match &choice["delta"] {
        delta if delta.is_object() => delta,
        _ => &choice["message"],
    }
}

/// The text of a message, which some servers send in parts.
fn content_text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            Cow::Owned(texts.collect())
        }
        _ => Cow::Borrowed(""),
    }
}

/// What a server read, by whatever name it counts that.
fn prompt_tokens(usage: &Value) -> Value {
    let named = ["prompt_tokens", "input_tokens"].map(|name| &usage[name]);
    if let Some(count) = named.into_iter().find_map(count_of) {
        return count.into();
    }
    let total = count_of(&usage["total_tokens"]);
    let written = count_of(&usage["completion_tokens"]).unwrap_or(0);
    total.map_or(Value::Null, |total| total.saturating_sub(written).into())
}

/// What the model thinks, by whichever of its names; some servers say the same under several.
fn read_thoughts(heard: &mut ApiAnswer, said: &Value) {
    let plain = ["reasoning_content", "reasoning"].map(|name| said[name].as_str());
    if let Some(thought) = plain.into_iter().flatten().find(|text| !text.is_empty()) {
        return heard.thoughts.push_str(thought);
    }
    for detail in said["reasoning_details"].as_array().into_iter().flatten() {
        let texts = ["text", "summary"].map(|name| detail[name].as_str());
        let texts = texts.into_iter().flatten();
        texts.for_each(|text| heard.thoughts.push_str(text));
    }
}

/// What stands in a message, or a piece of one, beside what the standard has.
fn keep_extras(heard: &mut ApiAnswer, said: &Value) {
    const STANDARD: [&str; 9] = [
        "role",
        "content",
        "tool_calls",
        "function_call",
        "refusal",
        "annotations",
        "audio",
        "images",
        "name",
    ];
    for (name, piece) in said.as_object().into_iter().flatten() {
        let is_empty =
            piece.is_null() || piece == "" || piece.as_array().is_some_and(Vec::is_empty);
        if is_empty || STANDARD.contains(&name.as_str()) {
            continue;
        }
        if heard.items.is_empty() {
            heard.items.push(json!({}));
        }
        join_piece(&mut heard.items[0][name], piece);
    }
}

/// Adds a piece of a streamed value: texts go on, lists grow, and what has the same index is the same thing.
fn join_piece(whole: &mut Value, piece: &Value) {
    match (whole, piece) {
        (Value::String(text), Value::String(more)) => text.push_str(more),
        (Value::Array(items), Value::Array(more)) => {
            for piece in more {
                let is_same = |item: &&mut Value| {
                    let index = piece["index"].as_u64();
                    index.is_some()
                        && item["index"].as_u64() == index
                        && item["type"] == piece["type"]
                };
                match items.last_mut().filter(is_same) {
                    Some(item) => join_detail(item, piece),
                    None => items.push(piece.clone()),
                }
            }
        }
        (whole, piece) => *whole = piece.clone(),
    }
}

/// Adds a piece of one detail: its texts go on, everything else is said again.
fn join_detail(whole: &mut Value, piece: &Value) {
    for (name, more) in piece.as_object().into_iter().flatten() {
        let goes_on = matches!(name.as_str(), "text" | "summary" | "data");
        match (&mut whole[name], more) {
            (_, Value::Null) => {}
            (Value::String(text), Value::String(more)) if goes_on => text.push_str(more),
            (field, more) => *field = more.clone(),
        }
    }
}

/// What stands in a call beside what the standard has.
fn extras_of_call(piece: &Value) -> Map<String, Value> {
    let fields = piece.as_object().into_iter().flatten();
    let is_extra = |name: &str| !matches!(name, "index" | "id" | "type" | "function");
    let extras = fields.filter(|(name, value)| is_extra(name) && !value.is_null());
    extras
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// A call, or a piece of one. Pieces of one call have one index; but some servers give every call of an answer the
/// index 0 (Ollama) or none at all, and tell them apart by their ids alone.
fn read_call(heard: &mut ApiAnswer, piece: &Value, at: u64) {
    let slot = piece["index"].as_u64().unwrap_or(at);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (id, name) = (text(&piece["id"]), text(&piece["function"]["name"]));
    let arguments = match &piece["function"]["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        // Some servers send the object itself.
        object => object.to_string(),
    };
    let (nth, extras) = (heard.calls.len(), extras_of_call(piece));
    match heard.call_at(slot) {
        Some(call) if name.is_empty() || id.is_empty() || call.id == id => {
            call.arguments.push_str(&arguments);
            call.extra.extend(extras);
        }
        _ if name.is_empty() && id.is_empty() => {}
        _ => heard.calls.push(ModelCall {
            id: if id.is_empty() {
                format!("call_{nth}")
            } else {
                id
            },
            name,
            arguments,
            slot,
            extra: extras,
        }),
    }
}
