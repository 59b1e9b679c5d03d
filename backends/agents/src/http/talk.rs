//! A judge at an API: the conversation is kept here and sent along whole, its beginning always the same bytes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use council_protocol::seat::{Api, Endpoint, Prime};
use council_protocol::task::Form;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::sync::oneshot;

use super::client::{ApiTarget, HttpEngine, connection_failure};
use super::context::check_context;
use super::prime::{self, CachePrimer, MIN_BRIEF_BYTES, PrimerLead};
use super::retry::{CallError, MAX_ATTEMPTS, retry_pause};
use super::spending::TurnSpending;
use super::sse::EventStream;
use super::steps::TurnStep;
use super::tooling::ToolBelt;
use super::wire::{self, AnswerEnd, ApiAnswer, ApiMessage, ApiRequest};
use crate::client::parse_event;
use crate::schema::{self, AnswerSchema};
use crate::stop::TurnDraft;
use crate::{AgentReply, Conversation, StopSignal};

/// How long a server may take for what stands behind the end of an answer: what it counted, and its closing mark.
const LINGER: Duration = Duration::from_secs(2);

/// How many bytes of events carry one byte of an answer, at most; more is noise that nobody pays attention to.
const MAX_NOISE_RATIO: u64 = 64;

/// The most answers of a turn that are kept beside the one that counts.
const MAX_UNREAD: usize = 8;

/// The longest refusal that is told, in characters.
const MAX_REFUSAL_CHARS: usize = 300;

/// A judge at an API.
pub(super) struct HttpConversation {
    engine: Arc<HttpEngine>,
    primer: Arc<CachePrimer>,
    target: ApiTarget,
    endpoint: Endpoint,
    /// What is asked for now.
    form: Form,
    /// What an answer to it must hold.
    key: String,
    /// The models that are tried, in order; a conversation stays with the one that answered.
    models: Vec<String>,
    /// Models that were given up, and why.
    passed_over: Vec<String>,
    brief: Arc<str>,
    most_bytes: u64,
    proves: bool,
    /// Prompt and answer in turn, with the calls of tools between them.
    said: Vec<ApiMessage>,
    /// Whether the endpoint takes our schema, as far as is known.
    structured: bool,
    /// What the turn under way has cost.
    spending: TurnSpending,
    /// What has come of the answer under way.
    partial: String,
    /// The same for whoever ends the turn.
    draft: TurnDraft,
    /// What was said in answers of this turn that do not count.
    unread: Vec<String>,
    /// The most tokens of the answer under way.
    allowed_tokens: u32,
    /// What the judge may look things up with.
    tools: ToolBelt,
}

impl HttpConversation {
    pub(super) fn new(
        engine: Arc<HttpEngine>,
        primer: Arc<CachePrimer>,
        target: ApiTarget,
        endpoint: Endpoint,
        models: Vec<String>,
        tools: ToolBelt,
        spec: &JudgeSpec,
    ) -> Self {
        Self {
            tools,
            engine,
            primer,
            target,
            structured: endpoint.structured,
            endpoint,
            models,
            form: Form::Text,
            key: String::new(),
            passed_over: Vec::new(),
            brief: Arc::clone(&spec.brief),
            most_bytes: spec.max_answer_bytes,
            proves: spec.proves,
            said: Vec::new(),
            spending: TurnSpending::default(),
            partial: String::new(),
            draft: TurnDraft::default(),
            unread: Vec::new(),
            allowed_tokens: 0,
        }
    }
}

