//! The plan, which needs no forge.
