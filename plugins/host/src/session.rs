//! A session of a loaded library: one thread that makes all its calls.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::Instant;

use council_abi::{ABI, Host, Str, status};
use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{Backend, BackendError, JudgeId, JudgeSpec, Request, Sink};

use crate::gate::Gate;
use crate::log::{Level, Log};
use crate::table::{Live, Table};
use crate::{Library, Patience};

/// A backend in a shared library.
///
/// Calls are put in a queue and made by a thread of the session's own; what is refused there comes back as an event.
/// [`Backend::close`] waits a bounded time: a library that does not come back is left behind until the process ends,
/// since a thread cannot be killed.
pub struct LibraryBackend {
    library: &'static Library,
    gate: Arc<Gate>,
    log: Log,
    /// Until the session is opened.
    requests: Option<Receiver<Request>>,
    /// While it is open: says when `close` has returned.
    done: Option<Receiver<()>>,
    link: Option<&'static Link>,
    leaked: bool,
}

impl LibraryBackend {
    pub(crate) fn new(library: &'static Library, log: Log, patience: Patience) -> Self {
        let (post, requests) = mpsc::channel();
        let gate = Gate::new(patience, post);
        gate.limit(library.manifest().limits.max_message_bytes);
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
    pub fn leaked(&self) -> bool {
        self.leaked
    }

    fn start(&mut self, requests: Receiver<Request>) -> std::io::Result<()> {
        let (finished, done) = mpsc::channel();
        let link = Link::leak(self.gate.clone(), self.log.clone());
        let (gate, table) = (self.gate.clone(), *self.library.table());
        let name = |what: &str| thread::Builder::new().name(format!("council-{what}"));
        name("plugin").spawn(move || {
            Caller {
                table,
                link,
                gate,
                live: None,
            }
            .run(&requests, &finished)
        })?;
        let gate = self.gate.clone();
        name("keeper").spawn(move || gate.keep())?;
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
            self.start(requests).map_err(|error| {
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
        let wait = self.gate.with(|ledger| ledger.closing(Instant::now()));
        self.gate.post(Request::Close);
        let result = match done.recv_timeout(wait) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                self.leaked = true;
                let what = format!(
                    "did not close within {} s; it is left behind until the program ends",
                    wait.as_secs_f32()
                );
                self.gate.with(|ledger| ledger.note(what.clone()));
                Err(BackendError::Other(format!("the backend {what}")))
            }
        };
        if let Some(link) = self.link.take() {
            link.cut();
        }
        self.gate.with(|ledger| ledger.closed());
        result
    }
}

impl Drop for LibraryBackend {
    fn drop(&mut self) {
        // Whoever wants to know how it went has called it before.
        let _ = self.close();
    }
}

/// What a library is handed: `emit` and `log`, for ever. It is never freed, so that a late call finds nothing instead of
/// freed memory.
struct Link {
    gate: RwLock<Option<Arc<Gate>>>,
    log: Log,
}

impl Link {
    fn leak(gate: Arc<Gate>, log: Log) -> &'static Self {
        Box::leak(Box::new(Self {
            gate: RwLock::new(Some(gate)),
            log,
        }))
    }

    fn host(&'static self) -> &'static Host {
        Box::leak(Box::new(Host {
            struct_size: size_of::<Host>() as u32,
            abi: ABI,
            ctx: std::ptr::from_ref(self).cast_mut().cast::<c_void>(),
            emit: Some(emit),
            log: Some(log),
        }))
    }

    /// From here on nothing is heard.
    fn cut(&self) {
        *self.gate.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn gate(&self) -> Option<Arc<Gate>> {
        self.gate
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[expect(unsafe_code, reason = "is called by a foreign library")]
unsafe extern "C" fn emit(ctx: *mut c_void, event: Str) {
    // A panic of the program's own sink must not cross into C.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `ctx` is the link that was leaked when the session was opened.
        let Some(gate) = (unsafe { ctx.cast::<Link>().as_ref() }).and_then(Link::gate) else {
            return;
        };
        if isize::try_from(event.len).is_err() {
            return gate.overlong(&[], event.len as u64);
        }
        // SAFETY: the header says that the text is valid for this call.
        gate.receive(unsafe { event.bytes() });
    }));
}

#[expect(unsafe_code, reason = "is called by a foreign library")]
unsafe extern "C" fn log(ctx: *mut c_void, level: i32, message: Str) {
    const LONGEST: usize = 4096;
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as in `emit`.
        let Some(link) = (unsafe { ctx.cast::<Link>().as_ref() }) else {
            return;
        };
        let message = Str {
            len: message.len.min(LONGEST),
            ..message
        };
        // SAFETY: as in `emit`.
        let text = String::from_utf8_lossy(unsafe { message.bytes() });
        link.log.line(Level::from_c(level), &text);
    }));
}

/// The thread of a session.
struct Caller {
    table: Table,
    link: &'static Link,
    gate: Arc<Gate>,
    live: Option<Live>,
}

impl Caller {
    fn run(mut self, requests: &Receiver<Request>, finished: &Sender<()>) {
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