impl Conversation for HttpConversation {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        let (raise, raised) = oneshot::channel::<()>();
        stop.on_raise(move || _ = raise.send(()));
        let before = self.said.len();
        self.said.push(ApiMessage::Prompt(turn.prompt.clone()));
        self.tools.begin_turn();
        self.tools.name_turn(turn);
        self.form = schema::held_form(turn.task.form(), self.proves);
        self.key.clone_from(&turn.key);
        self.spending = TurnSpending::new(turn.spend.clone());
        self.partial.clear();
        self.draft = stop.draft().clone();
        self.unread.clear();
        let time = Duration::from_millis(turn.timeout_ms);
        self.take_up_turn(Instant::now() + time);
        let engine = Arc::clone(&self.engine);
        let answered = engine.block_on(async {
            tokio::select! {
                biased;
                Ok(()) = raised => Err(Failure::new(FailureKind::Cancelled, "the turn was cancelled")),
                answered = tokio::time::timeout(time, self.ask_models(time)) => answered.unwrap_or_else(|_| {
                    Err(Failure::new(FailureKind::Timeout, format!("no whole answer in {} ms", turn.timeout_ms)))
                }),
            }
        });
        let answered =
            answered.unwrap_or_else(|| Err(Failure::new(FailureKind::Died, "there is no runtime")));
        match answered {
            Ok(mut reply) => {
                self.said.push(ApiMessage::Answer(reply.raw.clone()));
                self.partial.clear();
                reply.usage = self.take_usage().map(|usage| Usage {
                    passed_over: self.passed_over.clone(),
                    ..usage
                });
                Ok(reply)
            }
            Err(failure) => {
                // What was not answered was not said: prompt and answer go on in turn.
                self.said.truncate(before);
                self.tools.mark_counted();
                Err(self.with_history(failure).with_usage(self.take_usage()))
            }
        }
    }
}

impl HttpConversation {
    /// Goes on with a turn where an earlier process left it: what was paid for is not asked again.
    fn take_up_turn(&mut self, until: Instant) {
        for step in self.tools.steps_of(self.endpoint.api, &self.models[0]) {
            if let Some(usage) = step.usage {
                self.spending.count_earlier(step.bytes, usage);
            }
            self.partial = step.beside;
            self.set_draft_aside();
            let results = self.tools.answer_calls(&step.calls, until);
            self.said.push(ApiMessage::Calls(step.said));
            self.said.push(ApiMessage::Results(results));
        }
    }

    /// What the turn has cost, with what was looked up in it.
    fn take_usage(&mut self) -> Option<Usage> {
        self.set_aside();
        let unread = std::mem::take(&mut self.unread);
        // A stream that breaks off tells no usage, and may have told an objection.
        let spent = self.spending.take_usage();
        let spent = spent.or_else(|| (!unread.is_empty()).then(Usage::default))?;
        Some(self.tools.add_to_usage(Usage { unread, ..spent }))
    }

    /// What has come so far is no answer: it is kept apart.
    fn set_aside(&mut self) {
        let said = std::mem::take(&mut self.partial);
        if !said.trim().is_empty() && self.unread.len() < MAX_UNREAD {
            self.unread.push(said);
        }
    }

    /// What is said beside a call of a tool is no answer yet; but one that has the key of its turn was meant as one, and
    /// what it objects to is told where the next one does not say it again.
    fn set_draft_aside(&mut self) {
        if !self.key.is_empty() && self.partial.contains(&self.key) {
            self.set_aside();
        }
        self.partial.clear();
    }

