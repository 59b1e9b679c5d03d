//! Builds the packet: the whole change, context, trusted instructions, coverage.
