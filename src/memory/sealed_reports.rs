//! Reports on disk under the user's seal: one file each, replaced whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::report::{self, GatePolicy, Report};
use crate::safe_file::{self, PARTIAL_PREFIX};

use super::seal::{DIGITS, MacKey, MacPurpose};

/// The most bytes of one report.
const MAX_REPORT_BYTES: u64 = 16 << 20;

/// A file is `{"seal":"…",` and the report as it was rendered, so that the seal covers bytes and not a way to write JSON.
pub(super) const OPEN: &str = "{\"seal\":\"";
pub(super) const MIDDLE: &str = "\",\n\"report\":";
pub(super) const CLOSE: &str = "}\n";

/// A folder of reports, each in a file of its key. Without a seal nothing is kept and nothing known.
#[derive(Clone)]
pub(super) struct SealedReports {
    pub(super) dir: PathBuf,
    pub(super) seal: Option<MacKey>,
}

impl SealedReports {
    /// The file of a key; none for what is no key.
    pub(super) fn file_of_key(&self, key: &str) -> Option<PathBuf> {
        let hex = key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| self.dir.join(format!("{key}.json")))
    }

    /// The report in a file that this user sealed.
    pub(super) fn read(&self, path: &Path) -> Option<Report> {
        if fs::metadata(path).ok()?.len() > MAX_REPORT_BYTES {
            return None;
        }
        let text = safe_file::read_text(path).ok()?;
        report::json::parse(self.verified_json(&text)?).ok()
    }

    /// Writes a report under the seal.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written; nothing half-written is ever found by [`Self::read`].
    pub(super) fn write(&self, path: &Path, report: &Report) -> io::Result<()> {
        let Some(seal) = &self.seal else {
            return Ok(());
        };
        safe_file::make_folder(&self.dir)?;
        let json = report::json::render(report, GatePolicy::default());
        let seal = seal.mac_hex(MacPurpose::Verdict, json.as_bytes());
        safe_file::write_file(path, format!("{OPEN}{seal}{MIDDLE}{json}{CLOSE}"))
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

    /// The files, the latest first.
    pub(super) fn list_files(&self) -> Vec<(PathBuf, fs::Metadata)> {
        let mut files: Vec<_> = dir_entries(&self.dir)
            .filter(|(path, _)| path.extension().is_some_and(|end| end == "json"))
            .collect();
        let modified = |meta: &fs::Metadata| meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.sort_by(|(a, x), (b, y)| modified(y).cmp(&modified(x)).then_with(|| a.cmp(b)));
        files
    }

    /// Removes the oldest beyond `keep`, once there are more than `slack` too many. Says how many went.
    pub(super) fn remove_oldest(&self, keep: usize, slack: usize) -> usize {
        let files = self.list_files();
        if files.len() <= keep.saturating_add(slack) {
            return 0;
        }
        let old = files.iter().skip(keep);
        // Another process may have swept the same.
        old.filter(|(path, _)| fs::remove_file(path).is_ok())
            .count()
    }

    /// Removes all of them, and says how many those were.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed, or a link leads to where they lie.
    pub(super) fn clear(&self) -> io::Result<usize> {
        safe_file::check_place(&self.dir)?;
        let files = self.list_files();
        for (path, _) in &files {
            ignore_missing(fs::remove_file(path))?;
        }
        clear_abandoned(&self.dir, Duration::ZERO);
        Ok(files.len())
    }
}

pub(super) fn dir_entries(dir: &Path) -> impl Iterator<Item = (PathBuf, fs::Metadata)> {
    safe_file::list_own(dir).filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
}

/// Removes half-written files of that age.
pub(super) fn clear_abandoned(dir: &Path, age: Duration) {
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

pub(super) fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
