//! The contract of git-council: everything that a judge, a backend and the program say to each other.
//!
//! Plain serde types, pure functions over them, and two traits ([`Backend`], [`BlobSource`]). No clock, no file, no
//! socket: time is milliseconds since the run began, and what must be read is read by whoever implements a trait.

#![warn(missing_docs)]

pub mod added;
pub mod answer;
pub mod backend;
mod ballot;
pub mod capability;
pub mod change;
pub mod coverage;
pub mod evidence;
pub mod json;
pub mod message;
pub mod packet;
pub mod path;
pub mod price;
mod quote;
pub mod quoted;
pub mod reproduction;
pub mod request;
pub mod round;
pub mod seat;
pub mod steering;
pub mod task;
pub mod tokens;
pub mod tool_call;
mod unified;
pub mod worker;

pub use added::AddedText;
pub use answer::{Answer, Confidence, Finding, Location, Severity, Vote};
pub use backend::{Backend, BackendError, Sink};
pub use capability::{Capability, CapabilitySet, Limits};
pub use change::{BlobSource, FileChange, Hunk, LineKind, Side};
pub use coverage::{Coverage, CoverageState, SeenPart};
pub use evidence::{Proof, prove_quote};
pub use message::{Event, Failure, FailureKind, JudgeSpec, Message, Turn, TurnId};
pub use packet::Packet;
pub use path::RepoPath;
pub use request::Request;
pub use round::RoundNumber;
pub use seat::{JudgeId, Seat};
pub use steering::steers_agents;
pub use task::Task;
pub use tool_call::{SeenLines, ToolCall};

/// Version of the wire protocol; it changes on its own, not with the program.
pub const PROTOCOL_VERSION: u32 = 1;

/// Version that every [`Answer`] carries in `schema_version`.
pub const ANSWER_VERSION: u32 = 1;

/// Milliseconds since the run began.
pub type Millis = u64;
