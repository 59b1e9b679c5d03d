//! `git council replay`: the verdict again, from what was written down.

use clap::Args;

use crate::cli::Start;
use crate::cli::deliver::Surfaces;
use crate::cli::error::CliError;
use crate::cli::history::{self, Past};
use crate::cli::left::Left;
use crate::config::Format;
use crate::council::outcome::Outcome;
use crate::report::{BackendFacts, Gate, Report, RunFacts, Subject};
use crate::session::{replay, stored};

/// Compute the verdict of a past run again, from its journal; ends with its exit code
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// The run's name or a part of it; without it the latest
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ReplayArgs, start: &Start) -> Result<u8, CliError> {
    let past = history::find(start, args.run.as_deref())?;
    let before = past.report()?;
    let report = again(past, before.as_ref())?;
    if before.is_some_and(|before| before != report) {
        start.console.warning(
            "the report that the run left says something else: `git council show` prints it",
        );
    }
    let format = if args.json {
        Format::Json
    } else {
        Format::Terminal
    };
    let surfaces = Surfaces {
        format,
        file: None,
        gate: Gate::default(),
    };
    Ok(surfaces.deliver(&report, &start.console))
}

fn again(past: Past, before: Option<&Report>) -> Result<Report, CliError> {
    let Left {
        past,
        journal,
        plan,
        packet,
        ..
    } = Left::read(past, None)?;
    let broken = |error: &dyn std::fmt::Display| CliError::run(format!("{}: {error}", past.name));
    let packet = stored::packet(&packet, &journal.header, &plan).map_err(|error| broken(&error))?;
    let outcome: Outcome = replay(plan, &journal.entries).map_err(|error| {
        broken(&error).hint(format!(
            "`git council resume {}` goes on with it",
            past.name
        ))
    })?;
    let facts = match before {
        Some(report) => report.receipt.run.clone(),
        None => RunFacts {
            name: journal.header.run,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: journal.header.started,
            duration_ms: journal.entries.last().map_or(0, |entry| entry.at),
            backend: Some(BackendFacts {
                name: journal.backend,
                ..BackendFacts::default()
            }),
            ..RunFacts::default()
        },
    };
    Ok(Report::new(outcome, Subject::of(&packet), facts))
}
