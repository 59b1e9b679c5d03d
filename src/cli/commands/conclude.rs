//! `git council conclude`: the last job of a matrix.

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::github::args::GitHubArgs;
use crate::cli::github::job::JobSurfaces;
use crate::config::ReportFormat;
use crate::report::{GatePolicy, Report, ReportSource};
use crate::run::error::RunError;
use crate::run::github::publishing::publish_run;
use crate::run::modes::matrix;
use crate::run::shown::remember_verdict;

/// Compute the verdict of a review whose judges ran in separate CI jobs
#[derive(Debug, Clone, Args)]
pub(crate) struct ConcludeArgs {
    /// The run's folder, with the replies in it
    #[arg(long, value_name = "FOLDER")]
    run: PathBuf,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    forge: GitHubArgs,
}

pub(crate) fn run(args: &ConcludeArgs, start: &CommandContext) -> Result<u8, RunError> {
    let concluded = matrix::conclude_matrix(&start.dir.join(&args.run), start)?;
    let gate = GatePolicy {
        advisory: args.forge.advisory,
        ..concluded.gate
    };
    let format = if args.json {
        ReportFormat::Json
    } else {
        ReportFormat::Terminal
    };
    let surfaces = ReportOutput {
        format,
        file: None,
        gate,
    };
    let show = |report: &Report| {
        let code = surfaces.deliver_report(report, start);
        // F1 of what is printed is what `dismiss F1` means.
        remember_verdict(report, surfaces.shows_findings(), start);
        code
    };
    let mut report = concluded.report;
    if !args.forge.is_requested() {
        return Ok(show(&report));
    }
    let own = report.clone();
    report.receipt.run.fail_on = Some(gate.fail_on);
    let mut shown = None;
    let published = publish_run(
        report,
        ReportSource::ThisProgram,
        Some((concluded.packet.files.as_slice(), Some(&*concluded.blobs))),
        &args.forge.to_publish_request(),
        Some(&mut JobSurfaces::from_environment(start)),
        Some(&mut |report: &Report| shown = Some(show(report))),
        start,
    );
    // Wherever it cannot be published: it is paid for, and is shown.
    let code = shown.unwrap_or_else(|| show(&own));
    let (published, _) = published?;
    Ok(code.max(published))
}
