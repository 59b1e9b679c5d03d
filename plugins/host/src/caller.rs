//! The thread that makes all calls of a session.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use council_abi::status;
use council_protocol::message::{Hello, Message};
use council_protocol::{BackendError, JudgeId, Request};

use crate::gate::Gate;
use crate::link::Link;
use crate::table::{Live, Table};

/// What the thread knows.
pub(crate) struct Caller {
    pub(crate) table: Table,
    pub(crate) link: &'static Link,
    pub(crate) gate: Arc<Gate>,
    /// Once the library has opened it.
    pub(crate) live: Option<Live>,
}

impl Caller {
    /// Makes every call in its turn, until the one that closes.
    pub(crate) fn run(mut self, requests: &Receiver<Request>, finished: &Sender<()>) {
        while let Ok(request) = requests.recv() {
            if request == Request::Close {
                self.close();
                break;
            }
            self.make(&request);
        }
        // Where nobody waits any more, the session was given up.
        let _ = finished.send(());
    }

    fn make(&mut self, request: &Request) {
        let gate = self.gate.clone();
        let (status, reasons) = gate.calling(|| self.call(request));
        match status_error(status, request, &reasons) {
            None => gate.with(|ledger| ledger.errors(reasons)),
            Some(error) if matches!(request, Request::Open { .. }) => {
                gate.with(|ledger| ledger.dead(&format!("it did not open: {error}")));
            }
            // A judge that has ended meanwhile cannot be cancelled, and need not be.
            Some(_) if matches!(request, Request::Cancel { .. }) => {}
            Some(error) => gate.with(|ledger| ledger.refused(request.refused(&error))),
        }
    }

    fn call(&mut self, request: &Request) -> i32 {
        if let Request::Open { hello } = request {
            return self.open(hello);
        }
        let Some(live) = &self.live else {
            return status::CLOSED;
        };
        match request {
            Request::Spawn { spec } => self
                .gate
                .wire(request, spec)
                .map_or(status::OK, |spec| live.spawn(&spec)),
            Request::Send { message } => self
                .gate
                .wire(request, message)
                .map_or(status::OK, |text| live.send(&text)),
            Request::Cancel { judge } => live.cancel(judge.as_str().as_bytes()),
            Request::Shutdown { judge, grace_ms } => {
                let grace = u32::try_from(*grace_ms).unwrap_or(u32::MAX);
                live.shutdown(judge.as_str().as_bytes(), grace)
            }
            Request::Manifest | Request::Open { .. } | Request::Close => status::OK,
        }
    }

    fn open(&mut self, hello: &Hello) -> i32 {
        // The protocol's types always serialise.
        let text = serde_json::to_vec(hello).unwrap_or_default();
        let (status, live) = self.table.open(self.link.host(), &text);
        match live {
            Some(live) if status == status::OK => self.live = Some(live),
            // Nothing was opened, whatever the pointer says.
            _ if status != status::OK => {}
            _ => {
                self.gate
                    .with(|ledger| ledger.dead("it opened without a session"));
            }
        }
        status
    }

    fn close(&mut self) {
        if let Some(live) = self.live.take() {
            let (status, reasons) = self.gate.calling(|| live.close());
            match status_error(status, &Request::Close, &reasons) {
                None => self.gate.with(|ledger| ledger.errors(reasons)),
                Some(error) => self
                    .gate
                    .with(|ledger| ledger.note(format!("had trouble closing: {error}"))),
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
