//! The report that was shown last, recognised ones included: the one whose `F1` a person means.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::council::outcome::Verdict;
use crate::git::{self, RepositoryPaths};
use crate::memory::MacPurpose;
use crate::report::{self, GatePolicy, Report};
use crate::run::context::RunContext;
use crate::safe_file;

/// Its name in the folder that the program keeps in a git directory.
const FILE: &str = "shown.json";

/// What stands before the report when it is signed: a report of a run does not pass for one that was shown.
const SHOWN: &[u8] = b"shown\0";

/// A report that a person saw.
pub(crate) struct ShownReport {
    pub(crate) report: Report,
    /// When it was shown.
    pub(crate) at: Option<SystemTime>,
}

/// Remembers what was shown. Where that cannot be written, the latest run is what people are taken to mean.
pub(crate) fn remember_shown(report: &Report, start: &RunContext) {
    if report.outcome.verdict == Verdict::Skipped || start.environment.is_ci() {
        return;
    }
    let (Some(path), Some(key)) = (file(start), start.signing_key()) else {
        return;
    };
    let json = report::json::render(report, GatePolicy::default());
    let mac = key.mac_hex(MacPurpose::Report, &[SHOWN, json.as_bytes()].concat());
    let folder = path.parent().unwrap_or(&path);
    let _ = safe_file::make_folder(folder)
        .and_then(|()| safe_file::write_file(&path, format!("{mac}\n{json}")));
}

/// What was shown last, if this user's program showed it.
pub(crate) fn last_shown(start: &RunContext) -> Option<ShownReport> {
    let path = file(start)?;
    let text = safe_file::read_text(&path).ok()?;
    let (mac, json) = text.split_once('\n')?;
    let signed = [SHOWN, json.as_bytes()].concat();
    if !start
        .signing_key()?
        .verify_mac(MacPurpose::Report, &signed, mac)
    {
        return None;
    }
    Some(ShownReport {
        report: report::json::parse(json).ok()?,
        at: fs::metadata(&path).and_then(|meta| meta.modified()).ok(),
    })
}

/// The reused verdict that was shown after that moment: it leaves no run, and is the last report all the same.
pub(crate) fn last_reused(start: &RunContext, after: Option<SystemTime>) -> Option<Report> {
    let shown = last_shown(start)?;
    let is_last = after.is_none() || shown.at > after;
    (is_last && shown.report.receipt.run.recognised.is_some()).then_some(shown.report)
}

/// The commit that was reviewed and the one that HEAD is now, where these differ.
pub(crate) fn moved_on(reviewed: Option<&str>, start: &RunContext) -> Option<(String, String)> {
    let reviewed = reviewed?;
    let now = git::commit_at(&start.dir, &start.git_environment(), "HEAD").ok()?;
    let short = |commit: &str| commit.get(..SHORT).unwrap_or(commit).to_owned();
    (reviewed != now).then(|| (short(reviewed), short(&now)))
}

/// Digits by which a commit is shown.
const SHORT: usize = 9;

fn file(start: &RunContext) -> Option<PathBuf> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
    Some(place.memory_dir()?.join(FILE))
}
