//! Reads what an API answers, and says whether it is an answer.

use std::time::Duration;

use council_protocol::seat::Api;
use council_protocol::{Failure, FailureKind};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use super::HttpConversation;
use crate::AgentReply;
use crate::client::parse_unique_event;
use crate::command::is_whole_answer;
use crate::http::client::connection_failure;
use crate::http::prime::PrimerLead;
use crate::http::retry::CallError;
use crate::http::sse::EventStream;
use crate::http::wire::{self, AnswerEnd, ApiAnswer};

/// How long a server may take for what stands behind the end of an answer: what it counted, and its closing mark.
const LINGER: Duration = Duration::from_secs(2);

/// How long a stream may be silent behind a whole answer until it is taken for its end.
const WHOLE_LINGER: Duration = Duration::from_secs(10);

/// So many blanks behind a whole answer are its end: a local model that a grammar holds to JSON may write them until its
/// limit, or for ever.
const MIN_TRAILING_BLANKS: usize = 16;

/// How many bytes of events carry one byte of an answer, at most; more is noise that nobody pays attention to.
const MAX_NOISE_RATIO: u64 = 64;

/// The longest refusal that is told, in characters.
const MAX_REFUSAL_CHARS: usize = 300;

impl HttpConversation {
    /// Reads an answer, never more than it may have.
    pub(super) async fn read_response(
        &mut self,
        mut response: Response,
        lead: Option<&PrimerLead>,
    ) -> Result<ApiAnswer, CallError> {
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok());
        let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
        let streamed = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
        let (api, mut heard, mut events) = (
            self.endpoint.api,
            ApiAnswer::default(),
            EventStream::default(),
        );
        let (mut whole, mut bytes) = (Vec::new(), 0);
        loop {
            // An answer is whole when the model says so: a server that lingers afterwards is not waited for.
            let next = match heard.ended {
                None if self.seems_whole(&heard) => {
                    match tokio::time::timeout(WHOLE_LINGER, response.chunk()).await {
                        Ok(next) => next,
                        Err(_) => {
                            heard.ended = Some(AnswerEnd::Done);
                            break;
                        }
                    }
                }
                None => response.chunk().await,
                Some(_) => match tokio::time::timeout(LINGER, response.chunk()).await {
                    Ok(next) => next,
                    Err(_) => break,
                },
            };
            let chunk = match next {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(_) if heard.ended.is_some() => break,
                Err(error) => {
                    return Err(CallError::retryable(
                        connection_failure(self.target.host(), &error),
                        None,
                    ));
                }
            };
            bytes += chunk.len() as u64;
            if streamed {
                events.feed_bytes(&chunk, |data| {
                    on_whole_event(api, &mut heard, data);
                    // A prompt is in the cache once its answer begins: some servers send headers before they read it.
                    lead.into_iter().for_each(PrimerLead::release_others);
                });
                self.spending.update_call(&heard.usage);
                self.hear(&heard);
                if heard.ended.is_none() && self.trails_off(&heard) {
                    heard.ended = Some(AnswerEnd::Done);
                    break;
                }
                // One that is whole is paid for anyway.
                if heard.ended.is_none()
                    && let Some(failure) = self.spending.check_stream(heard.written_bytes())
                {
                    return Err(CallError::Final(failure));
                }
            } else {
                whole.extend_from_slice(&chunk);
            }
            let most = self
                .most_bytes
                .saturating_mul(if streamed { MAX_NOISE_RATIO } else { 8 })
                .max(1 << 20);
            if heard.written_bytes() > self.most_bytes || bytes > most {
                return Err(CallError::Final(self.oversized_failure()));
            }
            if let Some(error) = self.take_error(&mut heard) {
                return Err(error);
            }
        }
        events.finish_stream(|data| {
            on_data(api, &mut heard, data);
        });
        if !streamed {
            on_data(api, &mut heard, &whole);
        }
        self.hear(&heard);
        if let Some(error) = self.take_error(&mut heard) {
            return Err(error);
        }
        self.spending.update_call(&heard.usage);
        if heard.ended == Some(AnswerEnd::Limit) && self.trails_off(&heard) {
            heard.ended = Some(AnswerEnd::Done);
        }
        match heard.ended {
            Some(_) => Ok(heard),
            // Asked again, it would show the page again.
            None if is_page => Err(CallError::Next(self.provider_failure(
                "answered with a web page (text/html), and no model did: is `url` that of its API, with `/v1` if it has one?",
            ))),
            None => {
                let what = match bytes {
                    0 => "sent an empty answer",
                    _ => "cut the answer off",
                };
                Err(CallError::retryable(self.provider_failure(what), None))
            }
        }
    }

    /// Whether what has come is a whole answer, with nothing behind it.
    fn seems_whole(&self, heard: &ApiAnswer) -> bool {
        let text = heard.text.trim_ascii_end();
        (text.ends_with('}') || text.ends_with("```"))
            && heard.calls.is_empty()
            && is_whole_answer(&self.key, text.as_bytes())
    }

    /// Whether nothing but blanks stands behind a whole answer any more.
    fn trails_off(&self, heard: &ApiAnswer) -> bool {
        let blanks = heard.text.len() - heard.text.trim_ascii_end().len();
        blanks >= MIN_TRAILING_BLANKS
            && heard.calls.is_empty()
            && is_whole_answer(&self.key, heard.text.as_bytes())
    }

    /// An error that came instead of an answer, or in the midst of one.
    fn take_error(&self, heard: &mut ApiAnswer) -> Option<CallError> {
        if let Some(why) = heard.ambiguous.take() {
            let detail = format!("{} sent an event that {why}", self.target.host());
            return Some(CallError::Next(Failure::new(
                FailureKind::Malformed,
                detail,
            )));
        }
        let error = heard.error.take()?;
        if error.is_refusal && heard.written_bytes() == 0 {
            let failure =
                self.provider_failure(&format!("does not take this call: {}", error.words));
            let body = failure.detail.as_str().into();
            return Some(CallError::Unfit { failure, body });
        }
        let failure = self.provider_failure(&format!("failed while it answered: {}", error.words));
        Some(CallError::retryable(failure, None))
    }

    /// Whether what was heard is an answer.
    pub(super) fn check_answer(&self, heard: ApiAnswer) -> Result<AgentReply, CallError> {
        let host = self.target.host();
        match heard.ended {
            Some(AnswerEnd::Refused) => {
                let said: String = heard
                    .refusal
                    .trim()
                    .chars()
                    .take(MAX_REFUSAL_CHARS)
                    .collect();
                let detail = format!("the model at {host} declined: {said}");
                Err(CallError::Next(Failure::new(FailureKind::Refused, detail)))
            }
            Some(AnswerEnd::Limit) => {
                let next_step = match self.habits.most_tokens {
                    Some(most) if most <= self.endpoint.max_tokens => {
                        format!("{host} allows no more: choose another model")
                    }
                    _ if self.allowed_tokens < self.endpoint.max_tokens => {
                        "raise --max-cost".to_owned()
                    }
                    _ => "raise `max-tokens` of the agent".to_owned(),
                };
                let detail = format!(
                    "the answer breaks off at {} tokens: {next_step}",
                    self.allowed_tokens
                );
                Err(CallError::Next(Failure::new(
                    FailureKind::Truncated,
                    detail,
                )))
            }
            _ if heard.text.trim().is_empty() => {
                let detail = match heard.calls.is_empty() {
                    true => format!("{host} answered without a word"),
                    false => {
                        format!("the model at {host} went on calling tools and gave no answer")
                    }
                };
                Err(CallError::Next(Failure::new(FailureKind::Empty, detail)))
            }
            _ if heard.text.len() as u64 > self.most_bytes => {
                Err(CallError::Final(self.oversized_failure()))
            }
            _ => Ok(AgentReply {
                raw: heard.text,
                usage: None,
            }),
        }
    }

    fn oversized_failure(&self) -> Failure {
        let detail = format!(
            "the answer has more than the {} bytes that are allowed",
            self.most_bytes
        );
        Failure::new(FailureKind::Oversized, detail)
    }

    fn provider_failure(&self, what: &str) -> Failure {
        Failure::new(
            FailureKind::Provider,
            format!("{} {what}", self.target.host()),
        )
    }
}

