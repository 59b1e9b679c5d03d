//! `git council log`: the runs of this repository.

use clap::Args;

use crate::cli::Start;
use crate::cli::columns::Columns;
use crate::cli::error::CliError;
use crate::cli::history::{self, State};
use crate::cli::pager;
use crate::report::Gate;

/// List past runs, the latest first
#[derive(Debug, Clone, Args)]
pub(crate) struct LogArgs {
    /// At most so many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    max_count: usize,
}

pub(crate) fn run(args: &LogArgs, start: &Start) -> Result<(), CliError> {
    let mut rows = Columns::default();
    for (past, report) in history::all(start)?.into_iter().take(args.max_count) {
        match report {
            Some(report) => {
                let started = report
                    .receipt
                    .run
                    .started
                    .get(..16)
                    .unwrap_or_default()
                    .replace('T', " ");
                rows.push([
                    started,
                    past.name,
                    report.bottom_line(Gate::default()).headline,
                ]);
            }
            None => {
                let state = match past.state() {
                    State::GoingOn => "goes on",
                    State::Finished | State::CutOff => "was cut off",
                };
                rows.push([String::new(), past.name, state.to_owned()]);
            }
        }
    }
    pager::print(&rows.render(""), start)
}
