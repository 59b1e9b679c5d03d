//! Loads a backend from a shared library or speaks with one that is a child process; both become a
//! [`council_protocol::Backend`].
//!
//! A plugin is code of somebody else, so nothing that it does is taken on trust: its file is checked before it is run
//! ([`Trusted`]), its table before it is called, and every event passes one gate that knows who was asked what, how
//! much a judge may send and how long it may take. Whatever goes wrong becomes an event about the judges concerned, and
//! the council goes on with those that are left.

#![warn(missing_docs)]

mod caller;
mod error;
mod gate;
mod head;
mod ledger;
mod library;
mod lines;
mod link;
mod log;
mod plugin;
mod process;
mod session;
mod stdio;
mod table;
mod trust;

use std::time::Duration;

pub use error::LoadError;
pub use library::PluginLibrary;
pub use log::{PluginLog, PluginLogLevel};
pub use plugin::{ConfiguredPlugin, PluginCarrier, PluginSurroundings};
pub use process::{LaunchSpec, ProcessHandle, StartProcess, launch_process};
pub use session::LibraryBackend;
pub use stdio::{PluginProgram, StdioBackend};
pub use trust::{TrustedFile, UntrustedFile};

/// How long the program waits for a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostTimeouts {
    /// For it to load, to give its manifest, and to open.
    pub start: Duration,
    /// Beyond what was granted: for a judge's end after its grace, for the session's close.
    pub margin: Duration,
}

impl Default for HostTimeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            margin: Duration::from_secs(2),
        }
    }
}
