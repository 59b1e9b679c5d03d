//! A judge at an API: the conversation is kept here and sent along whole, its beginning always the same bytes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::seat::{Api, Endpoint, Prime};
use council_protocol::task::Form;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::sync::oneshot;

use super::client::{Engine, Target, failed};
use super::form;
use super::prime::{self, Lead, Primer, SMALLEST};
use super::retry::{ATTEMPTS, Trouble, pause};
use super::sse::Events;
use super::wire::{self, Asked, Ended, Heard};
use crate::client::event;
use crate::{Conversation, Reply, Stop};

/// How many bytes of events carry one byte of an answer, at most; more is noise that nobody pays attention to.
const NOISE: u64 = 64;

/// The longest refusal that is told, in characters.
const LONGEST_REFUSAL: usize = 300;

/// A judge at an API.
pub(super) struct Talk {
    engine: Arc<Engine>,
    primer: Arc<Primer>,
    target: Target,
    endpoint: Endpoint,
    /// The models that are tried, in order; a conversation stays with the one that answered.
    models: Vec<String>,
    /// Models that were given up, and why.
    passed_over: Vec<String>,
    brief: Arc<str>,
    most_bytes: u64,
    /// Prompt and answer in turn.
    said: Vec<String>,
    /// Whether the endpoint takes our schema, as far as is known.
    structured: bool,
}

impl Talk {
    pub(super) fn new(
        engine: Arc<Engine>,
        primer: Arc<Primer>,
        target: Target,
        endpoint: Endpoint,
        models: Vec<String>,
        spec: &JudgeSpec,
    ) -> Self {
        Self {
            engine,
            primer,
            target,
            structured: endpoint.structured,
            endpoint,
            models,
            passed_over: Vec::new(),
            brief: Arc::clone(&spec.brief),
            most_bytes: spec.max_answer_bytes,
            said: Vec::new(),
        }
    }
}

impl Conversation for Talk {
    fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        let (raise, raised) = oneshot::channel::<()>();
        stop.on_raise(move || _ = raise.send(()));
        self.said.push(turn.prompt.clone());
        let time = Duration::from_millis(turn.timeout_ms);
        let engine = Arc::clone(&self.engine);
        let answered = engine.wait(async {
            tokio::select! {
                biased;
                Ok(()) = raised => Err(Failure::new(FailureKind::Cancelled, "the turn was cancelled")),
                answered = tokio::time::timeout(time, self.answer(time)) => answered.unwrap_or_else(|_| {
                    Err(Failure::new(FailureKind::Timeout, format!("no whole answer in {} ms", turn.timeout_ms)))
                }),
            }
        });
        let answered =
            answered.unwrap_or_else(|| Err(Failure::new(FailureKind::Died, "there is no runtime")));
        match answered {
            Ok(reply) => {
                self.said.push(reply.raw.clone());
                Ok(self.in_form(turn, reply))
            }
            Err(failure) => {
                // What was not answered was not said: prompt and answer go on in turn.
                self.said.pop();
                Err(failure)
            }
        }
    }
}

impl Talk {
    /// A structured reply to a turn that wants text is the text in it.
    fn in_form(&self, turn: &Turn, mut reply: Reply) -> Reply {
        let wants_text = self.structured && turn.task.form() == Form::Text;
        if let Some(text) = form::text_in(&reply.raw).filter(|_| wants_text) {
            reply.raw = text;
        }
        reply
    }

    /// Asks one model after another.
    async fn answer(&mut self, time: Duration) -> Result<Reply, Failure> {
        let until = Instant::now() + time;
        loop {
            let model = self.models[0].clone();
            let lead = self.wait_for_the_first(&model, time).await;
            let failure = match self.ask(&model, lead, until).await {
                Ok(mut reply) => {
                    let usage = reply.usage.get_or_insert_default();
                    usage.model = Some(model);
                    usage.passed_over.clone_from(&self.passed_over);
                    return Ok(reply);
                }
                Err(Trouble::Final(failure)) => return Err(failure),
                Err(Trouble::Next(failure) | Trouble::Unfit(failure)) => failure,
                Err(Trouble::Again { failure, .. }) => *failure,
            };
            if self.models.len() == 1 {
                return Err(self.with_history(failure));
            }
            self.passed_over.push(format!("{model}: {failure}"));
            self.models.remove(0);
        }
    }

    /// The last model's failure, with those before it.
    fn with_history(&self, failure: Failure) -> Failure {
        if self.passed_over.is_empty() {
            return failure;
        }
        let before = self.passed_over.join("; ");
        Failure::new(
            failure.kind,
            format!("{} (before it: {before})", failure.detail),
        )
    }

    /// In the first turn with a large brief only one judge goes ahead.
    async fn wait_for_the_first(&self, model: &str, time: Duration) -> Option<Lead> {
        let first_turn = self.said.len() == 1;
        if self.endpoint.prime == Prime::Off || !first_turn || self.brief.len() < SMALLEST {
            return None;
        }
        match self.primer.enter(self.target.host(), model, &self.brief) {
            prime::Turn::First(lead) => Some(lead),
            prime::Turn::After(first) => {
                prime::wait(first, time).await;
                None
            }
        }
    }

