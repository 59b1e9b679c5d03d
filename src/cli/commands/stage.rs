//! `git council stage`: the staged debate of a project that keeps stages.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::cli::commands::review::{deliver_with_events, tell_end};
use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::live::is_standard_output;
use crate::cli::review_args::{EVENTS_HELP, OutputArgs};
use crate::config::KeyValue;
use crate::council::plan::Intensity;
use crate::report::{GatePolicy, Report, Verbosity};
use crate::run::context::Notifier;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::modes::document::{DocumentListener, SYNTHESIZER};
use crate::run::modes::requested::StageRequest;
use crate::run::modes::stage::{self, debate_stage, read_stage};
use crate::run::output_file::check_output;
use crate::text::Untrusted;

const EXAMPLES: &str = "\
Examples:
  git council stage                      the stage that state/progress.json calls current
  git council stage 03-planning          another one
  git council stage --intensity light    one round and a synthesis

What it reads: config/debate.jsonc, stages/<stage>/CLAUDE.md, HANDOFF.md of the stage before, references/<stage>/.
What it writes: state/debate/<stage>/, stages/<stage>/outputs/, a line of state/ai-call-log.jsonl.";

/// Debate a stage of a project in rounds and write its documents; gives no verdict
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StageArgs {
    /// A folder below stages/ [default: the current stage in state/progress.json]
    #[arg(value_name = "STAGE")]
    pub(crate) stage: Option<String>,
    /// How long to debate: full, standard, light [default: as config/debate.jsonc says]
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true)]
    pub(crate) intensity: Option<IntensityArg>,
    /// The agents that take the roles, in turn
    #[arg(long, value_name = "A,B,…")]
    agents: Option<String>,
    /// How they are run; `auto` takes the best of `git council backends`
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// The model of every Claude role, instead of the configured one
    #[arg(long, value_name = "MODEL")]
    claude_model: Option<String>,
    /// The model of every Codex role, instead of the configured one
    #[arg(long, value_name = "MODEL")]
    codex_model: Option<String>,
    /// Time limit for the whole debate
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// The most US dollars the debate may cost; a call that could exceed it is not made
    #[arg(long, value_name = "USD")]
    max_cost: Option<String>,
    /// Time limit of each role in round 1
    #[arg(long, value_name = "TIME")]
    r1_timeout: Option<String>,
    /// Time limit of each role in a later round
    #[arg(long, value_name = "TIME")]
    r2_timeout: Option<String>,
    /// Print the report as JSON; progress goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report to FILE as JSON
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = EVENTS_HELP)]
    pub(crate) events: Option<PathBuf>,
}

/// `--intensity`
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum IntensityArg {
    Full,
    Standard,
    Light,
}

impl From<IntensityArg> for Intensity {
    fn from(arg: IntensityArg) -> Self {
        match arg {
            IntensityArg::Full => Self::Full,
            IntensityArg::Standard => Self::Standard,
            IntensityArg::Light => Self::Light,
        }
    }
}

impl StageArgs {
    /// The flags as the strongest layer of the configuration.
    pub(crate) fn config_pairs(&self) -> Vec<KeyValue> {
        let with_value = [
            ("review.agents", &self.agents, "--agents"),
            ("review.backend", &self.backend, "--backend"),
            ("agents.claude.model", &self.claude_model, "--claude-model"),
            ("agents.codex.model", &self.codex_model, "--codex-model"),
            ("timeouts.run", &self.timeout, "--timeout"),
            ("limits.cost", &self.max_cost, "--max-cost"),
            ("timeouts.r1", &self.r1_timeout, "--r1-timeout"),
            ("timeouts.r2", &self.r2_timeout, "--r2-timeout"),
        ];
        let given = |(key, value, flag): (&str, &Option<String>, &str)| {
            value.as_ref().map(|value| KeyValue::new(key, value, flag))
        };
        let mut pairs: Vec<KeyValue> = with_value.into_iter().filter_map(given).collect();
        if self.json {
            pairs.push(KeyValue::new("output.format", "json", "--json"));
        }
        pairs
    }
}

