//! `--events`: what happens, a JSON object a line, for other programs.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::run::error::RunError;
use crate::run::output_file::check_output;
use crate::safe_file;
use crate::session::ProgressEvent;
use crate::text;

/// Where the events of a run are written.
pub(crate) struct EventFile {
    /// What a person calls it.
    name: String,
    state: Mutex<EventState>,
}

/// Nothing is written behind a gap: whoever reads the events must not take them for whole.
enum EventState {
    Open(Box<dyn Write + Send>),
    Failed(io::Error),
}

impl EventFile {
    /// Opens the file that was asked for; `-` is standard output. What was in it is replaced.
    pub(crate) fn open(path: &Path, dir: &Path) -> Result<Self, RunError> {
        if is_standard_output(path) {
            return Ok(Self::new("standard output", Box::new(io::stdout())));
        }
        let path = dir.join(path);
        // Nothing was reviewed yet: a place that cannot be written to is an error of whoever named it.
        check_output(&path)?;
        // What was there is replaced, and no link of a checkout is followed.
        let file = safe_file::write_file(&path, "").and_then(|()| safe_file::open_append(&path));
        let name = path.display().to_string();
        let file = file.map_err(|error| RunError::output(&name, &error))?;
        Ok(Self::new(&name, Box::new(file)))
    }

    fn new(name: &str, file: Box<dyn Write + Send>) -> Self {
        Self {
            name: name.to_owned(),
            state: Mutex::new(EventState::Open(file)),
        }
    }

    /// Writes a line at once. Where that fails the review goes on without: what is lost is told at its end.
    pub(crate) fn write(&self, event: &ProgressEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let EventState::Open(open) = &mut *state else {
            return;
        };
        let Ok(line) = serde_json::to_string(event) else {
            return;
        };
        // Standard output of a job is read for commands.
        let line = text::json_safe(&line) + "\n";
        let written = open.write_all(line.as_bytes());
        if let Err(error) = written.and_then(|()| open.flush()) {
            *state = EventState::Failed(error);
        }
    }

    /// Why not all events could be written, if so.
    pub(crate) fn failure(&self) -> Option<RunError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            EventState::Open(_) => None,
            EventState::Failed(error) => Some(RunError::lost_events(&self.name, error)),
        }
    }
}

/// Whether the report has to leave standard output to the events.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}
