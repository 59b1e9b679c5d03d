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

pub use action::{Action, Inline, Surface};
pub use apply::{Applied, Context, Job, apply};
pub use call::{Call, Client, Door, Method, Reply, Unreachable};
pub use check::{begin, broken_off};
pub use event::{Event, EventError, Occasion};
#[cfg(feature = "github")]
pub use github::{Access, GitHub, Token};
pub use hub::{Hub, HubError, PATIENCE_MS, Slug};
pub use lines::DiffLines;
pub use marker::council_id;
pub use memory::{Carried, Fate, Found, Kept, State, absorb};
pub use plan::{fallback, plan};
pub use seen::{CheckSeen, Identity, OwnComment, Pull, Seen, Thread};
pub use wishes::{MOST_INLINE, Wishes};

#[cfg(test)]
mod tests;
