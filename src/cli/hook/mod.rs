//! The pre-push hook at a terminal.

pub(crate) mod news;
mod passing;
pub(crate) mod push;
mod pusher;
mod words;

pub(crate) use words::separate_arguments;
