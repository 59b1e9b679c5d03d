//! What is answered to what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Api, Ask};

/// The rules of a server; the first that fits a request and is not used up answers it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// In the order in which they are tried.
    pub rules: Vec<Rule>,
    /// How much of a prompt the server holds; none: all of any.
    pub window: Option<Window>,
}

/// A context window: of a longer prompt only as much is read and counted, in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Tokens that it holds.
    pub tokens: u64,
    /// Whether the server tells it whoever asks (`GET /props`).
    pub told: bool,
}

impl Window {
    /// What a server with this window counts of a prompt.
    pub(crate) fn cut(self, counted: Tokens) -> Tokens {
        if counted.input + counted.cached <= self.tokens {
            return counted;
        }
        Tokens {
            input: self.tokens,
            cached: 0,
            stored: 0,
            ..counted
        }
    }
}

/// One rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// Which requests it fits.
    #[serde(rename = "match")]
    pub when: Match,
    /// How often it answers before it is used up; none: always.
    pub times: Option<u32>,
    /// How many fitting requests it lets pass first.
    pub skip: u32,
    /// What it answers.
    pub respond: Reply,
}

/// Which requests a rule fits: everything that is given has to hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// The API.
    pub api: Option<Api>,
    /// The model's name.
    pub model: Option<String>,
    /// A text anywhere in the prompt.
    pub contains: Option<String>,
    /// A text in the system prompt.
    pub system: Option<String>,
    /// A text in what came after the last answer.
    pub last_contains: Option<String>,
    /// A tool that is offered.
    pub tool: Option<String>,
    /// The tool whose result came last.
    pub after_tool: Option<String>,
    /// The number of the request, from 1, over all APIs.
    pub nth: Option<u64>,
}

/// An answer, or what comes instead of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// The text, instead of a vote. `{{key}}` and `{{round}}` stand for what the prompt asks to be echoed.
    pub text: Option<String>,
    /// An object, instead of a vote, in the form that the client asked for; the same words are filled in.
    pub json: Option<Value>,
    /// The vote of an answer that is made here.
    pub verdict: String,
    /// Fields of that answer that are to be different; `null` takes one away.
    pub fields: BTreeMap<String, Value>,
    /// A tool call instead of an answer, or beside a text.
    pub tool: Option<Tool>,
    /// Further calls beside it.
    pub tools: Vec<Tool>,
    /// The tool by which the answer that is made here is submitted, instead of being said.
    pub by: Option<String>,
    /// So many bytes of filler behind the text.
    pub filler_bytes: usize,
    /// The HTTP status; anything but 200 is an error in the API's form.
    pub status: u16,
    /// Headers to be sent along.
    pub headers: BTreeMap<String, String>,
    /// The body as it is, whatever the API.
    pub body: Option<String>,
    /// How the answer ends, as the API says it.
    pub stop: Stop,
    /// What goes wrong on the wire.
    pub fault: Option<Fault>,
    /// Milliseconds before the first byte.
    pub delay_ms: u64,
    /// Whether the headers of a stream go out before that, as a proxy sends them.
    pub headers_first: bool,
    /// Milliseconds between two pieces of a streamed answer.
    pub chunk_ms: u64,
    /// Bytes of text in each piece of a streamed answer.
    pub chunk_bytes: usize,
    /// Tokens to be reported; none: counted, four bytes each.
    pub usage: Option<Tokens>,
    /// Whether tokens are reported at all.
    pub without_usage: bool,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            text: None,
            json: None,
            verdict: "PASS".to_owned(),
            fields: BTreeMap::new(),
            tool: None,
            tools: Vec::new(),
            by: None,
            filler_bytes: 0,
            status: 200,
            headers: BTreeMap::new(),
            body: None,
            stop: Stop::End,
            fault: None,
            delay_ms: 0,
            headers_first: false,
            chunk_ms: 0,
            chunk_bytes: 400,
            usage: None,
            without_usage: false,
        }
    }
}

/// A tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name, as offered.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub input: Value,
    /// The arguments as they are written, where an API has them as text: they may be no JSON.
    #[serde(default)]
    pub raw: Option<String>,
}

impl Tool {
    /// A call of a tool.
    pub fn call(name: &str, input: Value) -> Self {
        Self {
            name: name.to_owned(),
            input,
            raw: None,
        }
    }

    /// The arguments as text.
    pub(crate) fn arguments(&self) -> String {
        self.raw.clone().unwrap_or_else(|| self.input.to_string())
    }
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The model was done.
    #[default]
    End,
    /// The limit of output tokens was reached.
    MaxTokens,
    /// The model declined.
    Refusal,
}

