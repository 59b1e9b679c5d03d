//! Drives a council over a backend: clock, disk, journal, cleanup.

mod opened;

pub use opened::Opened;
