//! Everything that crosses crates, in one binary: the program at a terminal, and the house rules over the sources.

mod tidy;
