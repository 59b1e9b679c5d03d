//! What one run leaves for the next one: what was judged, with which result, and which findings are open.
//!
//! It stands in the sticky report. A finding of it stays open until it is shown to be resolved.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::coverage::FileCoverage;
use council_protocol::{CoverageState, RepoPath, Severity, Vote};
use serde::{Deserialize, Serialize};

use super::kept::{
    KeptReport, OpenFinding, read_packed, with_open_findings, with_opinions, write_packed,
};
use super::marker::hidden_len;
use super::quote_place::ReportPlaces;
use super::voices::KeptVoice;
use crate::council::outcome::{FindingLevel, JudgeRecord, JudgedFinding, Verdict, VerdictReason};
use crate::council::plan::ConsensusRule;
use crate::packet::sha256;
use crate::report::{FailOn, MemoryPlace, Report, json};

/// Version of the state.
const VERSION: u32 = 1;

/// The most characters of a state with what was resolved: the comment needs room for words.
const MAX_STATE: usize = 50_000;

/// The most characters of the digests of changed files.
const MAX_FILES: usize = 10_000;

/// What a run knew at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewState {
    pub version: u32,
    /// The commit that was judged.
    pub head: String,
    /// What that was compared with: where it is the same, nothing is another outside of the change. None: nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    pub run: String,
    /// The recognition key of change, configuration, bench and templates.
    #[serde(default)]
    pub key: Option<String>,
    /// What the change is recognised by, whatever its commits are called; empty: nobody knows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub change: String,
    /// What decided beside the change: configuration, templates, program.
    #[serde(default)]
    pub rules: String,
    pub verdict: Verdict,
    /// Why that word.
    pub reason: VerdictReason,
    /// The sentence that says both.
    pub headline: String,
    /// Whether a later run may build upon it: everything was seen and every open finding is here.
    pub whole: bool,
    /// Changed files that were judged, by the digest of their path, with a digest of their change: a path may hold a secret.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The commit at which a file was judged, by the digest of its path, where that was an earlier one than `head`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub judged_at: BTreeMap<String, String>,
    /// The findings that count or were dismissed, the worst first.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "write_packed",
        deserialize_with = "read_packed"
    )]
    pub open: Vec<OpenFinding>,
    /// Findings that were resolved: their code may come back with another push.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "write_packed",
        deserialize_with = "read_packed"
    )]
    pub gone: Vec<OpenFinding>,
    /// Who spoke in these: another review may seat them otherwise, or not at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voices: Vec<KeptVoice>,
    /// How many more open ones there are than there was room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: usize,
    /// The report in short, so that a run that is recognised shows as much as a fresh one; none where it is too large, or
    /// where nothing may be recognised by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<Report>>,
    /// Whether more than findings bars a better verdict, and the report that says it is too large to be kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// The commit that an unprivileged job has reported on since: the words of the comment are that job's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<String>,
    /// Whether the findings that count were too many to be kept in that report as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

/// The change that a report is about, as the next review compares it with its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JudgedChange {
    /// What all of it is recognised by, whatever its commits are called.
    pub digest: String,
    /// Changed files with a digest of each one's change.
    pub files: BTreeMap<String, String>,
    /// What decided beside the change.
    pub rules: String,
    /// Where the quotes of the report stand.
    pub quotes: ReportPlaces,
    /// What was resolved, by now or before.
    pub gone: Vec<OpenFinding>,
}

/// Half a SHA-256: enough to tell the files of one change apart.
fn path_digest(path: &str) -> String {
    sha256(path.as_bytes())[..32].to_owned()
}

/// Whether the findings that count are all that bars a better verdict. What a judge objects to in words, or in an answer that
/// does not count, is in no finding that could be carried over: the files that it means are judged again.
fn is_told_by_findings(report: &Report) -> bool {
    let outcome = &report.outcome;
    let worst = outcome
        .findings
        .iter()
        .filter_map(|found| found.level)
        .max();
    let told = match worst {
        Some(FindingLevel::Fail) => Verdict::Fail,
        Some(FindingLevel::Warn) => Verdict::Warn,
        Some(FindingLevel::Note) | None => Verdict::Pass,
    };
    outcome.verdict == told && !outcome.has_objection_without_finding()
}

/// The digest that is kept of a file that is judged again whatever becomes of it: no change has it.
const IN_DOUBT: &str = "in doubt";

/// The files in which a judge saw a critical problem that does not count, as its quote does not hold or somebody refuted it:
/// no finding is carried from there, so that somebody has to look again.
fn files_in_doubt(report: &Report) -> BTreeSet<String> {
    let rejected = report.rejected_findings();
    let critical = rejected.filter(|found| found.finding.severity == Severity::Critical);
    critical
        .map(|found| found.finding.location.path.display().into_owned())
        .collect()
}

