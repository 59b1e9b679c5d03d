//! The Rust mirror of `include/git_council.h`, which is the source of truth and says the rules.
//!
//! Layouts are compared with the header twice: here when the crate is compiled, and by `tests/header.rs`, which has a C
//! compiler check every offset. The header is written by hand because generators cannot render nullable function
//! pointers, which are what a growing table is made of (cbindgen#326).

#![warn(missing_docs)]

use std::ffi::c_void;
use std::mem::{offset_of, size_of};

/// The header itself, for tools that hand it to authors.
pub const HEADER: &str = include_str!("../include/git_council.h");

/// `GIT_COUNCIL_ABI`: the version of the interface.
pub const ABI: u32 = 1;

/// Name of the one symbol that a backend library exports.
pub const SYMBOL: &str = "git_council_backend_v1";

/// What a call returns.
pub mod status {
    /// `GC_OK`: the call was accepted.
    pub const OK: i32 = 0;
    /// `GC_ERROR`: refused; the reason was emitted as an error event.
    pub const ERROR: i32 = 1;
    /// `GC_PANICKED`: refused; a panic was caught on its way out.
    pub const PANICKED: i32 = 2;
    /// `GC_UNSUPPORTED`: refused; the capability is missing.
    pub const UNSUPPORTED: i32 = 3;
    /// `GC_CLOSED`: refused; the session is closing.
    pub const CLOSED: i32 = 4;
    /// `GC_UNKNOWN_JUDGE`: refused; there is no such judge.
    pub const UNKNOWN_JUDGE: i32 = 5;
}

/// Levels of [`Host::log`].
pub mod level {
    /// `GC_LOG_ERROR`: something failed.
    pub const ERROR: i32 = 1;
    /// `GC_LOG_WARN`: something is odd.
    pub const WARN: i32 = 2;
    /// `GC_LOG_INFO`: worth knowing.
    pub const INFO: i32 = 3;
    /// `GC_LOG_DEBUG`: for whoever writes the backend.
    pub const DEBUG: i32 = 4;
}

/// `gc_str`: bytes borrowed for one call.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Str {
    /// First byte; may be null when `len` is 0.
    pub ptr: *const u8,
    /// Number of bytes.
    pub len: usize,
}

impl Str {
    /// A string without bytes.
    pub const EMPTY: Self = Self {
        ptr: std::ptr::null(),
        len: 0,
    };

    /// Borrows `bytes`; the receiver may look at them only as long as they live.
    pub const fn new(bytes: &[u8]) -> Self {
        Self {
            ptr: bytes.as_ptr(),
            len: bytes.len(),
        }
    }

    /// The bytes; none when the pointer is null.
    ///
    /// # Safety
    ///
    /// Unless null, `ptr` must point to `len` readable bytes that nobody changes while `'a` lasts.
    #[expect(
        unsafe_code,
        reason = "reads what the other side of the C interface lends"
    )]
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.ptr.is_null() || self.len == 0 {
            return &[];
        }
        // SAFETY: the caller vouches for `ptr` and `len`.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }
}

/// `gc_session`: opaque, owned by the plugin.
#[repr(C)]
pub struct Session {
    _opaque: [u8; 0],
}

/// `emit` of [`Host`].
pub type Emit = unsafe extern "C" fn(ctx: *mut c_void, event: Str);
/// `log` of [`Host`].
pub type Log = unsafe extern "C" fn(ctx: *mut c_void, level: i32, message: Str);

/// `gc_host`: what the program gives to `open`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Host {
    /// Size of this struct as the program was built.
    pub struct_size: u32,
    /// [`ABI`] as the program was built.
    pub abi: u32,
    /// To be handed back.
    pub ctx: *mut c_void,
    /// Hands in one event.
    pub emit: Option<Emit>,
    /// Hands in one line of log.
    pub log: Option<Log>,
}

/// `manifest` of [`Backend`].
pub type Manifest = unsafe extern "C" fn() -> Str;
/// `open` of [`Backend`].
pub type Open =
    unsafe extern "C" fn(host: *const Host, hello: Str, session: *mut *mut Session) -> i32;
/// `spawn`, `send` and `cancel` of [`Backend`].
pub type Call = unsafe extern "C" fn(session: *mut Session, text: Str) -> i32;
/// `shutdown` of [`Backend`].
pub type Shutdown = unsafe extern "C" fn(session: *mut Session, judge: Str, grace_ms: u32) -> i32;
/// `close` of [`Backend`].
pub type Close = unsafe extern "C" fn(session: *mut Session) -> i32;

/// `gc_backend`: the table that a library exports. A member that is absent or null reads as `None`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Backend {
    /// Size of this struct as the library was built.
    pub struct_size: u32,
    /// [`ABI`] as the library was built.
    pub abi: u32,
    /// Hands out the manifest as static JSON.
    pub manifest: Option<Manifest>,
    /// Opens a session.
    pub open: Option<Open>,
    /// Seats a judge.
    pub spawn: Option<Call>,
    /// A probe or a turn.
    pub send: Option<Call>,
    /// Interrupts a judge's turn.
    pub cancel: Option<Call>,
    /// Asks a judge to end.
    pub shutdown: Option<Shutdown>,
    /// Ends the session.
    pub close: Option<Close>,
}

/// Type of the exported function [`SYMBOL`].
pub type Entry = unsafe extern "C" fn() -> *const Backend;

// The layout of the header on every target: two 32-bit numbers, then pointers.
const WORD: usize = size_of::<usize>();
const _: () = {
    assert!(size_of::<Str>() == 2 * WORD && offset_of!(Str, len) == WORD);
    assert!(offset_of!(Host, struct_size) == 0 && offset_of!(Host, abi) == 4);
    assert!(offset_of!(Host, ctx) == 8);
    assert!(offset_of!(Host, emit) == 8 + WORD && offset_of!(Host, log) == 8 + 2 * WORD);
    assert!(size_of::<Host>() == 8 + 3 * WORD);
    assert!(offset_of!(Backend, struct_size) == 0 && offset_of!(Backend, abi) == 4);
    assert!(offset_of!(Backend, manifest) == 8 && offset_of!(Backend, open) == 8 + WORD);
    assert!(
        offset_of!(Backend, spawn) == 8 + 2 * WORD && offset_of!(Backend, send) == 8 + 3 * WORD
    );
    assert!(offset_of!(Backend, cancel) == 8 + 4 * WORD);
    assert!(offset_of!(Backend, shutdown) == 8 + 5 * WORD);
    assert!(offset_of!(Backend, close) == 8 + 6 * WORD);
    assert!(size_of::<Backend>() == 8 + 7 * WORD);
};
