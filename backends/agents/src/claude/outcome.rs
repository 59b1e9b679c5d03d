//! What a turn of Claude Code came to: its `result` object.

use council_protocol::message::Usage;
use council_protocol::{Failure, FailureKind};
use serde::Deserialize;
use serde_json::Value;

use crate::AgentReply;
use crate::client::{kind_of_message, kind_of_status, shorten_message};

/// The `result` object; the order of its keys differs between versions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ClaudeResult {
    is_error: bool,
    subtype: String,
    api_error_status: Option<u64>,
    result: Option<String>,
    structured_output: Option<Value>,
    stop_reason: Option<String>,
    pub(super) session_id: Option<String>,
    total_cost_usd: Option<f64>,
    usage: Option<ClaudeTokens>,
    errors: Vec<Value>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct ClaudeTokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// Answers in a `result` object, also of a turn that failed: its other words are the client's own.
pub(super) fn answers_in_result(result: &Value) -> Vec<String> {
    let held = &result["structured_output"];
    let held = held.is_object().then(|| held.to_string());
    let words = result["result"]
        .as_str()
        .filter(|text| text.contains("\"verdict\""));
    held.into_iter().chain(words.map(str::to_owned)).collect()
}

impl ClaudeResult {
    /// The reply. `spent` is what the process had cost before this turn, and is what it has cost after it.
    pub(super) fn into_reply(self, spent: &mut f64) -> Result<AgentReply, Failure> {
        let usage = self.turn_usage(spent);
        if let Some(kind) = self.failure_kind() {
            return Err(Failure::new(kind, self.failure_reason()).with_usage(Some(usage)));
        }
        // What came through the schema is the answer; else the words are, and whoever reads them decides.
        let raw = match self.structured_output {
            Some(object) => object.to_string(),
            None => self.result.unwrap_or_default(),
        };
        Ok(AgentReply {
            raw,
            usage: Some(usage),
        })
    }

    /// `is_error` first: `subtype` says `success` beside it, too.
    fn failure_kind(&self) -> Option<FailureKind> {
        if !self.is_error && self.subtype == "success" {
            return None;
        }
        Some(match (self.stop_reason.as_deref(), self.subtype.as_str()) {
            (Some("refusal"), _) => FailureKind::Refused,
            (Some("max_tokens"), _) | (_, "error_max_turns") => FailureKind::Truncated,
            (_, "error_max_structured_output_retries") => FailureKind::Malformed,
            (_, "error_max_budget_usd") => FailureKind::Quota,
            _ => match self.api_error_status {
                Some(status) => kind_of_status(status),
                None => kind_of_message(self.result.as_deref().unwrap_or_default()),
            },
        })
    }

    fn failure_reason(&self) -> String {
        let errors = || {
            self.errors.iter().map(|error| match error {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })
        };
        let text = match self.result.as_deref() {
            None | Some("") => errors().collect::<Vec<_>>().join("; "),
            Some(text) => text.to_owned(),
        };
        match (self.api_error_status, shorten_message(&text).as_str()) {
            (Some(status), text) => format!("claude: HTTP {status}: {text}"),
            (None, "") => format!("claude ended its turn with {}", self.subtype),
            (None, text) => format!("claude: {text}"),
        }
    }

    /// The cost accumulates over a process, the tokens are those of the turn.
    pub(super) fn turn_usage(&self, spent: &mut f64) -> Usage {
        let tokens = self.usage.unwrap_or_default();
        let whole = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        let cost = self.total_cost_usd.map(|total| {
            let turn = (total - *spent).max(0.0);
            *spent = total;
            turn
        });
        Usage {
            input_tokens: whole(tokens.input_tokens, tokens.cache_creation_input_tokens),
            written_tokens: tokens.cache_creation_input_tokens,
            cached_tokens: tokens.cache_read_input_tokens,
            output_tokens: tokens.output_tokens,
            cost_usd: cost,
            ..Usage::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(json: Value) -> FailureKind {
        let outcome: ClaudeResult = serde_json::from_value(json).unwrap();
        outcome.into_reply(&mut 0.0).unwrap_err().kind
    }

    #[test]
    fn success_beside_an_error_is_an_error() {
        use serde_json::json;
        let status = |status: u64| json!({"subtype": "success", "is_error": true, "api_error_status": status, "result": "no"});
        assert_eq!(kind(status(401)), FailureKind::Quota);
        assert_eq!(kind(status(429)), FailureKind::Quota);
        assert_eq!(kind(status(529)), FailureKind::Provider);
        assert_eq!(
            kind(json!({"subtype": "success", "is_error": true, "stop_reason": "refusal"})),
            FailureKind::Refused
        );
        assert_eq!(
            kind(json!({"subtype": "error_max_turns", "is_error": true})),
            FailureKind::Truncated
        );
        assert_eq!(
            kind(
                json!({"subtype": "success", "is_error": true, "result": "Not logged in · Please run /login"})
            ),
            FailureKind::Quota
        );
    }

    #[test]
    fn the_cost_of_a_turn_is_what_was_added() {
        let mut spent = 0.25;
        let json = serde_json::json!({"subtype": "success", "result": "x", "total_cost_usd": 0.75,
            "usage": {"input_tokens": 3, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 5, "output_tokens": 6}});
        let outcome: ClaudeResult = serde_json::from_value(json).unwrap();
        let usage = outcome.into_reply(&mut spent).unwrap().usage.unwrap();
        assert_eq!((usage.cost_usd, spent), (Some(0.5), 0.75));
        assert_eq!(
            (usage.input_tokens, usage.cached_tokens, usage.output_tokens),
            (Some(7), Some(5), Some(6))
        );
    }
}
