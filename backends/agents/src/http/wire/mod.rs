//! The four APIs: how a conversation is asked, and what the events of an answer mean.

mod anthropic;
mod beside;
mod chat;
mod gemini;
mod habits;
mod message;
mod responses;

use std::collections::BTreeMap;

use council_protocol::message::Usage;
use council_protocol::seat::{Api, Endpoint};
use serde_json::Value;

pub(super) use self::habits::{Parameter, RefusedCall, ServerHabits, names_limit};
pub(super) use self::message::{ApiMessage, CallResult, ModelCall, ToolUse};
use crate::schema::AnswerSchema;

/// A conversation that is to be answered.
pub(super) struct ApiRequest<'a> {
    pub(super) endpoint: &'a Endpoint,
    /// What the server was found to want otherwise.
    pub(super) habits: ServerHabits,
    /// The host, since some want the same thing under another name.
    pub(super) host: &'a str,
    pub(super) model: &'a str,
    /// The same bytes for all judges and rounds: they come first.
    pub(super) brief: &'a str,
    /// What was said so far; the last one is the program's.
    pub(super) said: &'a [ApiMessage],
    /// The form of the answer, where the API is to see to it.
    pub(super) schema: Option<&'a AnswerSchema>,
    /// Whether the model is offered tools, and may call them.
    pub(super) tools: ToolUse,
}

impl ApiRequest<'_> {
    /// Whether the answer is to come in pieces.
    fn streams(&self) -> bool {
        !self.habits.leaves_out(Parameter::Stream)
    }
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerEnd {
    /// The model was done.
    Done,
    /// The limit of tokens was reached.
    Limit,
    /// The model, or a filter, declined.
    Refused,
}

/// What was heard of an answer so far.
#[derive(Debug, Clone, Default)]
pub(super) struct ApiAnswer {
    pub(super) text: String,
    /// What the model said instead of an answer.
    pub(super) refusal: String,
    pub(super) usage: Usage,
    /// None: there is more to come, or it was cut.
    pub(super) ended: Option<AnswerEnd>,
    /// An error in the midst of a stream.
    pub(super) error: Option<StreamError>,
    /// Why an event cannot be read for certain: a key stands twice in it, or its end is missing.
    pub(super) ambiguous: Option<String>,
    /// The tools that the model calls instead of answering, or before it does.
    pub(super) calls: Vec<ModelCall>,
    /// The answer in the API's own items, which have to be sent back as they came where tools were called: what a model
    /// thought is in them, signed.
    pub(super) items: Vec<Value>,
    /// What the model thought, as far as it tells. Thoughts weigh one thing against another: behind a whole answer they
    /// mean nothing.
    pub(super) thoughts: String,
    /// What stands in other answers to the same call, by their numbers: none was asked for.
    pub(super) others: BTreeMap<u64, String>,
    /// What stands in no place that is read, and sounds like an answer.
    pub(super) beside: Vec<String>,
}

impl ApiAnswer {
    /// What the model said outside of its answer: in calls of tools, in other answers, in places that nobody reads, as it
    /// declined.
    pub(super) fn asides(&self) -> impl Iterator<Item = &str> {
        let calls = self.calls.iter().map(|call| call.arguments.as_str());
        let strays = self.strays();
        calls.chain(strays).chain([self.refusal.as_str()])
    }

    /// What stands in other answers, and in places that nobody reads, and is said nowhere else.
    pub(super) fn strays(&self) -> impl Iterator<Item = &str> {
        let beside = self.beside.iter().map(String::as_str);
        let beside = beside.filter(|said| !self.is_heard(said));
        self.others.values().map(String::as_str).chain(beside)
    }

    /// Whether these words stand in what is read.
    fn is_heard(&self, said: &str) -> bool {
        let calls = self.calls.iter().map(|call| call.arguments.as_str());
        let others = self.others.values().map(String::as_str);
        let mut read = calls.chain(others).chain([
            self.text.as_str(),
            self.thoughts.as_str(),
            self.refusal.as_str(),
        ]);
        read.any(|text| text.contains(said))
    }

    fn set_end(&mut self, ended: AnswerEnd) {
        // A refusal stays one, however the stream goes on.
        if self.ended != Some(AnswerEnd::Refused) {
            self.ended = Some(ended);
        }
    }

    /// The call that pieces of arguments with this number belong to, in the order of their beginning.
    fn call_at(&mut self, slot: u64) -> Option<&mut ModelCall> {
        self.calls.iter_mut().rfind(|call| call.slot == slot)
    }

