//! A backend as a child process: one JSON object a line, requests in, events out.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use council_protocol::message::Manifest;
use council_protocol::{Backend, BackendError, Event, Request};
use serde::Serialize;

use crate::entry::panic_message;

/// Serves `backend` over stdin and stdout until it is closed or stdin ends: the whole `main` of a backend that is a
/// program of its own.
///
/// # Errors
///
/// When stdin cannot be read. What cannot be written is lost with the program that ought to have read it.
pub fn serve_stdio(backend: impl Backend) -> io::Result<()> {
    serve(io::stdin().lock(), io::stdout(), backend)
}

/// [`serve_stdio`] over any two streams.
///
/// # Errors
///
/// When `input` cannot be read.
pub fn serve(
    input: impl BufRead,
    output: impl Write + Send + 'static,
    mut backend: impl Backend,
) -> io::Result<()> {
    let out = Arc::new(LineOutput(Mutex::new(Some(Box::new(output)))));
    for line in input.split(b'\n') {
        let line = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Request>(&line) {
            Ok(Request::Close) => break,
            Ok(request) => answer_request(&mut backend, request, &out),
            Err(error) => out.write_error(format!("a request was not understood: {error}")),
        }
    }
    if let Err(message) = catch_call(|| backend.close()).into_result("close") {
        out.write_error(message);
    }
    // The backend has said so itself, unless it failed; a second one is not written.
    out.write_event(&Event::Closed);
    Ok(())
}

/// The line that answers [`Request::Manifest`].
#[derive(Serialize)]
#[serde(tag = "type", rename = "manifest")]
struct ManifestLine<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
}

fn answer_request(backend: &mut impl Backend, request: Request, out: &Arc<LineOutput>) {
    let call = request.clone();
    let result = catch_call(|| match request {
        Request::Manifest => {
            out.write_value(&ManifestLine {
                manifest: &backend.manifest(),
            });
            Ok(())
        }
        Request::Open { hello } => {
            let out = out.clone();
            backend.open(hello, Arc::new(move |event| out.write_event(&event)))
        }
        Request::Spawn { spec } => backend.spawn(spec),
        Request::Send { message } => backend.send(message),
        Request::Cancel { judge } => backend.cancel(&judge),
        Request::Shutdown { judge, grace_ms } => backend.shutdown(&judge, grace_ms),
        Request::Close => Ok(()),
    });
    let refusal = match result {
        CallOutcome::Done => return,
        CallOutcome::Refused(error) => error,
        CallOutcome::Panicked(words) => {
            BackendError::Other(format!("panicked in {}: {words}", call.name()))
        }
    };
    out.write_event(&call.refusal_event(&refusal));
}

enum CallOutcome {
    Done,
    Refused(BackendError),
    Panicked(String),
}

impl CallOutcome {
    fn into_result(self, name: &str) -> Result<(), String> {
        match self {
            Self::Done => Ok(()),
            Self::Refused(error) => Err(format!("{name} was refused: {error}")),
            Self::Panicked(words) => Err(format!("panicked in {name}: {words}")),
        }
    }
}

fn catch_call(call: impl FnOnce() -> Result<(), BackendError>) -> CallOutcome {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => CallOutcome::Done,
        Ok(Err(error)) => CallOutcome::Refused(error),
        Err(payload) => {
            let said = panic_message(&*payload).to_owned();
            // A payload may panic when it is dropped; this one is small and rare.
            std::mem::forget(payload);
            CallOutcome::Panicked(said)
        }
    }
}

/// Where the lines go, until the one that says `closed`.
struct LineOutput(Mutex<Option<Box<dyn Write + Send>>>);

impl LineOutput {
    fn write_event(&self, event: &Event) {
        self.write_value(event);
        if *event == Event::Closed {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn write_error(&self, message: String) {
        self.write_event(&Event::Error { message });
    }

    /// Writes one line whole, in one write: other threads' lines stand before or behind it.
    fn write_value(&self, value: &impl Serialize) {
        let Ok(mut bytes) = serde_json::to_vec(value) else {
            return;
        };
        bytes.push(b'\n');
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stream) = out.as_mut() else { return };
        if stream
            .write_all(&bytes)
            .and_then(|()| stream.flush())
            .is_err()
        {
            *out = None;
        }
    }
}
