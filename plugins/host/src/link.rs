//! What a library is handed when a session is opened: `emit` and `log`.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

use council_abi::{ABI, Host, Str};

use crate::gate::EventGate;
use crate::log::{PluginLog, PluginLogLevel};

/// What a library is handed: `emit` and `log`, for ever. It is never freed, so that a late call finds nothing instead of
/// freed memory.
pub(crate) struct HostLink {
    gate: RwLock<Option<Arc<EventGate>>>,
    log: PluginLog,
}

impl HostLink {
    pub(crate) fn leak_link(gate: Arc<EventGate>, log: PluginLog) -> &'static Self {
        Box::leak(Box::new(Self {
            gate: RwLock::new(Some(gate)),
            log,
        }))
    }

    pub(crate) fn host(&'static self) -> &'static Host {
        Box::leak(Box::new(Host {
            struct_size: size_of::<Host>() as u32,
            abi: ABI,
            ctx: std::ptr::from_ref(self).cast_mut().cast::<c_void>(),
            emit: Some(emit),
            log: Some(log),
        }))
    }

    /// From here on nothing is heard.
    pub(crate) fn cut_link(&self) {
        *self.gate.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn gate(&self) -> Option<Arc<EventGate>> {
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
        let Some(gate) = (unsafe { ctx.cast::<HostLink>().as_ref() }).and_then(HostLink::gate)
        else {
            return;
        };
        if isize::try_from(event.len).is_err() {
            return gate.reject_overlong(&[], event.len as u64);
        }
        // SAFETY: the header says that the text is valid for this call.
        gate.receive_event(unsafe { event.bytes() });
    }));
}

#[expect(unsafe_code, reason = "is called by a foreign library")]
unsafe extern "C" fn log(ctx: *mut c_void, level: i32, message: Str) {
    const MAX_LOG_BYTES: usize = 4096;
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as in `emit`.
        let Some(link) = (unsafe { ctx.cast::<HostLink>().as_ref() }) else {
            return;
        };
        let message = Str {
            len: message.len.min(MAX_LOG_BYTES),
            ..message
        };
        // SAFETY: as in `emit`.
        let text = String::from_utf8_lossy(unsafe { message.bytes() });
        link.log.write_line(PluginLogLevel::from_c(level), &text);
    }));
}