/// Whether more than the findings that count bars a better verdict, and it is not that too few could be asked.
fn is_barred_beyond_findings(report: &Report) -> bool {
    let outcome = &report.outcome;
    let votes_fail = |judge: &JudgeRecord| {
        [judge.counted, judge.lost_vote, judge.unplaced].contains(&Some(Vote::Fail))
    };
    match outcome.verdict {
        Verdict::Pass | Verdict::Skipped => false,
        Verdict::Warn | Verdict::Fail => !is_told_by_findings(report),
        Verdict::Inconclusive => {
            outcome.reason == VerdictReason::StandingObjection
                || outcome.has_objection_without_finding()
                || outcome.judges.iter().any(votes_fail)
        }
    }
}

impl ReviewState {
    /// What a report over a change leaves.
    pub fn of(report: &Report, judged: JudgedChange) -> Self {
        let JudgedChange {
            digest,
            files,
            rules,
            quotes,
            gone,
        } = judged;
        let kept = KeptReport::of(report, &quotes);
        let unread = files_in_doubt(report);
        let kept_digest = |(path, change): (String, String)| {
            let is_read = !unread.contains(&path);
            (
                path_digest(&path),
                if is_read { change } else { IN_DOUBT.to_owned() },
            )
        };
        let files: BTreeMap<String, String> = files.into_iter().map(kept_digest).collect();
        // Without their names every file is judged again.
        let has_room = hidden_len(&files) <= MAX_FILES;
        let conclusive = matches!(
            report.outcome.verdict,
            Verdict::Pass | Verdict::Warn | Verdict::Fail
        );
        let run = &report.receipt.run;
        let mut state = Self {
            version: VERSION,
            head: report.target.head.clone().unwrap_or_default(),
            base: report.target.base.clone(),
            run: run.name.clone(),
            key: run
                .recognition_key
                .clone()
                .filter(|_| report.source.is_own()),
            change: digest,
            rules,
            verdict: report.outcome.verdict,
            reason: report.outcome.reason,
            headline: report.headline(),
            // By votes nothing can be carried: a vote is about the whole change.
            whole: report.source.is_own()
                && has_room
                && kept.lost == 0
                && conclusive
                && report.outcome.reason != VerdictReason::CommitFailed
                && is_told_by_findings(report)
                && !report.incomplete
                && report.outcome.consensus == Some(ConsensusRule::Findings)
                && report.outcome.coverage.gaps().next().is_none(),
            untold: report.source.is_own()
                && (kept.report.is_none() || kept.lost > 0)
                && is_barred_beyond_findings(report),
            judged_at: judged_earlier(report, &files),
            files: if has_room { files } else { BTreeMap::new() },
            open: kept.open,
            gone,
            voices: Vec::new(),
            lost: kept.lost,
            report: kept.report,
            claimed: None,
            shortened: kept.shortened,
        };
        // What is open goes before what may come back.
        if hidden_len(&state) > MAX_STATE {
            state.gone.clear();
        }
        state.keep_voices(report, None);
        state
    }

    /// What a comment with a report leaves in which `before` stood. What an unprivileged job says is no memory: what the last
    /// review left stays beside its words.
    pub(super) fn after(mut self, report: &Report, before: Option<Self>) -> Self {
        match before {
            Some(before) if before.key.is_some() && !report.source.is_own() => Self {
                claimed: Some(self.head),
                ..before
            },
            before => {
                self.keep_voices(report, before.as_ref());
                self
            }
        }
    }

    /// Whether the comment tells more of each finding than is kept of it.
    pub(crate) fn is_told_in_full_there(&self) -> bool {
        self.shortened && self.claimed.is_none()
    }

    /// Whether a review with rights of its own failed this commit, for whatever reason.
    pub(crate) fn has_failed(&self, commit: &str) -> bool {
        let warns = self.report.as_ref().map(|report| report.own_gate().fail_on);
        let fails = match self.verdict {
            Verdict::Fail => true,
            Verdict::Warn => warns == Some(FailOn::Warn),
            _ => false,
        };
        fails && self.key.is_some() && self.head == commit
    }

    /// Whether this program can read it.
    pub fn is_current(&self) -> bool {
        self.version == VERSION
    }

    /// Whether the verdict can be taken for one of this key: only a conclusive one of its own is.
    pub fn recognises(&self, key: &str) -> bool {
        self.key.as_deref() == Some(key)
            && self.reason != VerdictReason::CommitFailed
            && matches!(self.verdict, Verdict::Pass | Verdict::Warn | Verdict::Fail)
    }

    /// The report of the recognised run, for the run that `started_by` asked for.
    pub fn recognised_report(&self, key: &str, started_by: Option<&str>) -> Option<Report> {
        let report = self
            .kept_report(started_by)
            .filter(|_| self.recognises(key))?;
        (report.receipt.run.recognition_key.as_deref() == Some(key)).then_some(report)
    }

