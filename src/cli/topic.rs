//! What `brainstorm` and `research` share at the command line: a topic and its flags.

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::review::deliver_with_events;
use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::modes::ModeArgs;
use crate::cli::review_args::{CouncilArgs, DebateArg, EVENTS_HELP, OutputArgs, ReviewArgs};
use crate::council::plan::Intensity;
use crate::prompt::ProductionMode;
use crate::run::error::RunError;
use crate::run::modes::topic::gather_topic;
use crate::run::prepare::prepare_review;

/// Worded as in other councils, so that scripts which look for these sentences find them.
const NO_DEBATE: &str =
    "--debate is only supported with validate mode. Debate requires PASS/WARN/FAIL verdicts.";
const NO_TECHNIQUE: &str = "--technique is only applicable to brainstorm mode.";

/// A topic, who thinks about it, and where the document goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct TopicArgs {
    /// The topic
    #[arg(value_name = "TOPIC")]
    topic: String,
    /// Ask three agents instead of two
    #[arg(long, conflicts_with = "judges", help_heading = "Council")]
    deep: bool,
    /// The number of agents
    #[arg(
        long,
        visible_alias = "count",
        value_name = "N",
        help_heading = "Council"
    )]
    judges: Option<String>,
    /// The point of view of each agent, e.g. user-value,incident-response
    #[arg(long, value_name = "A,B,…", help_heading = "Council")]
    perspectives: Option<String>,
    /// Use a named list of perspectives, e.g. product, architecture
    #[arg(long, value_name = "NAME", help_heading = "Council")]
    preset: Option<String>,
    /// The agents that take part: the first one for the first place, and so on; `git council agents` lists them
    #[arg(long, value_name = "A,B,…", help_heading = "Council")]
    agents: Option<String>,
    /// How agents are run; `auto` takes the best of `git council backends`
    #[arg(long, value_name = "NAME", help_heading = "Council")]
    backend: Option<String>,
    /// Time limit for the whole run, e.g. 90s or 10m
    #[arg(long, value_name = "TIME", help_heading = "Council")]
    timeout: Option<String>,
    /// The most US dollars the run may cost; a call that could exceed it is not made
    #[arg(long, value_name = "USD", help_heading = "Council")]
    max_cost: Option<String>,
    /// Time limit of each agent in round 1
    #[arg(long, value_name = "TIME", help_heading = "Council")]
    r1_timeout: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "force")]
    debate: Option<DebateArg>,
    #[command(flatten)]
    modes: ModeArgs,
    /// The report's format: terminal, story, markdown, json
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    format: Option<String>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    json: bool,
    /// Write the report to FILE, and show a readable one on standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Do not write to .agents/council/
    #[arg(long, help_heading = "Output")]
    no_save: bool,
    #[arg(long, value_name = "FILE", help_heading = "Output", help = EVENTS_HELP)]
    events: Option<PathBuf>,
}

impl TopicArgs {
    /// As a review of the topic would be asked for: the same keys from the same layers.
    fn into_review(self) -> ReviewArgs {
        let mut modes = self.modes;
        // Ideas and findings are collected once; who wants more rounds says so.
        let light = || Intensity::Light.as_str().to_owned();
        modes.intensity.get_or_insert_with(light);
        ReviewArgs {
            topic: Some(self.topic),
            council: CouncilArgs {
                deep: self.deep,
                judges: self.judges,
                perspectives: self.perspectives,
                preset: self.preset,
                agents: self.agents,
                backend: self.backend,
                timeout: self.timeout,
                max_cost: self.max_cost,
                r1_timeout: self.r1_timeout,
                ..CouncilArgs::default()
            },
            modes,
            output: OutputArgs {
                format: self.format,
                json: self.json,
                output: self.output,
                no_save: self.no_save,
                events: self.events,
                ..OutputArgs::default()
            },
            ..ReviewArgs::default()
        }
    }
}

pub(crate) fn run_topic(
    args: TopicArgs,
    mode: ProductionMode,
    start: &CommandContext,
) -> Result<u8, RunError> {
    if args.debate.is_some_and(|debate| debate != DebateArg::Off) {
        return Err(RunError::usage(NO_DEBATE)
            .hint("this mode writes a document and gives no verdict: leave `--debate` out"));
    }
    let args = args.into_review();
    let start = &start.with_events(args.output.events.as_deref())?;
    let prepared = prepare_review(&args.to_request(&start.dir)?, start)?;
    let start = start.with_settings(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    let report = gather_topic(prepared, args.council.deep, mode, &start)?;
    let file = args.output.output.as_deref();
    let file = file.map(|file| start.dir.join(file));
    let output = ReportOutput::from_settings(&settings, file.as_deref());
    Ok(deliver_with_events(&args.output, &report, &output, &start))
}

/// What only a brainstorm knows.
pub(crate) fn refuse_technique(technique: Option<&str>) -> Result<(), RunError> {
    match technique {
        Some(_) => Err(RunError::usage(NO_TECHNIQUE)),
        None => Ok(()),
    }
}
