//! The driver of agents that are APIs of models: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini, and
//! every server that speaks one of them.
//!
//! `genai` (0.7.2) was tried first and is a good client. It is not used because it makes the request's bytes itself: where a
//! cache marker stands, and that the brief begins every prompt with the same bytes from judge to judge and round to
//! round, is what the money depends on here. It also reads an answer whole before we can count its bytes, has no schema
//! for Anthropic's answers, and its TLS is the one that `deny.toml` bans. What it would have saved are the four files in
//! `wire/`; connections, TLS and streams are `reqwest`'s.

mod client;
mod connections;
mod form;
mod prime;
mod retry;
mod sse;
mod talk;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::{Arc, OnceLock};

use council_protocol::seat::{AgentKind, Api, Endpoint};
use council_protocol::{Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat};

pub use self::connections::connections;

use self::client::{Engine, Target};
use self::prime::Primer;
use self::talk::Talk;
use crate::environment::is_forbidden;
use crate::{Agent, Conversation, Probe, Workshop};

/// What is heard of a stream that comes in pieces of `step` bytes, in words.
pub(crate) fn heard(api: Api, stream: &[u8], step: usize) -> String {
    format!("{:?}", talk::heard(api, stream.chunks(step)))
}

/// APIs of models.
pub(crate) struct Http {
    workshop: Arc<Workshop>,
    /// Connections, made when the first judge sits.
    engine: OnceLock<Result<Arc<Engine>, String>>,
    primer: Arc<Primer>,
}

impl Http {
    pub(crate) fn new(workshop: Arc<Workshop>) -> Self {
        Self {
            workshop,
            engine: OnceLock::new(),
            primer: Arc::default(),
        }
    }

    fn engine(&self) -> Result<Arc<Engine>, Failure> {
        let engine = self
            .engine
            .get_or_init(|| Engine::start(&self.workshop.env).map(Arc::new));
        let failure = |why: &String| Failure::new(FailureKind::Spawn, why.clone());
        engine.as_ref().map(Arc::clone).map_err(failure)
    }

    /// Where a seat's calls go, with the key; fails with what is missing.
    fn target(&self, seat: &Seat) -> Result<Target, Failure> {
        let endpoint = endpoint_of(seat)?;
        let key = endpoint
            .key
            .as_deref()
            .map(|name| self.key(name))
            .transpose()?;
        Target::new(endpoint, key).map_err(unusable)
    }

    /// The key in a variable. It is named in messages, its value never.
    fn key(&self, name: &str) -> Result<String, Failure> {
        if is_forbidden(name) {
            return Err(unusable(format!(
                "{name} is a token of a forge, which no judge may use"
            )));
        }
        let value = self.workshop.env.get(name).and_then(|value| value.to_str());
        let value = value.map(str::trim).filter(|value| !value.is_empty());
        value.map(str::to_owned).ok_or_else(|| {
            unusable(format!(
                "the variable {name}, which is to have the key, is not set"
            ))
        })
    }
}

impl Agent for Http {
    fn driver(&self) -> &'static str {
        "http"
    }

    /// The whole conversation goes along with every request, so a judge loses nothing between two turns; and an API has
    /// nothing that it could write to.
    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Message,
            Capability::Shutdown,
            Capability::Resume,
            Capability::StructuredOutput,
            Capability::ReadOnly,
            Capability::Cost,
        ])
    }

    /// Sends nothing: a call would cost money.
    fn probe(&self, seat: &Seat) -> Result<Probe, Failure> {
        let endpoint = endpoint_of(seat)?;
        self.target(seat)?;
        models(seat, endpoint)?;
        let mut capabilities = self.capabilities();
        if !endpoint.structured {
            capabilities.remove(&Capability::StructuredOutput);
        }
        Ok(Probe {
            capabilities,
            note: String::new(),
        })
    }

    fn open(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        let endpoint = endpoint_of(&spec.seat)?;
        Ok(Box::new(Talk::new(
            self.engine()?,
            Arc::clone(&self.primer),
            self.target(&spec.seat)?,
            endpoint.clone(),
            models(&spec.seat, endpoint)?,
            spec,
        )))
    }

    /// What is kept between two turns is what is to be sent again.
    fn open_per_turn(&self, spec: &JudgeSpec) -> Option<Result<Box<dyn Conversation>, Failure>> {
        Some(self.open(spec))
    }
}

fn endpoint_of(seat: &Seat) -> Result<&Endpoint, Failure> {
    match &seat.agent.kind {
        AgentKind::Http(endpoint) => Ok(endpoint),
        _ => Err(unusable(format!("agent `{}` is no API", seat.agent.name))),
    }
}

/// The models of a seat in the order in which they are tried.
fn models(seat: &Seat, endpoint: &Endpoint) -> Result<Vec<String>, Failure> {
    let name = &seat.agent.name;
    let first = seat.agent.model.clone().ok_or_else(|| {
        unusable(format!(
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

fn unusable(detail: String) -> Failure {
    Failure::new(FailureKind::Spawn, detail)
}
