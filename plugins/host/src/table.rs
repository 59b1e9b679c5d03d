//! A backend's table after the handshake: every function is there and may be called.

use std::path::{Path, PathBuf};

use council_abi::{ABI, Backend as Raw, Call, Close, Host, Manifest, Open, Session, Shutdown, Str};

use crate::error::LoadError;

/// The most bytes that a manifest may have.
const MANIFEST: usize = 1024 * 1024;

#[derive(Clone, Copy)]
pub(crate) struct PluginTable {
    manifest: Manifest,
    open: Open,
    spawn: Call,
    send: Call,
    cancel: Call,
    shutdown: Shutdown,
    close: Close,
}

impl PluginTable {
    /// Checks version, size and functions, in this order, and copies the functions.
    ///
    /// # Safety
    ///
    /// Unless null, `raw` must point to a static `gc_backend` whose `struct_size` tells the truth, or is at least as
    /// large as its first two members.
    #[expect(unsafe_code, reason = "reads the table of a foreign library")]
    pub(crate) unsafe fn read_table(raw: *const Raw, path: &Path) -> Result<Self, LoadError> {
        let path = || path.to_path_buf();
        if raw.is_null() {
            return Err(LoadError::NoTable { path: path() });
        }
        // SAFETY: not null, and the first two members are part of every version.
        let (found, size) = unsafe {
            (
                (&raw const (*raw).abi).read(),
                (&raw const (*raw).struct_size).read(),
            )
        };
        if found != ABI {
            return Err(LoadError::Abi {
                path: path(),
                found,
            });
        }
        if (size as usize) < size_of::<Raw>() {
            return Err(LoadError::ShortTable {
                path: path(),
                found: size,
                needed: size_of::<Raw>(),
            });
        }
        // SAFETY: the size was checked; a longer table has its additional functions behind those that are read.
        let raw = unsafe { raw.read() };
        Self::check_complete(raw, path)
    }

    fn check_complete(raw: Raw, path: impl Fn() -> PathBuf) -> Result<Self, LoadError> {
        let null = |name| LoadError::NullFunction { path: path(), name };
        Ok(Self {
            manifest: raw.manifest.ok_or_else(|| null("manifest"))?,
            open: raw.open.ok_or_else(|| null("open"))?,
            spawn: raw.spawn.ok_or_else(|| null("spawn"))?,
            send: raw.send.ok_or_else(|| null("send"))?,
            cancel: raw.cancel.ok_or_else(|| null("cancel"))?,
            shutdown: raw.shutdown.ok_or_else(|| null("shutdown"))?,
            close: raw.close.ok_or_else(|| null("close"))?,
        })
    }

    /// The manifest's bytes, copied.
    #[expect(unsafe_code, reason = "calls a foreign library")]
    pub(crate) fn manifest(&self) -> Result<Vec<u8>, String> {
        // SAFETY: the function takes nothing; the header says that what it returns stays valid for ever.
        let text = unsafe { (self.manifest)() };
        match text.len {
            0 => Err("it is empty; did the function panic?".into()),
            len if len > MANIFEST => Err(format!("it has {len} bytes, and {MANIFEST} are plenty")),
            // SAFETY: as above.
            _ => Ok(unsafe { text.bytes() }.to_vec()),
        }
    }

    /// Opens a session: the status, and the session when there is one.
    #[expect(unsafe_code, reason = "calls a foreign library")]
    pub(crate) fn open(&self, host: &'static Host, hello: &[u8]) -> (i32, Option<TableSession>) {
        let mut session: *mut Session = std::ptr::null_mut();
        // SAFETY: `host` lives for ever, `hello` and `session` for the call.
        let status = unsafe { (self.open)(host, Str::new(hello), &raw mut session) };
        let live = (!session.is_null()).then_some(TableSession {
            table: *self,
            session,
        });
        (status, live)
    }
}

/// An open session. It is neither `Send` nor `Sync`: the thread that opened it makes all its calls.
pub(crate) struct TableSession {
    table: PluginTable,
    session: *mut Session,
}

#[expect(unsafe_code, reason = "calls a foreign library")]
impl TableSession {
    pub(crate) fn spawn(&self, spec: &[u8]) -> i32 {
        // SAFETY: the session is open, this is its thread, and the text outlives the call.
        unsafe { (self.table.spawn)(self.session, Str::new(spec)) }
    }

    pub(crate) fn send(&self, message: &[u8]) -> i32 {
        // SAFETY: as in `spawn`.
        unsafe { (self.table.send)(self.session, Str::new(message)) }
    }

    pub(crate) fn cancel(&self, judge: &[u8]) -> i32 {
        // SAFETY: as in `spawn`.
        unsafe { (self.table.cancel)(self.session, Str::new(judge)) }
    }

    pub(crate) fn shutdown(&self, judge: &[u8], grace_ms: u32) -> i32 {
        // SAFETY: as in `spawn`.
        unsafe { (self.table.shutdown)(self.session, Str::new(judge), grace_ms) }
    }

    pub(crate) fn close(self) -> i32 {
        // SAFETY: as in `spawn`; `self` is consumed, so that the freed session is never used again.
        unsafe { (self.table.close)(self.session) }
    }
}
