//! The thread that makes all calls of a session.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use council_abi::status;
use council_protocol::message::{Hello, Message};
use council_protocol::{BackendError, JudgeId, Request};

use crate::gate::EventGate;
use crate::link::HostLink;
use crate::table::{PluginTable, TableSession};

/// What the thread knows.
pub(crate) struct CallThread {
    pub(crate) table: PluginTable,
    pub(crate) link: &'static HostLink,
    pub(crate) gate: Arc<EventGate>,
    /// Once the library has opened it.
    pub(crate) live: Option<TableSession>,
}

impl CallThread {
    /// Makes every call in its turn, until the one that closes.
    pub(crate) fn run_calls(mut self, requests: &Receiver<Request>, finished: &Sender<()>) {
        while let Ok(request) = requests.recv() {
            if request == Request::Close {
                self.close_session();
                break;
            }
            self.make(&request);
        }
        // Where nobody waits any more, the session was given up.
        let _ = finished.send(());
    }

    fn make(&mut self, request: &Request) {
        let gate = self.gate.clone();
        let (status, reasons) = gate.during_call(|| self.send_call(request));
        match status_error(status, request, &reasons) {
            None => gate.with_ledger(|ledger| ledger.on_errors(reasons)),
            Some(error) if matches!(request, Request::Open { .. }) => {
                gate.with_ledger(|ledger| ledger.on_death(&format!("it did not open: {error}")));
            }
            // A judge that has ended meanwhile cannot be cancelled, and need not be.
            Some(_) if matches!(request, Request::Cancel { .. }) => {}
            Some(error) => {
                gate.with_ledger(|ledger| ledger.on_refused(request.refusal_event(&error)))
            }
        }
    }

    fn send_call(&mut self, request: &Request) -> i32 {
        if let Request::Open { hello } = request {
            return self.open_session(hello);
        }
        let Some(live) = &self.live else {
            return status::CLOSED;
        };
        match request {
            Request::Spawn { spec } => self
                .gate
                .receive_line(request, spec)
                .map_or(status::OK, |spec| live.spawn(&spec)),
            Request::Send { message } => self
                .gate
                .receive_line(request, message)
                .map_or(status::OK, |text| live.send(&text)),
            Request::Cancel { judge } => live.cancel(judge.as_str().as_bytes()),
            Request::Shutdown { judge, grace_ms } => {
                let grace = u32::try_from(*grace_ms).unwrap_or(u32::MAX);
                live.shutdown(judge.as_str().as_bytes(), grace)
            }
            Request::Manifest | Request::Open { .. } | Request::Close => status::OK,
        }
    }

    fn open_session(&mut self, hello: &Hello) -> i32 {
        // The protocol's types always serialise.
        let text = serde_json::to_vec(hello).unwrap_or_default();
        let (status, live) = self.table.open(self.link.host(), &text);
        match live {
            Some(live) if status == status::OK => self.live = Some(live),
            // Nothing was opened, whatever the pointer says.
            _ if status != status::OK => {}
            _ => {
                self.gate
                    .with_ledger(|ledger| ledger.on_death("it opened without a session"));
            }
        }
        status
    }

    fn close_session(&mut self) {
        if let Some(live) = self.live.take() {
            let (status, reasons) = self.gate.during_call(|| live.close());
            match status_error(status, &Request::Close, &reasons) {
                None => self.gate.with_ledger(|ledger| ledger.on_errors(reasons)),
                Some(error) => self
                    .gate
                    .with_ledger(|ledger| ledger.log_note(format!("had trouble closing: {error}"))),
            }
        }
    }
}

/// What a status means (header, "What a call returns").
fn status_error(status: i32, request: &Request, reasons: &[String]) -> Option<BackendError> {
    let because = |what: &str| match reasons {
        [] => BackendError::Other(format!("{what} and gave no reason")),
        reasons => BackendError::Other(reasons.join("; ")),
    };
    match status {
        status::OK => None,
        status::UNSUPPORTED => Some(BackendError::Unsupported(request.needs())),
        status::CLOSED => Some(BackendError::Closed),
        status::UNKNOWN_JUDGE => Some(BackendError::UnknownJudge(judge_of(request))),
        status::PANICKED => Some(because("it panicked")),
        status::ERROR => Some(because("it refused")),
        other => Some(because(&format!("it returned the unknown status {other}"))),
    }
}

fn judge_of(request: &Request) -> JudgeId {
    match request {
        Request::Spawn { spec } => spec.seat.judge.clone(),
        Request::Send {
            message: Message::Turn { judge, .. },
        }
        | Request::Cancel { judge }
        | Request::Shutdown { judge, .. } => judge.clone(),
        Request::Send {
            message: Message::Probe { seat },
        } => seat.judge.clone(),
        Request::Manifest | Request::Open { .. } | Request::Close => JudgeId::from(""),
    }
}
