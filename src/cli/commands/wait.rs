//! `git council wait`: blocks on a review that goes on, and ends as it does.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::deliver::render_report;
use crate::cli::live::LiveView;
use crate::config::{ReportFormat, parse_duration};
use crate::report::Report;
use crate::run::error::RunError;
use crate::run::findings;
use crate::run::shown::about_other;
use crate::run::status::next_step;
use crate::run::store::{RunState, StoredRun, running_here};
use crate::run::waiting::{find_run, given_since, is_expected, means_here, refuse_other_target};
use crate::run::watch::RunWatcher;

/// How often it is looked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Wait until a review has ended, show its report, and exit with its code
#[derive(Debug, Clone, Args)]
pub(crate) struct WaitArgs {
    /// The run's name or a part of it [default: the one that is running, else the last verdict]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Give up after this time, e.g. 10m
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &WaitArgs, start: &CommandContext) -> Result<u8, RunError> {
    let limit = args.timeout.as_deref().map(parse_duration).transpose();
    let limit = limit.map_err(|error| RunError::usage(format!("--timeout: {error}")))?;
    let began = Instant::now();
    let late = || limit.is_some_and(|ms| began.elapsed() >= Duration::from_millis(ms));
    // A review of a commit may not have begun yet.
    let was_expected = args.run.is_none() && await_background(&late, start)?;
    let found = find_run(args.run.as_deref(), start);
    if let Some(report) = given_since(args.run.as_deref(), found.as_ref().ok(), start) {
        refuse_other_target(&report, None, start)?;
        return print_report(&report, args, start);
    }
    let past = found?;
    if args.run.is_none() && past.state() != RunState::GoingOn {
        if let Some(report) = past.report()? {
            refuse_other_target(&report, Some(&past.name), start)?;
        }
        if !was_expected {
            let hint = format!("nothing is running; this is the latest run, {}", past.name);
            start.console.hint(&hint);
        }
    }
    let is_watched = past.state() == RunState::GoingOn;
    if is_watched {
        await_run(&past, &late, start)?;
    }
    let Some(report) = past.report()? else {
        return Err(
            RunError::run(format!("{} was interrupted", past.name)).hint(next_step(&past, start))
        );
    };
    if !past.is_own(start)? {
        let name = &past.name;
        let message = format!("the report of {name} was not written by your account");
        return Err(RunError::run(message)
            .hint(format!("`git council show {name}` prints it"))
            .hint("review the change here: git council review"));
    }
    if args.run.is_none() && is_watched {
        check_watched(&report, &past.name, start)?;
    }
    print_report(&report, args, start)
}

/// HEAD may have moved while the judges worked. Whoever named another commit or a part meant it, and is told so.
fn check_watched(report: &Report, name: &str, start: &CommandContext) -> Result<(), RunError> {
    if means_here(&report.target) {
        return refuse_other_target(report, Some(name), start);
    }
    if let Some(about) = about_other(report, start) {
        start.console.warning(&format!("this report is {about}"));
    }
    Ok(())
}

/// Shows what the reviews of commits do until there is none; says whether there was one.
fn await_background(late: &dyn Fn() -> bool, start: &CommandContext) -> Result<bool, RunError> {
    let mut was_expected = false;
    let mut watched: Option<WatchedRun<'_>> = None;
    while is_expected(start)? {
        was_expected = true;
        if late() {
            return Err(RunError::run("the background review is still running")
                .hint("wait longer: --timeout 10m"));
        }
        // A review that a later commit covers is ended, and another one begins.
        match watched.take().filter(WatchedRun::goes_on) {
            Some(mut run) => {
                run.tell_news();
                watched = Some(run);
            }
            None => watched = WatchedRun::find(start)?,
        }
        sleep(POLL_INTERVAL);
    }
    Ok(was_expected)
}

/// Shows what a run does until it has ended.
fn await_run(
    past: &StoredRun,
    late: &dyn Fn() -> bool,
    start: &CommandContext,
) -> Result<(), RunError> {
    let mut run = WatchedRun::follow(past.clone(), start);
    while run.goes_on() {
        run.tell_news();
        if late() {
            return Err(RunError::run(format!("{} is still running", past.name))
                .hint("wait longer: --timeout 10m"));
        }
        sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// A run that some other process holds, as it is shown here.
struct WatchedRun<'a> {
    past: StoredRun,
    watcher: RunWatcher<'a>,
    view: LiveView,
}

impl<'a> WatchedRun<'a> {
    fn follow(past: StoredRun, start: &'a CommandContext) -> Self {
        let (kind, console) = start.view_of_settings();
        Self {
            watcher: RunWatcher::new(past.clone(), start),
            view: LiveView::new(kind, console),
            past,
        }
    }

    /// The one that goes on here, if there is one.
    fn find(start: &'a CommandContext) -> Result<Option<Self>, RunError> {
        let running = running_here(start)?;
        Ok(running.map(|past| Self::follow(past, start)))
    }

    fn goes_on(&self) -> bool {
        self.past.state() == RunState::GoingOn
    }

    fn tell_news(&mut self) {
        let news = self.watcher.poll();
        self.view.hear_all(&news, |last| self.watcher.age_ms(last));
    }
}

impl Drop for WatchedRun<'_> {
    /// What the judges' last moments brought came after the last look.
    fn drop(&mut self) {
        self.tell_news();
    }
}

fn print_report(report: &Report, args: &WaitArgs, start: &CommandContext) -> Result<u8, RunError> {
    findings::refuse_taken_back(report, start)?;
    let format = if args.json {
        ReportFormat::Json
    } else {
        ReportFormat::Terminal
    };
    let line = report.bottom_line(report.own_gate());
    let text = render_report(report, format, report.own_gate(), start);
    start.console.print(&text)?;
    start.remember_shown(report, format);
    Ok(line.exit_code)
}
