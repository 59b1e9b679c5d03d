//! `git council publish`: a finished run to GitHub, also from a report that an unprivileged job left.

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::github::args::GitHubArgs;
use crate::cli::github::job::JobSurfaces;
use crate::publish::WorkflowJob;
use crate::report::ReportSource;
use crate::run::error::RunError;
use crate::run::github::publishing::publish_run;
use crate::run::published_report::{load_foreign_report, load_own_report};

/// Publish a finished run on its pull request; what is already there is updated
#[derive(Debug, Clone, Args)]
pub(crate) struct PublishArgs {
    /// The run's name or a part of it [default: the last verdict]
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
        None => load_own_report(args.run.as_deref(), start)?,
    };
    let change = packet
        .as_ref()
        .map(|packet| (packet.files.as_slice(), None));
    let source = match &args.report {
        Some(_) => ReportSource::UnprivilegedJob,
        None => report.source,
    };
    let wanted = args.forge.to_publish_request();
    let mut job = JobSurfaces::from_environment(start);
    let job = (!args.dry_run).then_some(&mut job as &mut dyn WorkflowJob);
    let (code, told) = publish_run(report, source, change, &wanted, job, None, start)?;
    start.console.print(&told.unwrap_or_default())?;
    Ok(code)
}
