//! Why a plugin cannot be used.

use std::path::PathBuf;
use std::time::Duration;

use council_abi::{ABI, SYMBOL};
use council_protocol::PROTOCOL_VERSION;

use crate::trust::UntrustedFile;

/// Why a plugin could not be loaded or started. None of its judges has been seated.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Its file must not be run.
    #[error(transparent)]
    Untrusted(#[from] UntrustedFile),
    /// The system's loader refused it.
    #[error("cannot load {}: {cause}; check that it is a shared library for this machine, or use a backend over stdio", path.display())]
    Open {
        /// The library that was to be loaded.
        path: PathBuf,
        /// What the loader said.
        cause: String,
    },
    /// It is some other library.
    #[error("{} does not export {SYMBOL}: it is not a backend, or was built without export_backend!", path.display())]
    NoSymbol {
        /// The library that was loaded.
        path: PathBuf,
    },
    /// The exported function returned null.
    #[error("{} returned no table from {SYMBOL}; its author has to mend that", path.display())]
    NoTable {
        /// The library that was loaded.
        path: PathBuf,
    },
    /// Another version of the C interface.
    #[error("{} was built for version {found} of the interface and this program speaks {ABI}; get the build that fits", path.display())]
    Abi {
        /// The library that was loaded.
        path: PathBuf,
        /// The version that it was built for.
        found: u32,
    },
    /// The table ends too early.
    #[error("{} has a table of {found} bytes and {needed} are needed; its author has to set struct_size", path.display())]
    ShortTable {
        /// The library that was loaded.
        path: PathBuf,
        /// The `struct_size` that it gives.
        found: u32,
        /// The size of version 1.
        needed: usize,
    },
    /// A function is missing from the table.
    #[error("{} has no function {name} in its table; all seven are required", path.display())]
    NullFunction {
        /// The library that was loaded.
        path: PathBuf,
        /// The function that is null.
        name: &'static str,
    },
    /// The manifest is not one.
    #[error("{} has no usable manifest: {cause}", path.display())]
    Manifest {
        /// The library or program.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// No protocol version in common.
    #[error("{} speaks protocol {theirs:?} and this program speaks {PROTOCOL_VERSION}; get the build that fits", path.display())]
    Protocol {
        /// The library or program.
        path: PathBuf,
        /// What its manifest says.
        theirs: Vec<u32>,
    },
    /// It did not come back.
    #[error("{} gave no manifest within {} s; it was given up", path.display(), within.as_secs())]
    Slow {
        /// The library or program.
        path: PathBuf,
        /// How long it was waited for.
        within: Duration,
    },
    /// The program could not be started.
    #[error("cannot start {}: {cause}; check that it may be executed and that its interpreter is installed", path.display())]
    Start {
        /// The program that was to be started.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
}
