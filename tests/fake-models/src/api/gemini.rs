//! Gemini.

use serde_json::{Value, json};

use super::{data, list, word};
use crate::answer::Said;
use crate::{Api, Ask, Stop};

/// Reads a request to `…/models/<model>:<method>`.
pub(super) fn read(path: &str, query: &str, body: &Value) -> Option<Ask> {
    let (model, method) = path.rsplit('/').next()?.split_once(':')?;
    let stream = match method {
        "generateContent" => false,
        "streamGenerateContent" => true,
        _ => return None,
    };
    let mut ask = Ask::of(Api::Gemini);
    ask.model = model.to_owned();
    ask.stream = stream;
    ask.events = query.split('&').any(|pair| pair == "alt=sse");
    let offered = list(&body["tools"]).iter();
    ask.tools = offered
        .flat_map(|tool| list(&tool["functionDeclarations"]))
        .map(|f| (word(&f["name"]), None))
        .collect();
    let config = &body["generationConfig"];
    ask.structured = config["responseMimeType"] == "application/json";
    if body["tools"].is_array() {
        ask.part("tools", body["tools"].to_string(), false);
    }
    if ask.structured {
        let schema = &config["responseSchema"];
        ask.part(
            "tools",
            format!("{schema}{}", config["responseJsonSchema"]),
            false,
        );
    }
    for part in list(&body["systemInstruction"]["parts"]) {
        ask.part("system", word(&part["text"]), false);
    }
    for content in list(&body["contents"]) {
        let role = content["role"].as_str().unwrap_or("user");
        for part in list(&content["parts"]) {
            let text = part["text"]
                .as_str()
                .map_or_else(|| part.to_string(), str::to_owned);
            ask.part(role, text, false);
        }
    }
    let last = list(&body["contents"])
        .last()
        .map(|content| list(&content["parts"]));
    ask.after_tool = last
        .and_then(|parts| parts.iter().rfind(|p| p["functionResponse"].is_object()))
        .map(|part| word(&part["functionResponse"]["name"]));
    Some(ask)
}

pub(super) fn whole(ask: &Ask, said: &Said) -> Value {
    chunk(ask, said, &said.text, true)
}

pub(super) fn stream(ask: &Ask, said: &Said) -> Vec<String> {
    let pieces = said.pieces();
    let last = pieces.len().saturating_sub(1);
    let mut chunks: Vec<Value> = pieces
        .iter()
        .enumerate()
        .map(|(at, text)| chunk(ask, said, text, at == last))
        .collect();
    if chunks.is_empty() {
        chunks.push(chunk(ask, said, "", true));
    }
    if ask.events {
        return chunks.iter().map(data).collect();
    }
    let listed = chunks.iter().enumerate();
    let mut frames: Vec<String> = listed
        .map(|(at, chunk)| format!("{}{chunk}", if at == 0 { "[" } else { ",\n" }))
        .collect();
    frames.push("]".to_owned());
    frames
}

fn chunk(ask: &Ask, said: &Said, text: &str, last: bool) -> Value {
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({ "text": text }));
    }
    for tool in said.tools.iter().filter(|_| last) {
        let call = json!({"name": tool.name, "args": tool.input});
        parts.push(json!({"functionCall": call, "thoughtSignature": format!("sig-{}", said.nth)}));
    }
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    let mut answer = json!({"modelVersion": ask.model, "responseId": format!("fake-{}", said.nth)});
    if last {
        candidate["finishReason"] = match said.stop {
            Stop::End => "STOP",
            Stop::MaxTokens => "MAX_TOKENS",
            Stop::Refusal => "SAFETY",
        }
        .into();
        if said.stop == Stop::Refusal {
            candidate["content"]["parts"] = json!([]);
        }
        if let Some(tokens) = said.tokens {
            let input = tokens.input + tokens.cached;
            answer["usageMetadata"] = json!({
                "promptTokenCount": input, "cachedContentTokenCount": tokens.cached,
                "candidatesTokenCount": tokens.output, "totalTokenCount": input + tokens.output,
            });
        }
    }
    answer["candidates"] = json!([candidate]);
    answer
}
