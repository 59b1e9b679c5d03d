//! `git council publish`: a finished run to GitHub, also from a report that an unprivileged job left.

use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;
use council_protocol::Packet;

use crate::cli::context::CommandContext;
use crate::cli::github::args::GitHubArgs;
use crate::cli::github::publishing::publish_run;
use crate::report::{self, Report, ReportSource};
use crate::run::error::RunError;
use crate::run::store;

/// The most bytes of a report from elsewhere.
const MAX_REPORT_BYTES: u64 = 16 << 20;

/// Publish a finished run on its pull request; what is already there is updated
#[derive(Debug, Clone, Args)]
pub(crate) struct PublishArgs {
    /// The run's name or a part of it [default: the latest run]
    #[arg(value_name = "RUN", conflicts_with = "report")]
    run: Option<String>,
    /// Publish a JSON report that another job left. It is not trusted: the built-in rules read the change again, and the
    /// check ends as `neutral` at best
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Show what would be posted, and post nothing; -v shows it in full
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    forge: GitHubArgs,
}

pub(crate) fn run(args: &PublishArgs, start: &CommandContext) -> Result<u8, RunError> {
    let (report, packet) = match &args.report {
        Some(file) => (load_foreign_report(file, start)?, None),
        None => load_own_report(args, start)?,
    };
    let files = packet.as_ref().map(|packet| packet.files.as_slice());
    let source = match &args.report {
        Some(_) => ReportSource::UnprivilegedJob,
        None => report.source,
    };
    publish_run(report, source, files, &args.forge, args.dry_run, start)
}

fn load_own_report(
    args: &PublishArgs,
    start: &CommandContext,
) -> Result<(Report, Option<Packet>), RunError> {
    let past = store::find_run(start, args.run.as_deref())?;
    let report = past.report()?.ok_or_else(|| {
        RunError::usage(format!(
            "{} has no report: it is still running, or was interrupted",
            past.name
        ))
    })?;
    if !past.is_own(start)? {
        let path = past.folder.join("report.json");
        let message = format!(
            "the report of {} was not written by your account",
            past.name
        );
        return Err(RunError::usage(message).hint(format!(
            "to publish it as a claim that is checked again: git council publish --report {}",
            path.display()
        )));
    }
    let packet = past
        .read_file("packet.json")
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok((report, packet))
}

/// A report that anybody may have written: its size, its shape and that its verdict follows from it are checked.
fn load_foreign_report(file: &std::path::Path, start: &CommandContext) -> Result<Report, RunError> {
    let name = file.display();
    let mut text = String::new();
    let read = std::fs::File::open(start.dir.join(file))
        .and_then(|file| file.take(MAX_REPORT_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| RunError::usage(format!("cannot read {name}: {error}")))?;
    if text.len() as u64 > MAX_REPORT_BYTES {
        return Err(RunError::usage(format!(
            "{name} is larger than 16 MiB: no report is"
        )));
    }
    report::json::parse(&text).map_err(|error| RunError::usage(format!("{name}: {error}")))
}
