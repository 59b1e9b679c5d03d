//! `git council wait`: blocks on a review that goes on, and ends as it does.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use council_protocol::packet::{Target, TargetKind};

use crate::cli::context::CommandContext;
use crate::cli::deliver::render_report;
use crate::cli::live::LiveView;
use crate::config::{ReportFormat, parse_duration};
use crate::report::Report;
use crate::run::error::RunError;
use crate::run::findings;
use crate::run::hook::background::{BackgroundState, background_queue};
use crate::run::shown::{about_other, remember_shown, verdict_after};
use crate::run::store::{self, RunState, StoredRun};
use crate::run::watch::RunWatcher;
use crate::text::Untrusted;

/// How often it is looked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Wait until a review has ended, show its report, and exit with its code
#[derive(Debug, Clone, Args)]
pub(crate) struct WaitArgs {
    /// The run's name or a part of it [default: the one that is running]
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
    while args.run.is_none() && is_expected(start)? {
        if late() {
            return Err(RunError::run("the background review is still running")
                .hint("wait longer: --timeout 10m"));
        }
        sleep(POLL_INTERVAL);
    }
    let found = find_run(args.run.as_deref(), start);
    if let Some(report) = given_since(args, found.as_ref().ok(), start) {
        refuse_other_target(&report, None, start)?;
        return print_report(&report, args, start);
    }
    let past = found?;
    if args.run.is_none() && past.state() != RunState::GoingOn {
        if let Some(report) = past.report()? {
            refuse_other_target(&report, Some(&past.name), start)?;
        }
        let hint = format!("nothing is running; this is the latest run, {}", past.name);
        start.console.hint(&hint);
    }
    let (kind, console) = start.view_of_settings();
    let view = LiveView::new(kind, console);
    let mut watcher = RunWatcher::new(past.clone(), start);
    let mut is_watched = false;
    while past.state() == RunState::GoingOn {
        is_watched = true;
        let news = watcher.poll();
        view.hear_all(&news, |last| watcher.age_ms(last));
        if late() {
            return Err(RunError::run(format!("{} is still running", past.name))
                .hint("wait longer: --timeout 10m"));
        }
        sleep(POLL_INTERVAL);
    }
    // What the judges' last moments brought came after the last look.
    if is_watched {
        let news = watcher.poll();
        view.hear_all(&news, |last| watcher.age_ms(last));
    }
    drop(view);
    let Some(report) = past.report()? else {
        return Err(RunError::run(format!("{} was interrupted", past.name))
            .hint(format!("`git council resume {}` continues it", past.name)));
    };
    if !past.is_own(start)? {
        let name = &past.name;
        let message = format!("the report of {name} was not written by your account");
        return Err(RunError::run(message)
            .hint(format!("`git council show {name}` prints it"))
            .hint("review the change here: git council review"));
    }
    if args.run.is_none() && is_watched && means_head(&report.target) {
        // HEAD may have moved while the judges worked.
        refuse_other_target(&report, Some(&past.name), start)?;
    }
    print_report(&report, args, start)
}

/// Whether a review was asked for of whatever lay here, not of a commit or a part that somebody named.
fn means_head(target: &Target) -> bool {
    let is_head = target.label == "HEAD" || target.label.ends_with("..HEAD");
    let is_here = matches!(target.kind, TargetKind::Worktree | TargetKind::Staged);
    (is_head || is_here) && target.only.is_empty()
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
    remember_shown(report, start);
    Ok(line.exit_code)
}

/// The verdict that was given after the latest run had ended and is not that run's, where nothing is running and nothing was
/// interrupted since.
fn given_since(
    args: &WaitArgs,
    past: Option<&StoredRun>,
    start: &CommandContext,
) -> Option<Report> {
    let is_open = past.is_some_and(|past| past.state() != RunState::Finished);
    if args.run.is_some() || is_open {
        return None;
    }
    verdict_after(past, start)
}

/// The report that is about to be shown must not speak for a commit that nobody has reviewed: an older one
/// that is about HEAD would hide what was told last, and a patch is no commit.
fn refuse_other_target(
    report: &Report,
    run: Option<&str>,
    start: &CommandContext,
) -> Result<(), RunError> {
    let about = match about_other(report, start) {
        Some(about) => about,
        None => match report.target.kind {
            TargetKind::Patch => "about a patch, not about HEAD".to_owned(),
            TargetKind::File | TargetKind::Topic | TargetKind::Stage => {
                format!(
                    "about {}, not about HEAD",
                    Untrusted::new(&report.target.label).line()
                )
            }
            _ => return Ok(()),
        },
    };
    let error = RunError::run(format!("the last report is {about}"))
        .hint("review what is here now: git council review");
    Err(match run {
        Some(run) => error.hint(format!(
            "the last report all the same: git council wait {run}"
        )),
        None => error,
    })
}

/// Whether a review of a commit is still to come or going on; one that waits or was given up begins now.
fn is_expected(start: &CommandContext) -> Result<bool, RunError> {
    let Some(queue) = background_queue(start)? else {
        return Ok(false);
    };
    match queue.current_state() {
        BackgroundState::Idle => return Ok(false),
        BackgroundState::Working => {}
        BackgroundState::Waiting(_) => queue.stop_waiting(),
        BackgroundState::GivenUp(why) => {
            start.console.warning(&format!(
                "the review of the last commit was given up ({why}); it starts now"
            ));
            queue.begin_again(start)?;
        }
    }
    Ok(true)
}

/// The named run; else the one that goes on, else the latest. Never an older one with a report in the place of the latest
/// that was interrupted: it would speak for a change that it did not see.
fn find_run(name: Option<&str>, start: &CommandContext) -> Result<StoredRun, RunError> {
    if name.is_some() {
        return store::find_run(start, name);
    }
    let mut runs = store::list_own_runs(start)?;
    let is_going_on = |(past, _): &(StoredRun, _)| past.state() == RunState::GoingOn;
    let at = runs.iter().position(is_going_on).unwrap_or_default();
    if runs.is_empty() {
        store::find_run(start, None)
    } else {
        Ok(runs.swap_remove(at).0)
    }
}
