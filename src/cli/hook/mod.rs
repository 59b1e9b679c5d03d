//! Hooks of git: how they are put in place, what they do, and what goes on in the background.

pub(crate) mod background;
pub(crate) mod install;
pub(crate) mod managers;
pub(crate) mod push;
pub(crate) mod script;
