//! What needs no forge: the plan, and how a forge's replies are taken.

mod hub;
mod plan;
