//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{data, list, text_of, word};
use crate::answer::{Said, pieces};
use crate::{Api, Ask, Stop, Tokens};

pub(super) fn read(body: &Value) -> Ask {
    let mut ask = Ask::of(Api::Chat);
    ask.model = word(&body["model"]);
    ask.stream = body["stream"] == true;
    ask.stream_usage = body["stream_options"]["include_usage"] == true;
    ask.tools = list(&body["tools"])
        .iter()
        .map(|tool| (word(&tool["function"]["name"]), None))
        .collect();
    let forced = &body["tool_choice"]["function"]["name"];
    ask.forced = forced.as_str().map(str::to_owned);
    ask.structured = body["response_format"].is_object();
    if body["tools"].is_array() {
        ask.part("tools", body["tools"].to_string(), false);
    }
    if ask.structured {
        ask.part("tools", body["response_format"].to_string(), false);
    }
    for message in list(&body["messages"]) {
        let role = word(&message["role"]);
        let mut text = text_of(&message["content"]);
        if message["tool_calls"].is_array() {
            text.push_str(&message["tool_calls"].to_string());
        }
        ask.part(&role, text, false);
    }
    ask.after_tool = after_tool(body);
    ask
}

fn after_tool(body: &Value) -> Option<String> {
    let messages = list(&body["messages"]);
    let result = messages.last().filter(|m| m["role"] == "tool")?;
    messages
        .iter()
        .flat_map(|message| list(&message["tool_calls"]))
        .find(|call| call["id"] == result["tool_call_id"])
        .map(|call| word(&call["function"]["name"]))
}

pub(super) fn whole(ask: &Ask, said: &Said) -> Value {
    let mut message = json!({"role": "assistant", "content": said.text, "refusal": null});
    if said.stop == Stop::Refusal {
        message["content"] = Value::Null;
        message["refusal"] = said.text.clone().into();
    }
    if let Some(calls) = calls(said) {
        message["tool_calls"] = calls;
    }
    let choice =
        json!({"index": 0, "message": message, "finish_reason": finish(said), "logprobs": null});
    let mut answer = head(ask, said, "chat.completion");
    answer["choices"] = json!([choice]);
    if let Some(tokens) = said.tokens {
        answer["usage"] = usage(tokens);
    }
    answer
}

pub(super) fn stream(ask: &Ask, said: &Said) -> Vec<String> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let mut chunk = head(ask, said, "chat.completion.chunk");
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        data(&chunk)
    };
    let mut frames = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    let field = if said.stop == Stop::Refusal {
        "refusal"
    } else {
        "content"
    };
    frames.extend(
        said.pieces()
            .into_iter()
            .map(|text| chunk(json!({field: text}), None)),
    );
    for (at, tool) in said.tools.iter().enumerate() {
        let id = format!("call_{}_{at}", said.nth);
        let open = json!({"index": at, "id": id, "type": "function", "function": {"name": tool.name, "arguments": ""}});
        frames.push(chunk(json!({"tool_calls": [open]}), None));
        let input = tool.arguments();
        frames.extend(pieces(&input, said.chunk_bytes).into_iter().map(|text| {
            let more = json!({"index": at, "function": {"arguments": text}});
            chunk(json!({"tool_calls": [more]}), None)
        }));
    }
    frames.push(chunk(json!({}), Some(finish(said))));
    if let (true, Some(tokens)) = (ask.stream_usage, said.tokens) {
        let mut last = head(ask, said, "chat.completion.chunk");
        last["choices"] = json!([]);
        last["usage"] = usage(tokens);
        frames.push(data(&last));
    }
    frames.push("data: [DONE]\n\n".to_owned());
    frames
}

fn head(ask: &Ask, said: &Said, object: &str) -> Value {
    json!({"id": format!("chatcmpl-{}", said.nth), "object": object, "created": 1_700_000_000, "model": ask.model})
}

fn calls(said: &Said) -> Option<Value> {
    let call = |(at, tool): (usize, &crate::Tool)| {
        let function = json!({"name": tool.name, "arguments": tool.arguments()});
        json!({"id": format!("call_{}_{at}", said.nth), "type": "function", "function": function})
    };
    let calls: Vec<Value> = said.tools.iter().enumerate().map(call).collect();
    (!calls.is_empty()).then(|| calls.into())
}

fn usage(tokens: Tokens) -> Value {
    let input = tokens.input + tokens.cached;
    json!({
        "prompt_tokens": input, "completion_tokens": tokens.output, "total_tokens": input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
    })
}

fn finish(said: &Said) -> &'static str {
    match (said.tools.is_empty(), said.stop) {
        (_, Stop::MaxTokens) => "length",
        (false, Stop::End) => "tool_calls",
        (_, Stop::Refusal | Stop::End) => "stop",
    }
}
