//! `git council conclude`: the last job of a matrix.

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::github::args::GitHubArgs;
use crate::cli::github::job::JobSurfaces;
use crate::config::ReportFormat;
use crate::report::{GatePolicy, ReportSource};
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
    let code = surfaces.deliver_report(&concluded.report, start);
    // F1 of what is printed is what `dismiss F1` means.
    remember_verdict(&concluded.report, surfaces.shows_findings(), start);
    if !args.forge.is_requested() {
        return Ok(code);
    }
    let mut report = concluded.report;
    report.receipt.run.fail_on = Some(gate.fail_on);
    let (published, _) = publish_run(
        report,
        ReportSource::ThisProgram,
        Some(&concluded.packet.files),
        &args.forge.to_publish_request(),
        Some(&mut JobSurfaces::from_environment(start)),
        start,
    )?;
    Ok(code.max(published))
}
