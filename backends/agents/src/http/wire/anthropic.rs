//! The wire of Anthropic Messages.

use council_protocol::seat::Effort;
use serde_json::{Value, json};

use super::{
    AnswerEnd, ApiAnswer, ApiMessage, ApiRequest, CallResult, ModelCall, Parameter, ToolUse,
};
use crate::tools::{ToolDeclaration, tool_declarations};

/// One marker behind the brief, which all judges share, one behind the last message, which the next call of this judge shares,
/// and one where the last one stood: what stands before a marker is kept, and looked for twenty blocks back at most.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    let mut messages = Vec::new();
    // Where no mark is taken, none stands anywhere.
    let is_marked = !asked.habits.leaves_out(Parameter::CacheMarks);
    let last = asked.said.len() - 1;
    let is_ours = |at: &usize| {
        matches!(
            asked.said[*at],
            ApiMessage::Prompt(_) | ApiMessage::Results(_)
        )
    };
    let before = (0..last).rfind(is_ours);
    let is_end = |at: usize| is_marked && (at == last || Some(at) == before);
    for (at, said) in asked.said.iter().enumerate() {
        let mut blocks = Vec::new();
        if at == 0 && !asked.brief.is_empty() {
            blocks.push(text_block(asked.brief, is_marked));
        }
        let role = match said {
            ApiMessage::Prompt(_) | ApiMessage::Results(_) => "user",
            ApiMessage::Answer(_) | ApiMessage::Calls(_) => "assistant",
        };
        match said {
            ApiMessage::Prompt(text) | ApiMessage::Answer(text) => {
                blocks.push(text_block(text, is_end(at)));
            }
            ApiMessage::Calls(items) => blocks.extend(items.iter().cloned()),
            ApiMessage::Results(results) => blocks.extend(result_blocks(results, is_end(at))),
        }
        messages.push(json!({"role": role, "content": blocks}));
    }
    let mut body = json!({
        "model": asked.model, "max_tokens": asked.endpoint.max_tokens, "stream": asked.streams(), "messages": messages,
    });
    if asked.tools != ToolUse::Absent {
        body["tools"] = declared_tools();
    }
    if asked.tools == ToolUse::Forbidden {
        body["tool_choice"] = json!({"type": "none"});
    }
    if let Some(schema) = asked.schema {
        body["output_config"] =
            json!({"format": {"type": "json_schema", "schema": schema.value()}});
    }
    set_thinking(&mut body, asked);
    body
}

fn declared_tools() -> Value {
    let tool = |tool: &ToolDeclaration| json!({"name": tool.name, "description": tool.about, "input_schema": tool.schema});
    tool_declarations().iter().map(tool).collect()
}

/// Models from Claude 4.6 on decide themselves how much they think, within an effort; a budget of tokens is for those before
/// them, and counts towards `max_tokens`. No sampling parameter is sent, of which thinking would allow none.
fn set_thinking(body: &mut Value, asked: &ApiRequest<'_>) {
    let endpoint = asked.endpoint;
    if let Some(effort) = endpoint.effort.filter(|effort| *effort != Effort::None) {
        body["output_config"]["effort"] = effort.as_str().into();
    }
    if asked.habits.leaves_out(Parameter::Thinking) {
        return;
    }
    match (endpoint.thinking, endpoint.effort) {
        (Some(tokens), _) => {
            body["thinking"] = json!({"type": "enabled", "budget_tokens": tokens});
            body["max_tokens"] = endpoint.max_tokens.saturating_add(tokens).into();
        }
        (None, Some(Effort::None)) => body["thinking"] = json!({"type": "disabled"}),
        (None, Some(_)) => body["thinking"] = json!({"type": "adaptive"}),
        (None, None) => {}
    }
}

fn text_block(text: &str, marker: bool) -> Value {
    mark(json!({"type": "text", "text": text}), marker)
}

/// All results in one message: the API refuses a call whose result does not stand in the next one.
fn result_blocks(results: &[CallResult], marker: bool) -> Vec<Value> {
    let last = results.len().saturating_sub(1);
    let block = |(at, result): (usize, &CallResult)| {
        let mut block =
            json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text});
        if result.failed {
            block["is_error"] = true.into();
        }
        mark(block, marker && at == last)
    };
    results.iter().enumerate().map(block).collect()
}

