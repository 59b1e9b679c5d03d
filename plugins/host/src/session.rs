//! A session of a loaded library: one thread that makes all its calls.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{Backend, BackendError, JudgeId, JudgeSpec, Request, Sink};

use crate::caller::CallThread;
use crate::gate::EventGate;
use crate::link::HostLink;
use crate::log::PluginLog;
use crate::{HostTimeouts, PluginLibrary};

/// A backend in a shared library.
///
/// Calls are put in a queue and made by a thread of the session's own; what is refused there comes back as an event.
/// [`Backend::close`] waits a bounded time: a library that does not come back is left behind until the process ends,
/// since a thread cannot be killed.
pub struct LibraryBackend {
    library: &'static PluginLibrary,
    gate: Arc<EventGate>,
    log: PluginLog,
    /// Until the session is opened.
    requests: Option<Receiver<Request>>,
    /// While it is open: says when `close` has returned.
    done: Option<Receiver<()>>,
    link: Option<&'static HostLink>,
    leaked: bool,
}

impl LibraryBackend {
    pub(crate) fn new(
        library: &'static PluginLibrary,
        log: PluginLog,
        patience: HostTimeouts,
    ) -> Self {
        let (post, requests) = mpsc::channel();
        let gate = EventGate::new(patience, post);
        gate.message_limit(library.manifest().limits.max_message_bytes);
        Self {
            library,
            gate,
            log,
            requests: Some(requests),
            done: None,
            link: None,
            leaked: false,
        }
    }

    /// Whether the library did not come back from a call and was left behind.
    pub fn leaked_sessions(&self) -> bool {
        self.leaked
    }

    fn start_session(&mut self, requests: Receiver<Request>) -> std::io::Result<()> {
        let (finished, done) = mpsc::channel();
        let link = HostLink::leak_link(self.gate.clone(), self.log.clone());
        let (gate, table) = (self.gate.clone(), *self.library.table());
        let name = |what: &str| thread::Builder::new().name(format!("council-{what}"));
        name("plugin").spawn(move || {
            CallThread {
                table,
                link,
                gate,
                live: None,
            }
            .run_calls(&requests, &finished)
        })?;
        let gate = self.gate.clone();
        name("keeper").spawn(move || gate.keep_time())?;
        (self.done, self.link) = (Some(done), Some(link));
        Ok(())
    }
}

impl Backend for LibraryBackend {
    fn manifest(&self) -> Manifest {
        self.library.manifest().clone()
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        self.gate.open(hello, sink)?;
        if let Some(requests) = self.requests.take() {
            self.start_session(requests).map_err(|error| {
                BackendError::Other(format!("no thread for the backend: {error}"))
            })?;
        }
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.gate.spawn(spec)
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.gate.send(message)
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.gate.cancel(judge)
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        self.gate.shutdown(judge, grace_ms)
    }

    fn close(&mut self) -> Result<(), BackendError> {
        let Some(done) = self.done.take() else {
            return Ok(());
        };
        let wait = self
            .gate
            .with_ledger(|ledger| ledger.begin_close(Instant::now()));
        self.gate.post_event(Request::Close);
        let result = match done.recv_timeout(wait) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                self.leaked = true;
                let what = format!(
                    "did not close within {} s; it is left behind until the program ends",
                    wait.as_secs_f32()
                );
                self.gate
                    .with_ledger(|ledger| ledger.log_note(what.clone()));
                Err(BackendError::Other(format!("the backend {what}")))
            }
        };
        if let Some(link) = self.link.take() {
            link.cut_link();
        }
        self.gate.with_ledger(|ledger| ledger.on_closed());
        result
    }
}

impl Drop for LibraryBackend {
    fn drop(&mut self) {
        // Whoever wants to know how it went has called it before.
        let _ = self.close();
    }
}
