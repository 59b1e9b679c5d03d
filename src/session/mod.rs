//! Drives a council over a backend: clock, disk, journal, cleanup.
