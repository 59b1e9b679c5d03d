//! The report that was shown last, recognised ones included: the one whose `F1` a person means. And the verdict that was
//! given last: one that was reused, or concluded from other jobs, leaves no run.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use council_protocol::packet::{Target, TargetKind};

use crate::council::outcome::Verdict;
use crate::git::{self, GitError, RepositoryPaths};
use crate::memory::MacPurpose;
use crate::packet::packet_digest;
use crate::report::{self, GatePolicy, Report};
use crate::run::context::RunContext;
use crate::run::given::note_given;
use crate::run::prepare::prepare_review;
use crate::run::request::{RequestedTarget, ReviewRequest};
use crate::run::store::{self, StoredRun};
use crate::run::stored_request::StoredRequest;
use crate::safe_file;

/// The name of the report that was shown last, in the folder that the program keeps in a worktree's git directory.
const SHOWN_FILE: &str = "shown.json";

/// The same of what a coding agent was shown: a person who names `F1` has not seen it.
const SHOWN_TO_AGENT_FILE: &str = "shown-agent.json";

/// In the environment of a review whose report nobody sees: it began in the background.
pub(crate) const UNSEEN: &str = "GIT_COUNCIL_UNSEEN";

/// The name of the verdict that was given last, beside it.
const VERDICT_FILE: &str = "verdict.json";

/// What stands before the report when it is signed: a report of a run does not pass for one that was shown.
const SHOWN: &[u8] = b"shown\0";

/// Digits by which a commit is shown.
const SHORT: usize = 9;

/// A report that a person saw.
pub(crate) struct ShownReport {
    pub(crate) report: Report,
    /// When it was shown.
    pub(crate) at: Option<SystemTime>,
}

/// Remembers a verdict that was just given; and, if `shows_findings`, that its findings were shown with it under their ids,
/// unless only the headline was.
pub(crate) fn remember_verdict(report: &Report, shows_findings: bool, start: &RunContext) {
    remember_in(VERDICT_FILE, report, start);
    note_given(report, start);
    if shows_findings && !start.notifier.is_quiet() {
        remember_shown(report, start);
    }
}

/// Remembers what was shown. Where that cannot be written, the latest run is what people are taken to mean.
pub(crate) fn remember_shown(report: &Report, start: &RunContext) {
    if start.environment.get(UNSEEN).is_none() {
        remember_in(shown_file(start), report, start);
    }
}

/// Where it is kept what the one who asks was shown.
fn shown_file(start: &RunContext) -> &'static str {
    match start.started_by {
        Some(_) => SHOWN_TO_AGENT_FILE,
        None => SHOWN_FILE,
    }
}

fn remember_in(name: &str, report: &Report, start: &RunContext) {
    if report.outcome.verdict == Verdict::Skipped || start.environment.is_ci() {
        return;
    }
    let (Some(path), Some(key)) = (place_of(name, start), start.signing_key()) else {
        return;
    };
    let json = report::json::render(report, GatePolicy::default());
    let mac = key.mac_hex(MacPurpose::Report, &signed_bytes(&json));
    let folder = path.parent().unwrap_or(&path);
    let _ = safe_file::make_folder(folder)
        .and_then(|()| safe_file::write_file(&path, format!("{mac}\n{json}")));
}

fn signed_bytes(json: &str) -> Vec<u8> {
    [SHOWN, json.as_bytes()].concat()
}

/// What was shown last, if this user's program showed it.
pub(crate) fn last_shown(start: &RunContext) -> Option<ShownReport> {
    read_signed(shown_file(start), start)
}

/// A verdict that was given later than `shown`, and whose findings nobody was shown.
pub(crate) fn given_since(shown: &ShownReport, start: &RunContext) -> Option<Report> {
    let given = read_signed(VERDICT_FILE, start)?;
    (given.at > shown.at).then_some(given.report)
}

