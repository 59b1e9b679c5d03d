//! The pre-push hook at a terminal.

pub(crate) mod push;