    /// What the answer of the turn is held to. It stays the same as long as the procedure does.
    fn schema(&self) -> Option<&'static AnswerSchema> {
        schema::answer_schema(self.form).filter(|_| self.structured)
    }

    /// Asks one model after another.
    async fn ask_models(&mut self, time: Duration) -> Result<AgentReply, Failure> {
        let until = Instant::now() + time;
        loop {
            let model = self.models[0].clone();
            let lead = self.wait_for_the_first(&model, time).await;
            let failure = match self.ask_model(&model, lead, until).await {
                Ok(reply) => return Ok(reply),
                Err(CallError::Final(failure)) => return Err(failure),
                Err(CallError::Next(failure) | CallError::Unfit(failure)) => failure,
                Err(CallError::Again { failure, .. }) => *failure,
            };
            if self.models.len() == 1 {
                return Err(failure);
            }
            self.passed_over.push(format!("{model}: {failure}"));
            self.models.remove(0);
            // What one model thought beside its calls means nothing to another.
            self.said.retain(|message| !message.is_tool_use());
        }
    }

    /// A turn's failure, with what was tried before it: also of a turn that was cancelled or ran out of time.
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
    async fn wait_for_the_first(&self, model: &str, time: Duration) -> Option<PrimerLead> {
        let is_first_turn = self.said.len() == 1;
        let pays = match self.endpoint.prime {
            Prime::Off => false,
            Prime::Auto => wire::keeps_prompts(self.endpoint.api, self.target.host()),
            Prime::On => true,
        };
        if !pays || !is_first_turn || self.brief.len() < MIN_BRIEF_BYTES {
            return None;
        }
        match self.primer.enter(self.target.host(), model, &self.brief) {
            prime::PrimerTurn::First(lead) => Some(lead),
            prime::PrimerTurn::After(first) => {
                prime::wait_for_first(first, time).await;
                None
            }
        }
    }

    /// Asks one model until it answers: what it looks up before goes back to it.
    async fn ask_model(
        &mut self,
        model: &str,
        lead: Option<PrimerLead>,
        until: Instant,
    ) -> Result<AgentReply, CallError> {
        loop {
            let heard = self.call_model(model, lead.as_ref(), until).await?;
            if !self.tools.runs_calls_of(&heard) {
                return self.check_answer(heard);
            }
            self.check_sent(&heard).map_err(CallError::Next)?;
            self.set_draft_aside();
            self.answer_calls(model, heard, until);
        }
    }

    /// Runs the tools that a model calls. Where the turn cannot pay for more than its answer, they are the last.
    fn answer_calls(&mut self, model: &str, heard: ApiAnswer, until: Instant) {
        if self
            .spending
            .approve_calls(model, self.sent_bytes(), 2)
            .is_err()
        {
            self.tools.make_calls_last();
        }
        let (calls, beside) = (heard.calls.clone(), heard.text.clone());
        let said = wire::spoken_calls(self.endpoint.api, heard);
        if let Some((bytes, usage)) = self.spending.last_call() {
            self.tools.keep_step(&TurnStep {
                api: self.endpoint.api,
                model: model.to_owned(),
                bytes,
                usage: Some(usage),
                calls: calls.clone(),
                beside,
                said: said.clone(),
            });
        }
        let results = self.tools.answer_calls(&calls, until);
        self.said.push(ApiMessage::Calls(said));
        self.said.push(ApiMessage::Results(results));
    }

    /// Makes one call, again where that may help and time is left.
    async fn call_model(
        &mut self,
        model: &str,
        lead: Option<&PrimerLead>,
        until: Instant,
    ) -> Result<ApiAnswer, CallError> {
        let mut done = 0;
        loop {
            let trouble = match self.call_once(model, lead).await {
                Ok(heard) => return Ok(heard),
                Err(trouble) => trouble,
            };
            done += 1;
            let CallError::Again { failure, after } = trouble else {
                if self.drops_feature(model, &trouble) {
                    continue;
                }
                return Err(trouble);
            };
            let pause = retry_pause(done, after);
            let left = until.saturating_duration_since(Instant::now());
            if done >= MAX_ATTEMPTS || pause >= left {
                return Err(CallError::retryable(with_attempts(*failure, done), after));
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// A server that does not take the call may take it without our schema, since the prompt describes the answer,
    /// too, or without tools. What it complains of goes first. The receipt says so of both: such an answer is held to
    /// nothing, and such a judge could not look.
    fn drops_feature(&mut self, model: &str, trouble: &CallError) -> bool {
        let CallError::Unfit(failure) = trouble else {
            return false;
        };
        let has_schema = self.schema().is_some();
        let drops_tools = self.tools.is_offered()
            && (!has_schema || super::tooling::is_about_tools(&failure.detail));
        if drops_tools {
            self.tools.give_up(failure.detail.clone());
            self.said.retain(|message| !message.is_tool_use());
            return true;
        }
        if has_schema {
            self.structured = false;
            self.passed_over
                .push(format!("{model} with a schema of the answer: {failure}"));
        }
        has_schema
    }

    /// Bytes of the conversation.
    fn sent_bytes(&self) -> u64 {
        let said: u64 = self.said.iter().map(ApiMessage::bytes).sum();
        self.brief.len() as u64 + said
    }

    async fn call_once(
        &mut self,
        model: &str,
        lead: Option<&PrimerLead>,
    ) -> Result<ApiAnswer, CallError> {
        self.set_aside();
        let bytes = self.sent_bytes();
        self.spending
            .approve_calls(model, bytes, 1)
            .map_err(CallError::Final)?;
        // What an answer may cost is decided before it is asked for, not when it is paid.
        let affordable = self.spending.affordable_tokens(model, bytes);
        self.allowed_tokens = affordable.map_or(self.endpoint.max_tokens, |tokens| {
            tokens.min(self.endpoint.max_tokens)
        });
        let endpoint = Endpoint {
            max_tokens: self.allowed_tokens,
            ..self.endpoint.clone()
        };
        let asked = ApiRequest {
            endpoint: &endpoint,
            host: self.target.host(),
            model,
            brief: &self.brief,
            said: &self.said,
            schema: self.schema(),
            tools: self.tools.tool_use(),
        };
        let (path, query) = wire::call_path(self.endpoint.api, model);
        let body = serde_json::to_vec(&wire::build_body(&asked)).unwrap_or_default();
        // From here on it may cost money, also if nobody waits for its end.
        self.spending.begin_call(model, bytes);
        let posted = self
            .engine
            .post_call(&self.target, self.target.call_url(&path, query), body)
            .await;
        let response = posted.map_err(|error| {
            if !error.was_taken {
                self.spending.take_back_call();
            }
            error.trouble
        })?;
        let heard = self.read_response(response, lead).await?;
        self.spending.end_call();
        Ok(heard)
    }

    /// Reads an answer, never more than it may have.
    async fn read_response(
        &mut self,
        mut response: Response,
        lead: Option<&PrimerLead>,
    ) -> Result<ApiAnswer, CallError> {
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
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
                    on_data(api, &mut heard, data);
                    // A prompt is in the cache once its answer begins: some servers send headers before they read it.
                    lead.into_iter().for_each(PrimerLead::release_others);
                });
                self.spending.update_call(&heard.usage);
                let new = heard.text.get(self.partial.len()..).unwrap_or_default();
                self.draft.push(new.as_bytes());
                self.partial.push_str(new);
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
        events.finish_stream(|data| on_data(api, &mut heard, data));
        if !streamed {
            on_data(api, &mut heard, &whole);
        }
        if let Some(error) = self.take_error(&mut heard) {
            return Err(error);
        }
        self.spending.update_call(&heard.usage);
        self.partial.clone_from(&heard.text);
        self.draft.set(&self.partial);
        match heard.ended {
            Some(_) => Ok(heard),
            None => Err(CallError::retryable(
                self.provider_failure("cut the answer off"),
                None,
            )),
        }
    }

    /// An error that came instead of an answer, or in the midst of one.
    fn take_error(&self, heard: &mut ApiAnswer) -> Option<CallError> {
        let error = heard.error.take()?;
        if error.is_refusal && heard.written_bytes() == 0 {
            let failure =
                self.provider_failure(&format!("does not take this call: {}", error.words));
            return Some(CallError::Unfit(failure));
        }
        let failure = self.provider_failure(&format!("failed while it answered: {}", error.words));
        Some(CallError::retryable(failure, None))
    }

    /// Whether the model was shown all that was sent.
    fn check_sent(&self, heard: &ApiAnswer) -> Result<(), Failure> {
        let said = self.said.iter().flat_map(ApiMessage::texts);
        let sent = std::iter::once(&*self.brief).chain(said);
        check_context(self.target.host(), sent, &heard.usage)
    }

    /// Whether what was heard is an answer.
    fn check_answer(&self, heard: ApiAnswer) -> Result<AgentReply, CallError> {
        let host = self.target.host();
        self.check_sent(&heard).map_err(CallError::Next)?;
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
                let key = if self.allowed_tokens < self.endpoint.max_tokens {
                    "--max-cost"
                } else {
                    "`max-tokens` of the agent"
                };
                let detail = format!(
                    "the answer breaks off at {} tokens: raise {key}",
                    self.allowed_tokens
                );
                Err(CallError::Next(Failure::new(
                    FailureKind::Truncated,
                    detail,
                )))
            }
            _ if heard.text.trim().is_empty() => {
                let detail = format!("{host} answered without a word");
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

fn on_data(api: Api, heard: &mut ApiAnswer, data: &[u8]) {
    // What is no JSON (`[DONE]`) has nothing to say.
    if let Some(event) = parse_event(data) {
        wire::on_event(api, heard, &event);
    }
}

/// What is heard of a whole stream.
pub(super) fn decode_pieces<'a>(api: Api, pieces: impl Iterator<Item = &'a [u8]>) -> ApiAnswer {
    let (mut heard, mut events) = (ApiAnswer::default(), EventStream::default());
    for piece in pieces {
        events.feed_bytes(piece, |data| on_data(api, &mut heard, data));
    }
    events.finish_stream(|data| on_data(api, &mut heard, data));
    heard
}

fn with_attempts(failure: Failure, times: u32) -> Failure {
    match times {
        1 => failure,
        _ => Failure::new(
            failure.kind,
            format!("{} (tried {times} times)", failure.detail),
        ),
    }
}
