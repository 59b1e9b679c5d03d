//! Whether a model was shown all that was sent: where the server's count leaves a doubt, the server is asked.

use std::fmt::Write as _;
use std::time::Instant;

use council_protocol::Failure;
use council_protocol::seat::Endpoint;
use council_protocol::tokens::min_tokens;

use super::HttpConversation;
use super::reading::decode_whole;
use crate::http::client::read_bounded;
use crate::http::context::{PromptCount, PromptPlace, check_context, full_window};
use crate::http::wire::{self, ApiAnswer, ApiMessage, ApiRequest};

/// Nearer than this to the end of its window a server may have cut: it keeps some of it for the answer.
const NEAR_WINDOW: u64 = 64;

/// A smaller window than this holds no prompt of a review.
const LEAST_WINDOW: u64 = 1_000;

/// The shortest answer that all APIs can be asked for, in tokens.
const SHORTEST_ANSWER: u32 = 16;

/// Numbered words that a prompt is made longer by.
const PADDING_WORDS: usize = 256;

impl HttpConversation {
    /// Whether the model was shown all that was sent.
    pub(super) async fn check_sent(
        &mut self,
        model: &str,
        heard: &ApiAnswer,
        until: Instant,
    ) -> Result<(), Failure> {
        match self.count_of_sent(heard) {
            PromptCount::Whole => self.check_told_window(model, heard).await,
            PromptCount::Cut(failure) => Err(failure),
            PromptCount::Doubtful { read, failure } => {
                let is_whole = match self.engine.told_window(&self.target, model).await {
                    Some(window) => !is_full(read, window),
                    None => self.reads_a_longer_prompt(model, read, until).await,
                };
                if is_whole { Ok(()) } else { Err(failure) }
            }
        }
    }

    /// A judge that sits alone has nobody to be compared with: a server on this machine is asked in any case.
    async fn check_told_window(&self, model: &str, heard: &ApiAnswer) -> Result<(), Failure> {
        let read = heard.usage.all_input_tokens().unwrap_or(0);
        if !self.target.is_local() || read < LEAST_WINDOW {
            return Ok(());
        }
        match self.engine.told_window(&self.target, model).await {
            Some(window) if is_full(read, window) => {
                Err(full_window(self.target.host(), read, window))
            }
            _ => Ok(()),
        }
    }

    fn count_of_sent(&self, heard: &ApiAnswer) -> PromptCount {
        let said = self.said.iter().flat_map(ApiMessage::texts);
        let sent = std::iter::once(&*self.brief).chain(said);
        let place = PromptPlace {
            host: self.target.host(),
            brief: &self.brief,
            reports: &self.engine.windows,
        };
        check_context(place, sent, &heard.usage)
    }

    /// Whether the server counts more than `read` tokens of the same prompt with some words behind it. One whose window is
    /// full counts the same. False where that cannot be found out: it would be too dear, or nothing was counted.
    async fn reads_a_longer_prompt(&mut self, model: &str, read: u64, until: Instant) -> bool {
        let padding = padding();
        let bytes = self.sent_bytes() + padding.len() as u64;
        if self.spending.approve_calls(model, bytes, 1).is_err() {
            return false;
        }
        self.spending.begin_call(model, bytes);
        self.tell_spent();
        let time = until.saturating_duration_since(Instant::now());
        // What is left behind it is for telling that nothing came.
        let asked = tokio::time::timeout(time * 9 / 10, self.count_padded(model, &padding));
        let counted = asked.await.ok().flatten();
        if let Some(heard) = &counted {
            self.spending.update_call(&heard.usage);
            self.spending.end_call();
        }
        self.spending.count_as_earlier();
        self.tell_spent();
        let counted = counted.and_then(|heard| heard.usage.all_input_tokens());
        counted.is_some_and(|counted| counted >= read + min_tokens(&padding) / 2)
    }

    /// Asks for the shortest answer to the conversation with `padding` behind it.
    async fn count_padded(&self, model: &str, padding: &str) -> Option<ApiAnswer> {
        let habits = self.habits.without_stream();
        let endpoint = Endpoint {
            max_tokens: SHORTEST_ANSWER,
            effort: None,
            thinking: None,
            ..self.sent_endpoint()
        };
        let mut said = self.said.clone();
        said.last_mut()?.append(padding);
        let asked = ApiRequest {
            endpoint: &endpoint,
            habits,
            host: self.target.host(),
            model,
            brief: &self.brief,
            said: &said,
            schema: self.schema(),
            tools: self.tools.tool_use(),
        };
        let body = serde_json::to_vec(&wire::build_body(&asked)).ok()?;
        let (path, query) = wire::call_path(endpoint.api, model, habits);
        let url = self.target.call_url(&path, query);
        let posted = self.engine.post_call(&self.target, url, body).await;
        let body = read_bounded(posted.ok()?).await?;
        Some(decode_whole(endpoint.api, &body))
    }
}

fn is_full(read: u64, window: u64) -> bool {
    read.saturating_add(NEAR_WINDOW) >= window
}

/// Words that no tokenizer joins.
fn padding() -> String {
    let mut words = "\n\nThe rest of this prompt is padding, and means nothing:".to_owned();
    for number in 0..PADDING_WORDS {
        // Writing to a string cannot fail.
        let _ = write!(words, " word {number}");
    }
    words
}