pub(crate) fn run(args: &StageArgs, start: &CommandContext) -> Result<u8, RunError> {
    let request = StageRequest {
        stage: args.stage.clone(),
        intensity: args.intensity.map(Into::into),
        flags: args.config_pairs(),
        output: args.output.clone(),
    };
    if let Some(file) = &args.output {
        check_output(&start.dir.join(file))?;
    }
    conduct_stage(args, &request, None, start)
}

/// Goes on with the debate of a stage, with the request of its run; `has_times`: which gives it other time limits now.
pub(super) fn resume_stage(
    left: LoadedRun,
    request: &StageRequest,
    has_times: bool,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let is_json = |pair: &KeyValue| pair.key == "output.format" && pair.value == "json";
    let args = StageArgs {
        json: request.flags.iter().any(is_json),
        output: request.output.clone(),
        ..StageArgs::default()
    };
    conduct_stage(&args, request, Some((left, has_times)), start)
}

/// Debates a stage, or goes on where the run was left, and says what it came to.
fn conduct_stage(
    args: &StageArgs,
    request: &StageRequest,
    left: Option<(LoadedRun, bool)>,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let start = &start.with_events(args.events.as_deref())?;
    let is_data = args.json || args.events.as_deref().is_some_and(is_standard_output);
    let quiet = is_data || start.console.verbosity == Verbosity::Quiet;
    let stage = read_stage(request, start)?;
    let settings = stage.settings().clone();
    let start = &start.with_settings(&settings);
    let listener = progress_listener(Arc::clone(&start.notifier), start.console.verbosity, quiet);
    let report = match left {
        None => debate_stage(stage, &listener, start)?,
        Some((mut left, has_times)) => {
            if has_times {
                left.plan.timeouts = settings.timeouts();
            }
            stage::resume_stage(stage, &left, &listener, start)?
        }
    };
    let output = ReportOutput::from_settings(&settings, args.output.as_deref());
    deliver_stage(args, &report, &output, start)
}

/// The progress as it comes: lines of progress on standard output, the rest for whoever asked for more.
fn progress_listener(
    notifier: Arc<dyn Notifier>,
    verbosity: Verbosity,
    quiet: bool,
) -> DocumentListener {
    Arc::new(move |line: &str| {
        if !line.starts_with('[') {
            if notifier.is_verbose() {
                notifier.log(line);
            }
        } else if quiet {
            if verbosity != Verbosity::Quiet {
                notifier.log(line);
            }
        } else {
            notifier.print_line(line);
        }
    })
}

/// What is said at the end: notes for people, the report for programs.
fn deliver_stage(
    args: &StageArgs,
    report: &Report,
    surfaces: &ReportOutput<'_>,
    start: &CommandContext,
) -> Result<u8, RunError> {
    if args.json || args.output.is_some() {
        let output = OutputArgs {
            events: args.events.clone(),
            ..OutputArgs::default()
        };
        return Ok(deliver_with_events(&output, report, surfaces, start));
    }
    for note in &report.outcome.notes {
        start.console.warning(note);
    }
    let line = report.bottom_line(GatePolicy::default());
    if report.outcome.ledger.document().is_none() || report.incomplete {
        for judge in report
            .outcome
            .judges
            .iter()
            .filter(|j| j.seat.judge.as_str() != SYNTHESIZER)
        {
            for failed in &judge.failures {
                start
                    .console
                    .warning(&format!("{}: {}", judge.seat.judge, failed.failure));
            }
        }
        let headline = format!("{}\n", Untrusted::new(&line.headline).line());
        if args.events.as_deref().is_some_and(is_standard_output) {
            start.console.write_stderr(&headline)
        } else {
            start.console.print(&headline)?
        }
    }
    tell_end(report, line.exit_code, start);
    Ok(start.check_events(line.exit_code))
}
