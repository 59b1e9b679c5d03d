//! The way from a plugin to the program that loaded it.

use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use council_abi::{Host, Str, level};
use council_protocol::Event;

/// How much a line of log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Something failed, and the backend cannot go on as it should.
    Error,
    /// Something is odd.
    Warn,
    /// Something worth knowing happened.
    Info,
    /// For whoever looks for a fault.
    Debug,
}

/// The session that was opened last, for [`log`].
static LATEST: Mutex<Weak<SdkLink>> = Mutex::new(Weak::new());

/// Hands a line to the program's log: through the session that was opened last in this library, or else to stderr,
/// which the program captures from a backend that is a child process. Never print to stdout.
pub fn log(level: LogLevel, message: &str) {
    let latest = LATEST
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .upgrade();
    match latest {
        Some(link) => link.log(level, message),
        None => {
            use std::io::Write;
            // A log that cannot be written has nowhere to say so.
            let _ = writeln!(std::io::stderr(), "{message}");
        }
    }
}

/// The program's two functions, until the session is closed.
pub(crate) struct SdkLink {
    host: Host,
    open: RwLock<bool>,
}

#[expect(
    unsafe_code,
    reason = "the host's context is a raw pointer that any thread may hand back"
)]
// SAFETY: the header grants that `emit` and `log` may be called from any thread with the same `ctx`.
unsafe impl Send for SdkLink {}
#[expect(
    unsafe_code,
    reason = "the host's context is a raw pointer that any thread may hand back"
)]
// SAFETY: as above.
unsafe impl Sync for SdkLink {}

impl SdkLink {
    /// Takes the functions of a host whose handshake was checked.
    pub(crate) fn new(host: Host) -> Arc<Self> {
        let link = Arc::new(Self {
            host,
            open: RwLock::new(true),
        });
        *LATEST.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&link);
        link
    }

    /// Hands in an event, unless the session is closed.
    #[expect(unsafe_code, reason = "calls the host through its table")]
    pub(crate) fn emit(&self, event: &Event) {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let (true, Some(emit), Ok(json)) = (*open, self.host.emit, serde_json::to_vec(event))
        else {
            return;
        };
        // SAFETY: `emit` and `ctx` belong together, the host stays valid while the process lives (header, rule 8),
        // and `json` outlives the call.
        unsafe { emit(self.host.ctx, Str::new(&json)) }
    }

    #[expect(unsafe_code, reason = "calls the host through its table")]
    fn log(&self, level: LogLevel, message: &str) {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let (true, Some(log)) = (*open, self.host.log) else {
            return;
        };
        let level = match level {
            LogLevel::Error => level::ERROR,
            LogLevel::Warn => level::WARN,
            LogLevel::Info => level::INFO,
            LogLevel::Debug => level::DEBUG,
        };
        // SAFETY: as for `emit`.
        unsafe { log(self.host.ctx, level, Str::new(message.as_bytes())) }
    }

    /// From here on nothing is emitted; waits for those who are at it.
    pub(crate) fn close_link(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = false;
    }
}
