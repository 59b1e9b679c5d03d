//! What a conversation weighs, and that it only grows.

use council_protocol::Failure;
use council_protocol::tokens::{min_tokens, weigh_bytes};

use super::HttpConversation;
use crate::http::context::check_growth;
use crate::http::wire::{ApiAnswer, ApiMessage, ToolUse};

/// What a server has read of a conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct PromptSize {
    tokens: u64,
    /// Messages that it had.
    said: usize,
    tools: ToolUse,
}

impl HttpConversation {
    /// Whether the model was shown all that stood before it in the call before this one. A turn that begins may leave out
    /// what was thought in the last one.
    pub(super) fn check_growth(&mut self, heard: &ApiAnswer) -> Result<(), Failure> {
        let Some(tokens) = heard.usage.all_input_tokens().filter(|&tokens| tokens > 0) else {
            return Ok(());
        };
        let now = PromptSize {
            tokens,
            said: self.said.len(),
            tools: self.tools.tool_use(),
        };
        let before = self.last_prompt.replace(now);
        let Some(before) = before.filter(|before| before.tools == now.tools) else {
            return Ok(());
        };
        let new = self.said.get(before.said..).unwrap_or_default();
        let grown = new.iter().flat_map(ApiMessage::texts).map(min_tokens).sum();
        check_growth(self.target.host(), before.tokens, tokens, grown)
    }

    /// Bytes of the conversation, or as many as its tokens stand for: numbers, hashes and Chinese have more of them than
    /// prose has.
    pub(super) fn sent_bytes(&self) -> u64 {
        let said = self.said.iter().map(|message| {
            let least = message.texts().into_iter().map(min_tokens).sum();
            weigh_bytes(message.bytes(), least)
        });
        weigh_bytes(self.brief.len() as u64, self.brief_tokens) + said.sum::<u64>()
    }
}
