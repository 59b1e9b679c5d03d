//! GitHub: one verdict on every surface.
//!
//! [`plan`] is pure: from a report, what stands there already and what is wished for it makes [`Action`]s, so that a dry
//! run shows exactly what would be sent and a second run finds nothing to do. [`apply`] carries them out over a small
//! [`Client`]; [`Hub`] knows what a status means, which limits are waited for, and that a creation is not repeated before
//! it was looked for. Everything that comes from a forge is data: a text is ours only when its marker and its author are.

mod action;
mod apply;
mod call;
mod check;
mod comment;
mod event;
#[cfg(feature = "github")]
mod github;
mod hub;
mod inline;
mod lines;
mod local;
pub mod look;
mod marker;
mod memory;
mod plan;
mod seen;
mod wishes;

pub use action::{LineComment, PublishAction, Surface};
pub use apply::{PublishContext, PublishOutcome, WorkflowJob, apply_plan};
pub use call::{ApiCall, ApiClient, ApiEndpoint, ApiReply, Method, TransportError};
pub use check::{begin_check, break_off_check};
pub use event::{EventError, Trigger, WorkflowEvent};
#[cfg(feature = "github")]
pub use github::{ApiToken, GitHub, GitHubAccess};
pub use hub::{GitHubApi, GitHubError, MAX_WAIT_MS, RepoSlug};
pub use lines::DiffLines;
pub use marker::council_id;
pub use memory::{
    CarriedFinding, FindingFate, OpenFinding, ReviewState, ReviewedText, absorb_carried,
};
pub use plan::{plan_actions, plan_fallback};
pub use seen::{ExistingCheck, ForgeIdentity, ForgeState, OwnComment, PullRequest, ReviewThread};
pub use wishes::{MAX_INLINE, PublishOptions};

#[cfg(test)]
mod tests;
