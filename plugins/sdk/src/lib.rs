//! What the author of a backend plugin depends on.
