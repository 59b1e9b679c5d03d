//! Opening a repository: whose it is, and that it is the one that was meant.

use std::path::Path;

use super::env::Environment;
use super::error::GitError;
use super::store::{self, Store};

/// Opens the repository around `dir`, or the one that the environment names.
pub(super) fn open(dir: &Path, env: &Environment) -> Result<Store, GitError> {
    Store::open(dir, env).map_err(|error| {
        store::open_error(dir, &error).unwrap_or_else(|| GitError::Owner {
            dir: dir.to_owned(),
        })
    })
}
