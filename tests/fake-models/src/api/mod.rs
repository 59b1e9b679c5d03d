//! The four APIs: how each asks, answers, streams and fails.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::{Value, json};

use crate::answer::Said;
use crate::{Api, Ask};

/// Reads a request, or says that the path is none of an API.
pub(crate) fn read(path: &str, body: &Value) -> Option<Ask> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if path.ends_with("/messages") {
        Some(anthropic::read(body))
    } else if path.ends_with("/responses") {
        Some(responses::read(body))
    } else if path.ends_with("/chat/completions") {
        Some(chat::read(body))
    } else {
        gemini::read(path, query, body)
    }
}

/// The answers that need no model: token counts and lists of models.
pub(crate) fn aside(method: &str, path: &str, body: &str) -> Option<Value> {
    let path = path.split('?').next().unwrap_or(path);
    let tokens = body.len().div_ceil(4);
    if path.ends_with("/count_tokens") {
        return Some(json!({ "input_tokens": tokens }));
    }
    if path.ends_with(":countTokens") {
        return Some(json!({ "totalTokens": tokens }));
    }
    let list = method == "GET" && path.ends_with("/models");
    list.then(|| {
        let model =
            json!({"id": "fake", "object": "model", "type": "model", "name": "models/fake"});
        json!({"object": "list", "data": [model], "models": [model], "has_more": false})
    })
}

/// A whole answer.
pub(crate) fn whole(ask: &Ask, said: &Said) -> Value {
    match ask.api {
        Api::Anthropic => anthropic::whole(ask, said),
        Api::Responses => responses::whole(ask, said),
        Api::Chat => chat::whole(ask, said),
        Api::Gemini => gemini::whole(ask, said),
    }
}

/// The frames of a streamed answer.
pub(crate) fn stream(ask: &Ask, said: &Said) -> Vec<String> {
    match ask.api {
        Api::Anthropic => anthropic::stream(ask, said),
        Api::Responses => responses::stream(ask, said),
        Api::Chat => chat::stream(ask, said),
        Api::Gemini => gemini::stream(ask, said),
    }
}

/// An error that comes in the midst of a stream.
pub(crate) fn midway(api: Api) -> String {
    match api {
        Api::Anthropic => event("error", &error(api, 529)),
        Api::Responses => event(
            "error",
            &json!({"type": "error", "code": "server_error", "message": "overloaded", "sequence_number": 9}),
        ),
        Api::Chat | Api::Gemini => data(&error(api, 503)),
    }
}

/// A refusal of the call as an event of a stream.
pub(crate) fn refused(api: Api) -> String {
    match api {
        Api::Anthropic => event("error", &error(api, 400)),
        Api::Responses => event(
            "error",
            &json!({"type": "error", "code": "invalid_request_error", "message": "the script says 400"}),
        ),
        Api::Chat | Api::Gemini => data(&error(api, 400)),
    }
}

/// An HTTP error in the API's form.
pub(crate) fn error(api: Api, status: u16) -> Value {
    let message = format!("the script says {status}");
    let kind = kind(status);
    match api {
        Api::Anthropic => {
            json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fake"})
        }
        Api::Responses | Api::Chat => {
            json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
        }
        Api::Gemini => {
            json!({"error": {"code": status, "message": message, "status": kind.to_uppercase()}})
        }
    }
}

fn kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

/// A named server-sent event.
fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// A server-sent event without a name.
fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// A text, or the texts of a list of blocks, in one.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .map(|b| {
                b["text"]
                    .as_str()
                    .map_or_else(|| b.to_string(), str::to_owned)
            })
            .collect(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
