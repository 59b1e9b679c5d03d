//! Sessions over scripted backends, simulated disks and a paused clock; and over real threads.

mod bad_backends;
mod cleanup;
mod explorers;
mod fallbacks;
mod files;
mod live;
mod resume;
mod simulation;
mod stage;
