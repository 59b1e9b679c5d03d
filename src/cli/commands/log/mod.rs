//! `git council log`: the runs of this repository, and verdicts that others left in its notes.

mod stats;

pub(crate) use stats::FindingStats;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::columns::Columns;
use crate::cli::context::CommandContext;
use crate::cli::pager;
use crate::council::outcome::Verdict;
use crate::git;
use crate::report::{GatePolicy, Report};
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::notes::{self, NotedVerdict};
use crate::run::store::{self, RunState, StoredRun};
use crate::run::trust::SignatureTrust;
use crate::text::{self, Ellipsis, Untrusted};

/// Digits by which a commit is shown.
const SHORT: usize = 12;

/// The same in a list, as git shows them.
const SHORTER: usize = 9;

/// List past runs and verdicts from git notes, latest first
#[derive(Debug, Clone, Args)]
pub(crate) struct LogArgs {
    /// Only runs that reviewed up to this commit, e.g. HEAD
    #[arg(value_name = "REVISION")]
    revision: Option<String>,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    max_count: usize,
    /// Count findings by rule and by judge: raised (once, however many runs), confirmed, dismissed, called fixed
    /// (`dismiss --as fixed`), and what a confirmed one costs
    #[arg(long, conflicts_with = "max_count")]
    stats: bool,
    /// Print a JSON array; with --stats an object
    #[arg(long)]
    json: bool,
}

/// A run, or a verdict of a note: an element of `log --json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(title = "RunList")]
pub(crate) struct LogEntry {
    /// The run's name; of a note: `a note on COMMIT`.
    name: String,
    /// When it began, RFC 3339; empty where nothing tells.
    started: String,
    state: EntryState,
    /// The verdict, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// The verdict in a sentence, or what became of the run.
    headline: String,
    /// The commit that was reviewed; none for what was not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// What was reviewed, as it was named.
    target: String,
    /// The first line of the commit's message; empty where it is not known.
    subject: String,
}

/// Where an entry comes from, and how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum EntryState {
    Finished,
    Running,
    Interrupted,
    /// A verdict of a git note.
    Note,
}

