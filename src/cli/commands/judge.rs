//! `git council judge`: one seat of one round, files in, files out.

use std::path::{Path, PathBuf};

use clap::Args;
use council_agents::StopSignal;
use council_protocol::TurnId;
use council_protocol::worker::WorkerReply;

use crate::cli::context::CommandContext;
use crate::report::exit;
use crate::run::backends::agents_over;
use crate::run::error::RunError;
use crate::run::interrupts::{hear_interrupts, stop_when_interrupted, stop_when_left};
use crate::run::redaction::handed_redactor;
use crate::run::seats::of_job::seat_of_job;
use crate::session::worker;
use crate::text::Untrusted;

/// Run one judge in its own CI job, from the files that `plan` wrote
///
/// The folder names the judge's agent; its command, server and environment come from the configuration of this job.
/// The reply is written into the same folder. The exit code says only whether it could be written,
/// not what the judge found. Background reviews run their judges in the same way.
#[derive(Debug, Clone, Args)]
pub(crate) struct JudgeArgs {
    /// The run's folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) run: PathBuf,
    /// The judge's name, as `plan` printed it
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: String,
    /// The number of the turn, as `plan` printed it
    #[arg(long, value_name = "N")]
    pub(crate) turn: u32,
    /// End when standard input ends: whoever started us is gone.
    #[arg(long, hide = true)]
    pub(crate) tied: bool,
}

pub(crate) fn run(args: &JudgeArgs, start: &CommandContext) -> Result<u8, RunError> {
    let folder = start.dir.join(&args.run);
    let judge = args.judge.as_str();
    if judge.is_empty() || judge.contains(['/', '\\']) || judge.starts_with('.') {
        return Err(RunError::usage(format!(
            "{judge:?} is not the name of a judge"
        )));
    }
    let stop = StopSignal::default();
    // A service that ends its job does so by SIGTERM: what was said until then is written down.
    stop_when_interrupted(&hear_interrupts()?, &stop);
    if args.tied {
        stop_when_left(&stop);
    }
    check_question(&folder, judge, args.turn)?;
    let cannot = |error: std::io::Error| {
        RunError::usage(format!("cannot judge: {error}"))
            .hint("name the folder that `git council plan --run` wrote: it has `packet/` and `workers/<judge>/`")
    };
    let spec = worker::read_seat(&folder, &judge.into()).map_err(cannot)?;
    if spec.seat.judge.as_str() != judge {
        return Err(RunError::usage(format!(
            "{judge}'s seat is that of {}: the folder was changed",
            spec.seat.judge
        )));
    }
    // Whoever tied us to itself wrote the folder a moment ago. Any other folder may come from anywhere.
    let spec = if args.tied {
        spec
    } else {
        seat_of_job(start, spec)?
    };
    let agents = |packet, blobs| agents_over(start, packet, blobs, Some(folder.clone()), None);
    let redactor = handed_redactor(start);
    let reply = worker::answer_turn(&folder, spec, TurnId(args.turn), agents, &redactor, &stop)
        .map_err(cannot)?;
    if let WorkerReply::Failed { failure } = reply {
        start
            .console
            .warning(&format!("{judge} abstains: {}", failure.in_words()));
    }
    Ok(exit::OK)
}

/// A judge that the plan does not have, or a turn that nobody asks, is named with those that there are.
fn check_question(folder: &Path, judge: &str, turn: u32) -> Result<(), RunError> {
    let judges = worker::list_judges(folder);
    if judges.is_empty() {
        // What is wrong with the folder is told by whoever reads it.
        return Ok(());
    }
    if !judges.iter().any(|known| known == judge) {
        let error = RunError::usage(format!("the plan has no judge {judge:?}"));
        let judges: Vec<String> = judges
            .iter()
            .map(|name| Untrusted::new(name).name())
            .collect();
        return Err(error.hint(format!("its judges: {}", judges.join(", "))));
    }
    let turns = worker::list_turns(folder, &judge.into());
    if turns.is_empty() || turns.contains(&turn) {
        return Ok(());
    }
    let turns: Vec<String> = turns.iter().map(u32::to_string).collect();
    let error = RunError::usage(format!("{judge} has no turn {turn}"));
    Err(error.hint(format!("its turns: {}", turns.join(", "))))
}
