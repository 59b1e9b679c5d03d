//! The pre-push hook at a terminal.

mod passing;
pub(crate) mod push;
