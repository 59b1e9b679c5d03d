//! Loads a backend from a shared library or a child process.
