//! What the model says, before it is put into the form of an API.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::script::{Fault, Reply, Stop, Tool};
use crate::{Ask, Tokens};

/// How a prompt of the council asks for its round and key to be echoed.
#[expect(clippy::unwrap_used, reason = "a constant")]
static ECHO: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`round` is (\d+), and `key` is `([^`]*)`").unwrap());

/// A tool that some clients offer, and never force, for an answer in their schema.
const STRUCTURED: &str = "StructuredOutput";

/// What the model says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) tools: Vec<Tool>,
    pub(crate) stop: Stop,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) chunk_bytes: usize,
    /// Number of the request, for ids.
    pub(crate) nth: u64,
}

impl Said {
    /// What `reply` makes the model say to `ask`. `counted` are the tokens of the prompt.
    pub(crate) fn of(reply: &Reply, ask: &Ask, nth: u64, counted: Tokens) -> Self {
        // What a tool said stands between the prompt and the answer.
        let asked = || ask.parts.iter().rev().find_map(|part| echo(&part.text));
        let echo = echo(&ask.last).or_else(|| ask.after_tool.is_some().then(asked).flatten());
        let (mut text, tool) = match (&reply.text, &reply.json, &reply.tool) {
            (Some(text), _, tool) => (fill(text, echo.as_ref()), tool.clone()),
            (_, Some(json), _) => object(ask, &fill(&json.to_string(), echo.as_ref())),
            (.., Some(tool)) => (String::new(), Some(tool.clone())),
            _ if reply.by.is_some() => (String::new(), submission(reply, ask)),
            _ => match &echo {
                Some(echo) => object(ask, &vote(reply, echo).to_string()),
                None => (
                    "I hold what I said before, on the evidence that I named.".to_owned(),
                    None,
                ),
            },
        };
        if reply.filler_bytes > 0 {
            text.push_str(&"x".repeat(reply.filler_bytes));
        }
        if reply.stop == Stop::Refusal && reply.text.is_none() {
            text = "I cannot help with that.".to_owned();
        }
        if reply.stop == Stop::MaxTokens && reply.text.is_none() {
            text.truncate(text.len() / 2);
        }
        let mut tools: Vec<Tool> = tool.into_iter().collect();
        if reply.tool.is_some() {
            tools.extend(reply.tools.iter().cloned());
        }
        let tool_bytes: usize = tools.iter().map(|tool| tool.arguments().len()).sum();
        let output = (text.len() + tool_bytes).div_ceil(4) as u64;
        let tokens = reply.usage.unwrap_or(Tokens { output, ..counted });
        // The middle of a stream of few pieces is behind its text.
        let most = match reply.fault {
            Some(Fault::HangMidway) => text.len() / MIN_PIECES,
            _ => usize::MAX,
        };
        Self {
            chunk_bytes: reply.chunk_bytes.min(most).max(1),
            text,
            tools,
            stop: reply.stop,
            tokens: (!reply.without_usage).then_some(tokens),
            nth,
        }
    }

    /// The text in pieces, none of which splits a character.
    pub(crate) fn pieces(&self) -> Vec<&str> {
        pieces(&self.text, self.chunk_bytes)
    }
}

/// The fewest pieces of a text that is never told to its end.
const MIN_PIECES: usize = 16;

/// `text` in pieces of about `size` bytes.
pub(crate) fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Round and key that the last part of a prompt asks for.
fn echo(last: &str) -> Option<(String, String)> {
    let found = ECHO.captures_iter(last).last()?;
    Some((found[1].to_owned(), found[2].to_owned()))
}

/// The answer as a call of the tool by which it is submitted, also after a first call of it that went wrong.
fn submission(reply: &Reply, ask: &Ask) -> Option<Tool> {
    let asked = ask.parts.iter().rev().find_map(|part| echo(&part.text))?;
    Some(Tool {
        name: reply.by.clone()?,
        input: vote(reply, &asked),
        raw: None,
    })
}

fn fill(text: &str, echo: Option<&(String, String)>) -> String {
    let (round, key) = echo.map_or(("0", ""), |(round, key)| (round, key));
    text.replace("{{round}}", round).replace("{{key}}", key)
}

/// An object in the form that the client asked for: a tool call, bare, or fenced.
fn object(ask: &Ask, json: &str) -> (String, Option<Tool>) {
    let by_tool = ask
        .forced
        .clone()
        .or_else(|| ask.offers(STRUCTURED).then(|| STRUCTURED.to_owned()));
    if let Some(name) = by_tool {
        let input = serde_json::from_str(json).unwrap_or_default();
        return (
            String::new(),
            Some(Tool {
                name,
                input,
                raw: None,
            }),
        );
    }
    if ask.structured {
        return (json.to_owned(), None);
    }
    (
        format!("I looked at it from every side.\n\n```json\n{json}\n```\n"),
        None,
    )
}

/// An answer as the council's protocol has it.
fn vote(reply: &Reply, (round, key): &(String, String)) -> Value {
    let round: u64 = round.parse().unwrap_or(0);
    let mut answer = Map::new();
    let mut put = |name: &str, value: Value| drop(answer.insert(name.to_owned(), value));
    put("schema_version", json!(1));
    put("round", json!(round));
    put("key", json!(key));
    put("verdict", json!(reply.verdict));
    put("confidence", json!("HIGH"));
    put("key_insight", json!("It does what it says."));
    put("findings", json!([]));
    put("restatement", json!("I hold that it does what it says."));
    put("recommendation", json!("Merge it."));
    for (name, value) in &reply.fields {
        if value.is_null() {
            answer.remove(name);
        } else {
            answer.insert(name.clone(), value.clone());
        }
    }
    Value::Object(answer)
}
