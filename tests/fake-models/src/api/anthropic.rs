//! Anthropic Messages.

use serde_json::{Value, json};

use super::{event, list, text_of, word};
use crate::answer::{Said, pieces};
use crate::{Api, Ask, Stop, Tokens};

pub(super) fn read(body: &Value) -> Ask {
    let mut ask = Ask::of(Api::Anthropic);
    ask.model = word(&body["model"]);
    ask.stream = body["stream"] == true;
    ask.tools = list(&body["tools"])
        .iter()
        .map(|tool| (word(&tool["name"]), None))
        .collect();
    if body["tool_choice"]["type"] == "tool" {
        ask.forced = Some(word(&body["tool_choice"]["name"]));
    }
    let format = &body["output_config"]["format"];
    ask.structured = format.is_object() || body["output_format"].is_object();
    if let Some(last) = list(&body["tools"]).last() {
        ask.part("tools", body["tools"].to_string(), is_marked(last));
    }
    if format.is_object() {
        ask.part("tools", format.to_string(), false);
    }
    blocks(&mut ask, "system", &body["system"]);
    for message in list(&body["messages"]) {
        let role = word(&message["role"]);
        blocks(&mut ask, &role, &message["content"]);
    }
    ask.after_tool = after_tool(body);
    ask
}

fn blocks(ask: &mut Ask, role: &str, content: &Value) {
    match content {
        Value::Array(blocks) => {
            for block in blocks {
                let text = match block["type"].as_str() {
                    Some("text") => word(&block["text"]),
                    Some("tool_result") => text_of(&block["content"]),
                    _ => block.to_string(),
                };
                ask.part(role, text, is_marked(block));
            }
        }
        Value::Null => {}
        other => ask.part(role, text_of(other), false),
    }
}

fn is_marked(block: &Value) -> bool {
    block["cache_control"].is_object()
}

/// The tool whose result is in the last message.
fn after_tool(body: &Value) -> Option<String> {
    let messages = list(&body["messages"]);
    let last = list(&messages.last()?["content"]);
    let result = last.iter().rfind(|block| block["type"] == "tool_result")?;
    messages
        .iter()
        .flat_map(|message| list(&message["content"]))
        .find(|block| block["type"] == "tool_use" && block["id"] == result["tool_use_id"])
        .map(|call| word(&call["name"]))
}

pub(super) fn whole(ask: &Ask, said: &Said) -> Value {
    let mut content = Vec::new();
    if !said.text.is_empty() {
        content.push(json!({"type": "text", "text": said.text}));
    }
    for (at, tool) in said.tools.iter().enumerate() {
        let id = format!("toolu_{}_{at}", said.nth);
        content.push(json!({"type": "tool_use", "id": id, "name": tool.name, "input": tool.input}));
    }
    let mut message = opened(ask, said);
    message["content"] = content.into();
    message["stop_reason"] = stop(said).into();
    if let Some(tokens) = said.tokens {
        message["usage"] = usage(tokens, tokens.output);
    }
    message
}

pub(super) fn stream(ask: &Ask, said: &Said) -> Vec<String> {
    let mut frames = vec![
        event(
            "message_start",
            &json!({"type": "message_start", "message": opened(ask, said)}),
        ),
        event("ping", &json!({"type": "ping"})),
    ];
    let mut index = 0;
    if !said.text.is_empty() {
        let block = json!({"type": "text", "text": ""});
        let deltas = said
            .pieces()
            .into_iter()
            .map(|t| json!({"type": "text_delta", "text": t}));
        frames.extend(streamed(index, &block, deltas));
        index += 1;
    }
    for (at, tool) in said.tools.iter().enumerate() {
        let id = format!("toolu_{}_{at}", said.nth);
        let block = json!({"type": "tool_use", "id": id, "name": tool.name, "input": {}});
        let input = tool.arguments();
        let deltas = pieces(&input, said.chunk_bytes)
            .into_iter()
            .map(|t| json!({"type": "input_json_delta", "partial_json": t}));
        frames.extend(streamed(index, &block, deltas));
        index += 1;
    }
    let mut last = json!({"type": "message_delta", "delta": {"stop_reason": stop(said), "stop_sequence": null}});
    let output = said.tokens.map_or(0, |tokens| tokens.output);
    last["usage"] = json!({"output_tokens": output});
    frames.push(event("message_delta", &last));
    frames.push(event("message_stop", &json!({"type": "message_stop"})));
    frames
}

fn streamed(index: u32, block: &Value, deltas: impl Iterator<Item = Value>) -> Vec<String> {
    let start = json!({"type": "content_block_start", "index": index, "content_block": block});
    let mut frames = vec![event("content_block_start", &start)];
    frames.extend(deltas.map(|delta| {
        let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
        event("content_block_delta", &delta)
    }));
    let stop = json!({"type": "content_block_stop", "index": index});
    frames.push(event("content_block_stop", &stop));
    frames
}

fn opened(ask: &Ask, said: &Said) -> Value {
    json!({
        "id": format!("msg_{}", said.nth), "type": "message", "role": "assistant", "model": ask.model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage(said.tokens.unwrap_or_default(), 1),
    })
}

fn usage(tokens: Tokens, output: u64) -> Value {
    json!({
        "input_tokens": tokens.input - tokens.stored.min(tokens.input), "cache_creation_input_tokens": tokens.stored,
        "cache_read_input_tokens": tokens.cached, "output_tokens": output,
    })
}

fn stop(said: &Said) -> &'static str {
    match (said.tools.is_empty(), said.stop) {
        (_, Stop::MaxTokens) => "max_tokens",
        (_, Stop::Refusal) => "refusal",
        (false, Stop::End) => "tool_use",
        (true, Stop::End) => "end_turn",
    }
}
