//! Hooks of git: how they are installed, and the reviews that go on in the background.

pub(crate) mod background;
pub(crate) mod install;
mod managed_lines;
pub(crate) mod managers;
pub(crate) mod passing_secrets;
pub(crate) mod script;
