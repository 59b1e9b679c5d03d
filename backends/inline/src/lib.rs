//! The inline backend.
