//! The driver of agents that are APIs of models: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini, and
//! every server that speaks one of them.
//!
//! `genai` (0.7.2) was tried first and is a good client. It is not used because it makes the request's bytes itself: where a
//! cache marker stands, and that the brief begins every prompt with the same bytes from judge to judge and round to
//! round, is what the money depends on here. It also reads an answer whole before we can count its bytes, has no schema
//! for Anthropic's answers, and its TLS is the one that `deny.toml` bans. What it would have saved are the four files in
//! `wire/`; connections, TLS and streams are `reqwest`'s.

#[cfg(test)]
mod ambiguous_tests;
#[cfg(test)]
mod broken_tests;
#[cfg(test)]
mod called_answer_tests;
mod client;
mod connections;
mod context;
#[cfg(test)]
mod cost_tests;
mod prime;
mod reach;
mod refusal;
#[cfg(test)]
mod refusal_tests;
#[cfg(test)]
mod request_tests;
mod retry;
mod spending;
mod sse;
#[cfg(test)]
mod step_tests;
mod steps;
mod talk;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tool_tests;
mod tooling;
#[cfg(test)]
mod turn_tests;
mod window;
#[cfg(test)]
mod window_tests;
mod wire;

use std::sync::{Arc, OnceLock};

use council_protocol::seat::{AgentKind, Api, Endpoint};
use council_protocol::{Capability, CapabilitySet, Failure, FailureKind, JudgeId, JudgeSpec, Seat};

pub use self::connections::{begin_http_client, http_client};
pub use self::reach::unreachable_server;

use self::client::{ApiTarget, HttpEngine};
use self::prime::CachePrimer;
use self::talk::HttpConversation;
use self::tooling::ToolBelt;
use crate::agent::full_capabilities;
use crate::environment::is_forbidden;
use crate::tools::{CodeTools, ToolSetup};
use crate::{Agent, AgentContext, Conversation, SeatProbe};

/// What is heard of a stream that comes in pieces of `step` bytes, in words.
pub(crate) fn decode_stream(api: Api, stream: &[u8], step: usize) -> String {
    format!("{:?}", talk::decode_pieces(api, stream.chunks(step)))
}

/// APIs of models.
pub(crate) struct HttpAgent {
    context: Arc<AgentContext>,
    /// Connections, made when the first judge sits.
    engine: OnceLock<Result<Arc<HttpEngine>, String>>,
    primer: Arc<CachePrimer>,
}

impl HttpAgent {
    pub(crate) fn new(context: Arc<AgentContext>) -> Self {
        Self {
            context,
            engine: OnceLock::new(),
            primer: Arc::default(),
        }
    }

    fn shared_engine(&self) -> Result<Arc<HttpEngine>, Failure> {
        let engine = self
            .engine
            .get_or_init(|| HttpEngine::start(&self.context.env).map(Arc::new));
        let failure = |why: &String| Failure::new(FailureKind::Spawn, why.clone());
        engine.as_ref().map(Arc::clone).map_err(failure)
    }

    /// Where a seat's calls go, with the key; fails with what is missing.
    fn api_target(&self, seat: &Seat) -> Result<ApiTarget, Failure> {
        let endpoint = endpoint_of(seat)?;
        let key = endpoint
            .key
            .as_deref()
            .map(|name| self.read_key(name))
            .transpose()?;
        ApiTarget::new(endpoint, key).map_err(unusable_seat)
    }

    /// What a judge of this endpoint may look things up with.
    fn tool_belt(&self, judge: &JudgeId, endpoint: &Endpoint) -> ToolBelt {
        match (self.context.tools.clone(), endpoint.tool_calls) {
            (None, _) => ToolBelt::default(),
            (Some(_), 0) => ToolBelt::switched_off(),
            (Some(runner), max_calls) => ToolBelt::new(ToolSetup {
                runner,
                judge: judge.clone(),
                max_calls,
            }),
        }
    }

    /// The key in a variable. It is named in messages, its value never.
    fn read_key(&self, name: &str) -> Result<String, Failure> {
        if is_forbidden(name) {
            return Err(unusable_seat(format!(
                "{name} is a token of a forge, which no judge may use"
            )));
        }
        let value = self.context.env.get(name).and_then(|value| value.to_str());
        let value = value.map(str::trim).filter(|value| !value.is_empty());
        value.map(str::to_owned).ok_or_else(|| {
            unusable_seat(format!(
                "the environment variable {name}, which should hold the API key, is not set"
            ))
        })
    }
}

impl Agent for HttpAgent {
    fn driver_name(&self) -> &'static str {
        "http"
    }

    fn code_tools(&self) -> Option<Arc<dyn CodeTools>> {
        self.context.tools.clone()
    }

    /// The whole conversation goes along with every request, so a judge loses nothing between two turns; and an API has
    /// nothing that it could write to.
    fn capabilities(&self) -> CapabilitySet {
        full_capabilities()
    }

    /// Sends nothing: a call would cost money.
    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        let endpoint = endpoint_of(seat)?;
        self.api_target(seat)?;
        models_of(seat, endpoint)?;
        let mut capabilities = self.capabilities();
        if !endpoint.structured {
            capabilities.remove(&Capability::StructuredOutput);
        }
        Ok(SeatProbe {
            capabilities,
            note: String::new(),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        let endpoint = endpoint_of(&spec.seat)?;
        Ok(Box::new(HttpConversation::new(
            self.shared_engine()?,
            Arc::clone(&self.primer),
            self.api_target(&spec.seat)?,
            endpoint.clone(),
            models_of(&spec.seat, endpoint)?,
            self.tool_belt(&spec.seat.judge, endpoint),
            spec,
        )))
    }

    /// What is kept between two turns is what is to be sent again.
    fn open_per_turn_conversation(
        &self,
        spec: &JudgeSpec,
    ) -> Option<Result<Box<dyn Conversation>, Failure>> {
        Some(self.open_conversation(spec))
    }
}

fn endpoint_of(seat: &Seat) -> Result<&Endpoint, Failure> {
    match &seat.agent.kind {
        AgentKind::Http(endpoint) => Ok(endpoint),
        _ => Err(unusable_seat(format!(
            "agent `{}` is no API",
            seat.agent.name
        ))),
    }
}

/// The models of a seat in the order in which they are tried.
fn models_of(seat: &Seat, endpoint: &Endpoint) -> Result<Vec<String>, Failure> {
    let name = &seat.agent.name;
    let first = seat.agent.model.clone().ok_or_else(|| {
        unusable_seat(format!(
            "agent `{name}` has no model: set `agents.{name}.model`"
        ))
    })?;
    let mut models = vec![first];
    for model in &endpoint.fallback {
        if !models.contains(model) {
            models.push(model.clone());
        }
    }
    Ok(models)
}

fn unusable_seat(detail: String) -> Failure {
    Failure::new(FailureKind::Spawn, detail)
}
