//! What is said in a conversation in which a model may call tools, whatever the API.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::http) enum ApiMessage {
    Prompt(String),
    Answer(String),
    /// The model's, in which it calls tools: in the API's own items.
    Calls(Vec<Value>),
    /// What the calls of the message before came to, in their order.
    Results(Vec<CallResult>),
}

impl ApiMessage {
    /// Bytes that are sent of it.
    pub(in crate::http) fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Prompt(text) | Self::Answer(text) => text.len(),
            Self::Calls(items) => items.iter().map(|item| item.to_string().len()).sum(),
            Self::Results(results) => results.iter().map(|result| result.text.len()).sum(),
        };
        bytes as u64
    }

    /// The texts in it that any model reads.
    pub(in crate::http) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Prompt(text) | Self::Answer(text) => vec![text],
            Self::Calls(_) => Vec::new(),
            Self::Results(results) => results.iter().map(|result| result.text.as_str()).collect(),
        }
    }

    /// Adds to the last text in it that any model reads.
    pub(in crate::http) fn append(&mut self, text: &str) {
        match self {
            Self::Prompt(said) | Self::Answer(said) => said.push_str(text),
            Self::Calls(_) => {}
            Self::Results(results) => {
                if let Some(last) = results.last_mut() {
                    last.text.push_str(text);
                }
            }
        }
    }

    /// Whether it belongs to a call of a tool.
    pub(in crate::http) fn is_tool_use(&self) -> bool {
        matches!(self, Self::Calls(_) | Self::Results(_))
    }
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http) struct CallResult {
    /// The call's id; empty where the API gave it none.
    pub(in crate::http) id: String,
    pub(in crate::http) name: String,
    pub(in crate::http) text: String,
    pub(in crate::http) failed: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::http) struct ModelCall {
    pub(in crate::http) id: String,
    pub(in crate::http) name: String,
    /// JSON, as far as it came.
    pub(in crate::http) arguments: String,
    /// The number under which its pieces come.
    pub(in crate::http) slot: u64,
    /// What else its server said of it, which goes back as it came: a signature of thoughts, for one.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(in crate::http) extra: Map<String, Value>,
}

impl ModelCall {
    pub(in crate::http) fn bytes(&self) -> usize {
        self.id.len() + self.name.len() + self.arguments.len()
    }

    /// The arguments, or what is wrong with them. None at all are an empty object.
    pub(in crate::http) fn parse_arguments(&self) -> Result<Value, String> {
        match self.arguments.trim() {
            "" => Ok(Value::Object(Map::new())),
            "null" => Ok(Value::Object(Map::new())),
            text => serde_json::from_slice(text.as_bytes())
                .map_err(|error| format!("the arguments are no JSON: {error}")),
        }
    }

    /// The arguments as they may be sent back: providers refuse what is no object.
    pub(in crate::http) fn arguments_object(&self) -> Value {
        let parsed = self.parse_arguments().ok();
        parsed
            .filter(Value::is_object)
            .unwrap_or_else(|| Value::Object(Map::new()))
    }
}

/// What a model may do with the tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::http) enum ToolUse {
    /// It knows of none.
    #[default]
    Absent,
    /// It may call them.
    Allowed,
    /// It knows them, and has to answer without another call.
    Forbidden,
}
