//! What a conversation goes without where its server does not take it as it is.

use council_protocol::Failure;
use council_protocol::message::WITH_SCHEMA;

use super::HttpConversation;
use crate::http::retry::CallError;
use crate::http::tooling::{is_about_form, is_about_tools};
use crate::http::wire::{ApiMessage, RefusedCall, ToolUse, names_limit};

impl HttpConversation {
    /// A server that does not take the call may take it without our schema, since the prompt describes the answer,
    /// too, or without tools. What it complains of goes first. The receipt says so of both: such an answer is held to
    /// nothing, and such a judge could not look.
    pub(super) fn drops_feature(&mut self, model: &str, trouble: &CallError) -> bool {
        let CallError::Unfit { failure, body } = trouble else {
            return false;
        };
        let sent = RefusedCall {
            endpoint: &self.sent_endpoint(),
            has_tools: self.tools.tool_use() != ToolUse::Absent,
            has_calls: self.said.iter().any(ApiMessage::is_tool_use),
        };
        let mut learned = self.habits.learn(&sent, &failure.detail);
        if learned.is_empty() && !is_told(&failure.detail) {
            learned = self.habits.learn(&sent, body);
        }
        if learned.is_empty() && !is_told(&failure.detail) && !is_told(body) {
            learned = self.habits.give_up_wishes(&sent);
        }
        if !learned.is_empty() {
            let without = learned.join(", ");
            self.passed_over
                .push(format!("{model} with {without}: {failure}"));
            return true;
        }
        // Neither our schema nor our tools have anything to do with the limit of an answer.
        if names_limit(&failure.detail) {
            return false;
        }
        if self.sheds_look_ups(failure) {
            return true;
        }
        let has_schema = self.schema().is_some();
        let drops_tools =
            self.tools.is_offered() && (!has_schema || is_about_tools(&failure.detail));
        if drops_tools {
            self.tools.give_up(failure.detail.clone());
            self.said.retain(|message| !message.is_tool_use());
            return true;
        }
        if has_schema {
            self.structured = false;
            self.passed_over
                .push(format!("{model} {WITH_SCHEMA}: {failure}"));
        }
        has_schema
    }

    /// A conversation that look-ups made too long goes on without them: what it began with was taken.
    fn sheds_look_ups(&mut self, failure: &Failure) -> bool {
        let has_results = self.said.iter().any(ApiMessage::is_tool_use);
        let sheds = has_results && is_about_length(&failure.detail);
        if sheds {
            self.tools.give_up(failure.detail.clone());
            self.said.retain(|message| !message.is_tool_use());
        }
        sheds
    }
}

/// Whether a refusal says what it is about: neither the rest of its body nor a guess tells more.
fn is_told(refusal: &str) -> bool {
    names_limit(refusal)
        || is_about_length(refusal)
        || is_about_tools(refusal)
        || is_about_form(refusal)
}

/// Whether a refusal says that a prompt is too long.
fn is_about_length(refusal: &str) -> bool {
    const WORDS: [&str; 6] = [
        "(413",
        "context length",
        "context window",
        "too long",
        "too large",
        "input token count",
    ];
    let refusal = refusal.to_lowercase();
    WORDS.iter().any(|words| refusal.contains(words))
}

/// A server that wants a shorter answer, and does not say how long it may be, is told by the user.
pub(super) fn with_next_step(trouble: CallError) -> CallError {
    match trouble {
        CallError::Unfit { failure, body } if names_limit(&failure.detail) => {
            let detail = format!(
                "{}; set `max-tokens` of the agent to what it allows",
                failure.detail
            );
            let failure = Failure::new(failure.kind, detail);
            CallError::Unfit { failure, body }
        }
        other => other,
    }
}
