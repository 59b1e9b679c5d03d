//! The engine from outside: scenarios, and laws over random councils.

mod bad_input;
mod check;
mod cross_examination;
mod debate;
mod end;
mod first_round;
mod laws;
mod play;
pub(crate) mod run;
mod says;
pub(crate) mod simulation;
mod staged;
mod support;
mod support_laws;
mod verdict;
mod world;
