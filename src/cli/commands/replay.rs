//! `git council replay`: the verdict again, from what was written down.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::config::ReportFormat;
use crate::report::Report;
use crate::run::bundle::{BundleExtras, RunBundle};
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::output_file::write_private_output;
use crate::run::past_prompts::run_prompter;
use crate::run::redaction::redactor_of_past;
use crate::run::replay::recompute_report;
use crate::run::store;
use crate::safe_file;
use crate::text::Untrusted;

/// The most bytes of a bundle that are read.
const MAX_BUNDLE_BYTES: u64 = 256 << 20;

/// Recompute a past run's verdict from its saved answers, and exit with its code
#[derive(Debug, Clone, Args)]
pub(crate) struct ReplayArgs {
    /// The run's name or a part of it, or a file that --bundle wrote [default: the latest run]
    #[arg(value_name = "RUN|BUNDLE")]
    run: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write the run to one FILE, secrets replaced; `git council replay FILE` verifies it on any machine
    #[arg(long, value_name = "FILE")]
    bundle: Option<PathBuf>,
    /// Include the full text of the judges' answers in the bundle
    #[arg(long, requires = "bundle")]
    answers: bool,
    /// Include the prompts in the bundle; they contain the change
    #[arg(long, requires = "bundle")]
    prompts: bool,
}

pub(crate) fn run(args: &ReplayArgs, start: &CommandContext) -> Result<u8, RunError> {
    let file = args.run.as_deref().map(|name| start.dir.join(name));
    let report = match file.filter(|file| file.is_file()) {
        Some(_) if args.bundle.is_some() => {
            return Err(RunError::usage("a bundle can only be made from a run")
                .hint("`git council log` lists the runs"));
        }
        Some(file) => read_bundle(&file)?.verify()?,
        None => replay_run(args, start)?,
    };
    let format = if args.json {
        ReportFormat::Json
    } else {
        ReportFormat::Terminal
    };
    let surfaces = ReportOutput {
        format,
        file: None,
        gate: report.own_gate(),
    };
    let code = surfaces.deliver_report(&report, start);
    // A finding that a person names is one of this report.
    start.remember_shown(&report, format);
    Ok(code)
}

/// The bundle in a file.
fn read_bundle(file: &Path) -> Result<RunBundle, RunError> {
    let cannot = |why: String| {
        RunError::usage(format!("{} is not a bundle: {why}", file.display()))
            .hint("`git council replay RUN --bundle FILE` makes one")
    };
    let mut bytes = Vec::new();
    let opened = safe_file::open_input(file)
        .and_then(|file| file.take(MAX_BUNDLE_BYTES + 1).read_to_end(&mut bytes));
    opened.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > MAX_BUNDLE_BYTES {
        return Err(cannot("it is larger than 256 MiB".to_owned()));
    }
    RunBundle::parse(&bytes).map_err(cannot)
}

/// The report of a run, and the bundle of it where one is wanted.
fn replay_run(args: &ReplayArgs, start: &CommandContext) -> Result<Report, RunError> {
    let past = store::find_run(start, args.run.as_deref())?;
    let before = past.report()?;
    let left = LoadedRun::load(past, None)?;
    let (report, packet) = recompute_report(&left, before.as_ref(), start)?;
    if before.is_some_and(|before| before != report) {
        start
            .console
            .warning("the run's own report differs: `git council show` prints it");
    }
    if let Some(file) = &args.bundle {
        let file = start.dir.join(file);
        let extras = BundleExtras {
            answers: args.answers,
            prompts: args
                .prompts
                .then(|| run_prompter(&left, start))
                .transpose()?
                .flatten(),
        };
        let bundle = RunBundle::from_run(
            &left,
            &packet,
            report.clone(),
            &extras,
            &redactor_of_past(&left.past, &packet, start)?,
        )?;
        write_private_output(&file, bundle.to_bytes())?;
        let name = Untrusted::new(&file.display().to_string()).name();
        start
            .console
            .tell_lines(&[format!("the run was written to {name}")]);
    }
    Ok(report)
}