/// The verdict that was given after `latest`, the latest run with a report, and is not that run's own. It is what a command
/// means that is given no run: an older run would speak for a change, or in an order of findings, that nobody was just shown.
pub(crate) fn verdict_after(latest: Option<&StoredRun>, start: &RunContext) -> Option<Report> {
    let ShownReport { report, at } = read_signed(VERDICT_FILE, start)?;
    let run = &report.receipt.run;
    let is_of = |past: &StoredRun| run.recognised.is_none() && run.name == past.name;
    let is_newer = |past: &StoredRun| past.ended() <= at && !is_of(past);
    // A run that is here and has no report, or none any more, speaks for itself.
    let is_open = |past: &StoredRun| past.ended().is_none();
    let own = match run.recognised {
        None => store::run_of_name(start, &run.name),
        Some(_) => None,
    };
    if own.as_ref().is_some_and(is_open) {
        return None;
    }
    latest.is_none_or(is_newer).then_some(report)
}

/// What a report is about that is not about what lies here now: "about 1a2b3c4d5, not about HEAD, …". None: it is.
pub(crate) fn about_other(report: &Report, start: &RunContext) -> Option<String> {
    let target = &report.target;
    let about = match moved_on(target, start) {
        Some((reviewed, now)) if is_uncommitted(target) => {
            format!("about changes on {reviewed}, not about HEAD, {now}")
        }
        Some((reviewed, now)) => format!("about {reviewed}, not about HEAD, {now}"),
        None if target.kind == TargetKind::Staged && was_edited(report, start) => {
            "not about what is staged now".to_owned()
        }
        None if is_uncommitted(target) && was_edited(report, start) => {
            "not about what is uncommitted now: files changed since".to_owned()
        }
        None if !target.only.is_empty() => {
            format!("about a part of the change only: {}", target.only.join(" "))
        }
        None => return None,
    };
    Some(about)
}

fn is_uncommitted(target: &Target) -> bool {
    matches!(target.kind, TargetKind::Staged | TargetKind::Worktree)
}

/// The commit that was reviewed, or on which the changes stood that were, and the one that HEAD is now, where these differ.
fn moved_on(target: &Target, start: &RunContext) -> Option<(String, String)> {
    let reviewed = match is_uncommitted(target) {
        true => target.base.as_deref()?,
        false => target.head.as_deref()?,
    };
    let short = |commit: &str| commit.get(..SHORT).unwrap_or(commit).to_owned();
    match git::commit_at(&start.dir, &start.git_environment(), "HEAD") {
        Ok(now) => (reviewed != now).then(|| (short(reviewed), short(&now))),
        Err(GitError::Unborn { .. }) => {
            Some((short(reviewed), "which has no commit yet".to_owned()))
        }
        Err(_) => None,
    }
}

/// Whether the changes that were reviewed are not the ones that lie here now. Where nothing tells, they are.
fn was_edited(report: &Report, start: &RunContext) -> bool {
    let Some(reviewed) = report.receipt.run.packet_told() else {
        return false;
    };
    let target = match report.target.kind {
        TargetKind::Staged => RequestedTarget::Staged,
        _ => RequestedTarget::Worktree,
    };
    // What was asked for may have been a part of it. A verdict that was known was asked for otherwise at first.
    let run = &report.receipt.run;
    let own = run.recognised.is_none().then_some(run.name.as_str());
    let asked = own
        .and_then(|name| store::run_of_name(start, name))
        .and_then(|past| StoredRequest::load_request(&past, start).ok())
        .and_then(|stored| stored.restore(start).ok());
    let (request, start) = asked.unwrap_or_else(|| {
        let request = ReviewRequest {
            target,
            ..ReviewRequest::default()
        };
        (request, start.clone())
    });
    prepare_review(&request, &start).is_ok_and(|now| {
        // A verdict is known again by its change: of the worktree and of the index the packets differ.
        let change = || git::recognition_key(&now.change, &now.packet.files);
        packet_digest(&now.packet) != *reviewed && run.digests.change != Some(change())
    })
}

fn read_signed(name: &str, start: &RunContext) -> Option<ShownReport> {
    let path = place_of(name, start)?;
    let text = safe_file::read_text(&path).ok()?;
    let (mac, json) = text.split_once('\n')?;
    let key = start.signing_key()?;
    if !key.verify_mac(MacPurpose::Report, &signed_bytes(json), mac) {
        return None;
    }
    Some(ShownReport {
        report: report::json::parse(json).ok()?,
        at: fs::metadata(&path).and_then(|meta| meta.modified()).ok(),
    })
}

fn place_of(name: &str, start: &RunContext) -> Option<PathBuf> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
    Some(place.own_memory_dir()?.join(name))
}
