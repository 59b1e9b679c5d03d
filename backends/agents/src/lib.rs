//! How to speak with each agent, and how judges are held in this process.
//!
//! An [`Agent`] opens a [`Conversation`] for a judge; a conversation answers turns, one at a time, and may block while
//! it does. [`Agents`] is the table of all of them. [`Local`] holds conversations on threads of this process: a lane
//! of its own for each judge, or one lane for all.

mod acp;
mod agent;
mod builtin;
mod claude;
mod client;
mod codex;
pub mod command;
pub mod environment;
#[doc(hidden)]
pub mod fuzz;
pub mod guard;
#[cfg(feature = "http")]
mod http;
pub mod installed;
pub mod known;
mod local;
pub mod mailbox;
mod outlet;
mod process;
mod recorded;
mod report;
pub mod room;
mod rpc;
pub mod schema;
mod sitting;
mod stop;
mod table;

pub use agent::{Agent, Conversation, Probe, Reply, Workshop};
#[cfg(feature = "http")]
pub use http::connections;
pub use local::{Lanes, Local, Style};
pub use outlet::Outlet;
pub use sitting::{Memory, Sitting};
pub use stop::Stop;
pub use table::Agents;
