//! Verdicts on disk by recognition key: one file each, replaced whole, the oldest forgotten first.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::council::outcome::{JudgeRecord, Verdict};
use crate::report::{self, Gate, Report};

/// How old a half-written file must be before it is taken for one that nobody will finish.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The most bytes of one verdict.
const MOST_BYTES: u64 = 16 << 20;

/// How many files more than `keep` there may be before they are swept.
const SLACK: usize = 16;

/// The verdicts of a repository.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
    keep: usize,
}

/// One verdict as it lies in the cache.
#[derive(Debug)]
pub struct Kept {
    /// Its recognition key.
    pub key: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its report.
    pub report: Report,
}

impl Cache {
    /// The cache below `memory_dir`, with room for `keep` verdicts.
    pub fn new(memory_dir: &Path, keep: usize) -> Self {
        Self {
            dir: memory_dir.join("verdicts"),
            keep,
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The verdict under a key; none where there is none that can be read, or one that says that it is another's.
    pub fn get(&self, key: &str) -> Option<Report> {
        let path = self.file(key)?;
        if fs::metadata(&path).ok()?.len() > MOST_BYTES {
            return None;
        }
        let report = report::json::parse(&fs::read_to_string(path).ok()?).ok()?;
        let own = report.receipt.run.recognition_key.as_deref() == Some(key);
        (own && is_worth_keeping(&report)).then_some(report)
    }

    /// Keeps a verdict under its own key; one that [`is_worth_keeping`] refuses is left out.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written; nothing half-written is ever found by [`Self::get`].
    pub fn put(&self, report: &Report) -> io::Result<()> {
        let key = report.receipt.run.recognition_key.as_deref();
        let Some(path) = key.and_then(|key| self.file(key)) else {
            return Ok(());
        };
        if !is_worth_keeping(report) {
            return Ok(());
        }
        fs::create_dir_all(&self.dir)?;
        let text = report::json::render(report, Gate::default());
        let mut beside = tempfile::Builder::new()
            .prefix(".half-")
            .tempfile_in(&self.dir)?;
        beside.write_all(text.as_bytes())?;
        beside.persist(path).map_err(|error| error.error)?;
        self.sweep(SLACK);
        Ok(())
    }

    /// Every verdict that can be read, the latest first.
    pub fn list(&self) -> Vec<Kept> {
        let read = |(path, meta): (PathBuf, fs::Metadata)| {
            let key = path.file_stem()?.to_str()?.to_owned();
            let report = self.get(&key)?;
            Some(Kept {
                key,
                bytes: meta.len(),
                report,
            })
        };
        self.files().into_iter().filter_map(read).collect()
    }

    /// Forgets everything, and says how many verdicts that were.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed.
    pub fn clear(&self) -> io::Result<usize> {
        let files = self.files();
        for (path, _) in &files {
            removed(fs::remove_file(path))?;
        }
        self.clear_abandoned(Duration::ZERO);
        Ok(files.len())
    }

    /// Forgets the oldest beyond the bound, and what was never finished. Says how many verdicts went.
    pub fn gc(&self) -> usize {
        self.clear_abandoned(ABANDONED);
        self.sweep(0)
    }

    fn sweep(&self, slack: usize) -> usize {
        let files = self.files();
        if files.len() <= self.keep.saturating_add(slack) {
            return 0;
        }
        let old = files.iter().skip(self.keep);
        // Another process may have swept the same.
        old.filter(|(path, _)| fs::remove_file(path).is_ok())
            .count()
    }

    /// The files of verdicts, the latest first.
    fn files(&self) -> Vec<(PathBuf, fs::Metadata)> {
        let mut files: Vec<_> = self
            .entries()
            .filter(|(path, _)| path.extension().is_some_and(|end| end == "json"))
            .collect();
        let modified = |meta: &fs::Metadata| meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.sort_by(|(a, x), (b, y)| modified(y).cmp(&modified(x)).then_with(|| a.cmp(b)));
        files
    }

    fn entries(&self) -> impl Iterator<Item = (PathBuf, fs::Metadata)> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten();
        entries.filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.path(), entry.metadata().ok()?))
        })
    }

    fn clear_abandoned(&self, age: Duration) {
        let now = SystemTime::now();
        for (path, meta) in self.entries() {
            let half = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(".half-"));
            let old = meta
                .modified()
                .is_ok_and(|made| now.duration_since(made).unwrap_or_default() >= age);
            if half && old {
                // Whoever writes it still will find it gone and say so.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// The file of a key; none for what is no key.
    fn file(&self, key: &str) -> Option<PathBuf> {
        let hex = key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| self.dir.join(format!("{key}.json")))
    }
}

fn removed(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Whether a verdict may stand for a later one: made by judges that all counted and none of whom failed, over all of the
/// change, and by itself. Errors and abstentions never are; neither is what was itself only recognised.
pub fn is_worth_keeping(report: &Report) -> bool {
    let judged = matches!(
        report.verdict,
        Verdict::Pass | Verdict::Warn | Verdict::Fail
    );
    let answered = |judge: &JudgeRecord| judge.counted.is_some() && judge.failures.is_empty();
    let run = &report.receipt.run;
    judged
        && !report.incomplete
        && run.cut_short.is_none()
        && run.recognised.is_none()
        && run.recognition_key.is_some()
        && !report.judges.is_empty()
        && report.judges.iter().all(answered)
        && report.coverage.is_complete()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
