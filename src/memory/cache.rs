//! Verdicts on disk by recognition key: one file each under the user's seal, replaced whole, the oldest forgotten first.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::council::outcome::{JudgeRecord, Verdict};
use crate::report::Report;

use super::seal::MacKey;
use super::sealed_reports::{SealedReports, clear_abandoned};

/// How old a half-written file must be before it is taken for one that nobody will finish.
const ABANDONED: Duration = Duration::from_secs(3600);

/// How many files more than `keep` there may be before they are swept.
const SLACK: usize = 16;

/// The verdicts of a repository.
#[derive(Clone)]
pub(crate) struct VerdictCache {
    folder: SealedReports,
    keep: usize,
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
        let dir = memory_dir.join("verdicts");
        Self {
            folder: SealedReports { dir, seal },
            keep,
        }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.folder.dir
    }

    /// The verdict under a key; none where there is none that can be read, one that says that it is another's, or one that
    /// this user did not seal.
    pub(crate) fn get(&self, key: &str) -> Option<Report> {
        let report = self.folder.read(&self.folder.file_of_key(key)?)?;
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
        let path = key.and_then(|key| self.folder.file_of_key(key));
        if let Some(path) = path.filter(|_| is_worth_keeping(report)) {
            self.folder.write(&path, report)?;
            self.folder.remove_oldest(self.keep, SLACK);
        }
        Ok(())
    }

    /// How many files there are, those that count for nothing included.
    pub(crate) fn count(&self) -> usize {
        self.folder.list_files().len()
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
        self.folder
            .list_files()
            .into_iter()
            .filter_map(read)
            .collect()
    }

    /// Forgets the verdicts that a later one has answered; those that cannot be removed stay.
    pub(crate) fn forget_answered(&self, is_answered: impl Fn(&Report) -> bool) {
        for (path, _) in self.folder.list_files() {
            if self
                .folder
                .read(&path)
                .is_some_and(|known| is_answered(&known))
            {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Forgets everything, and says how many verdicts that were.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed, or a link leads to where they lie.
    pub(crate) fn clear(&self) -> io::Result<usize> {
        self.folder.clear()
    }

    /// Forgets the oldest beyond the bound, and what was never finished. Says how many verdicts went.
    pub(crate) fn prune_excess(&self) -> usize {
        let dir = self.dir();
        clear_abandoned(dir, ABANDONED);
        // Suggestions on their way into the worktree.
        dir.parent()
            .into_iter()
            .for_each(|dir| clear_abandoned(dir, ABANDONED));
        self.folder.remove_oldest(self.keep, 0)
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
