//! Several files that are written together: all of them, or none.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use crate::run::error::RunError;
use crate::run::own_link::follow_own_link;
use crate::safe_file::{self, FileWriter};

/// Files that were written together. Whatever is not kept is as it was before, once this is dropped.
#[must_use = "what is not kept is taken back"]
#[derive(Debug, Default)]
pub(crate) struct WrittenFiles {
    steps: Vec<Step>,
}

/// A file that is to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileToWrite<'a> {
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
    /// The top of the checkout that it is a file of: it is written through no link of that. Elsewhere the user's own link,
    /// such as that of a manager of dotfiles, stays and leads where it leads.
    pub(crate) top: Option<&'a Path>,
}

/// What was done, and can be taken back.
#[derive(Debug)]
enum Step {
    /// A folder was made.
    Folder(PathBuf),
    /// A file was put into its place.
    File(PathBuf, Before),
}

/// What was in a file's place.
#[derive(Debug)]
enum Before {
    Nothing,
    Link(PathBuf),
    File(Vec<u8>, Permissions),
}

/// Writes the files. Each lies beside its place until all of them are written.
///
/// # Errors
/// Names the file that cannot be written; then nothing has changed.
pub(crate) fn write_together<'a>(
    files: impl IntoIterator<Item = FileToWrite<'a>>,
) -> Result<WrittenFiles, RunError> {
    let mut written = WrittenFiles::default();
    let mut beside = Vec::new();
    for file in files {
        let place = written.make_place(file);
        let half = place.and_then(|place| {
            let half = FileWriter::new(&place).write_beside(file.text.as_bytes())?;
            Ok((place, half))
        });
        let (place, half) = half.map_err(|error| cannot_write(file.path, &error))?;
        beside.push((file.path, place, half));
    }
    for (path, place, half) in beside {
        let put = Before::of(&place).and_then(|before| {
            half.put_into_place()?;
            Ok(before)
        });
        let before = put.map_err(|error| cannot_write(path, &error))?;
        written.steps.push(Step::File(place, before));
    }
    Ok(written)
}

fn cannot_write(path: &Path, error: &io::Error) -> RunError {
    RunError::output(&path.display().to_string(), error)
        .hint("nothing was written, and what was there is as before")
}

impl WrittenFiles {
    /// Lets the files be.
    pub(crate) fn keep(mut self) {
        self.steps.clear();
    }

    /// Makes the folders that lead to a file, and says where it goes.
    fn make_place(&mut self, file: FileToWrite<'_>) -> io::Result<PathBuf> {
        let FileToWrite { path, top, .. } = file;
        let folder = path.parent().unwrap_or(Path::new(""));
        let missing = folder.ancestors().take_while(|folder| !is_there(folder));
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let made = match top.and_then(|top| Some((top, folder.strip_prefix(top).ok()?))) {
            Some((top, below)) => safe_file::make_dirs(top, below),
            None => fs::create_dir_all(folder),
        };
        // Of several folders, some may have been made before one could not be.
        let outermost_first = missing.into_iter().rev().filter(|folder| is_there(folder));
        self.steps.extend(outermost_first.map(Step::Folder));
        made?;
        Ok(match top {
            Some(_) => path.to_owned(),
            None => follow_own_link(path)?,
        })
    }
}

/// Whether anything is at a place; nothing has to be made where no name is left.
fn is_there(path: &Path) -> bool {
    path.as_os_str().is_empty() || path.symlink_metadata().is_ok()
}

impl Before {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Nothing,
            Err(error) => return Err(error),
            Ok(data) if data.is_symlink() => Self::Link(fs::read_link(path)?),
            Ok(data) => Self::File(safe_file::read(path)?, data.permissions()),
        })
    }

    fn restore(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::Nothing => fs::remove_file(path),
            Self::Link(target) => {
                fs::remove_file(path)?;
                std::os::unix::fs::symlink(target, path)
            }
            Self::File(bytes, permissions) => {
                let writer = FileWriter::new(path).with_permissions(permissions.clone());
                writer.write(bytes)
            }
        }
    }
}

impl Drop for WrittenFiles {
    fn drop(&mut self) {
        for step in self.steps.iter().rev() {
            // Whoever drops it has an error to tell already. A folder in which somebody else put something stays.
            let _ = match step {
                Step::Folder(folder) => fs::remove_dir(folder),
                Step::File(path, before) => before.restore(path),
            };
        }
    }
}
