//! Cleanup always: whatever became of the council, its backends are closed, and the wait is bounded.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use council_protocol::Request;

use super::opened::SessionBackend;

/// What a backend has beyond the grace of its judges.
pub(super) const CLOSE_MARGIN: Duration = Duration::from_secs(2);

/// Closes backends, each on a thread of its own since closing may block, and waits at most `bound` for all of them. Gives
/// the names of those that were left behind.
pub(super) fn close_backends(backends: Vec<SessionBackend>, bound: Duration) -> Vec<String> {
    let (done, closed) = channel();
    let mut open = Vec::new();
    for mut backend in backends {
        let name = backend.manifest().name.clone();
        let (done, closing) = (done.clone(), name.clone());
        let started = thread::Builder::new().name("close".into()).spawn(move || {
            let _ = backend.make_call(Request::Close);
            let _ = done.send(closing);
        });
        // Without a thread the backend is dropped, which ends what it holds as well as it can.
        if started.is_ok() {
            open.push(name);
        }
    }
    drop(done);
    let until = Instant::now() + bound;
    while !open.is_empty() {
        match closed.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(name) => open.retain(|other| *other != name),
            // The thread of whoever is left has panicked: nothing of it is left to wait for.
            Err(RecvTimeoutError::Disconnected) => return Vec::new(),
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    open
}
