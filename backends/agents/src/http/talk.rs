//! A judge at an API: the conversation is kept here and sent along whole, its beginning always the same bytes.

mod evidence;
mod fitting;
mod growth;
mod reading;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use council_protocol::seat::{Endpoint, Prime};
use council_protocol::task::Form;
use council_protocol::tokens::min_tokens;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use tokio::sync::oneshot;

use self::growth::PromptSize;
use super::client::{ApiTarget, HttpEngine};
use super::prime::{self, CachePrimer, MIN_BRIEF_BYTES, PrimerLead};
use super::retry::{CallError, MAX_ATTEMPTS, retry_pause};
use super::spending::TurnSpending;
use super::steps::TurnStep;
use super::tooling::ToolBelt;
use super::wire::{self, ApiAnswer, ApiMessage, ApiRequest, ServerHabits};
use crate::command::is_whole_answer;
use crate::schema::{self, AnswerSchema};
use crate::stop::TurnDraft;
use crate::tools::is_late;
use crate::{AgentReply, Conversation, StopSignal};

pub(super) use reading::decode_pieces;

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
    /// The least number of tokens that it has.
    brief_tokens: u64,
    most_bytes: u64,
    proves: bool,
    /// Prompt and answer in turn, with the calls of tools between them.
    said: Vec<ApiMessage>,
    /// Whether the endpoint takes our schema, as far as is known.
    structured: bool,
    /// What else it was found to want otherwise.
    habits: ServerHabits,
    /// What the turn under way has cost.
    spending: TurnSpending,
    /// What has come of the answer under way.
    partial: String,
    /// What the model thought in the call under way.
    thoughts: String,
    /// Whether they were meant as an answer, or come to a vote against the change.
    thinks_answer: bool,
    /// What it said in that call outside of its answer, and meant as one.
    asides: Vec<String>,
    /// How long the longest call of the turn took.
    longest_call: Duration,
    /// The same for whoever ends the turn.
    draft: TurnDraft,
    /// What was said in answers of this turn that do not count.
    unread: Vec<String>,
    /// The most tokens of the answer under way.
    allowed_tokens: u32,
    /// What the judge may look things up with.
    tools: ToolBelt,
    /// What the last call of the turn was read as.
    last_prompt: Option<PromptSize>,
    /// Whether the model was told in this turn that its answer is missing.
    is_reminded: bool,
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
            habits: ServerHabits::default(),
            endpoint,
            models,
            form: Form::Text,
            key: String::new(),
            passed_over: Vec::new(),
            brief: Arc::clone(&spec.brief),
            brief_tokens: min_tokens(&spec.brief),
            most_bytes: spec.max_answer_bytes,
            proves: spec.proves,
            said: Vec::new(),
            spending: TurnSpending::default(),
            partial: String::new(),
            thoughts: String::new(),
            thinks_answer: false,
            asides: Vec::new(),
            longest_call: Duration::ZERO,
            draft: TurnDraft::default(),
            unread: Vec::new(),
            allowed_tokens: 0,
            last_prompt: None,
            is_reminded: false,
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
        (self.last_prompt, self.is_reminded) = (None, false);
        self.tools.name_turn(turn);
        self.form = schema::held_form(turn.task.form(), self.proves);
        self.key.clone_from(&turn.key);
        self.spending = TurnSpending::new(turn.spend.clone());
        self.longest_call = Duration::ZERO;
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
                    Err(Failure::new(FailureKind::Timeout, format!("no whole answer in {} s", turn.timeout_ms.div_ceil(1_000))))
                }),
            }
        });
        let answered =
            answered.unwrap_or_else(|| Err(Failure::new(FailureKind::Died, "there is no runtime")));
        let has_ended = answered.is_ok();
        match answered.or_else(|failure| self.take_whole(failure)) {
            Ok(mut reply) => {
                self.said.push(ApiMessage::Answer(reply.raw.clone()));
                self.partial.clear();
                reply.usage = self.take_usage().map(|usage| Usage {
                    passed_over: self.passed_over.clone(),
                    killed: (!has_ended).then(|| "its stream had not ended in time".to_owned()),
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
    /// The answer that had come whole when the turn's time was over: that its stream did not end costs nobody the answer.
    fn take_whole(&mut self, failure: Failure) -> Result<AgentReply, Failure> {
        let is_whole = is_whole_answer(&self.key, self.partial.as_bytes());
        if failure.kind != FailureKind::Timeout || !is_whole {
            return Err(failure);
        }
        self.forget_thoughts();
        let raw = std::mem::take(&mut self.partial);
        Ok(AgentReply { raw, usage: None })
    }

    /// Goes on with a turn where an earlier process left it: what was paid for is not asked again.
    fn take_up_turn(&mut self, until: Instant) {
        let mut is_cut_off = false;
        for step in self.tools.steps_of(self.endpoint.api, &self.models[0]) {
            // What nobody has counted was paid for by a process that ended in the call behind it.
            is_cut_off = step.usage.is_some();
            if let Some(usage) = step.usage {
                self.spending.count_earlier(step.bytes, usage);
            }
            self.partial = step.beside;
            self.set_draft_aside();
            let results = self.tools.answer_calls(&step.calls, until);
            self.said.push(ApiMessage::Calls(step.said));
            self.said.push(ApiMessage::Results(results));
        }
        if is_cut_off {
            let bytes = self.sent_bytes();
            self.spending.count_cut_off(&self.models[0], bytes);
        }
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
                Err(CallError::Next(failure) | CallError::Unfit { failure, .. }) => failure,
                Err(CallError::Again { failure, .. }) => *failure,
            };
            if self.models.len() == 1 {
                return Err(failure);
            }
            self.passed_over.push(format!("{model}: {failure}"));
            self.models.remove(0);
            // What one model thought beside its calls means nothing to another.
            self.said.retain(|message| !message.is_tool_use());
            self.tools.forget_seen();
            self.spending.change_model();
            // How long an answer may be is a matter of the model, not of its server.
            self.habits.most_tokens = None;
            self.last_prompt = None;
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
        // A question that leaves nothing to pay for its answer is not asked.
        if !self.pays_for_look_ups(model) {
            self.tools.forbid_calls();
        }
        loop {
            let heard = self.call_model(model, lead.as_ref(), until).await?;
            self.check_growth(&heard).map_err(CallError::Next)?;
            let heard = self.take_called_answer(heard);
            if !self.tools.runs_calls_of(&heard) {
                if self.reminds_of_answer(&heard, until) {
                    continue;
                }
                let heard = self.find_answer(heard);
                self.check_sent(model, &heard, until)
                    .await
                    .map_err(CallError::Next)?;
                return self.check_answer(heard);
            }
            self.set_asides_aside(&heard);
            self.check_sent(model, &heard, until)
                .await
                .map_err(CallError::Next)?;
            self.set_draft_aside();
            self.answer_calls(model, heard, until);
        }
    }

    /// Runs the tools that a model calls. Where the turn cannot pay for more than its answer, or has no time for more, they
    /// are the last.
    fn answer_calls(&mut self, model: &str, heard: ApiAnswer, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        if !self.pays_for_look_ups(model) || is_late(left, self.longest_call) {
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
            let begun = Instant::now();
            let trouble = match self.call_once(model, lead).await {
                Ok(heard) => {
                    self.longest_call = self.longest_call.max(begun.elapsed());
                    return Ok(heard);
                }
                Err(trouble) => trouble,
            };
            done += 1;
            let CallError::Again { failure, after } = trouble else {
                if self.drops_feature(model, &trouble) {
                    self.last_prompt = None;
                    continue;
                }
                return Err(fitting::with_next_step(trouble));
            };
            let pause = retry_pause(done, after);
            let left = until.saturating_duration_since(Instant::now());
            if done >= MAX_ATTEMPTS || pause >= left {
                return Err(CallError::retryable(with_attempts(*failure, done), after));
            }
            self.tools.tell_repeat(&failure.detail, pause);
            tokio::time::sleep(pause).await;
        }
    }

    /// Whether the turn can pay for more than its answer.
    fn pays_for_look_ups(&self, model: &str) -> bool {
        self.spending
            .pays_for_look_ups(model, self.sent_bytes(), self.thought())
    }

    /// The most tokens that are thought in a call, beside its answer.
    fn thought(&self) -> u32 {
        let sent = self.habits.fit(self.endpoint.clone());
        sent.thinking.unwrap_or(0)
    }

    /// The endpoint as the call under way is sent to it.
    fn sent_endpoint(&self) -> Endpoint {
        let allowed = Endpoint {
            max_tokens: self.allowed_tokens,
            ..self.endpoint.clone()
        };
        self.habits.fit(allowed)
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
        let thought = self.thought();
        self.spending
            .approve_thought(model, bytes, thought)
            .map_err(CallError::Final)?;
        // What an answer may cost is decided before it is asked for, not when it is paid.
        let affordable = if self.tools.may_look_up() {
            self.spending
                .affordable_beside_answer(model, bytes, thought)
        } else {
            self.spending.affordable_tokens(model, bytes)
        };
        self.allowed_tokens = affordable.map_or(self.endpoint.max_tokens, |tokens| {
            let answer = tokens.saturating_sub(thought).max(1);
            answer.min(self.endpoint.max_tokens)
        });
        let endpoint = self.sent_endpoint();
        self.allowed_tokens = endpoint.max_tokens;
        let asked = ApiRequest {
            endpoint: &endpoint,
            habits: self.habits,
            host: self.target.host(),
            model,
            brief: &self.brief,
            said: &self.said,
            schema: self.schema(),
            tools: self.tools.tool_use(),
        };
        let (path, query) = wire::call_path(self.endpoint.api, model, self.habits);
        let body = serde_json::to_vec(&wire::build_body(&asked)).unwrap_or_default();
        // From here on it may cost money, also if nobody waits for its end.
        self.spending.begin_call(model, bytes);
        self.tell_spent();
        let posted = self
            .engine
            .post_call(&self.target, self.target.call_url(&path, query), body)
            .await;
        let response = posted.map_err(|error| {
            if !error.was_taken {
                self.spending.take_back_call();
                self.tell_spent();
            }
            error.trouble
        })?;
        let heard = self.read_response(response, lead).await?;
        self.spending.end_call();
        self.tell_spent();
        Ok(heard)
    }

    /// Whoever ends the turn from outside tells what it has cost until then.
    fn tell_spent(&self) {
        let spent = self.spending.usage_so_far();
        spent.iter().for_each(|spent| self.tools.tell_spent(spent));
        let spent = spent.map(|spent| self.tools.add_so_far(spent));
        self.draft.set_spent(spent);
    }
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
