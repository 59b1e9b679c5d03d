//! Verdicts on disk by recognition key: one file each under the user's seal, replaced whole, the oldest forgotten first.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::council::outcome::{JudgeRecord, Verdict};
use crate::report::{self, GatePolicy, Report};
use crate::safe_file::{self, PARTIAL_PREFIX};

use super::seal::{DIGITS, MacKey, MacPurpose};

/// How old a half-written file must be before it is taken for one that nobody will finish.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The most bytes of one verdict.
const MAX_VERDICT_BYTES: u64 = 16 << 20;

/// A file is `{"seal":"…",` and the report as it was rendered, so that the seal covers bytes and not a way to write JSON.
const OPEN: &str = "{\"seal\":\"";
const MIDDLE: &str = "\",\n\"report\":";
const CLOSE: &str = "}\n";

/// How many files more than `keep` there may be before they are swept.
const SLACK: usize = 16;

/// The verdicts of a repository.
#[derive(Clone)]
pub(crate) struct VerdictCache {
    dir: PathBuf,
    keep: usize,
    seal: Option<MacKey>,
}

/// One verdict as it lies in the cache.
#[derive(Debug)]
pub(crate) struct CachedVerdict {
    /// Its recognition key.
    pub key: String,
    /// Its size in bytes.
    pub bytes: u64,
    pub report: Report,
}

impl VerdictCache {
    /// The cache below `memory_dir`, with room for `keep` verdicts. Without a seal nothing is kept and nothing known.
    pub(crate) fn new(memory_dir: &Path, keep: usize, seal: Option<MacKey>) -> Self {
        Self {
            dir: memory_dir.join("verdicts"),
            keep,
            seal,
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The verdict under a key; none where there is none that can be read, one that says that it is another's, or one that
    /// this user did not seal.
    pub(crate) fn get(&self, key: &str) -> Option<Report> {
        let path = self.file_of_key(key)?;
        if fs::metadata(&path).ok()?.len() > MAX_VERDICT_BYTES {
            return None;
        }
        let text = safe_file::read_text(path).ok()?;
        let report = report::json::parse(self.verified_json(&text)?).ok()?;
        let own = report.receipt.run.recognition_key.as_deref() == Some(key);
        (own && is_worth_keeping(&report)).then_some(report)
    }

    /// Keeps a verdict under its own key; one that [`is_worth_keeping`] refuses is left out.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written; nothing half-written is ever found by [`Self::get`].
    pub(crate) fn put(&self, report: &Report) -> io::Result<()> {
        let key = report.receipt.run.recognition_key.as_deref();
        let path = key.and_then(|key| self.file_of_key(key));
        let (Some(path), Some(seal)) = (path, &self.seal) else {
            return Ok(());
        };
        if !is_worth_keeping(report) {
            return Ok(());
        }
        safe_file::make_folder(&self.dir)?;
        let json = report::json::render(report, GatePolicy::default());
        let seal = seal.mac_hex(MacPurpose::Verdict, json.as_bytes());
        safe_file::write_file(&path, format!("{OPEN}{seal}{MIDDLE}{json}{CLOSE}"))?;
        self.remove_oldest(SLACK);
        Ok(())
    }

    /// The report's own bytes in a file that this user sealed.
    fn verified_json<'a>(&self, text: &'a str) -> Option<&'a str> {
        let rest = text.strip_prefix(OPEN)?;
        let (seal, rest) = rest.split_at_checked(DIGITS)?;
        let json = rest.strip_prefix(MIDDLE)?.strip_suffix(CLOSE)?;
        let ours = self.seal.as_ref()?;
        ours.verify_mac(MacPurpose::Verdict, json.as_bytes(), seal)
            .then_some(json)
    }

    /// How many files there are, those that count for nothing included.
    pub(crate) fn count(&self) -> usize {
        self.list_files().len()
    }

