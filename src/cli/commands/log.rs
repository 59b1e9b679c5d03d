//! `git council log`: the runs of this repository, and verdicts that others left in its notes.

use clap::Args;

use crate::cli::columns::Columns;
use crate::cli::context::CommandContext;
use crate::cli::pager;
use crate::report::{GatePolicy, Report};
use crate::run::error::RunError;
use crate::run::notes::{self, NotedVerdict};
use crate::run::store::{self, RunState, StoredRun};
use crate::run::trust::SignatureTrust;

/// Digits by which a commit is shown.
const SHORT: usize = 12;

/// List past runs and verdicts from git notes, latest first
#[derive(Debug, Clone, Args)]
pub(crate) struct LogArgs {
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    max_count: usize,
}

pub(crate) fn run(args: &LogArgs, start: &CommandContext) -> Result<(), RunError> {
    let runs = store::list_runs(start)?;
    let mut noted = notes::list_verdicts(start);
    let is_run = |noted: &NotedVerdict| {
        let mut reports = runs.iter().filter_map(|(_, report)| report.as_ref());
        reports.any(|report| noted.is_of_run(report))
    };
    noted.retain(|noted| !is_run(noted));
    if runs.is_empty() && noted.is_empty() {
        start
            .console
            .hint("this repository has no run yet: git council review");
    }
    let mut rows: Vec<LogRow> = runs
        .iter()
        .map(|(past, report)| run_row(past, report))
        .collect();
    if !noted.is_empty() {
        let trust = notes::repository_trust(start)?;
        // A signature is a program's affair: no more are checked than are shown.
        let latest = noted.iter().take(args.max_count);
        rows.extend(latest.map(|noted| note_row(noted, &trust)));
        // What goes on has no time yet, and stays on top. Only the whole time orders what began in one minute.
        rows.sort_by(|a, b| (!a.made.is_empty(), &b.made).cmp(&(!b.made.is_empty(), &a.made)));
    }
    rows.truncate(args.max_count);
    let mut columns = Columns::default();
    for row in rows {
        columns.push([format_minute(&row.made), row.name, row.says]);
    }
    pager::print_paged(&columns.render(""), start)
}

/// A line of the log.
struct LogRow {
    /// RFC 3339; empty for what goes on.
    made: String,
    name: String,
    says: String,
}

fn run_row(past: &StoredRun, report: &Option<Report>) -> LogRow {
    let name = past.name.clone();
    match report {
        Some(report) => LogRow {
            made: report.receipt.run.started.clone(),
            name,
            says: report.bottom_line(GatePolicy::default()).headline,
        },
        None => {
            let state = match past.state() {
                RunState::GoingOn => "is running",
                RunState::Finished | RunState::CutOff => "was interrupted",
            };
            LogRow {
                made: String::new(),
                name,
                says: state.to_owned(),
            }
        }
    }
}

fn note_row(noted: &NotedVerdict, trust: &SignatureTrust<'_>) -> LogRow {
    let verdict = &noted.verdict;
    let commit = noted.commit.get(..SHORT).unwrap_or(&noted.commit);
    let says = format!("{} ({})", verdict.headline, noted.describe_signer(trust));
    LogRow {
        made: verdict.made.clone(),
        name: format!("a note on {commit}"),
        says,
    }
}

/// `YYYY-MM-DD HH:MM` of RFC 3339.
fn format_minute(at: &str) -> String {
    at.get(..16).unwrap_or_default().replace('T', " ")
}
