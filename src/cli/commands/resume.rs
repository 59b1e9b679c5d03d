//! `git council resume`: a run goes on where it was cut off.

use std::sync::Arc;

use clap::Args;

use crate::cli::Start;
use crate::cli::commands::review::ReviewArgs;
use crate::cli::convene;
use crate::cli::deliver::Surfaces;
use crate::cli::error::CliError;
use crate::cli::history::{self, Past, State};
use crate::cli::left::Left;
use crate::cli::prepare::{Prepared, prepare};
use crate::cli::request::Request;
use crate::packet;
use crate::session::before_losses;

/// Go on with a run that was cut off or lost judges; nobody who answered is asked again
#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// The run's name or a part of it; without it the latest that was cut off
    #[arg(value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &ResumeArgs, start: &Start) -> Result<u8, CliError> {
    let past = find(args.run.as_deref(), start)?;
    // Before anything is read: a run that goes on is somebody else's.
    let holder = Some(history::hold(&past)?);
    let mut left = Left::read(past, holder)?;
    left.forget_losses()?;
    let (review, start) = Request::of(&left.past, start)?.parse(start)?;
    let prepared = prepare_again(&review, &start, &left)?;
    let start = start.configured(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    let report = convene::resume(prepared, &left, &start)?;
    let file = review.output.output.as_deref();
    let file = file.map(|file| start.dir.join(file));
    Ok(Surfaces::of(&settings, file.as_deref()).deliver(&report, &start.console))
}

fn find(name: Option<&str>, start: &Start) -> Result<Past, CliError> {
    if name.is_some() {
        return history::find(start, name);
    }
    let mut all = history::all(start)?.into_iter().map(|(past, _)| past);
    all.find(|past| past.state() == State::CutOff)
        .ok_or_else(|| {
            CliError::usage("no run of this repository was cut off")
                .hint("`git council log` lists the runs; a name resumes one that lost judges")
        })
}

impl Left {
    /// A run that is over goes on only where judges were lost to the machine, the network or the clock.
    fn forget_losses(&mut self) -> Result<(), CliError> {
        if self.past.report()?.is_none() {
            return Ok(());
        }
        let kept = before_losses(self.plan.clone(), &self.journal.entries).ok_or_else(|| {
            let name = &self.past.name;
            CliError::usage(format!("{name} is over, and no judge was lost on the way"))
                .hint(format!("`git council show {name}` prints its report"))
        })?;
        self.journal.forget_after(kept);
        Ok(())
    }
}

/// The change as it was, told by the names that the run was given.
pub(super) fn prepare_again(
    args: &ReviewArgs,
    start: &Start,
    left: &Left,
) -> Result<Prepared, CliError> {
    let mut prepared = prepare_objects(args, start, left)?;
    let mut packet = (*prepared.packet).clone();
    packet.target = left.journal.header.target.clone();
    packet.framing = left.plan.framing.clone();
    prepared.packet = Arc::new(packet);
    Ok(prepared)
}

/// The same change; by its objects when the names have moved on.
fn prepare_objects(args: &ReviewArgs, start: &Start, left: &Left) -> Result<Prepared, CliError> {
    let same = |prepared: &Prepared| {
        // The same objects may have other names now.
        let mut packet = packet::for_judges(&prepared.packet);
        packet.target.kind = left.journal.header.target.kind;
        let bytes = packet::to_bytes(&packet);
        bytes == left.packet
    };
    let named = prepare(args, start);
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
        let prepared = prepare(&by_objects, start)?;
        if same(&prepared) {
            return Ok(prepared);
        }
    }
    let changed = format!(
        "what {} reviewed ({}) is not there any more as it was",
        left.past.name, target.label
    );
    Err(CliError::usage(changed).hint("review what is there now: git council review"))
}