/// What goes wrong on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Nothing is ever sent.
    Hang,
    /// The answer begins and never goes on.
    HangMidway,
    /// All of the body comes, and the connection stays open.
    HangBehind,
    /// The connection is closed before anything is sent.
    Close,
    /// The connection is closed in the midst of the answer.
    Cut,
    /// An error event comes in the midst of a streamed answer.
    ErrorMidway,
    /// The stream begins and says only that the call is not taken: a 400 that came behind the status, as from a gateway.
    Refused,
}

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tokens {
    /// Read in full.
    pub input: u64,
    /// Read from the cache.
    pub cached: u64,
    /// Written to the cache, of those read in full.
    pub stored: u64,
    /// Written by the model.
    pub output: u64,
}

impl Script {
    /// The reply to a request, which is the `nth` of all.
    pub(crate) fn take(&mut self, ask: &Ask, nth: u64) -> Reply {
        for rule in &mut self.rules {
            if !rule.when.fits(ask, nth) || rule.times == Some(0) {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            rule.times = rule.times.map(|left| left - 1);
            return rule.respond.clone();
        }
        Reply::default()
    }
}

impl<const N: usize> From<[Rule; N]> for Script {
    fn from(rules: [Rule; N]) -> Self {
        Vec::from(rules).into()
    }
}

impl From<Vec<Rule>> for Script {
    fn from(rules: Vec<Rule>) -> Self {
        Self {
            rules,
            window: None,
        }
    }
}

impl Match {
    fn fits(&self, ask: &Ask, nth: u64) -> bool {
        let within =
            |text: &Option<String>, all: &str| text.as_ref().is_none_or(|t| all.contains(t));
        self.api.is_none_or(|api| api == ask.api)
            && self.model.as_ref().is_none_or(|model| *model == ask.model)
            && self.nth.is_none_or(|n| n == nth)
            && self.contains.as_ref().is_none_or(|t| ask.contains(t))
            && within(&self.system, &ask.system)
            && within(&self.last_contains, &ask.last)
            && self.tool.as_ref().is_none_or(|t| ask.offers(t))
            && (self.after_tool.is_none() || self.after_tool == ask.after_tool)
    }
}

impl Rule {
    /// A rule that fits every request.
    pub fn on(respond: Reply) -> Self {
        Self {
            respond,
            ..Self::default()
        }
    }

    /// Only for prompts with this text.
    pub fn containing(mut self, text: &str) -> Self {
        self.when.contains = Some(text.to_owned());
        self
    }

    /// Only where this text came after the last answer.
    pub fn last(mut self, text: &str) -> Self {
        self.when.last_contains = Some(text.to_owned());
        self
    }

    /// Only for this API.
    pub fn api(mut self, api: Api) -> Self {
        self.when.api = Some(api);
        self
    }

    /// Only for this model.
    pub fn model(mut self, model: &str) -> Self {
        self.when.model = Some(model.to_owned());
        self
    }

    /// Only where this tool's result came last.
    pub fn after(mut self, tool: &str) -> Self {
        self.when.after_tool = Some(tool.to_owned());
        self
    }

    /// Only so often.
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }
}

impl Reply {
    /// An answer with this vote.
    pub fn vote(verdict: &str) -> Self {
        Self {
            verdict: verdict.to_owned(),
            ..Self::default()
        }
    }

    /// An answer with this vote and one finding.
    pub fn finding(verdict: &str, finding: Value) -> Self {
        Self::vote(verdict).with("findings", Value::Array(vec![finding]))
    }

    /// This text and nothing else.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }

    /// Calls of tools, all at once.
    pub fn calls(calls: impl IntoIterator<Item = Tool>) -> Self {
        let mut calls = calls.into_iter();
        Self {
            tool: calls.next(),
            tools: calls.collect(),
            ..Self::default()
        }
    }

    /// The same with a text beside it.
    #[must_use]
    pub fn beside(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// An HTTP error.
    pub fn status(status: u16) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    /// A fault on the wire.
    pub fn fault(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    /// An answer that ends so.
    pub fn stop(stop: Stop) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Puts a field into the answer that is made.
    pub fn with(mut self, field: &str, value: Value) -> Self {
        self.fields.insert(field.to_owned(), value);
        self
    }

    /// Sends a header along.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Waits before the first byte.
    pub fn after(mut self, delay_ms: u64) -> Self {
        self.delay_ms = delay_ms;
        self
    }
}
