//! A backend that becomes another one when it is opened.

use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{
    Backend, BackendError, Capability, JudgeId, JudgeSpec, PROTOCOL_VERSION, Sink,
};

use crate::judges::backend;

/// The backend that its configuration names, for the carriers: `{"backend": "teams"}`.
#[derive(Default)]
pub(crate) struct Chosen(Option<Box<dyn Backend>>);

impl Chosen {
    fn open_one(&mut self) -> Result<&mut Box<dyn Backend>, BackendError> {
        self.0.as_mut().ok_or(BackendError::Closed)
    }
}

impl Backend for Chosen {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "scripted".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: Capability::known().collect(),
            limits: Default::default(),
        }
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        let name = hello.config["backend"].as_str().unwrap_or("teams");
        let chosen = backend(name)
            .ok_or_else(|| BackendError::Other(format!("there is no backend {name}")))?;
        self.0.insert(chosen).open(hello, sink)
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.open_one()?.spawn(spec)
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.open_one()?.send(message)
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.open_one()?.cancel(judge)
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        self.open_one()?.shutdown(judge, grace_ms)
    }

    fn close(&mut self) -> Result<(), BackendError> {
        self.0.as_mut().map_or(Ok(()), |open| open.close())
    }
}