    /// Bytes that the model has written.
    pub(super) fn written_bytes(&self) -> u64 {
        let calls = self.calls.iter().map(ModelCall::bytes).sum::<usize>();
        (self.text.len() + calls) as u64
    }

    fn set_error(&mut self, error: &Value) {
        let said = error["message"].as_str().or(error["type"].as_str());
        self.error = Some(StreamError {
            words: said.unwrap_or("an error without words").to_owned(),
            is_refusal: is_bad_request(error),
        });
    }
}

/// An error that comes as an event, behind a status that says that all is well.
#[derive(Debug, Clone)]
pub(super) struct StreamError {
    pub(super) words: String,
    /// Whether the server does not take the call as it is: the same call again would end in the same way.
    pub(super) is_refusal: bool,
}

/// Gateways have begun their answer when the provider behind them refuses the call.
fn is_bad_request(error: &Value) -> bool {
    let is_named = |word: &Value| {
        matches!(
            word.as_str(),
            Some("400" | "422" | "invalid_request_error" | "INVALID_ARGUMENT")
        )
    };
    let code = error["code"].as_u64();
    matches!(code, Some(400 | 422))
        || ["code", "type", "status"]
            .iter()
            .any(|name| is_named(&error[name]))
}

/// Path and query of the call.
pub(super) fn call_path(
    api: Api,
    model: &str,
    habits: ServerHabits,
) -> (String, Option<&'static str>) {
    match api {
        Api::Anthropic => ("/messages".to_owned(), None),
        Api::Responses => ("/responses".to_owned(), None),
        Api::Chat => ("/chat/completions".to_owned(), None),
        Api::Gemini => {
            let model = model.strip_prefix("models/").unwrap_or(model);
            if habits.leaves_out(Parameter::Stream) {
                return (format!("/models/{model}:generateContent"), None);
            }
            (
                format!("/models/{model}:streamGenerateContent"),
                Some("alt=sse"),
            )
        }
    }
}

/// Whether a provider is known to keep the beginning of prompts for others that begin alike. Of the many servers that speak
/// Chat Completions most keep one per conversation, if any: waiting for them would cost time and save nothing.
pub(super) fn keeps_prompts(api: Api, host: &str) -> bool {
    match api {
        Api::Anthropic | Api::Responses | Api::Gemini => true,
        Api::Chat => chat::is_openai(host),
    }
}

/// The body of the call: for one conversation, each turn's begins like the one before.
pub(super) fn build_body(asked: &ApiRequest<'_>) -> Value {
    match asked.endpoint.api {
        Api::Anthropic => anthropic::build_body(asked),
        Api::Responses => responses::build_body(asked),
        Api::Chat => chat::build_body(asked),
        Api::Gemini => gemini::build_body(asked),
    }
}

/// Takes an event of a stream, or a whole answer of a server that does not stream.
pub(super) fn on_event(api: Api, heard: &mut ApiAnswer, event: &Value) {
    match api {
        Api::Anthropic => anthropic::on_event(heard, event),
        Api::Responses => responses::on_event(heard, event),
        Api::Chat => chat::on_event(heard, event),
        Api::Gemini => gemini::on_event(heard, event),
    }
    beside::hear_beside(heard, event);
}

/// What was heard of an answer that ends with calls of tools, as it is sent back.
pub(super) fn spoken_calls(api: Api, heard: ApiAnswer) -> Vec<Value> {
    match api {
        Api::Anthropic => anthropic::spoken_items(&heard),
        Api::Chat => chat::spoken_items(&heard),
        Api::Responses => responses::spoken_items(&heard),
        Api::Gemini => heard.items,
    }
}

/// A count as servers write it: `4096`, `4096.0` or `"4096"`.
fn count_of(value: &Value) -> Option<u64> {
    let text = || value.as_str()?.trim().parse().ok();
    let exact = value.as_u64().or_else(text);
    // Servers that compute in floating point; the cast cuts off what is beyond a count.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let rounded = || value.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64);
    exact.or_else(rounded)
}

/// `whole` and `cached` of what a provider counted together.
fn split_cached(usage: &mut Usage, whole: &Value, cached: &Value) {
    let (whole, cached) = (count_of(whole), count_of(cached));
    usage.input_tokens = whole.map(|all| all.saturating_sub(cached.unwrap_or(0)));
    usage.cached_tokens = cached;
}

