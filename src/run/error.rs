//! What the edge does with an error: its kind decides the exit code, its hints say the next step.

use std::fmt;

use crate::config::ConfigError;
use crate::git::GitError;
use crate::registry::SelectError;
use crate::session::SessionError;

/// An error as a user sees it.
#[derive(Debug, Clone)]
pub(crate) struct RunError {
    pub(crate) kind: RunErrorKind,
    /// The thing and the cause; may hold untrusted text.
    pub(crate) message: String,
    /// The next steps, one sentence each.
    pub(crate) hints: Vec<String>,
}

/// What went wrong, as far as the exit code cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunErrorKind {
    /// The command line, the configuration or the target: nothing was reviewed, and nothing will be until it is mended.
    Usage,
    /// The run broke down: nobody can say.
    Run,
    /// What was asked for could not be written.
    Output,
    /// The reader has gone; that is its right.
    BrokenPipe,
}

impl RunError {
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(RunErrorKind::Usage, message)
    }

    pub(crate) fn run(message: impl fmt::Display) -> Self {
        Self::new(RunErrorKind::Run, message)
    }

    pub(crate) fn output(what: &str, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::new(RunErrorKind::BrokenPipe, error),
            _ => Self::new(
                RunErrorKind::Output,
                format!("cannot write {what}: {error}"),
            ),
        }
    }

    /// Events that were asked for and could not be written. A reader that went away has lost them, too.
    pub(crate) fn lost_events(place: &str, error: &std::io::Error) -> Self {
        let message = format!("cannot write the events to {place}: {error}");
        Self::new(RunErrorKind::Output, message).hint(
            "the verdict stands; name a place with room, or a reader that stays until the end",
        )
    }

    fn new(kind: RunErrorKind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            message: message.to_string(),
            hints: Vec::new(),
        }
    }

    /// With one more next step.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn hints(mut self, hints: Vec<String>) -> Self {
        self.hints.extend(hints);
        self
    }
}

impl From<ConfigError> for RunError {
    fn from(error: ConfigError) -> Self {
        let hints = error.hints();
        Self::usage(error).hints(hints)
    }
}

impl From<GitError> for RunError {
    fn from(error: GitError) -> Self {
        let hints = error.hints();
        Self::usage(error).hints(hints)
    }
}

impl From<SelectError> for RunError {
    fn from(error: SelectError) -> Self {
        let rules = matches!(error, SelectError::Unavailable { .. });
        let error = Self::usage(error).hint("`git council doctor` says what is missing here");
        if rules {
            error.hint("the built-in rules need no agent: git council review --agents builtin")
        } else {
            error
        }
    }
}

impl From<SessionError> for RunError {
    fn from(error: SessionError) -> Self {
        let hint = match &error {
            SessionError::GoesOn { run, .. } => {
                Some(format!("`git council wait {run}` waits for its verdict"))
            }
            _ => None,
        };
        let error = Self::run(error);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
