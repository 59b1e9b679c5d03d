//! `git council log`: the runs of this repository, and verdicts that others left in its notes.

use std::borrow::Cow;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::pager;
use crate::git;
use crate::report::Report;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::finding_stats::FindingStats;
use crate::run::run_list::{LogEntry, collect_entries, latest_entries};
use crate::run::store;
use crate::text::Columns;
use crate::text::{self, Ellipsis, Untrusted};

/// Digits by which a commit is shown in a list, as git shows them.
const SHORTER: usize = 9;

/// List past runs and verdicts from git notes, latest first
#[derive(Debug, Clone, Args)]
pub(crate) struct LogArgs {
    /// Only reviews of changes that end at this commit, e.g. HEAD
    #[arg(value_name = "REVISION")]
    revision: Option<String>,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    max_count: usize,
    /// Count, for each rule and each judge, the findings that were raised, confirmed, dismissed and called fixed (`dismiss
    /// --as fixed`), and what a judge cost for each confirmed one; a finding of several runs counts once
    #[arg(long, conflicts_with = "max_count")]
    stats: bool,
    /// Print a JSON array; with --stats an object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &LogArgs, start: &CommandContext) -> Result<(), RunError> {
    let only = args.revision.as_deref();
    let only = only
        .map(|rev| git::commit_at(&start.dir, &start.git_environment(), rev))
        .transpose()?;
    let is_wanted = |commit: Option<&String>| only.is_none() || commit == only.as_ref();
    let mut runs = store::list_runs(start)?;
    let has_some = runs.iter().any(|(_, report)| report.is_some());
    if args.stats {
        runs.retain(|(_, report)| {
            let head = report
                .as_ref()
                .and_then(|report| report.target.head.as_ref());
            is_wanted(head)
        });
        let reports: Vec<&Report> = runs.iter().filter_map(|(_, r)| r.as_ref()).collect();
        if let Some(rev) = args
            .revision
            .as_deref()
            .filter(|_| reports.is_empty() && has_some)
        {
            hint_unreviewed(rev, start);
        }
        let decisions = dismissals::own_decisions(start)?;
        let stats = FindingStats::of(&reports, &decisions);
        return match args.json {
            true => start.console.print_json(&stats),
            false => {
                let look = start.console.stdout_look();
                let columns = start.console.stdout_columns();
                pager::print_paged(&stats.render(columns, look.ellipsis()), start)
            }
        };
    }
    let mut entries = collect_entries(&runs, args.max_count, start)?;
    if entries.is_empty() {
        start
            .console
            .hint("this repository has no run yet: git council review");
    }
    let has_some = !entries.is_empty();
    entries.retain(|entry| is_wanted(entry.commit.as_ref()));
    if let Some(rev) = args
        .revision
        .as_deref()
        .filter(|_| has_some && entries.is_empty())
    {
        hint_unreviewed(rev, start);
    }
    let entries = latest_entries(entries, &runs, args.max_count, start)?;
    if args.json {
        return start.console.print_json(&entries);
    }
    pager::print_paged(&render_entries(&entries, start), start)
}

/// There are runs, and none of what ends at this commit.
fn hint_unreviewed(rev: &str, start: &CommandContext) {
    let rev = Untrusted::new(rev).name();
    start.console.hint(&format!(
        "no run reviewed up to {rev}: git council review {rev}"
    ));
}

/// A line for each, or two on a narrow terminal. There what the verdict says is cut, and the subject, so that the run's name
/// is there.
fn render_entries(entries: &[LogEntry], start: &CommandContext) -> String {
    let ellipsis = start.console.stdout_look().ellipsis();
    render_within(entries, start.console.stdout_columns(), ellipsis)
}

