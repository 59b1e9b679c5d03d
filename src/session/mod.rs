//! Drives a council over a backend: clock, disk, journal, cleanup.

pub mod duel;
mod opened;
pub mod stage;

pub use opened::Opened;
