//! git-council: several independent judges over a change, a debate under rules that a program enforces, one verdict
//! that cannot be green by accident.
//!
//! One direction, no circles: git → packet → council ⇄ session ⇄ backend → report. ARCHITECTURE.md names the rooms.

pub mod cli;
pub(crate) mod config;
pub(crate) mod council;
pub(crate) mod duel;
pub(crate) mod eval;
#[doc(hidden)]
pub mod fuzz;
pub(crate) mod git;
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
pub(crate) mod safe_file;
pub(crate) mod session;
pub(crate) mod sight;
pub(crate) mod text;
