//! The files of a staged debate. A stage obeys the worktree's files by its nature: local only, models but never
//! commands.

mod folder;
mod outputs;
mod record;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use crate::council::plan::Intensity;
pub(crate) use folder::{StageContext, StageFolder};
pub(crate) use record::{CallLog, synthesis_line};
pub(crate) use settings::{StageRole, StageSettings};

use std::path::PathBuf;

/// Why a stage cannot be debated. Each names the file and what to put there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StageError {
    /// No stage was named, and the project does not say which one is current.
    #[error("no stage is named, and {file} does not say which one is current")]
    NoCurrent {
        /// The progress file.
        file: PathBuf,
    },
    /// A stage's name that is no plain folder name.
    #[error("`{0}` is no stage: a stage is the name of a folder below `stages/`")]
    BadName(String),
    /// A file that must be there is not.
    #[error("{file} is missing: {hint}")]
    Missing {
        file: PathBuf,
        /// What it is for.
        hint: &'static str,
    },
    /// A part of a path that is a symbolic link: what lies behind it may be anybody's.
    #[error(
        "{0} is a symbolic link, and a stage is debated over files of its own project only: whatever lies behind \
         the link would be sent to the models"
    )]
    Linked(PathBuf),
    /// A file that cannot be read or written.
    #[error("cannot use {file}: {cause}")]
    Io {
        file: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A file that does not parse.
    #[error("{file} cannot be understood: {cause}")]
    Syntax {
        file: PathBuf,
        /// Where and why.
        cause: String,
    },
    /// The settings have no entry for the stage.
    #[error("{file} has no roles for `{stage}`; it has {known}")]
    UnknownStage {
        /// The settings file.
        file: PathBuf,
        stage: String,
        /// The stages that it has.
        known: String,
    },
    /// A value that makes no sense.
    #[error("{file}: {what}")]
    Value {
        /// The settings file.
        file: PathBuf,
        /// What is wrong, and what would be right.
        what: String,
    },
}
