//! `git council resume`: a run goes on where it was cut off.

use std::sync::Arc;

use clap::Args;

use crate::cli::RunContext;
use crate::cli::commands::review::ReviewArgs;
use crate::cli::convene;
use crate::cli::deliver::ReportOutput;
use crate::cli::error::RunError;
use crate::cli::history::{self, RunState, StoredRun};
use crate::cli::left::LoadedRun;
use crate::cli::prepare::{PreparedReview, prepare_review};
use crate::cli::request::StoredRequest;
use crate::packet;
use crate::session::before_losses;

/// Go on with a run that was cut off or lost judges; nobody who answered is asked again
#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// The run's name or a part of it; without it the latest that was cut off
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &ResumeArgs, start: &RunContext) -> Result<u8, RunError> {
    let past = find_resumable(args.run.as_deref(), start)?;
    // Before anything is read: a run that goes on is somebody else's.
    let holder = Some(history::hold_run(&past)?);
    let mut left = LoadedRun::load(past, holder)?;
    left.forget_losses()?;
    let (review, start) = StoredRequest::load_request(&left.past, start)?.parse_request(start)?;
    let prepared = prepare_again(&review, &start, &left)?;
    let start = start.with_settings(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    let report = convene::resume_run(prepared, &left, &start)?;
    let file = review.output.output.as_deref();
    let file = file.map(|file| start.dir.join(file));
    Ok(ReportOutput::from_settings(&settings, file.as_deref())
        .deliver_report(&report, &start.console))
}

fn find_resumable(name: Option<&str>, start: &RunContext) -> Result<StoredRun, RunError> {
    if name.is_some() {
        return history::find_run(start, name);
    }
    let mut all = history::list_runs(start)?.into_iter().map(|(past, _)| past);
    all.find(|past| past.state() == RunState::CutOff)
        .ok_or_else(|| {
            RunError::usage("no run of this repository was cut off")
                .hint("`git council log` lists the runs; a name resumes one that lost judges")
        })
}

impl LoadedRun {
    /// A run that is over goes on only where judges were lost to the machine, the network or the clock.
    fn forget_losses(&mut self) -> Result<(), RunError> {
        if self.past.report()?.is_none() {
            return Ok(());
        }
        let kept = before_losses(self.plan.clone(), &self.journal.entries).ok_or_else(|| {
            let name = &self.past.name;
            RunError::usage(format!("{name} is over, and no judge was lost on the way"))
                .hint(format!("`git council show {name}` prints its report"))
        })?;
        self.journal.truncate_entries(kept);
        Ok(())
    }
}

/// The change as it was, told by the names that the run was given.
pub(super) fn prepare_again(
    args: &ReviewArgs,
    start: &RunContext,
    left: &LoadedRun,
) -> Result<PreparedReview, RunError> {
    let mut prepared = prepare_objects(args, start, left)?;
    let mut packet = (*prepared.packet).clone();
    packet.target = left.journal.header.target.clone();
    packet.framing = left.plan.framing.clone();
    prepared.packet = Arc::new(packet);
    Ok(prepared)
}

/// The same change; by its objects when the names have moved on.
fn prepare_objects(
    args: &ReviewArgs,
    start: &RunContext,
    left: &LoadedRun,
) -> Result<PreparedReview, RunError> {
    let same = |prepared: &PreparedReview| {
        // The same objects may have other names now.
        let mut packet = packet::for_judges(&prepared.packet);
        packet.target.kind = left.journal.header.target.kind;
        let bytes = packet::to_bytes(&packet);
        bytes == left.packet
    };
    let named = prepare_review(args, start);
    if let Ok(prepared) = named
        && same(&prepared)
    {
        return Ok(prepared);
    }
    let target = &left.journal.header.target;
    if let (None, false, false, Some(base), Some(head)) = (
        &args.patch,
        args.staged,
        args.worktree,
        &target.base,
        &target.head,
    ) {
        let by_objects = ReviewArgs {
            target: Some(format!("{base}..{head}")),
            ..args.clone()
        };
        let prepared = prepare_review(&by_objects, start)?;
        if same(&prepared) {
            return Ok(prepared);
        }
    }
    let changed = format!(
        "what {} reviewed ({}) is not there any more as it was",
        left.past.name, target.label
    );
    Err(RunError::usage(changed).hint("review what is there now: git council review"))
}
