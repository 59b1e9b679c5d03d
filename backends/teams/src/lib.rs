//! The teams backend.
