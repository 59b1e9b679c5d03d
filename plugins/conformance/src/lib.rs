//! The scenarios that every backend must pass.
