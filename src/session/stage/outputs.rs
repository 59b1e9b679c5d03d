//! What a staged debate writes into its project beside the rounds' files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{CallLog, StageError, StageFolder};
use crate::safe_file;
use crate::session::world::{SessionDisk, WriteDurability};

/// The document of the debate, below `stages/<id>/outputs/`.
const SYNTHESIS_FILE: &str = "synthesis.md";

impl StageFolder {
    /// Puts the files of an earlier debate of this stage out of the way, so that none of them passes for one of this: they are
    /// kept as `state/debate/<stage>.before`, in the place of those before them.
    pub(crate) fn set_aside(&self) -> Result<(), StageError> {
        let earlier = self.root.join("state/debate").join(&self.stage);
        let kept = self
            .root
            .join("state/debate")
            .join(format!("{}.before", self.stage));
        if !is_real(&self.root, Path::new("state/debate"))? || !earlier.is_dir() {
            return Ok(());
        }
        let fail = |file: &Path| {
            let file = file.to_path_buf();
            move |cause| StageError::Io { file, cause }
        };
        if kept.is_dir() {
            fs::remove_dir_all(&kept).map_err(fail(&kept))?;
        }
        fs::rename(&earlier, &kept).map_err(fail(&earlier))
    }

    /// The final document of an earlier debate, where there is one: relative to the root.
    pub(crate) fn earlier_synthesis(&self) -> Option<PathBuf> {
        let below = Path::new("stages").join(&self.stage).join("outputs");
        let file = below.join(SYNTHESIS_FILE);
        self.root.join(&file).is_file().then_some(file)
    }

    /// Writes the final document; gives its path.
    pub(crate) fn write_synthesis(
        &self,
        disk: &dyn SessionDisk,
        text: &str,
    ) -> Result<PathBuf, StageError> {
        let below = Path::new("stages").join(&self.stage).join("outputs");
        let file = self.root.join(&below).join(SYNTHESIS_FILE);
        let written = disk
            .make_dirs(&self.root, &below)
            .and_then(|()| disk.write_file(&file, text.as_bytes(), WriteDurability::Cheap));
        match written {
            Ok(()) => Ok(file),
            Err(cause) => Err(StageError::Io { file, cause }),
        }
    }

    /// Adds the line of a debate to `state/ai-call-log.jsonl`.
    pub(crate) fn log_call(
        &self,
        disk: &dyn SessionDisk,
        call: &CallLog,
    ) -> Result<(), StageError> {
        let file = self.call_log_path();
        self.append_line(disk, &file, &call.to_line())
            .map_err(|cause| StageError::Io { file, cause })
    }

    fn append_line(&self, disk: &dyn SessionDisk, file: &Path, line: &str) -> io::Result<()> {
        disk.make_dirs(&self.root, Path::new("state"))?;
        match fs::symlink_metadata(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(meta) if !meta.is_file() => {
                return Err(io::Error::other("it is no ordinary file"));
            }
            Ok(_) => {}
        }
        safe_file::open_append(file)?.write_all(line.as_bytes())
    }
}

/// Whether the folders are there, and none of them is a link that leads elsewhere.
fn is_real(root: &Path, below: &Path) -> Result<bool, StageError> {
    let mut path = root.to_path_buf();
    for part in below.components() {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(cause) => return Err(StageError::Io { file: path, cause }),
            Ok(meta) if !meta.is_dir() => {
                let cause = io::Error::other("it is in the way: it is no folder");
                return Err(StageError::Io { file: path, cause });
            }
            Ok(_) => {}
        }
    }
    Ok(true)
}
