//! The engine from outside: scenarios named after the seeds' statements, and laws over random councils.

mod bad_input;
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
mod verdict;
mod world;
