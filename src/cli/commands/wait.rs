//! `git council wait`: blocks on a review that goes on, and ends as it does.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::Start;
use crate::cli::deliver::render;
use crate::cli::error::CliError;
use crate::cli::history::{self, Past, State};
use crate::cli::hook::background::{self, Standing};
use crate::config::{Format, parse_duration};
use crate::report::Gate;

/// How often it is looked.
const PAUSE: Duration = Duration::from_millis(50);

/// Block until a review has ended, show its report, and end with its exit code
#[derive(Debug, Clone, Args)]
pub(crate) struct WaitArgs {
    /// The run's name or a part of it; without it the one that goes on
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// How long to wait at most
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// The report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &WaitArgs, start: &Start) -> Result<u8, CliError> {
    let limit = args.timeout.as_deref().map(parse_duration).transpose();
    let limit = limit.map_err(|error| CliError::usage(format!("--timeout: {error}")))?;
    let began = Instant::now();
    let late = || limit.is_some_and(|ms| began.elapsed() >= Duration::from_millis(ms));
    // A review of a commit may not have begun yet.
    while args.run.is_none() && background::standing(start)? != Standing::Idle {
        if late() {
            return Err(CliError::run("the review in the background still goes on")
                .hint("wait longer: --timeout 10m"));
        }
        sleep(PAUSE);
    }
    let past = find(args.run.as_deref(), start)?;
    while past.state() == State::GoingOn {
        if late() {
            return Err(CliError::run(format!("{} still goes on", past.name))
                .hint("wait longer: --timeout 10m"));
        }
        sleep(PAUSE);
    }
    let Some(report) = past.report()? else {
        return Err(
            CliError::run(format!("{} was cut off", past.name)).hint(format!(
                "`git council resume {}` goes on with it",
                past.name
            )),
        );
    };
    if !past.is_own(start)? {
        let name = &past.name;
        let message = format!("the report of {name} is not yours: it bears another seal, or none");
        return Err(CliError::run(message)
            .hint(format!("`git council show {name}` tells what lies there"))
            .hint("review the change here: git council review"));
    }
    let format = if args.json {
        Format::Json
    } else {
        Format::Terminal
    };
    let line = report.bottom_line(Gate::default());
    start.console.print(&render(
        &report,
        format,
        start.console.look(),
        Gate::default(),
    ))?;
    Ok(line.exit_code)
}

fn find(name: Option<&str>, start: &Start) -> Result<Past, CliError> {
    if name.is_none()
        && let Some((past, _)) = history::all(start)?
            .into_iter()
            .find(|(past, _)| past.state() == State::GoingOn)
    {
        return Ok(past);
    }
    history::find(start, name)
}
