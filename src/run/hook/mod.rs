//! Hooks of git: how they are installed, what a push is told, and the reviews that go on in the background.

pub(crate) mod background;
pub(crate) mod commits;
mod expected;
pub(crate) mod gate;
pub(crate) mod install;
pub(crate) mod machine_load;
mod managed_lines;
pub(crate) mod managers;
pub(crate) mod passing_secrets;
pub(crate) mod push;
pub(crate) mod push_news;
mod pusher;
mod requests;
pub(crate) mod script;
mod secret_search;
mod secret_words;
pub(crate) mod status;
mod timed_review;
pub(crate) mod updates;