fn on_data(api: Api, heard: &mut ApiAnswer, data: &[u8]) -> EventReading {
    match parse_unique_event(data) {
        Ok(Some(event)) => wire::on_event(api, heard, &event),
        Ok(None) => return EventReading::NoJson,
        // It is no answer, but one of the two may object.
        Err(error) => refuse_event(heard, data, format!("says two things: {error}")),
    }
    EventReading::Json
}

/// What was read of an event.
#[derive(PartialEq, Eq)]
enum EventReading {
    Json,
    /// A mark such as `[DONE]`, or the head of an object.
    NoJson,
}

/// Reads an event behind which the stream goes on: what is missing of an object does not come any more, and may be the
/// better part of an objection.
fn on_whole_event(api: Api, heard: &mut ApiAnswer, data: &[u8]) {
    let is_object = data.trim_ascii_start().starts_with(b"{");
    if on_data(api, heard, data) == EventReading::NoJson && is_object {
        refuse_event(heard, data, "breaks off".to_owned());
    }
}

/// Keeps the words of an event that is no part of an answer.
fn refuse_event(heard: &mut ApiAnswer, data: &[u8], why: String) {
    heard.text.push_str(&String::from_utf8_lossy(data));
    heard.ambiguous = Some(why);
}

/// What is heard of an answer that comes in one piece.
pub(super) fn decode_whole(api: Api, body: &[u8]) -> ApiAnswer {
    let mut heard = ApiAnswer::default();
    on_data(api, &mut heard, body);
    heard
}

/// What is heard of a whole stream.
pub(in crate::http) fn decode_pieces<'a>(
    api: Api,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> ApiAnswer {
    let (mut heard, mut events) = (ApiAnswer::default(), EventStream::default());
    for piece in pieces {
        events.feed_bytes(piece, |data| on_whole_event(api, &mut heard, data));
    }
    events.finish_stream(|data| {
        on_data(api, &mut heard, data);
    });
    heard
}