fn mark(mut block: Value, marker: bool) -> Value {
    if marker {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    block
}

pub(super) fn on_event(heard: &mut ApiAnswer, event: &Value) {
    match event["type"].as_str() {
        Some("message_start") => read_usage(heard, &event["message"]["usage"]),
        Some("content_block_start") => {
            begin_block(heard, &event["content_block"], event["index"].as_u64());
        }
        Some("content_block_delta") => read_delta(heard, &event["delta"], event["index"].as_u64()),
        Some("message_delta") => {
            read_usage(heard, &event["usage"]);
            read_stop(heard, &event["delta"]["stop_reason"]);
        }
        Some("message") => {
            for (at, block) in (0..).zip(event["content"].as_array().into_iter().flatten()) {
                begin_block(heard, block, Some(at));
            }
            read_usage(heard, &event["usage"]);
            read_stop(heard, &event["stop_reason"]);
        }
        Some("error") => heard.set_error(&event["error"]),
        _ => {}
    }
}

/// A block begins, or stands whole in an answer that is not streamed.
fn begin_block(heard: &mut ApiAnswer, block: &Value, index: Option<u64>) {
    heard
        .text
        .push_str(block["text"].as_str().unwrap_or_default());
    let thought = block["thinking"].as_str().unwrap_or_default();
    heard.thoughts.push_str(thought);
    let slot = index.unwrap_or(heard.items.len() as u64);
    if block["type"] == "tool_use" {
        let field = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let given = block["input"].as_object().filter(|input| !input.is_empty());
        heard.calls.push(ModelCall {
            id: field("id"),
            name: field("name"),
            arguments: given.map_or_else(String::new, |_| block["input"].to_string()),
            slot,
            ..ModelCall::default()
        });
    }
    heard.items.push(block.clone());
}

fn read_delta(heard: &mut ApiAnswer, delta: &Value, index: Option<u64>) {
    heard
        .text
        .push_str(delta["text"].as_str().unwrap_or_default());
    let thought = delta["thinking"].as_str().unwrap_or_default();
    heard.thoughts.push_str(thought);
    let slot = index.unwrap_or_default();
    if let Some(piece) = delta["partial_json"].as_str() {
        match heard.call_at(slot) {
            Some(call) => call.arguments.push_str(piece),
            // Of a call of another kind, which nobody offered.
            None => heard.others.entry(slot).or_default().push_str(piece),
        }
    }
    // Blocks come one after another: the last is the one that goes on.
    let Some(Value::Object(block)) = heard.items.last_mut() else {
        return;
    };
    for field in ["text", "thinking", "signature"] {
        if let Some(piece) = delta[field].as_str() {
            let text = block.entry(field).or_insert_with(|| "".into());
            if let Value::String(text) = text {
                text.push_str(piece);
            }
        }
    }
}

/// The blocks of an answer as they are sent back: what it thought and said, then its calls with their arguments.
pub(super) fn spoken_items(heard: &ApiAnswer) -> Vec<Value> {
    let mut calls = heard.calls.iter();
    let block = |block: &Value| match block["type"].as_str() {
        // The API refuses an empty text.
        Some("text") if block["text"].as_str().is_none_or(|t| t.trim().is_empty()) => None,
        Some("tool_use") => {
            let call = calls.next()?;
            let input = call.arguments_object();
            Some(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}))
        }
        _ => Some(block.clone()),
    };
    heard.items.iter().filter_map(block).collect()
}

/// What was written to the cache was read in full as well, and costs more. The end of a stream tells the output again.
fn read_usage(heard: &mut ApiAnswer, usage: &Value) {
    if let Some(input) = usage["input_tokens"].as_u64() {
        let stored = usage["cache_creation_input_tokens"].as_u64();
        heard.usage.input_tokens = Some(input.saturating_add(stored.unwrap_or(0)));
        heard.usage.written_tokens = stored;
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
