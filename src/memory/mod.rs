//! What was judged and argued before: verdicts that are known again, findings that were dismissed, and whose word on
//! either counts.
//!
//! The cache lies in the git directory that all worktrees share, each verdict under the user's [`Seal`]; [`line`] is what
//! stands in git notes.

mod cache;
pub mod line;
mod seal;
mod signers;

pub use cache::{CachedVerdict, PARTIAL_PREFIX, VerdictCache, is_worth_keeping};
pub use seal::{MacKey, MacPurpose};
pub use signers::{ChangeAuthors, DistrustReason, TrustedSigners};
