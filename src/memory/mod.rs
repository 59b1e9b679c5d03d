//! What was judged and argued before: verdicts that are known again, findings that were dismissed, and whose word on
//! either counts.
//!
//! The cache lies in the git directory that all worktrees share, each verdict under the user's [`Seal`]; [`line`] is what
//! stands in git notes.

mod cache;
pub(crate) mod line;
mod objected_lines;
mod own_notes;
mod seal;
mod sealed_reports;
mod signers;
mod standing_objections;

pub(crate) use cache::{CachedVerdict, VerdictCache, is_worth_keeping};
pub(crate) use objected_lines::{ChangedFiles, ReviewedText, holds_objected_lines};
pub(crate) use own_notes::OwnNotes;
pub(crate) use seal::{MacKey, MacPurpose};
pub(crate) use signers::{ChangeAuthors, TrustedSigners};
pub(crate) use standing_objections::{
    StandingObjections, is_answered, is_by_rules, is_objection, is_same_code, leaves_critical_open,
    outweighs, stands, takes_back_brought,
};
