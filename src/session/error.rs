//! Why a session could not be brought to its end.

use std::io;
use std::path::{Path, PathBuf};

/// A session that has no outcome. Its judges were ended all the same.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A folder or file of the run could not be made, written or read.
    #[error("cannot {doing} {}: {cause}", path.display())]
    Disk {
        /// `write`, `read`, …
        doing: &'static str,
        path: PathBuf,
        /// What the disk said.
        cause: io::Error,
    },
    /// Another process goes on with the run.
    #[error("{run} goes on already: {holder} holds it")]
    GoesOn {
        /// The run's name.
        run: String,
        /// Who holds it, in its own words.
        holder: String,
    },
    /// There is no backend to run the judges.
    #[error("no backend was offered for this run")]
    NoOffer,
    /// The council waits for something that has no deadline: a fault of this program.
    #[error(
        "the council waits without a deadline: this is a fault, please report it with the run's journal"
    )]
    Stalled,
    /// A part of this program panicked.
    #[error("the run broke off: {0}")]
    Panicked(String),
    /// The runtime could not be started.
    #[error("cannot start the runtime: {0}")]
    Runtime(io::Error),
}

impl SessionError {
    /// Says what was being done to which path.
    pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |cause| Self::Disk { doing, path, cause }
    }
}
