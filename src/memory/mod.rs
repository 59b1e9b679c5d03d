//! What was judged and argued before: verdicts that are known again, findings that were dismissed, and whose word on
//! either counts.
//!
//! The cache lies in the git directory that all worktrees share; [`line`] is what stands in git notes.

mod cache;
pub mod line;
mod signers;

pub use cache::{Cache, Kept, is_worth_keeping};
pub use signers::{Authors, Distrust, Signers};
