//! What a request asks for, whatever its API.

use serde::{Deserialize, Serialize};

/// The APIs that are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// Anthropic Messages: `/v1/messages`.
    Anthropic,
    /// OpenAI Responses: `/v1/responses`.
    Responses,
    /// OpenAI Chat Completions: `/v1/chat/completions`.
    Chat,
    /// Gemini: `/v1beta/models/<model>:generateContent` and `:streamGenerateContent`.
    Gemini,
}

/// A request, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// How it was asked.
    pub api: Api,
    /// The model's name.
    pub model: String,
    /// Whether the answer is to be streamed.
    pub stream: bool,
    /// Whether the stream is to tell the tokens at its end (Chat Completions).
    pub stream_usage: bool,
    /// Whether the stream is server-sent events (Gemini may also stream an array).
    pub events: bool,
    /// The system prompt.
    pub system: String,
    /// What came after the last answer of the model.
    pub last: String,
    /// The prompt as the model sees it, piece by piece: tools, system, messages.
    pub parts: Vec<Part>,
    /// The names of the tools that are offered, with the namespace of each, if it has one.
    pub tools: Vec<(String, Option<String>)>,
    /// The tool that has to be called.
    pub forced: Option<String>,
    /// The tool whose result came last.
    pub after_tool: Option<String>,
    /// Whether the answer has to fit a schema, or at least to be JSON.
    pub structured: bool,
}

/// A piece of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Who speaks: `tools`, `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// The text.
    pub text: String,
    /// Whether the prompt up to here is to be kept in the cache (Anthropic).
    pub marked: bool,
}

impl Ask {
    /// An empty request.
    pub(crate) fn of(api: Api) -> Self {
        Self {
            api,
            model: String::new(),
            stream: false,
            stream_usage: true,
            events: true,
            system: String::new(),
            last: String::new(),
            parts: Vec::new(),
            tools: Vec::new(),
            forced: None,
            after_tool: None,
            structured: false,
        }
    }

    /// Adds a piece to the prompt.
    pub(crate) fn part(&mut self, role: &str, text: impl Into<String>, marked: bool) {
        let text = text.into();
        match role {
            "system" | "developer" => self.system.push_str(&text),
            "assistant" | "model" => {
                self.last.clear();
                self.after_tool = None;
            }
            "tools" => {}
            _ => self.last.push_str(&text),
        }
        self.parts.push(Part {
            role: role.to_owned(),
            text,
            marked,
        });
    }

    /// Whether a text is anywhere in the prompt.
    pub fn contains(&self, text: &str) -> bool {
        self.parts.iter().any(|part| part.text.contains(text))
    }

    /// Whether a tool is offered.
    pub fn offers(&self, name: &str) -> bool {
        self.tools.iter().any(|(tool, _)| tool == name)
    }

    /// The bytes of the whole prompt, roles included.
    pub fn prompt(&self) -> String {
        let mut prompt = format!("{}\n", self.model);
        for part in &self.parts {
            prompt.push_str(&part.role);
            prompt.push('\n');
            prompt.push_str(&part.text);
            prompt.push('\n');
        }
        prompt
    }
}
