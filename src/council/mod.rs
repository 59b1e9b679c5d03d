//! The engine, sans-IO: inputs in, actions out. It names no clock, runtime, file or socket.

pub mod duel;
pub mod exchange;
pub mod ledger;
pub mod outcome;
pub mod plan;

pub use exchange::{Action, CancelCause, ClaimId, Input, TimerId};
pub use outcome::Outcome;
pub use plan::Plan;