    /// Every verdict that counts, the latest first.
    pub(crate) fn list(&self) -> Vec<CachedVerdict> {
        let read = |(path, meta): (PathBuf, fs::Metadata)| {
            let key = path.file_stem()?.to_str()?.to_owned();
            let report = self.get(&key)?;
            Some(CachedVerdict {
                key,
                bytes: meta.len(),
                report,
            })
        };
        self.list_files().into_iter().filter_map(read).collect()
    }

    /// Forgets everything, and says how many verdicts that were.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed, or a link leads to where they lie.
    pub(crate) fn clear(&self) -> io::Result<usize> {
        safe_file::check_place(&self.dir)?;
        let files = self.list_files();
        for (path, _) in &files {
            ignore_missing(fs::remove_file(path))?;
        }
        clear_abandoned(&self.dir, Duration::ZERO);
        Ok(files.len())
    }

    /// Forgets the oldest beyond the bound, and what was never finished. Says how many verdicts went.
    pub(crate) fn prune_excess(&self) -> usize {
        clear_abandoned(&self.dir, ABANDONED);
        // Suggestions on their way into the worktree.
        self.dir
            .parent()
            .into_iter()
            .for_each(|dir| clear_abandoned(dir, ABANDONED));
        self.remove_oldest(0)
    }

    fn remove_oldest(&self, slack: usize) -> usize {
        let files = self.list_files();
        if files.len() <= self.keep.saturating_add(slack) {
            return 0;
        }
        let old = files.iter().skip(self.keep);
        // Another process may have swept the same.
        old.filter(|(path, _)| fs::remove_file(path).is_ok())
            .count()
    }

    /// The files of verdicts, the latest first.
    fn list_files(&self) -> Vec<(PathBuf, fs::Metadata)> {
        let mut files: Vec<_> = dir_entries(&self.dir)
            .filter(|(path, _)| path.extension().is_some_and(|end| end == "json"))
            .collect();
        let modified = |meta: &fs::Metadata| meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.sort_by(|(a, x), (b, y)| modified(y).cmp(&modified(x)).then_with(|| a.cmp(b)));
        files
    }

    /// The file of a key; none for what is no key.
    fn file_of_key(&self, key: &str) -> Option<PathBuf> {
        let hex = key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| self.dir.join(format!("{key}.json")))
    }
}

fn dir_entries(dir: &Path) -> impl Iterator<Item = (PathBuf, fs::Metadata)> {
    safe_file::list_own(dir).filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
}

/// Removes half-written files of that age.
fn clear_abandoned(dir: &Path, age: Duration) {
    let now = SystemTime::now();
    for (path, meta) in dir_entries(dir) {
        let half = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(PARTIAL_PREFIX));
        let old = meta
            .modified()
            .is_ok_and(|made| now.duration_since(made).unwrap_or_default() >= age);
        if half && old {
            // Whoever writes it still will find it gone and say so.
            let _ = fs::remove_file(path);
        }
    }
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Whether a verdict may stand for a later one: made by judges that all counted and none of whom failed, over all of the
/// change, by itself, and with every test run that could be. Errors and abstentions never are; neither is what was itself
/// only recognised.
pub(crate) fn is_worth_keeping(report: &Report) -> bool {
    let judged = matches!(
        report.outcome.verdict,
        Verdict::Pass | Verdict::Warn | Verdict::Fail
    );
    let answered = |judge: &JudgeRecord| judge.counted.is_some() && judge.failures.is_empty();
    let run = &report.receipt.run;
    judged
        && !report.incomplete
        && run.cut_short.is_none()
        && run.recognised.is_none()
        && run.recognition_key.is_some()
        && !report.outcome.judges.is_empty()
        && report.outcome.judges.iter().all(answered)
        && report.outcome.coverage.is_complete()
        // A test that could not be run here might have proved a finding.
        && !report.outcome.ledger.reproductions.iter().any(|brought| brought.result.is_unsettled())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
