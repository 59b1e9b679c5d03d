//! The writing end of a journal.

use std::io;
use std::path::{Path, PathBuf};

use council_protocol::Millis;
use serde::Serialize;

use super::super::error::SessionError;
use super::super::world::{FileAppender, LineSeal, SessionWorld};
use super::{JOURNAL_FILE, JournalHeader, JournalLine, RunJournal, sum};
use crate::council::Input;

/// The writing end of a journal.
pub(in crate::session) struct JournalWriter {
    pub(super) file: Box<dyn FileAppender>,
    pub(super) path: PathBuf,
    pub(super) buffer: Vec<u8>,
    /// The sum of the last line; none: a journal of version 1, which has none.
    pub(super) sum: Option<String>,
    /// What binds each line to the user; none: nobody has a key here.
    pub(super) seal: Option<LineSeal>,
}

impl JournalWriter {
    /// Begins a journal.
    pub(in crate::session) fn create(
        world: &dyn SessionWorld,
        folder: &Path,
        header: &JournalHeader,
    ) -> Result<Self, SessionError> {
        let disk = world.disk();
        let path = folder.join(JOURNAL_FILE);
        let file = disk
            .open_append(&path)
            .map_err(SessionError::disk("open", &path))?;
        let mut writer = Self {
            file,
            path,
            buffer: Vec::new(),
            sum: Some(String::new()),
            seal: world.line_seal(),
        };
        writer.buffer_line(header);
        writer.flush(false)?;
        Ok(writer)
    }

    /// Goes on behind the last whole line of a journal.
    pub(in crate::session) fn reopen(
        world: &dyn SessionWorld,
        folder: &Path,
        journal: &RunJournal,
        line: &JournalLine,
    ) -> Result<Self, SessionError> {
        let disk = world.disk();
        let path = folder.join(JOURNAL_FILE);
        disk.truncate_file(&path, journal.whole_bytes as u64)
            .map_err(SessionError::disk("cut", &path))?;
        let file = disk
            .open_append(&path)
            .map_err(SessionError::disk("open", &path))?;
        let mut writer = Self {
            file,
            path,
            buffer: Vec::new(),
            sum: (journal.header.journal > 1).then(|| journal.sum.clone()),
            seal: world.line_seal(),
        };
        writer.buffer_line(line);
        writer.flush(true)?;
        Ok(writer)
    }

    /// Opens a log of lines of another kind behind its last whole line; gives the lines that are there.
    pub(in crate::session) fn open_log(
        world: &dyn SessionWorld,
        path: &Path,
    ) -> Result<(Self, Vec<Vec<u8>>), SessionError> {
        let disk = world.disk();
        let bytes = match disk.read_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(SessionError::disk("read", path))?,
        };
        let whole = sum::intact_lines(&bytes)
            .map_err(|error| SessionError::disk("read", path)(io::Error::other(error)))?;
        if whole.bytes < bytes.len() {
            disk.truncate_file(path, whole.bytes as u64)
                .map_err(SessionError::disk("cut", path))?;
        }
        let file = disk
            .open_append(path)
            .map_err(SessionError::disk("open", path))?;
        let lines = whole.lines.iter().map(|line| line.to_vec()).collect();
        let writer = Self {
            file,
            path: path.to_path_buf(),
            buffer: Vec::new(),
            sum: Some(whole.sum),
            seal: world.line_seal(),
        };
        Ok((writer, lines))
    }

    /// Adds a line of such a log, and waits for the disk.
    pub(in crate::session) fn append_line(
        &mut self,
        line: &impl Serialize,
    ) -> Result<(), SessionError> {
        self.buffer_line(line);
        self.flush(true)
    }

    /// Adds what happened at one moment, in one write; `sync` waits for the disk.
    pub(in crate::session) fn append_inputs(
        &mut self,
        at: Millis,
        inputs: &[Input],
        sync: bool,
    ) -> Result<(), SessionError> {
        #[derive(Serialize)]
        struct BorrowedEntry<'a> {
            at: Millis,
            #[serde(flatten)]
            input: &'a Input,
        }
        for input in inputs {
            self.buffer_line(&BorrowedEntry { at, input });
        }
        self.flush(sync)
    }

    /// Adds that another backend takes over.
    pub(in crate::session) fn append_fallback(
        &mut self,
        line: &JournalLine,
    ) -> Result<(), SessionError> {
        self.buffer_line(line);
        self.flush(true)
    }

    fn buffer_line(&mut self, line: &impl Serialize) {
        let begins = self.buffer.len();
        // Plain data into memory: this cannot fail.
        let _ = serde_json::to_writer(&mut self.buffer, line);
        if let Some(before) = &self.sum {
            if let Some(seal) = &self.seal {
                sum::append_seal(&mut self.buffer, begins, before, seal.as_ref());
            }
            self.sum = Some(sum::append_checksum(&mut self.buffer, begins, before));
        }
        self.buffer.push(b'\n');
    }

    fn flush(&mut self, sync: bool) -> Result<(), SessionError> {
        let written = self.file.append_bytes(&self.buffer);
        self.buffer.clear();
        written
            .and_then(|()| if sync { self.file.sync_data() } else { Ok(()) })
            .map_err(SessionError::disk("append to", &self.path))
    }
}
