//! Files that the user asked for.

use std::path::Path;

use crate::run::error::RunError;
use crate::safe_file;

/// Whether a report may be written there, as far as it can be seen before somebody is paid for it.
pub(crate) fn check_output(file: &Path) -> Result<(), RunError> {
    let refused = |why: &str| {
        let file = file.display();
        Err(RunError::usage(format!("cannot write {file}: {why}"))
            .hint("name a file in a folder that exists"))
    };
    if file.is_dir() {
        return refused("it is a folder");
    }
    if let Err(error) = safe_file::refuse_pipe(file) {
        return refused(&error.to_string());
    }
    match file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        Some(folder) if !folder.is_dir() => refused("its folder does not exist"),
        _ => Ok(()),
    }
}

/// Writes a file that the user asked for, and that nobody else may read: prompts and answers may lie in it.
pub(crate) fn write_private_output(file: &Path, text: impl AsRef<[u8]>) -> Result<(), RunError> {
    safe_file::write_file_for_owner(file, text)
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}

/// Writes a file that the user asked for.
pub(crate) fn write_output(file: &Path, text: impl AsRef<[u8]>) -> Result<(), RunError> {
    safe_file::write_file(file, text)
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}
