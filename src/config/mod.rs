//! Layers with the origin of every value, and what each origin may set.
