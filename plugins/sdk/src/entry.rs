//! The seven functions of the table, for any backend: each catches panics and turns results into statuses.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use council_abi::{ABI, Backend as Table, Host, Session, Str, status};
use council_protocol::{Backend, BackendError, Event, JudgeId};
use serde::de::DeserializeOwned;

use crate::link::SdkLink;

/// What [`crate::export_backend!`] knows of a backend; implemented by the macro alone.
pub trait Plugin: 'static {
    /// Makes the backend of one session.
    fn make() -> Box<dyn Backend>;

    /// Where its manifest is kept once it was asked for.
    fn manifest() -> &'static OnceLock<String>;
}

/// The table of a plugin.
pub const fn table<P: Plugin>() -> Table {
    Table {
        struct_size: size_of::<Table>() as u32,
        abi: ABI,
        manifest: Some(manifest::<P>),
        open: Some(open::<P>),
        spawn: Some(spawn),
        send: Some(send),
        cancel: Some(cancel),
        shutdown: Some(shutdown),
        close: Some(close),
    }
}

/// What stands behind the opaque pointer.
struct OpenSession {
    backend: Box<dyn Backend>,
    link: Arc<SdkLink>,
}

extern "C" fn manifest<P: Plugin>() -> Str {
    let made = catch_unwind(|| {
        let text = P::manifest()
            .get_or_init(|| serde_json::to_string(&P::make().manifest()).unwrap_or_default());
        Str::new(text.as_bytes())
    });
    // There is no session yet through which the reason could be told; the host names the empty manifest.
    made.unwrap_or_else(|payload| {
        std::mem::forget(payload);
        Str::EMPTY
    })
}

#[expect(unsafe_code, reason = "implements a function of the C interface")]
unsafe extern "C" fn open<P: Plugin>(host: *const Host, hello: Str, out: *mut *mut Session) -> i32 {
    // SAFETY: the host passes a pointer to its table, of which the first two members are in every version.
    let known = unsafe {
        !host.is_null() && (*host).abi == ABI && (*host).struct_size >= size_of::<Host>() as u32
    };
    if !known || out.is_null() {
        return status::ERROR;
    }
    // SAFETY: the size was checked above.
    let link = SdkLink::new(unsafe { *host });
    let status = catch_call(&link, "open", || {
        // SAFETY: the host lends `hello` for this call.
        let hello = parse_json("hello", unsafe { hello.bytes() })?;
        let mut backend = P::make();
        let sink = {
            let link = link.clone();
            Arc::new(move |event: Event| link.emit(&event))
        };
        backend.open(hello, sink)?;
        let opened = Box::new(OpenSession {
            backend,
            link: link.clone(),
        });
        // SAFETY: `out` is not null and the host's to be written to; `close` takes the box back.
        unsafe { *out = Box::into_raw(opened).cast::<Session>() };
        Ok(())
    });
    if status != status::OK {
        link.close_link();
    }
    status
}

#[expect(unsafe_code, reason = "implements a function of the C interface")]
unsafe extern "C" fn spawn(session: *mut Session, spec: Str) -> i32 {
    // SAFETY: the host passes what `open` gave it, from one thread, and lends `spec` for this call.
    unsafe {
        with_session(session, "spawn", |backend| {
            backend.spawn(parse_json("judge spec", spec.bytes())?)
        })
    }
}

#[expect(unsafe_code, reason = "implements a function of the C interface")]
unsafe extern "C" fn send(session: *mut Session, message: Str) -> i32 {
    // SAFETY: as in `spawn`.
    unsafe {
        with_session(session, "send", |backend| {
            backend.send(parse_json("message", message.bytes())?)
        })
    }
}

#[expect(unsafe_code, reason = "implements a function of the C interface")]
unsafe extern "C" fn cancel(session: *mut Session, judge: Str) -> i32 {
    // SAFETY: as in `spawn`.
    unsafe {
        with_session(session, "cancel", |backend| {
            backend.cancel(&judge_id(judge.bytes())?)
        })
    }
}

#[expect(unsafe_code, reason = "implements a function of the C interface")]
unsafe extern "C" fn shutdown(session: *mut Session, judge: Str, grace_ms: u32) -> i32 {
    // SAFETY: as in `spawn`.
    unsafe {
        with_session(session, "shutdown", |backend| {
            backend.shutdown(&judge_id(judge.bytes())?, grace_ms.into())
        })
    }
}

#[expect(unsafe_code, reason = "implements a function of the C interface")]
unsafe extern "C" fn close(session: *mut Session) -> i32 {
    if session.is_null() {
        return status::CLOSED;
    }
    // SAFETY: the host passes what `open` gave it, once, and never uses it again.
    let mut opened = unsafe { Box::from_raw(session.cast::<OpenSession>()) };
    let link = opened.link.clone();
    let status = catch_call(&link, "close", || opened.backend.close());
    link.close_link();
    // Dropping a backend may panic as well.
    let dropped = catch_call(&link, "drop", || {
        drop(opened);
        Ok(())
    });
    if status == status::OK {
        dropped
    } else {
        status
    }
}

/// Makes one call to the backend behind `session`.
///
/// # Safety
///
/// `session` must be null or come from [`open`], and nobody else may use it meanwhile.
#[expect(unsafe_code, reason = "turns the opaque pointer back into what it was")]
unsafe fn with_session(
    session: *mut Session,
    name: &str,
    call: impl FnOnce(&mut dyn Backend) -> Result<(), BackendError>,
) -> i32 {
    // SAFETY: the caller vouches for the pointer.
    let Some(opened) = (unsafe { session.cast::<OpenSession>().as_mut() }) else {
        return status::CLOSED;
    };
    let backend = opened.backend.as_mut();
    catch_call(&opened.link, name, || call(backend))
}

/// Runs `call`, tells its reason and gives its status.
fn catch_call(link: &SdkLink, name: &str, call: impl FnOnce() -> Result<(), BackendError>) -> i32 {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => status::OK,
        Ok(Err(BackendError::Unsupported(_))) => status::UNSUPPORTED,
        Ok(Err(BackendError::UnknownJudge(_))) => status::UNKNOWN_JUDGE,
        Ok(Err(BackendError::Closed)) => status::CLOSED,
        Ok(Err(BackendError::Other(message))) => {
            link.emit(&Event::Error { message });
            status::ERROR
        }
        Err(payload) => {
            link.emit(&Event::Error {
                message: format!("panicked in {name}: {}", panic_message(&*payload)),
            });
            // A payload may panic when it is dropped; this one is small and rare.
            std::mem::forget(payload);
            status::PANICKED
        }
    }
}

/// What a panic said.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn parse_json<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, BackendError> {
    serde_json::from_slice(bytes)
        .map_err(|error| BackendError::Other(format!("the {what} was not understood: {error}")))
}

fn judge_id(bytes: &[u8]) -> Result<JudgeId, BackendError> {
    let name = std::str::from_utf8(bytes);
    name.map(JudgeId::from)
        .map_err(|_| BackendError::Other("the judge's name is not UTF-8".into()))
}
