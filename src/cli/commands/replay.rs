//! `git council replay`: the verdict again, from what was written down.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use council_protocol::{Packet, Seat};

use super::resume::prepare_again;
use crate::cli::Start;
use crate::cli::bundle::{Bundle, Extras};
use crate::cli::deliver::Surfaces;
use crate::cli::error::CliError;
use crate::cli::history;
use crate::cli::left::Left;
use crate::cli::prompts::Prompts;
use crate::cli::request::Request;
use crate::config::Format;
use crate::report::{BackendFacts, Gate, Report, RunFacts, Subject};
use crate::session::{Prompter, replay, stored};

/// The most bytes of a bundle that are read.
const MOST_READ: u64 = 256 << 20;

/// Compute a past run's verdict again, from its journal or a bundle; ends with its exit code
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// The run's name or a part of it, or the file of a bundle; without it the latest run
    #[arg(value_name = "RUN|BUNDLE")]
    run: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write the run to FILE as a bundle that `replay FILE` verifies anywhere: objects by id, secrets replaced
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Put the judges' words around their answers into the bundle, too
    #[arg(long, requires = "bundle")]
    answers: bool,
    /// Put what agents were sent into the bundle, too: the change is in it
    #[arg(long, requires = "bundle")]
    prompts: bool,
}

pub(crate) fn run(args: &ReplayArgs, start: &Start) -> Result<u8, CliError> {
    let file = args.run.as_deref().map(|name| start.dir.join(name));
    let report = match file.filter(|file| file.is_file()) {
        Some(_) if args.bundle.is_some() => {
            return Err(CliError::usage("a bundle is made of a run")
                .hint("`git council log` lists the runs"));
        }
        Some(file) => read(&file)?.verify()?,
        None => of_run(args, start)?,
    };
    let format = match args.json {
        true => Format::Json,
        false => Format::Terminal,
    };
    let surfaces = Surfaces {
        format,
        file: None,
        gate: Gate::default(),
    };
    Ok(surfaces.deliver(&report, &start.console))
}

/// The bundle in a file.
fn read(file: &Path) -> Result<Bundle, CliError> {
    let cannot = |why: String| {
        CliError::usage(format!("{} is no bundle: {why}", file.display()))
            .hint("`git council replay RUN --bundle FILE` makes one")
    };
    let mut bytes = Vec::new();
    let opened = File::open(file).and_then(|file| file.take(MOST_READ + 1).read_to_end(&mut bytes));
    opened.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > MOST_READ {
        return Err(cannot("it is larger than 256 MiB".to_owned()));
    }
    Bundle::parse(&bytes).map_err(cannot)
}

/// The report of a run, and the bundle of it where one is wanted.
fn of_run(args: &ReplayArgs, start: &Start) -> Result<Report, CliError> {
    let past = history::find(start, args.run.as_deref())?;
    let before = past.report()?;
    let left = Left::read(past, None)?;
    let (report, packet) = again(&left, before.as_ref())?;
    if before.is_some_and(|before| before != report) {
        start.console.warning(
            "the report that the run left says something else: `git council show` prints it",
        );
    }
    if let Some(file) = &args.bundle {
        let file = start.dir.join(file);
        let extras = Extras {
            answers: args.answers,
            prompts: args
                .prompts
                .then(|| prompter(&left, start))
                .transpose()?
                .flatten(),
        };
        let bundle = Bundle::of(&left, &packet, report.clone(), &extras)?;
        std::fs::write(&file, bundle.bytes()).map_err(|error| {
            CliError::usage(format!("cannot write {}: {error}", file.display()))
        })?;
    }
    Ok(report)
}

/// Renders what the agents of a run were sent, from the change as it was; none: nobody was sent anything.
fn prompter(left: &Left, start: &Start) -> Result<Option<Arc<dyn Prompter>>, CliError> {
    let (review, start) = Request::of(&left.past, start)?.parse(start)?;
    let prepared = prepare_again(&review, &start, left)?;
    let seats: Vec<Seat> = left.plan.seats.iter().map(|p| p.seat.clone()).collect();
    let prompts = Prompts::for_seats(&seats, &prepared, &left.plan.seed)?;
    Ok(prompts.map(|prompts| prompts as Arc<dyn Prompter>))
}

/// The report of a run from its journal, with the packet that it was about.
fn again(left: &Left, before: Option<&Report>) -> Result<(Report, Packet), CliError> {
    let Left {
        past,
        journal,
        plan,
        packet,
        ..
    } = left;
    let broken = |error: &dyn std::fmt::Display| CliError::run(format!("{}: {error}", past.name));
    let packet = stored::packet(packet, &journal.header, plan).map_err(|error| broken(&error))?;
    let outcome = replay(plan.clone(), &journal.entries).map_err(|error| {
        broken(&error).hint(format!(
            "`git council resume {}` goes on with it",
            past.name
        ))
    })?;
    let facts = match before {
        Some(report) => report.receipt.run.clone(),
        None => RunFacts {
            name: journal.header.run.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: journal.header.started.clone(),
            duration_ms: journal.entries.last().map_or(0, |entry| entry.at),
            backend: Some(BackendFacts {
                name: journal.backend.clone(),
                ..BackendFacts::default()
            }),
            ..RunFacts::default()
        },
    };
    Ok((Report::new(outcome, Subject::of(&packet), facts), packet))
}
