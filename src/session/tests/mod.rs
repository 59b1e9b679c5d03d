//! Sessions over scripted backends, simulated disks and a paused clock; and over real threads.

mod bad_backends;
mod cleanup;
mod disk;
mod explorers;
mod fallbacks;
mod files;
mod live;
pub(super) mod matter;
mod progress;
mod resume;
mod scripted;
mod simulation;
mod stage;
mod told;
