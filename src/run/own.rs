//! Files of the user's own that say how a change is judged: never any of the repository under review.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::run::error::RunError;
use crate::safe_file;

/// The most bytes of one file.
const MAX_OWN_BYTES: u64 = 1 << 20;

/// The real place of what the setting `key` names, which must not lie below `repository`.
pub(crate) fn resolve_own_path(
    path: &Path,
    key: &str,
    repository: Option<&Path>,
) -> Result<PathBuf, RunError> {
    let real = path
        .canonicalize()
        .map_err(|error| unreadable_error(path, key, &error))?;
    let top = repository.and_then(|top| top.canonicalize().ok());
    if top.is_some_and(|top| real.starts_with(top)) {
        let detail = format!("{} lies in the repository under review", path.display());
        let hint = format!(
            "a reviewed repository must not decide how it is reviewed: let `{key}` name a place elsewhere"
        );
        return Err(RunError::usage(detail).hint(hint));
    }
    Ok(real)
}

/// The text of one of them.
pub(crate) fn read_own_text(path: &Path, key: &str) -> Result<String, RunError> {
    let mut text = String::new();
    let read = safe_file::open_input(path)
        .and_then(|file| file.take(MAX_OWN_BYTES + 1).read_to_string(&mut text))
        .and_then(|_| {
            if text.len() as u64 > MAX_OWN_BYTES {
                Err(std::io::Error::other("it is larger than 1 MiB"))
            } else {
                Ok(())
            }
        });
    read.map_err(|error| unreadable_error(path, key, &error))?;
    Ok(text)
}

/// The error about a file that cannot be read.
pub(crate) fn unreadable_error(path: &Path, key: &str, error: &std::io::Error) -> RunError {
    let detail = format!("cannot read {}: {error}", path.display());
    RunError::usage(detail).hint(format!("`{key}` names it, in your own configuration"))
}
