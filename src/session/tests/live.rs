//! Built-in judges on real threads, over a real disk.
