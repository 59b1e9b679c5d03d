//! What was judged and argued before: verdicts that are known again, findings that were dismissed, and whose word on
//! either counts.
//!
//! The cache lies in the git directory that all worktrees share, each verdict under the user's [`Seal`]; [`line`] is what
//! stands in git notes.

mod cache;
pub mod line;
mod seal;
mod signers;

pub use cache::{Cache, HALF, Kept, is_worth_keeping};
pub use seal::{Purpose, Seal};
pub use signers::{Authors, Distrust, Signers};