fn render_within(entries: &[LogEntry], width: Option<usize>, ellipsis: Ellipsis) -> String {
    let name_width = widest(entries, |entry| entry.name.as_str().into());
    let ages: Vec<String> = entries
        .iter()
        .map(|entry| age_words(&entry.started))
        .collect();
    let age_width = ages.iter().map(|age| text::display_width(age)).max();
    // What an age and a commit take, and the gaps behind them.
    let before = age_width.unwrap_or(0) + SHORTER + 2 * 2;
    let room = width.map(|width| width.saturating_sub(before + 2 * 2 + name_width));
    if let Some((width, _)) = width.zip(room.filter(|room| *room < MIN_WORDS)) {
        let rows = entries.iter().zip(&ages);
        let row = |(entry, age): (&LogEntry, &String)| {
            render_stacked(entry, age, (before, width), ellipsis)
        };
        return rows.map(row).collect();
    }
    let says_room = room.map(|room| {
        (room * 2 / 3).max(room.saturating_sub(widest(entries, |entry| about_words(entry).into())))
    });
    let says_room = says_room.map(|most| most.min(widest(entries, LogEntry::says)));
    let about_room = room
        .zip(says_room)
        .map(|(room, says)| room.saturating_sub(says));
    let fit = |text: &str, room: Option<usize>| match room {
        Some(room) => text::fit_columns(&Untrusted::new(text).line(), room, ellipsis),
        None => text.to_owned(),
    };
    let mut columns = Columns::default();
    for (entry, age) in entries.iter().zip(&ages) {
        columns.push([
            age.as_str(),
            short_commit(entry),
            &fit(&entry.says(), says_room),
            &fit(about_words(entry), about_room),
            &entry.name,
        ]);
    }
    columns.render("")
}

/// An entry in two lines, for a terminal on which one would have no room to say anything: what came of the run, and below it
/// what it was about, with its whole name.
fn render_stacked(
    entry: &LogEntry,
    age: &str,
    (before, width): (usize, usize),
    ellipsis: Ellipsis,
) -> String {
    let line = |text: &str| Untrusted::new(text).line();
    let ages = before - SHORTER - 2 * 2;
    let (commit, name) = (short_commit(entry), line(&entry.name));
    let says = text::fit_columns(&line(&entry.says()), width.saturating_sub(before), ellipsis);
    let indent = before.min(width.saturating_sub(text::display_width(&name)));
    let room = width.saturating_sub(indent + text::display_width(&name) + 2);
    let about = match line(about_words(entry)) {
        about if about.is_empty() || room < MIN_ABOUT => String::new(),
        about => text::fit_columns(&about, room, ellipsis) + "  ",
    };
    let pad = " ".repeat(indent);
    format!("{age:<ages$}  {commit:<SHORTER$}  {says}\n{pad}{about}{name}\n")
}

fn widest<'a>(entries: &'a [LogEntry], cell: impl Fn(&'a LogEntry) -> Cow<'a, str>) -> usize {
    let widths = entries
        .iter()
        .map(|entry| text::display_width(&cell(entry)));
    widths.max().unwrap_or(0)
}

fn short_commit(entry: &LogEntry) -> &str {
    let commit = entry.commit.as_deref().unwrap_or_default();
    commit.get(..SHORTER).unwrap_or(commit)
}

/// The fewest columns in which a line tells what came of a run and what it was about.
const MIN_WORDS: usize = 48;

/// The fewest columns in which a run is said to be about something.
const MIN_ABOUT: usize = 10;

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
    use crate::run::run_list::EntryState;

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
        for width in 40..200 {
            let told = render_within(&entries, Some(width), Ellipsis::Ascii);
            let lines: Vec<&str> = told.lines().collect();
            let per_entry = lines.len() / entries.len();
            assert!(matches!(lines.len(), 2 | 4), "{width}: {told}");
            for line in &lines {
                assert!(text::display_width(line) <= width, "{width}: {line}");
            }
            for entry in lines.chunks(per_entry) {
                let (first, last) = (entry[0], entry[per_entry - 1]);
                assert!(
                    last.ends_with("  council-20261125-a-topic-2"),
                    "{width}: {last}"
                );
                assert!(last.contains("Add a") || width < 60, "{width}: {last}");
                // Nearly all of a verdict that many runs have.
                let is_told =
                    first.contains("PASS: 2 judges fou") || first.contains("INCONCLUSIVE: 2 o");
                assert!(is_told || width < 60, "{width}: {first}");
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
