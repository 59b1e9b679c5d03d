//! git-council: several independent judges over a change, a debate under rules that a program enforces, one verdict
//! that cannot be green by accident.
//!
//! One direction, no circles: git → packet → council ⇄ session ⇄ backend → report. ARCHITECTURE.md names the rooms.

pub mod cli;
pub mod config;
pub mod council;
pub mod duel;
#[doc(hidden)]
pub mod fuzz;
pub mod git;
pub mod memory;
pub mod packet;
pub mod prompt;
pub mod publish;
pub mod registry;
pub mod report;
pub(crate) mod run;
pub mod session;
pub mod text;
