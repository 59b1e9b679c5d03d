//! What becomes of a file when an entry or a page is installed or removed.

use std::borrow::Cow;

/// What is to be done about a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The file's text afterwards.
    Write(String),
    Delete,
    /// It is as it should be.
    Nothing,
    /// It is the user's: why it stays as it is.
    Leave(Cow<'static, str>),
}

impl Step {
    /// The file stays as it is, and this is why.
    pub(super) fn leave(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Leave(why.into())
    }
}

pub(super) const EDITED: &str = "you have edited it";
