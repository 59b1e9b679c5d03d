//! `git council resume`: a run goes on where it was cut off.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::run::convene;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::resume::{find_resumable, prepare_again};
use crate::run::shown::remember_shown;
use crate::run::store;
use crate::run::stored_request::StoredRequest;

/// Resume a run that was interrupted or lost judges; keep the answers it already has
#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// The run's name or a part of it [default: the latest run that can be resumed]
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &ResumeArgs, start: &CommandContext) -> Result<u8, RunError> {
    let past = find_resumable(args.run.as_deref(), start)?;
    // Before anything is read: a run that goes on is somebody else's.
    let holder = Some(store::hold_run(&past)?);
    let mut left = LoadedRun::load(past, holder)?;
    left.forget_losses()?;
    let (review, run) = StoredRequest::load_request(&left.past, start)?.restore(start)?;
    let start = CommandContext {
        run,
        ..start.clone()
    };
    let prepared = prepare_again(&review, &start, &left)?;
    let start = start.with_settings(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    let report = convene::resume_run(prepared, &left, &start)?;
    let file = review.output.as_deref();
    let file = file.map(|file| start.dir.join(file));
    let output = ReportOutput::from_settings(&settings, file.as_deref());
    let code = output.deliver_report(&report, &start);
    remember_shown(&report, &start);
    Ok(code)
}
