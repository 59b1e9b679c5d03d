//! Backends behind every carrier, through the real loader.
#![expect(
    clippy::print_stdout,
    reason = "the tables are what a reader of the output wants to see"
)]
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, which the lint's exception does not cover"
)]

mod examples;
mod misbehaving;
mod model;
mod page;
mod panics;
#[path = "../../../examples/scripted/judges.rs"]
mod scripted;
mod stdio;
mod suite;
mod support;
