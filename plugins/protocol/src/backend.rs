//! The capability contract as a trait: calls that return at once, and a sink through which every event comes back.

use std::sync::Arc;

use crate::message::{Event, Hello, JudgeSpec, Manifest, Message};
use crate::{Capability, JudgeId};

/// Where a backend puts its events: any thread, never blocks, never fails.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// A way to run judges: built in, loaded from a library, or spoken with over stdio.
///
/// Every call returns at once; what it leads to comes back as an [`Event`]. Calls of one backend never come two at a
/// time, and all but `close` from one thread. Each backend owns its runtime.
pub trait Backend: Send {
    /// Name, version and best capabilities; may be asked before `open`.
    fn manifest(&self) -> Manifest;

    /// Opens it; answered by [`Event::Opened`]. Everything after goes to `sink`.
    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError>;

    /// Seats a judge; answered by [`Event::Started`] or [`Event::Failed`].
    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError>;

    /// A probe or a turn.
    fn send(&mut self, message: Message) -> Result<(), BackendError>;

    /// Interrupts what the judge is doing; it stays seated. The turn comes back as failed with `cancelled`.
    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError>;

    /// Asks a judge to end within `grace_ms` milliseconds, then ends it; answered by [`Event::Ended`].
    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError>;

    /// Ends everything that is left, at once, and answers [`Event::Closed`]. Closing twice is fine. It may block until
    /// nothing of it runs any more; the program bounds the wait.
    fn close(&mut self) -> Result<(), BackendError>;
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The backend cannot do this at all.
    #[error("the backend cannot {0}")]
    Unsupported(Capability),
    /// There is no such judge.
    #[error("there is no judge {0}")]
    UnknownJudge(JudgeId),
    /// It was closed, or never opened.
    #[error("the backend is closed")]
    Closed,
    /// Any other reason, in words.
    #[error("{0}")]
    Other(String),
}
