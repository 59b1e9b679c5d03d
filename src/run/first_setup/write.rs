//! Writes the files of a first setup: all of them, or none.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::{PlannedFile, SetupOptions};
use crate::run::error::RunError;
use crate::safe_file::{self, FileWriter};

/// Files that were written together. Whatever is not kept is as it was before, once this is dropped.
#[must_use = "what is not kept is taken back"]
#[derive(Debug, Default)]
pub(crate) struct WrittenSetup {
    steps: Vec<Step>,
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

/// Writes the files. Those of a repository through no link of it; the user's own link, such as that of a manager of
/// dotfiles, stays and leads where it leads. Each lies beside its place until all of them are written.
///
/// # Errors
/// Names the file that cannot be written; then nothing has changed.
pub(crate) fn write_setup(
    files: &[PlannedFile],
    options: &SetupOptions,
) -> Result<WrittenSetup, RunError> {
    let mut written = WrittenSetup::default();
    let mut beside = Vec::new();
    for PlannedFile { path, text } in files {
        let place = written.make_place(path, options);
        let half = place.and_then(|place| {
            let half = FileWriter::new(&place).write_beside(text.as_bytes())?;
            Ok((place, half))
        });
        let (place, half) = half.map_err(|error| cannot_write(path, &error))?;
        beside.push((path, place, half));
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
    RunError::run(format!("cannot write {}: {error}", path.display()))
        .hint("nothing was written; see what would be: --print")
}

impl WrittenSetup {
    /// Lets the files be.
    pub(crate) fn keep(mut self) {
        self.steps.clear();
    }

    /// Makes the folders that lead to a file, and says where it goes.
    fn make_place(&mut self, path: &Path, options: &SetupOptions) -> io::Result<PathBuf> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let missing = folder.ancestors().take_while(|folder| !is_there(folder));
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let top = options.worktree.as_deref();
        let top = top.filter(|_| options.own_file.as_deref() != Some(path));
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
            None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
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

impl Drop for WrittenSetup {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::samples::options;
    use super::super::{SetupChoices, SetupPreset, plan_setup};
    use super::*;

    /// Everything below a folder: what a link names, what a file holds.
    fn tree(top: &Path) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![top.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let data = path.symlink_metadata().unwrap();
                let holds = if data.is_symlink() {
                    format!("-> {}", fs::read_link(&path).unwrap().display())
                } else if data.is_dir() {
                    open.push(path.clone());
                    "a folder".to_owned()
                } else {
                    fs::read_to_string(&path).unwrap()
                };
                found.insert(path, holds);
            }
        }
        found
    }

    /// Puts something in the way of a file of a setup.
    fn put(path: &Path, what: usize) {
        let folder = path.parent().unwrap();
        if fs::create_dir_all(folder).is_err() || path.symlink_metadata().is_ok() {
            return;
        }
        match what {
            0 => fs::write(path, "was here").unwrap(),
            1 => fs::create_dir(path).unwrap(),
            2 => std::os::unix::fs::symlink("elsewhere", path).unwrap(),
            // Where a folder has to be.
            3 => {
                if fs::remove_dir(folder).is_ok() {
                    fs::write(folder, "a file").unwrap();
                }
            }
            _ => {}
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is in the way of the files of a setup: all of them are written, or nothing has changed.
        #[test]
        fn a_setup_is_written_as_a_whole_or_not_at_all(
            in_the_way in proptest::collection::vec(0_usize..9, 4),
            is_kept: bool,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().join("project");
            fs::create_dir(&top).unwrap();
            let options = SetupOptions {
                worktree: Some(top),
                own_file: Some(folder.path().join("home/council/config.toml")),
                ..options(&[], &[])
            };
            let choices = SetupChoices { tools: vec!["ruff".into()], ..SetupChoices::default() };
            let files = plan_setup(SetupPreset::Team, &options, &choices).unwrap();
            for (file, what) in files.iter().zip(&in_the_way) {
                put(&file.path, *what);
            }
            let before = tree(folder.path());
            match write_setup(&files, &options) {
                Ok(written) if is_kept => {
                    written.keep();
                    for file in &files {
                        prop_assert_eq!(&fs::read_to_string(&file.path).unwrap(), &file.text);
                    }
                    let after = tree(folder.path());
                    prop_assert!(after.keys().all(|path| !path.to_string_lossy().contains("/.council-")));
                }
                written => {
                    drop(written);
                    prop_assert_eq!(tree(folder.path()), before);
                }
            }
        }
    }
}