    /// The report, where it is over this very change and something bars a better verdict that no finding carries:
    /// votes, or a problem that nobody could prove. It stands whatever the commits are called and whoever would judge
    /// today, as before a push.
    pub(crate) fn objection_to(&self, change: &str, started_by: Option<&str>) -> Option<Report> {
        let is_same = !change.is_empty() && self.change == change;
        let is_own = self.reason != VerdictReason::CommitFailed;
        let report = self.kept_report(started_by).filter(|_| is_same && is_own);
        report.filter(is_barred_beyond_findings)
    }

    /// Whether it is over this very change, and nobody can tell again what bars a better verdict: its report was too large.
    pub(crate) fn bars_untold(&self, change: &str) -> bool {
        let is_own = self.reason != VerdictReason::CommitFailed;
        self.untold && is_own && !change.is_empty() && self.change == change
    }

    /// Whether the next review is told all that stands in the way of a better verdict in a report: nothing but findings
    /// does, and each of them is open here.
    pub(crate) fn carries_all_of(&self, report: &Report) -> bool {
        let is_open = |found: &JudgedFinding| {
            let mut open = self.open.iter();
            open.any(|open| open.fingerprint == found.fingerprint)
        };
        let mut counted = report.outcome.findings.iter().filter(|f| f.level.is_some());
        self.lost == 0 && is_told_by_findings(report) && counted.all(is_open)
    }

    /// The report that is kept, as far as it does not contradict itself.
    fn kept_report(&self, started_by: Option<&str>) -> Option<Report> {
        let mut report = (**self.report.as_ref()?).clone();
        match self.shortened {
            true => with_open_findings(&mut report, &self.open),
            false => with_opinions(&mut report, &self.open),
        }
        let is_ours = self.lost == 0
            && report.source.is_own()
            && report.outcome.verdict == self.verdict
            && json::contradiction(&report).is_none();
        let head = report.target.head.clone();
        let started_by = started_by.map(str::to_owned);
        let run = &mut report.receipt.run;
        run.recognise(MemoryPlace::Comment, head, None, started_by);
        is_ours.then_some(report)
    }

    /// How many of the open findings that count for the verdict a report does not know of: one of a review that was not told
    /// what this one left.
    pub(crate) fn forgotten_by(&self, report: &Report) -> usize {
        let earlier = report.receipt.run.earlier.as_ref();
        if earlier.is_some_and(|earlier| earlier.commit == self.head) {
            return 0;
        }
        let is_known = |open: &&OpenFinding| {
            let mut now = report.outcome.findings.iter();
            now.any(|found| found.fingerprint == open.fingerprint)
        };
        let open = self.open.iter();
        let counts = open.filter(|open| open.level > Some(FindingLevel::Note));
        counts.filter(|open| !is_known(open)).count() + self.lost
    }

    /// Whether it is compared with this commit, so that nothing is another outside of the change.
    pub(crate) fn has_base(&self, base: Option<&str>) -> bool {
        base.is_some() && self.base.as_deref() == base
    }

    /// Whether one review was shown all of the change, so that its report knows what stood around all of it.
    pub(crate) fn is_of_one_look(&self) -> bool {
        !self.files.is_empty() && self.judged_at.is_empty()
    }

    /// Whether the last review was shown this file; where it knows of none, it was shown none.
    pub(super) fn knows_file(&self, path: &RepoPath) -> bool {
        self.files.contains_key(&path_digest(&path.display()))
    }

    /// Why a file is not judged again.
    pub(crate) fn unchanged_reason(&self, path: &RepoPath) -> String {
        let at = self.judged_at.get(&path_digest(&path.display()));
        let commit = at.unwrap_or(&self.head);
        format!("{UNCHANGED}{}", commit.get(..12).unwrap_or(commit))
    }

    /// The files whose change was judged before under the same rules; none: everything is judged again.
    pub fn judged_before(&self, files: &BTreeMap<String, String>, rules: &str) -> Vec<String> {
        if !self.whole || self.rules != rules {
            return Vec::new();
        }
        let same = files
            .iter()
            .filter(|(path, digest)| self.files.get(&path_digest(path)) == Some(digest));
        same.map(|(path, _)| path.clone()).collect()
    }
}

/// How the reason begins why a file is not judged again; behind it stands the commit at which it was.
const UNCHANGED: &str = "unchanged since it was reviewed at ";

/// Whether that is why a file was left out.
pub(crate) fn is_unchanged_reason(reason: &str) -> bool {
    reason.starts_with(UNCHANGED)
}

/// The commits at which the files of `known` were judged that this run did not judge again.
fn judged_earlier(report: &Report, known: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let commit = |file: &FileCoverage| {
        let CoverageState::Skipped { reason } = &file.state else {
            return None;
        };
        let path = path_digest(&file.path.display());
        let commit = reason.strip_prefix(UNCHANGED)?.to_owned();
        known.contains_key(&path).then_some((path, commit))
    };
    let files = report.outcome.coverage.files.iter();
    let earlier: BTreeMap<String, String> = files.filter_map(commit).collect();
    match hidden_len(&earlier) <= MAX_FILES {
        true => earlier,
        false => BTreeMap::new(),
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
