//! A backend as a child process: one JSON object a line, requests in, events out.

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use council_protocol::message::Manifest;
use council_protocol::{Backend, BackendError, Event, Request};
use serde::Serialize;

use crate::entry::words;

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
    let out = Arc::new(Output(Mutex::new(Some(Box::new(output)))));
    for line in input.split(b'\n') {
        let line = line?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Request>(&line) {
            Ok(Request::Close) => break,
            Ok(request) => answer(&mut backend, request, &out),
            Err(error) => out.error(format!("a request was not understood: {error}")),
        }
    }
    if let Err(message) = guarded(|| backend.close()).flattened("close") {
        out.error(message);
    }
    // The backend has said so itself, unless it failed; a second one is not written.
    out.event(&Event::Closed);
    Ok(())
}

/// The line that answers [`Request::Manifest`].
#[derive(Serialize)]
#[serde(tag = "type", rename = "manifest")]
struct ManifestLine<'a> {
    #[serde(flatten)]
    manifest: &'a Manifest,
}

fn answer(backend: &mut impl Backend, request: Request, out: &Arc<Output>) {
    let call = request.clone();
    let result = guarded(|| match request {
        Request::Manifest => {
            out.line(&ManifestLine {
                manifest: &backend.manifest(),
            });
            Ok(())
        }
        Request::Open { hello } => {
            let out = out.clone();
            backend.open(hello, Arc::new(move |event| out.event(&event)))
        }
        Request::Spawn { spec } => backend.spawn(spec),
        Request::Send { message } => backend.send(message),
        Request::Cancel { judge } => backend.cancel(&judge),
        Request::Shutdown { judge, grace_ms } => backend.shutdown(&judge, grace_ms),
        Request::Close => Ok(()),
    });
    let refusal = match result {
        Called::Done => return,
        Called::Refused(error) => error,
        Called::Panicked(words) => {
            BackendError::Other(format!("panicked in {}: {words}", call.name()))
        }
    };
    out.event(&call.refused(&refusal));
}

enum Called {
    Done,
    Refused(BackendError),
    Panicked(String),
}

impl Called {
    fn flattened(self, name: &str) -> Result<(), String> {
        match self {
            Self::Done => Ok(()),
            Self::Refused(error) => Err(format!("{name} was refused: {error}")),
            Self::Panicked(words) => Err(format!("panicked in {name}: {words}")),
        }
    }
}

fn guarded(call: impl FnOnce() -> Result<(), BackendError>) -> Called {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Called::Done,
        Ok(Err(error)) => Called::Refused(error),
        Err(payload) => {
            let said = words(&*payload).to_owned();
            // A payload may panic when it is dropped; this one is small and rare.
            std::mem::forget(payload);
            Called::Panicked(said)
        }
    }
}

/// Where the lines go, until the one that says `closed`.
struct Output(Mutex<Option<Box<dyn Write + Send>>>);

impl Output {
    fn event(&self, event: &Event) {
        self.line(event);
        if *event == Event::Closed {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn error(&self, message: String) {
        self.event(&Event::Error { message });
    }

    /// Writes one line whole, in one write: other threads' lines stand before or behind it.
    fn line(&self, value: &impl Serialize) {
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
