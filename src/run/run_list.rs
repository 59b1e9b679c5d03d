//! The runs of a repository and the verdicts in its notes, as a list.

use std::borrow::Cow;

use council_secrets::{Redactor, may_repeat_secret};
use schemars::JsonSchema;
use serde::Serialize;

use crate::council::outcome::Verdict;
use crate::git;
use crate::report::{GatePolicy, Report};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::given::{self, GivenVerdict};
use crate::run::notes::{self, NotedVerdict};
use crate::run::page::redactor_of_run;
use crate::run::redaction::user_redactor;
use crate::run::store::{RunState, StoredRun};
use crate::run::trust::SignatureTrust;

/// Digits by which the commit of a note is named.
const SHORT: usize = 12;

/// A run, or a verdict of a note: an element of `log --json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "RunList")]
pub(crate) struct LogEntry {
    /// The run's name; of a note: `a note on COMMIT`.
    pub(crate) name: String,
    /// When it began, RFC 3339; empty where nothing tells.
    pub(crate) started: String,
    pub(crate) state: EntryState,
    /// The verdict, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verdict: Option<Verdict>,
    /// The verdict in a sentence, or what became of the run.
    pub(crate) headline: String,
    /// The commit that was reviewed; none for what was not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// What was reviewed, as it was named.
    pub(crate) target: String,
    /// The first line of the commit's message; empty where it is not known.
    pub(crate) subject: String,
}

impl LogEntry {
    /// What the list says of it.
    pub(crate) fn says(&self) -> Cow<'_, str> {
        match self.state {
            EntryState::Reused => format!("{} · reused", self.headline).into(),
            _ => self.headline.as_str().into(),
        }
    }

    /// Authors write subjects, and whoever can push writes notes: both may hold a secret.
    fn redact_words(&mut self, redactor: &Redactor) {
        for text in [&mut self.headline, &mut self.target, &mut self.subject] {
            *text = redactor.redact_words(text).text;
        }
    }
}

/// Where an entry comes from, and how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EntryState {
    Finished,
    Running,
    Interrupted,
    /// A verdict that the run made before was given again: the change was known.
    Reused,
    /// A verdict of a git note.
    Note,
}

/// Every run and every verdict of a note, in no order; of notes, no more than `most`.
pub(crate) fn collect_entries(
    runs: &[(StoredRun, Option<Report>)],
    most: usize,
    start: &RunContext,
) -> Result<Vec<LogEntry>, RunError> {
    // Of what has one second, a verdict that was given again is later than the run that made it.
    let given = given::list_given(start).into_iter().rev();
    let mut entries: Vec<LogEntry> = given.map(given_entry).collect();
    entries.extend(runs.iter().map(|(past, report)| run_entry(past, report)));
    entries.extend(note_entries(runs, most, start)?);
    Ok(entries)
}

/// The latest of them first, those that go on on top; each with what its commit is about, and without secrets.
pub(crate) fn latest_entries(
    mut entries: Vec<LogEntry>,
    runs: &[(StoredRun, Option<Report>)],
    most: usize,
    start: &RunContext,
) -> Result<Vec<LogEntry>, RunError> {
    let is_over = |entry: &LogEntry| entry.state != EntryState::Running;
    entries.sort_by(|a, b| (is_over(a), &b.started).cmp(&(is_over(b), &a.started)));
    entries.truncate(most);
    add_subjects(&mut entries, start);
    let redactor = user_redactor(start)?;
    for entry in &mut entries {
        entry.redact_words(&redactor);
        // Few subjects hold a word that may be a secret of their change: no other change is read for one.
        if may_repeat_secret(&entry.subject) {
            let known = redactor_of_entry(entry, runs, start);
            known
                .into_iter()
                .for_each(|known| entry.redact_words(&known));
        }
    }
    Ok(entries)
}

/// What knows the secrets of the change that an entry is about.
fn redactor_of_entry(
    entry: &LogEntry,
    runs: &[(StoredRun, Option<Report>)],
    start: &RunContext,
) -> Option<Redactor> {
    let (past, report) = runs.iter().find(|(past, _)| past.name == entry.name)?;
    redactor_of_run(past, report.as_ref()?, start)
}

fn run_entry(past: &StoredRun, report: &Option<Report>) -> LogEntry {
    let name = past.name.clone();
    match report {
        Some(report) => LogEntry {
            name,
            started: report.receipt.run.started.clone(),
            state: EntryState::Finished,
            verdict: Some(report.outcome.verdict),
            headline: report.bottom_line(GatePolicy::default()).headline,
            commit: report.target.head.clone(),
            target: report.target.label.clone(),
            subject: String::new(),
        },
        None => {
            let (state, says) = match past.state() {
                RunState::GoingOn => (EntryState::Running, "is running"),
                RunState::Finished | RunState::CutOff => {
                    (EntryState::Interrupted, "was interrupted")
                }
            };
            let header = past.header();
            let target = header.as_ref().map(|header| &header.target);
            LogEntry {
                name,
                state,
                verdict: None,
                headline: says.to_owned(),
                commit: target.and_then(|target| target.head.clone()),
                target: target.map_or_else(String::new, |target| target.label.clone()),
                subject: String::new(),
                started: header.map_or_else(String::new, |header| header.started),
            }
        }
    }
}

fn given_entry(given: GivenVerdict) -> LogEntry {
    LogEntry {
        name: given.run,
        started: given.at,
        state: EntryState::Reused,
        verdict: Some(given.verdict),
        headline: given.headline,
        commit: given.commit,
        target: given.target,
        subject: String::new(),
    }
}

/// Verdicts of notes that no run here left.
fn note_entries(
    runs: &[(StoredRun, Option<Report>)],
    most: usize,
    start: &RunContext,
) -> Result<Vec<LogEntry>, RunError> {
    let mut noted = notes::list_verdicts(start);
    let is_run = |noted: &NotedVerdict| {
        let mut reports = runs.iter().filter_map(|(_, report)| report.as_ref());
        reports.any(|report| noted.is_of_run(report))
    };
    noted.retain(|noted| !is_run(noted));
    if noted.is_empty() {
        return Ok(Vec::new());
    }
    let trust = notes::repository_trust(start)?;
    // A signature is a program's affair: no more are checked than are shown.
    let latest = noted.iter().take(most);
    Ok(latest.map(|noted| note_entry(noted, &trust)).collect())
}

fn note_entry(noted: &NotedVerdict, trust: &SignatureTrust<'_>) -> LogEntry {
    let verdict = &noted.verdict;
    let commit = noted.commit.get(..SHORT).unwrap_or(&noted.commit);
    LogEntry {
        name: format!("a note on {commit}"),
        started: verdict.made.clone(),
        state: EntryState::Note,
        verdict: Some(verdict.verdict),
        headline: format!("{} ({})", verdict.headline, noted.describe_signer(trust)),
        commit: Some(noted.commit.clone()),
        target: String::new(),
        subject: String::new(),
    }
}

fn add_subjects(entries: &mut [LogEntry], start: &RunContext) {
    let commits: Vec<String> = entries.iter().filter_map(|e| e.commit.clone()).collect();
    let subjects = git::commit_subjects(&start.dir, &start.git_environment(), &commits);
    for entry in entries {
        let subject = entry
            .commit
            .as_ref()
            .and_then(|commit| subjects.get(commit));
        entry.subject = subject.cloned().unwrap_or_default();
    }
}
