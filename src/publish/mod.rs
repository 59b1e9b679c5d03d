//! GitHub: one verdict on every surface.
//!
//! [`plan`] is pure: from a report, what stands there already and what is wished for it makes [`Action`]s, so that a dry
//! run shows exactly what would be sent and a second run finds nothing to do. [`apply`] carries them out over a small
//! [`Client`]; [`Hub`] knows what a status means, which limits are waited for, and that a creation is not repeated before
//! it was looked for. Everything that comes from a forge is data: a text is ours only when its marker and its author are.

mod action;
mod apply;
mod call;
mod carry;
mod check;
mod code_search;
mod comment;
mod event;
mod file_code;
#[cfg(feature = "github")]
mod github;
mod gone;
mod hub;
mod inline;
mod kept;
mod line_origin;
mod lines;
mod lines_apart;
mod local;
pub mod look;
mod marker;
mod memory;
mod order;
mod order_lines;
mod order_words;
mod plan;
mod quote_place;
mod reviewed_side;
mod seen;
mod talk_changes;
mod voices;
mod wishes;

pub use action::{PublishAction, Surface};
pub(crate) use apply::{PublishContext, WorkflowJob, apply_plan};
#[cfg(test)]
pub(crate) use call::Method;
pub use call::{ApiCall, ApiClient, ApiReply, TransportError};
pub(crate) use check::{begin_check, break_off_check, is_witness};
pub use event::{Trigger, WorkflowEvent};
#[cfg(feature = "github")]
pub(crate) use github::{ApiToken, GitHub, GitHubAccess};
pub(crate) use hub::GitHubError;
pub use hub::{GitHubApi, RepoSlug};
pub(crate) use kept::OpenFinding;
pub(crate) use lines::DiffLines;
pub(crate) use marker::council_id;
pub(crate) use memory::{JudgedChange, ReviewState, is_unchanged_reason};
pub(crate) use order::{DISMISSED_BY, DismissOrder, ReplyAnswer};
pub(crate) use order_words::{DismissWords, OrderMeaning};
pub use plan::plan_actions;
pub(crate) use plan::talks_about;
pub(crate) use quote_place::find_quote_places;
pub(crate) use reviewed_side::{ReviewedSide, ReviewedText};
pub(crate) use seen::ExistingCheck;
pub(crate) use seen::OwnComment;
pub(crate) use seen::ReviewThread;
pub use seen::{ForgeIdentity, ForgeState, PullRequest};
pub(crate) use voices::seats_of;
pub(crate) use wishes::MAX_INLINE;
pub use wishes::PublishOptions;

#[cfg(test)]
mod tests;