    /// Asks one model, again where that may help and time is left.
    async fn ask(
        &mut self,
        model: &str,
        lead: Option<Lead>,
        until: Instant,
    ) -> Result<Reply, Trouble> {
        let mut done = 0;
        loop {
            let trouble = match self.call(model, lead.as_ref()).await {
                Ok(heard) => return self.weigh(heard),
                Err(trouble) => trouble,
            };
            done += 1;
            let Trouble::Again { failure, after } = trouble else {
                if self.drops_schema(&trouble) {
                    continue;
                }
                return Err(trouble);
            };
            let pause = pause(done, after);
            let left = until.saturating_duration_since(Instant::now());
            if done >= ATTEMPTS || pause >= left {
                return Err(Trouble::again(tried(*failure, done), after));
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// A server that does not take the call may take it without our schema: the prompt describes the answer, too.
    fn drops_schema(&mut self, trouble: &Trouble) -> bool {
        matches!(trouble, Trouble::Unfit(_)) && std::mem::replace(&mut self.structured, false)
    }

    /// One call.
    async fn call(&self, model: &str, lead: Option<&Lead>) -> Result<Heard, Trouble> {
        let asked = Asked {
            endpoint: &self.endpoint,
            host: self.target.host(),
            model,
            brief: &self.brief,
            said: &self.said,
            schema: self.structured.then(form::schema),
        };
        let (path, query) = wire::path(self.endpoint.api, model);
        let body = serde_json::to_vec(&wire::body(&asked)).unwrap_or_default();
        let response = self
            .engine
            .post(&self.target, self.target.url(&path, query), body)
            .await?;
        if let Some(lead) = lead {
            lead.done();
        }
        self.read(response).await
    }

    /// Reads an answer, never more than it may have.
    async fn read(&self, mut response: Response) -> Result<Heard, Trouble> {
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        let streamed = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
        let (api, mut heard, mut events) = (self.endpoint.api, Heard::default(), Events::default());
        let (mut whole, mut bytes) = (Vec::new(), 0);
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(_) if heard.ended.is_some() => break,
                Err(error) => return Err(Trouble::again(failed(self.target.host(), &error), None)),
            };
            bytes += chunk.len() as u64;
            if streamed {
                events.take(&chunk, |data| hear(api, &mut heard, data));
            } else {
                whole.extend_from_slice(&chunk);
            }
            let most = self
                .most_bytes
                .saturating_mul(if streamed { NOISE } else { 8 })
                .max(1 << 20);
            if heard.text.len() as u64 > self.most_bytes || bytes > most {
                return Err(Trouble::Final(self.oversized()));
            }
            if let Some(error) = heard.error.take() {
                return Err(Trouble::again(
                    self.provider(&format!("failed while it answered: {error}")),
                    None,
                ));
            }
        }
        events.end(|data| hear(api, &mut heard, data));
        if !streamed {
            hear(api, &mut heard, &whole);
        }
        match heard.ended {
            Some(_) => Ok(heard),
            None => Err(Trouble::again(self.provider("cut the answer off"), None)),
        }
    }

    /// Whether what was heard is an answer.
    fn weigh(&self, heard: Heard) -> Result<Reply, Trouble> {
        let host = self.target.host();
        match heard.ended {
            Some(Ended::Refused) => {
                let said: String = heard.refusal.trim().chars().take(LONGEST_REFUSAL).collect();
                let detail = format!("the model at {host} declined: {said}");
                Err(Trouble::Next(Failure::new(FailureKind::Refused, detail)))
            }
            Some(Ended::Limit) => {
                let detail = format!(
                    "the answer breaks off at {} tokens: raise `max-tokens` of the agent",
                    self.endpoint.max_tokens
                );
                Err(Trouble::Next(Failure::new(FailureKind::Truncated, detail)))
            }
            _ if heard.text.trim().is_empty() => {
                let detail = format!("{host} answered without a word");
                Err(Trouble::Next(Failure::new(FailureKind::Empty, detail)))
            }
            _ if heard.text.len() as u64 > self.most_bytes => Err(Trouble::Final(self.oversized())),
            _ => Ok(Reply {
                raw: heard.text,
                usage: Some(heard.usage),
            }),
        }
    }

    fn oversized(&self) -> Failure {
        let detail = format!(
            "the answer has more than the {} bytes that are allowed",
            self.most_bytes
        );
        Failure::new(FailureKind::Oversized, detail)
    }

    fn provider(&self, what: &str) -> Failure {
        Failure::new(
            FailureKind::Provider,
            format!("{} {what}", self.target.host()),
        )
    }
}

fn hear(api: Api, heard: &mut Heard, data: &[u8]) {
    // What is no JSON (`[DONE]`) has nothing to say.
    if let Some(event) = event(data) {
        wire::hear(api, heard, &event);
    }
}

/// What is heard of a whole stream.
pub(super) fn heard<'a>(api: Api, pieces: impl Iterator<Item = &'a [u8]>) -> Heard {
    let (mut heard, mut events) = (Heard::default(), Events::default());
    for piece in pieces {
        events.take(piece, |data| hear(api, &mut heard, data));
    }
    events.end(|data| hear(api, &mut heard, data));
    heard
}

fn tried(failure: Failure, times: u32) -> Failure {
    match times {
        1 => failure,
        _ => Failure::new(
            failure.kind,
            format!("{} (tried {times} times)", failure.detail),
        ),
    }
}
