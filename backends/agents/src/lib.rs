//! How to speak with each agent, and how judges are held in this process.
//!
//! An [`Agent`] opens a [`Conversation`] for a judge; a conversation answers turns, one at a time, and may block while
//! it does. [`Agents`] is the table of all of them. [`Local`] holds conversations on threads of this process: a thread
//! of its own for each judge, or one thread for all.

mod acp;
mod agent;
mod builtin;
mod claude;
mod client;
mod codex;
pub mod command;
pub mod environment;
mod extended;
#[doc(hidden)]
pub mod fuzz;
pub mod guard;
#[cfg(feature = "http")]
mod http;
pub mod installed;
pub mod known;
pub mod known_tools;
pub mod launcher_files;
mod linger;
mod local;
pub mod mailbox;
#[cfg(feature = "mcp")]
pub mod mcp_lines;
mod meant_answer;
mod outlet;
mod packet_copy;
pub mod private;
mod process;
mod recorded;
mod report;
pub mod room;
mod rpc;
pub mod schema;
mod sitting;
mod stop;
mod table;
mod thoughts;
mod tool;
mod tool_copy;
mod tool_listing;
pub mod tools;
pub mod trial;
mod turn_keeper;
mod withheld;

pub use agent::{Agent, AgentContext, AgentReply, Conversation, SeatProbe};
#[cfg(feature = "http")]
pub use http::{begin_http_client, http_client, unreachable_server};
pub use local::{LocalBackend, LocalStyle, ThreadSharing};
pub use outlet::EventOutlet;
pub use sitting::{JudgeMemory, SeatedJudge};
pub use stop::StopSignal;
pub use table::AgentTable;
pub use tool::files_of_tool;
