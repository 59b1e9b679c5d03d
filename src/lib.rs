//! git-council: several independent judges over a change, a debate under rules that a program enforces, one verdict
//! that cannot be green by accident.
//!
//! One direction, no circles: git → packet → council ⇄ session ⇄ backend → report. ARCHITECTURE.md names the rooms.

pub mod cli;
pub(crate) mod config;
pub(crate) mod duel;
pub(crate) mod eval;
#[doc(hidden)]
pub mod fuzz;
#[doc(hidden)]
pub mod inside;
pub(crate) mod lookup;
pub(crate) mod memory;
pub(crate) mod packet;
pub(crate) mod prompt;
pub(crate) mod publish;
pub(crate) mod registry;
pub(crate) mod report;
pub(crate) mod run;
#[cfg(feature = "mcp")]
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod sight;
pub(crate) mod text;

// Rooms that are crates of their own, so that the compiler holds their borders. Their files stand beside the others.
pub(crate) use council_engine as council;
pub(crate) use council_files as safe_file;
pub(crate) use council_git as git;
