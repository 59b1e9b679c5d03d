//! OpenAI Responses.

use serde_json::{Value, json};

use super::{event, list, text_of, word};
use crate::answer::{Said, pieces};
use crate::{Api, Ask, Stop, Tokens};

pub(super) fn read(body: &Value) -> Ask {
    let mut ask = Ask::of(Api::Responses);
    ask.model = word(&body["model"]);
    ask.stream = body["stream"] == true;
    ask.tools = tools(&body["tools"], None);
    let choice = &body["tool_choice"];
    ask.forced = choice["name"].as_str().map(str::to_owned);
    let format = &body["text"]["format"];
    ask.structured = matches!(format["type"].as_str(), Some("json_schema" | "json_object"));
    if body["tools"].is_array() {
        ask.part("tools", body["tools"].to_string(), false);
    }
    if ask.structured {
        ask.part("tools", format.to_string(), false);
    }
    if let Some(text) = body["instructions"].as_str() {
        ask.part("system", text, false);
    }
    match &body["input"] {
        Value::String(text) => ask.part("user", text.clone(), false),
        items => list(items).iter().for_each(|item| add(&mut ask, item)),
    }
    ask.after_tool = after_tool(body);
    ask
}

fn add(ask: &mut Ask, item: &Value) {
    match item["type"].as_str() {
        None | Some("message") => {
            ask.part(&word(&item["role"]), text_of(&item["content"]), false);
        }
        Some("function_call_output") => ask.part("tool", text_of(&item["output"]), false),
        Some("function_call" | "reasoning") => ask.part("assistant", without_id(item), false),
        Some(_) => ask.part("user", without_id(item), false),
    }
}

/// An item as the model sees it. Its id is a name for the API, which a client may make anew for each conversation.
fn without_id(item: &Value) -> String {
    let mut item = item.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.remove("id");
    }
    item.to_string()
}

/// Tools by name; those of a namespace are called with it.
fn tools(offered: &Value, namespace: Option<&str>) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for tool in list(offered) {
        let name = word(&tool["name"]);
        if tool["tools"].is_array() {
            found.extend(tools(&tool["tools"], Some(&name)));
        } else {
            found.push((name, namespace.map(str::to_owned)));
        }
    }
    found
}

fn after_tool(body: &Value) -> Option<String> {
    let items = list(&body["input"]);
    let result = items
        .last()
        .filter(|i| i["type"] == "function_call_output")?;
    let called = |i: &&Value| i["type"] == "function_call" && i["call_id"] == result["call_id"];
    items.iter().find(called).map(|call| word(&call["name"]))
}

pub(super) fn whole(ask: &Ask, said: &Said) -> Value {
    let mut response = head(ask, said);
    let (status, reason) = ending(said);
    response["status"] = status.into();
    response["incomplete_details"] = reason.map_or(Value::Null, |r| json!({ "reason": r }));
    response["output"] = items(ask, said).into();
    if let Some(tokens) = said.tokens {
        response["usage"] = usage(tokens);
    }
    response
}

fn ending(said: &Said) -> (&'static str, Option<&'static str>) {
    match said.stop {
        Stop::MaxTokens => ("incomplete", Some("max_output_tokens")),
        Stop::End | Stop::Refusal => ("completed", None),
    }
}

fn items(ask: &Ask, said: &Said) -> Vec<Value> {
    let message = (!said.text.is_empty() || said.tools.is_empty())
        .then(|| message(said, "completed", vec![content(said, &said.text)]));
    let calls = said.tools.iter().enumerate().map(|(at, tool)| {
        let namespace = ask.tools.iter().find(|(name, _)| *name == tool.name);
        let mut item = json!({
            "type": "function_call", "id": format!("fc_{}_{at}", said.nth), "call_id": format!("call_{}_{at}", said.nth),
            "name": tool.name, "arguments": tool.arguments(), "status": "completed",
        });
        if let Some((_, Some(namespace))) = namespace {
            item["namespace"] = namespace.clone().into();
        }
        item
    });
    message.into_iter().chain(calls).collect()
}

fn message(said: &Said, status: &str, content: Vec<Value>) -> Value {
    let id = format!("msg_{}", said.nth);
    json!({"type": "message", "id": id, "role": "assistant", "status": status, "content": content})
}

fn content(said: &Said, text: &str) -> Value {
    match said.stop {
        Stop::Refusal => json!({"type": "refusal", "refusal": text}),
        _ => json!({"type": "output_text", "text": text, "annotations": []}),
    }
}

pub(super) fn stream(ask: &Ask, said: &Said) -> Vec<String> {
    let mut events = vec![
        json!({"type": "response.created", "response": head(ask, said)}),
        json!({"type": "response.in_progress", "response": head(ask, said)}),
    ];
    for (index, item) in items(ask, said).into_iter().enumerate() {
        if item["type"] == "message" {
            speak(&mut events, said, index, &item);
        } else {
            call(&mut events, said, index, &item);
        }
    }
    let last = match ending(said).0 {
        "incomplete" => "response.incomplete",
        _ => "response.completed",
    };
    events.push(json!({"type": last, "response": whole(ask, said)}));
    let numbered = events.into_iter().enumerate().map(|(number, mut data)| {
        data["sequence_number"] = number.into();
        event(data["type"].as_str().unwrap_or_default(), &data)
    });
    numbered.collect()
}

fn speak(events: &mut Vec<Value>, said: &Said, index: usize, item: &Value) {
    let refused = said.stop == Stop::Refusal;
    let part = if refused { "refusal" } else { "output_text" };
    let at = json!({"item_id": item["id"], "output_index": index, "content_index": 0});
    let at = |kind: &str, field: &str, value: Value| {
        let mut event = at.clone();
        event["type"] = kind.into();
        event[field] = value;
        event
    };
    let open = message(said, "in_progress", Vec::new());
    events.push(json!({"type": "response.output_item.added", "output_index": index, "item": open}));
    events.push(at("response.content_part.added", "part", content(said, "")));
    let delta = format!("response.{part}.delta");
    events.extend(
        said.pieces()
            .into_iter()
            .map(|text| at(&delta, "delta", text.into())),
    );
    let field = if refused { "refusal" } else { "text" };
    events.push(at(
        &format!("response.{part}.done"),
        field,
        said.text.clone().into(),
    ));
    events.push(at(
        "response.content_part.done",
        "part",
        content(said, &said.text),
    ));
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
}

fn call(events: &mut Vec<Value>, said: &Said, index: usize, item: &Value) {
    let mut open = item.clone();
    open["arguments"] = "".into();
    open["status"] = "in_progress".into();
    events.push(json!({"type": "response.output_item.added", "output_index": index, "item": open}));
    let arguments = word(&item["arguments"]);
    for piece in pieces(&arguments, said.chunk_bytes) {
        events.push(
            json!({"type": "response.function_call_arguments.delta", "item_id": item["id"],
            "output_index": index, "delta": piece}),
        );
    }
    events.push(
        json!({"type": "response.function_call_arguments.done", "item_id": item["id"],
        "output_index": index, "arguments": arguments}),
    );
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
}

fn head(ask: &Ask, said: &Said) -> Value {
    json!({
        "id": format!("resp_{}", said.nth), "object": "response", "created_at": 1_700_000_000, "status": "in_progress",
        "model": ask.model, "output": [], "error": null, "incomplete_details": null, "usage": null,
        "parallel_tool_calls": true, "tools": [], "metadata": {},
    })
}

fn usage(tokens: Tokens) -> Value {
    let input = tokens.input + tokens.cached;
    json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + tokens.output,
    })
}