pub(crate) fn run(args: &LogArgs, start: &CommandContext) -> Result<(), RunError> {
    let only = args.revision.as_deref();
    let only = only
        .map(|rev| git::commit_at(&start.dir, &start.git_environment(), rev))
        .transpose()?;
    let is_wanted = |commit: Option<&String>| only.is_none() || commit == only.as_ref();
    let mut runs = store::list_runs(start)?;
    if args.stats {
        runs.retain(|(_, report)| {
            let head = report
                .as_ref()
                .and_then(|report| report.target.head.as_ref());
            is_wanted(head)
        });
        let reports: Vec<&Report> = runs.iter().filter_map(|(_, r)| r.as_ref()).collect();
        let decisions = dismissals::own_decisions(start)?;
        let stats = FindingStats::of(&reports, &decisions);
        return match args.json {
            true => start.console.print_json(&stats),
            false => pager::print_paged(&stats.render(), start),
        };
    }
    let mut entries: Vec<LogEntry> = runs
        .iter()
        .map(|(past, report)| run_entry(past, report))
        .collect();
    entries.extend(note_entries(&runs, args.max_count, start)?);
    if entries.is_empty() {
        start
            .console
            .hint("this repository has no run yet: git council review");
    }
    entries.retain(|entry| is_wanted(entry.commit.as_ref()));
    // What goes on stays on top.
    let is_over = |entry: &LogEntry| entry.state != EntryState::Running;
    entries.sort_by(|a, b| (is_over(a), &b.started).cmp(&(is_over(b), &a.started)));
    entries.truncate(args.max_count);
    add_subjects(&mut entries, start);
    if args.json {
        return start.console.print_json(&entries);
    }
    pager::print_paged(&render_entries(&entries, start), start)
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

/// Verdicts of notes that no run here left.
fn note_entries(
    runs: &[(StoredRun, Option<Report>)],
    most: usize,
    start: &CommandContext,
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

fn add_subjects(entries: &mut [LogEntry], start: &CommandContext) {
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

/// A line for each. On a terminal what the verdict says is cut, and the subject, so that the run's name is there.
fn render_entries(entries: &[LogEntry], start: &CommandContext) -> String {
    let ellipsis = start.console.stdout_look().ellipsis();
    render_within(entries, start.console.stdout_columns(), ellipsis)
}

fn render_within(entries: &[LogEntry], width: Option<usize>, ellipsis: Ellipsis) -> String {
    let widest = |cell: fn(&LogEntry) -> &str| {
        let widths = entries.iter().map(|entry| text::display_width(cell(entry)));
        widths.max().unwrap_or(0)
    };
    let name_width = widest(|entry| &entry.name);
    // What an age and a commit take, and the gaps between five columns.
    let taken = MAX_AGE + SHORTER + 4 * 2 + name_width;
    let room = width.map(|width| width.saturating_sub(taken).max(MIN_WORDS));
    let says_room = room.map(|room| (room * 2 / 3).max(room.saturating_sub(widest(about_words))));
    let says_room = says_room.map(|most| most.min(widest(|entry| &entry.headline)));
    let about_room = room
        .zip(says_room)
        .map(|(room, says)| room.saturating_sub(says));
    let fit = |text: &str, room: Option<usize>| match room {
        Some(room) => text::fit_columns(&Untrusted::new(text).line(), room, ellipsis),
        None => text.to_owned(),
    };
    let mut columns = Columns::default();
    for entry in entries {
        let commit = entry.commit.as_deref().unwrap_or_default();
        columns.push([
            age_words(&entry.started).as_str(),
            commit.get(..SHORTER).unwrap_or(commit),
            &fit(&entry.headline, says_room),
            &fit(about_words(entry), about_room),
            &entry.name,
        ]);
    }
    columns.render("")
}

/// The longest words for an age.
const MAX_AGE: usize = 6;

/// The fewest columns in which something is said of a run.
const MIN_WORDS: usize = 12;

fn about_words(entry: &LogEntry) -> &str {
    if entry.subject.is_empty() {
        &entry.target
    } else {
        &entry.subject
    }
}

/// `now`, `5 min`, `3 h`, `2 d`, `4 w`; empty where no time is known.
fn age_words(started: &str) -> String {
    let Ok(then) = started.parse::<jiff::Timestamp>() else {
        return String::new();
    };
    let seconds = jiff::Timestamp::now().as_second() - then.as_second();
    match seconds {
        ..60 => "now".to_owned(),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        86_400..1_209_600 => format!("{} d", seconds / 86_400),
        _ => format!("{} w", seconds / 604_800),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_run_is_there_on_a_terminal_of_any_width() {
        let entry = |headline: &str| LogEntry {
            name: "council-20261125-a-topic-2".to_owned(),
            started: jiff::Timestamp::now().to_string(),
            state: EntryState::Finished,
            verdict: None,
            headline: headline.to_owned(),
            commit: Some("0123456789abcdef".to_owned()),
            target: String::new(),
            subject: "Add a thing that takes many words to say".to_owned(),
        };
        let entries = [
            entry("INCONCLUSIVE: 2 of 2 judges vote FAIL, but none of their findings fails it"),
            entry("PASS: 2 judges found nothing"),
        ];
        for width in [40, 60, 80, 100, 120, 200] {
            let told = render_within(&entries, Some(width), Ellipsis::Ascii);
            assert_eq!(told.lines().count(), 2);
            for line in told.lines() {
                assert!(
                    line.ends_with("  council-20261125-a-topic-2"),
                    "{width}: {line}"
                );
                assert!(line.contains("Add a") || width < 80, "{width}: {line}");
                let least = text::display_width("now  012345678") + 20 + 28;
                assert!(
                    text::display_width(line) <= width.max(least),
                    "{width}: {line}"
                );
            }
        }
        let whole = render_within(&entries, None, Ellipsis::Ascii);
        assert!(
            whole.contains(
                "none of their findings fails it  Add a thing that takes many words to say"
            )
        );
    }

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let ago = |seconds: i64| {
            let then = jiff::Timestamp::now().as_second() - seconds;
            age_words(&jiff::Timestamp::from_second(then).unwrap().to_string())
        };
        let told = [5, 400, 7_300, 200_000, 3_000_000].map(ago);
        assert_eq!(told, ["now", "6 min", "2 h", "2 d", "4 w"]);
        assert_eq!(age_words("yesterday"), "");
    }
}
