//! `--events`: what happens, a JSON object a line, for other programs.

use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::run::error::RunError;
use crate::safe_file;
use crate::session::ProgressEvent;
use crate::text;

/// Where the events of a run are written.
pub(crate) struct EventFile(Mutex<Option<Box<dyn Write + Send>>>);

impl EventFile {
    /// Opens the file that was asked for; `-` is standard output. What was in it is replaced.
    pub(crate) fn open(path: &Path, dir: &Path) -> Result<Self, RunError> {
        if is_standard_output(path) {
            return Ok(Self(Mutex::new(Some(Box::new(std::io::stdout())))));
        }
        let path = dir.join(path);
        // What was there is replaced, and no link of a checkout is followed.
        let file = safe_file::write_file(&path, "").and_then(|()| safe_file::open_append(&path));
        let file = file.map_err(|error| RunError::output(&path.display().to_string(), &error))?;
        Ok(Self(Mutex::new(Some(Box::new(file)))))
    }

    /// Writes a line at once. A reader that went away is told nothing more: the review does not depend on it.
    pub(crate) fn write(&self, event: &ProgressEvent) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = file.as_mut() else { return };
        let Ok(line) = serde_json::to_string(event) else {
            return;
        };
        // Standard output of a job is read for commands.
        let line = text::json_safe(&line) + "\n";
        if open
            .write_all(line.as_bytes())
            .and_then(|()| open.flush())
            .is_err()
        {
            *file = None;
        }
    }
}

/// Whether the report has to leave standard output to the events.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}