/// What tells a provider which requests to send to the same cache.
fn cache_key(brief: &str) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    brief.hash(&mut hasher);
    format!("council-{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// However a server writes its counts, they are known: a prompt that was cut is told by them.
    #[test]
    fn counts_are_read_in_every_spelling() {
        for usage in [
            json!({ "prompt_tokens": 4096, "completion_tokens": 104 }),
            json!({ "prompt_tokens": 4096.0, "completion_tokens": 104.0 }),
            json!({ "prompt_tokens": "4096", "completion_tokens": "104" }),
            json!({ "input_tokens": 4096, "completion_tokens": 104 }),
            json!({ "total_tokens": 4200, "completion_tokens": 104 }),
        ] {
            let mut heard = ApiAnswer::default();
            chat::on_event(&mut heard, &json!({ "choices": [], "usage": usage }));
            let counted = (heard.usage.input_tokens, heard.usage.output_tokens);
            assert_eq!(counted, (Some(4096), Some(104)), "{usage}");
        }
    }

    /// Wherever a model puts its words in an answer, they are heard: as the answer's text, or aside from it.
    #[test]
    fn no_words_of_an_answer_are_lost() {
        let call = json!([{"id": "1", "function": {"name": "x", "arguments": "WORDS"}}]);
        let second = json!({"index": 1, "message": {"content": "WORDS"}, "finish_reason": "stop"});
        let messages = [
            json!({"content": "WORDS"}),
            json!({"content": [{"type": "text", "text": "WOR"}, {"type": "text", "text": "DS"}]}),
            json!({"content": null, "tool_calls": call}),
            json!({"content": null, "refusal": "WORDS"}),
            json!({"content": null, "function_call": {"name": "x", "arguments": "WORDS"}}),
            json!({"content": "", "reasoning_content": "WORDS"}),
        ];
        let choice =
            |message: &Value| json!({"index": 0, "message": message, "finish_reason": "stop"});
        let mut events: Vec<(Api, Value)> = Vec::new();
        for message in &messages {
            events.push((Api::Chat, json!({"choices": [choice(message)]})));
        }
        events.push((
            Api::Chat,
            json!({"choices": [choice(&json!({"content": "x"})), second]}),
        ));
        let parts =
            |text: &str| json!({"content": {"parts": [{"text": text}]}, "finishReason": "STOP"});
        events.push((
            Api::Gemini,
            json!({"candidates": [parts("x"), parts("WORDS")]}),
        ));
        for (api, event) in events {
            let mut heard = ApiAnswer::default();
            on_event(api, &mut heard, &event);
            let mut asides = heard.asides().chain([heard.thoughts.as_str()]);
            let is_heard = heard.text == "WORDS" || asides.any(|text| text == "WORDS");
            assert!(is_heard, "{event}");
        }
    }

    /// What a model thinks is heard from each API alike, and is never a part of its answer.
    #[test]
    fn thoughts_are_heard_from_each_api_and_are_no_answer() {
        let reasoning =
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "THOUGHT"}]});
        let part = json!({"text": "THOUGHT", "thought": true});
        let thinking = json!({"type": "thinking", "thinking": "THO"});
        let more = json!({"type": "thinking_delta", "thinking": "UGHT"});
        for (api, events) in [
            (
                Api::Chat,
                vec![json!({"choices": [{"index": 0, "delta": {"reasoning_content": "THOUGHT"}}]})],
            ),
            (
                Api::Chat,
                vec![json!({"choices": [{"index": 0, "delta": {"reasoning": "THOUGHT"}}]})],
            ),
            (
                Api::Gemini,
                vec![json!({"candidates": [{"content": {"parts": [part]}}]})],
            ),
            (
                Api::Responses,
                vec![json!({"type": "response.output_item.done", "item": reasoning})],
            ),
            (
                Api::Responses,
                vec![json!({"object": "response", "output": [reasoning]})],
            ),
            (
                Api::Anthropic,
                vec![
                    json!({"type": "content_block_start", "index": 0, "content_block": thinking}),
                    json!({"type": "content_block_delta", "index": 0, "delta": more}),
                ],
            ),
        ] {
            let mut heard = ApiAnswer::default();
            events
                .iter()
                .for_each(|event| on_event(api, &mut heard, event));
            assert_eq!(
                (heard.thoughts.as_str(), heard.text.as_str()),
                ("THOUGHT", ""),
                "{api:?}"
            );
        }
    }
}
