//! The writing end of a journal.

use std::path::{Path, PathBuf};

use council_protocol::Millis;
use serde::Serialize;

use super::super::error::SessionError;
use super::super::world::{Appender, Disk};
use super::{Header, JOURNAL, Journal, Line, sum};
use crate::council::Input;

/// The writing end of a journal.
pub(in crate::session) struct Writer {
    pub(super) file: Box<dyn Appender>,
    pub(super) path: PathBuf,
    pub(super) buffer: Vec<u8>,
    /// The sum of the last line; none: a journal of version 1, which has none.
    pub(super) sum: Option<String>,
}

impl Writer {
    /// Begins a journal.
    pub(in crate::session) fn begin(
        disk: &dyn Disk,
        folder: &Path,
        header: &Header,
    ) -> Result<Self, SessionError> {
        let path = folder.join(JOURNAL);
        let file = disk
            .append(&path)
            .map_err(SessionError::disk("open", &path))?;
        let mut writer = Self {
            file,
            path,
            buffer: Vec::new(),
            sum: Some(String::new()),
        };
        writer.line(header);
        writer.flush(false)?;
        Ok(writer)
    }

    /// Goes on behind the last whole line of a journal.
    pub(in crate::session) fn again(
        disk: &dyn Disk,
        folder: &Path,
        journal: &Journal,
        line: &Line,
    ) -> Result<Self, SessionError> {
        let path = folder.join(JOURNAL);
        disk.cut(&path, journal.whole_bytes as u64)
            .map_err(SessionError::disk("cut", &path))?;
        let file = disk
            .append(&path)
            .map_err(SessionError::disk("open", &path))?;
        let mut writer = Self {
            file,
            path,
            buffer: Vec::new(),
            sum: (journal.header.journal > 1).then(|| journal.sum.clone()),
        };
        writer.line(line);
        writer.flush(true)?;
        Ok(writer)
    }

    /// Adds what happened at one moment, in one write; `sync` waits for the disk.
    pub(in crate::session) fn inputs(
        &mut self,
        at: Millis,
        inputs: &[Input],
        sync: bool,
    ) -> Result<(), SessionError> {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            at: Millis,
            #[serde(flatten)]
            input: &'a Input,
        }
        for input in inputs {
            self.line(&Borrowed { at, input });
        }
        self.flush(sync)
    }

    /// Adds that another backend takes over.
    pub(in crate::session) fn gave_way(&mut self, line: &Line) -> Result<(), SessionError> {
        self.line(line);
        self.flush(true)
    }

    fn line(&mut self, line: &impl Serialize) {
        let begins = self.buffer.len();
        // Plain data into memory: this cannot fail.
        let _ = serde_json::to_writer(&mut self.buffer, line);
        if let Some(before) = &self.sum {
            self.sum = Some(sum::seal(&mut self.buffer, begins, before));
        }
        self.buffer.push(b'\n');
    }

    fn flush(&mut self, sync: bool) -> Result<(), SessionError> {
        let written = self.file.append(&self.buffer);
        self.buffer.clear();
        written
            .and_then(|()| if sync { self.file.sync() } else { Ok(()) })
            .map_err(SessionError::disk("append to", &self.path))
    }
}
