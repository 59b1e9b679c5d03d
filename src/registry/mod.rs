//! Built-in and loaded backends: probe, offer, select by capability, degrade in the open.
