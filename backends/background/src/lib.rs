//! The background backend: worker processes joined by files.
