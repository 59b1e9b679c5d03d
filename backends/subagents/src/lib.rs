//! The subagents backend.
