//! What becomes of a file when an entry or a page is installed or removed.

/// What is to be done about a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The file's text afterwards.
    Write(String),
    Delete,
    /// It is as it should be.
    Nothing,
    /// It is the user's: why it stays as it is.
    Leave(&'static str),
}

pub(super) const EDITED: &str = "you have edited it";
