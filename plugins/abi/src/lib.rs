//! git_council.h and its Rust mirror.
