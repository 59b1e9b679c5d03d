//! The file, the clock and the pause of a duel: the seam between a side and the machine.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use council_protocol::Millis;

use crate::duel::protocol::receipts::WriteReceipt;
use crate::safe_file;

/// The most bytes of a transcript that are read; more is no debate.
pub(crate) const MAX_TRANSCRIPT_BYTES: u64 = 8 << 20;

/// What a side needs of the machine.
pub(crate) trait DuelFile {
    /// Milliseconds since the side began.
    fn now(&self) -> Millis;

    /// The time for a signature, RFC 3339 in UTC.
    fn signature_time(&self) -> String;

    fn pause(&mut self, ms: Millis);

    /// The file's bytes; none: there is no file.
    fn read(&mut self) -> io::Result<Option<Vec<u8>>>;

    /// Keeps what was read, before it is acted upon. A look alone may show half of a file that is just written anew.
    fn keep_read(&mut self, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Appends in one write, if the file still is what it was (`None`: if it still does not exist). Returns whether it
    /// was done.
    fn append_if_unchanged(&mut self, expected: Option<&[u8]>, addition: &str) -> io::Result<bool>;
}

/// A file on disk.
#[derive(Debug)]
pub(crate) struct DuelFileOnDisk {
    path: PathBuf,
    began: Instant,
}

impl DuelFileOnDisk {
    /// The file at `path`, which need not exist.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            began: Instant::now(),
        }
    }
}

impl DuelFile for DuelFileOnDisk {
    fn now(&self) -> Millis {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn signature_time(&self) -> String {
        let now = jiff::Timestamp::now();
        now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    fn pause(&mut self, ms: Millis) {
        std::thread::sleep(Duration::from_millis(ms));
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        // A pipe in its place would keep both sides waiting for ever.
        match safe_file::open_to_read(&self.path) {
            Ok(mut file) => read_bounded(&mut file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The lock holds between two sides of ours; a side of somebody else's is noticed by what the file says.
    fn append_if_unchanged(&mut self, expected: Option<&[u8]>, addition: &str) -> io::Result<bool> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .append(true)
            .create_new(expected.is_none());
        let mut file = match safe_file::open_here(&mut options, &self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error),
        };
        file.lock()?;
        if read_bounded(&mut file)? != expected.unwrap_or_default() {
            return Ok(false);
        }
        file.write_all(addition.as_bytes())?;
        file.sync_data()?;
        Ok(true)
    }
}

/// A file whose writes are reported to whoever started this process.
pub(crate) struct ReportedFile<'a, F> {
    file: F,
    report: &'a mut dyn FnMut(&WriteReceipt) -> io::Result<()>,
}

impl<'a, F: DuelFile> ReportedFile<'a, F> {
    /// Reports what is appended to `file`.
    pub(crate) fn new(file: F, report: &'a mut dyn FnMut(&WriteReceipt) -> io::Result<()>) -> Self {
        Self { file, report }
    }
}

impl<F: DuelFile> DuelFile for ReportedFile<'_, F> {
    fn now(&self) -> Millis {
        self.file.now()
    }

    fn signature_time(&self) -> String {
        self.file.signature_time()
    }

    fn pause(&mut self, ms: Millis) {
        self.file.pause(ms);
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.file.read()
    }

    fn keep_read(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.keep_read(bytes)
    }

    fn append_if_unchanged(&mut self, expected: Option<&[u8]>, addition: &str) -> io::Result<bool> {
        let appended = self.file.append_if_unchanged(expected, addition)?;
        if appended {
            let at = expected.map_or(0, <[u8]>::len);
            (self.report)(&WriteReceipt::of(at, addition.as_bytes()))?;
        }
        Ok(appended)
    }
}

fn read_bounded(file: &mut File) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MAX_TRANSCRIPT_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TRANSCRIPT_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {MAX_TRANSCRIPT_BYTES} bytes"
        )));
    }
    Ok(bytes)
}
