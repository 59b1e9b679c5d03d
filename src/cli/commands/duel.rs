//! `git council duel`: two agents argue over one file, and the argument becomes an ordinary verdict.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::commands::resume::ResumeArgs;
use crate::cli::commands::review::deliver_with_events;
use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::cli::review_args::{CouncilArgs, OutputArgs, ReviewArgs};
use crate::config::parse_duration;
use crate::duel::{DuelRole, resolve_role};
use crate::report::exit;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::modes::duel::Duel;
use crate::run::modes::duel_check::check_duel_file;
use crate::run::modes::duel_subject::{self, prepare_subject};
use crate::run::modes::requested::DuelRequest;
use crate::run::request::ReviewRequest;
use crate::run::resume::prepare_again;
use crate::run::shown::remember_verdict;
use crate::run::store;
use crate::run::stored_request::StoredRequest;

const EXAMPLES: &str = "\
Examples:
  git council duel HEAD                      this program plays both sides
  git council duel HEAD --agent-a claude --agent-b codex
  git council duel main..topic --as b        answer whoever opens DEBATE.md
  git council duel '#12'                     a pull request that was fetched
  git council duel --patch change.diff       a diff
  git council duel docs/plan.md              a file
  git council duel check DEBATE.md           does this file follow the rules?";

/// Let two judges argue in a file, DEBATE.md, until they agree, and give one verdict
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct DuelArgs {
    #[command(subcommand)]
    pub(crate) action: Option<DuelAction>,
    /// A commit, `A..B`, `A...B`, a pull request (`#12`), or a file; without it the current branch
    #[arg(value_name = "SUBJECT")]
    pub(crate) subject: Option<String>,
    /// Argue over a unified diff from FILE
    #[arg(long, value_name = "FILE", conflicts_with = "subject")]
    pub(crate) patch: Option<PathBuf>,
    /// Play one side only: `a` opens, `b` responds, `auto` responds if the file exists
    #[arg(long = "as", value_name = "SIDE")]
    pub(crate) side: Option<SideArg>,
    /// The file that both sides write to
    #[arg(long, value_name = "FILE", default_value = "DEBATE.md")]
    pub(crate) file: PathBuf,
    /// The agent that plays side A
    #[arg(long, value_name = "NAME")]
    pub(crate) agent_a: Option<String>,
    /// The agent that plays side B
    #[arg(long, value_name = "NAME")]
    pub(crate) agent_b: Option<String>,
    /// How often to look for changes of the file [default: 5s; 100ms if this program plays both sides]
    #[arg(long, value_name = "TIME")]
    pub(crate) poll: Option<String>,
    /// How long a side waits for the other
    #[arg(long, value_name = "TIME", default_value = "600s")]
    pub(crate) timeout: String,
    /// The most US dollars the duel may cost; a call that could exceed it is not made
    #[arg(long, value_name = "USD")]
    pub(crate) max_cost: Option<String>,
    /// Keep the file when the duel is over
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// A side that another process of ours started: it plays, and leaves the verdict to that one.
    #[arg(long, hide = true, requires = "side")]
    pub(crate) relay: bool,
    /// The run of that other process, which says what the duel is about.
    #[arg(long, hide = true, requires = "relay", value_name = "NAME")]
    pub(crate) run: Option<String>,
}

/// What else can be done with a duel.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum DuelAction {
    /// Check whether a file follows the rules of a duel, and name each violation with its line
    Check {
        /// The file of the duel
        #[arg(value_name = "FILE", default_value = "DEBATE.md")]
        file: PathBuf,
    },
}

/// `--as`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideArg {
    A,
    B,
    Auto,
}

impl SideArg {
    fn role(self, file: &Path) -> DuelRole {
        let designated = match self {
            Self::A => Some(DuelRole::A),
            Self::B => Some(DuelRole::B),
            Self::Auto => None,
        };
        resolve_role(designated, file.exists())
    }
}

pub(crate) fn run(args: &DuelArgs, start: &CommandContext) -> Result<u8, RunError> {
    if let Some(DuelAction::Check { file }) = &args.action {
        let checked = check_duel_file(&start.dir.join(file))?;
        start.console.print(&checked.told)?;
        return Ok(if checked.is_broken {
            exit::FAIL
        } else {
            exit::OK
        });
    }
    let start = &start.with_events(args.output.events.as_deref())?;
    if let Some(name) = &args.run {
        return play_for_run(name, args, start);
    }
    let review = args.review().to_request(&start.dir)?;
    let prepared = prepare_subject(&review, args.subject.as_deref(), start)?;
    let start = start.with_settings(&prepared.config.settings);
    let request = args.to_request(&start.dir)?;
    let duel = Duel {
        start: &start,
        repeat_flags: start.global.repeat_flags(),
        subject: args.subject_arguments(),
        prepared: &prepared,
        request: &request,
        left: None,
        relayed: args.relay,
    };
    if args.relay {
        return play_relayed(&duel, &start);
    }
    conduct_duel(&duel, &args.output, &start)
}

/// Plays a side of a run of another process of ours: over what that one has read, whatever the names mean by now.
fn play_for_run(name: &str, args: &DuelArgs, start: &CommandContext) -> Result<u8, RunError> {
    let past = store::run_of_name(start, name);
    let past = past.ok_or_else(|| RunError::usage(format!("there is no run {name:?}")))?;
    let left = LoadedRun::load(past, None)?;
    let told = args.review().to_request(&start.dir)?.flags;
    let (review, run) = StoredRequest::load_request(&left.past, start)?.restore(start)?;
    let start = CommandContext {
        run,
        ..start.clone()
    };
    let mut review = review;
    review.flags.extend(told);
    let prepared = prepare_again(&review, &start, &left)?;
    let start = start.with_settings(&prepared.config.settings);
    let request = args.to_request(&start.dir)?;
    let duel = Duel {
        start: &start,
        repeat_flags: Vec::new(),
        subject: Vec::new(),
        prepared: &prepared,
        request: &request,
        left: Some(&left),
        relayed: true,
    };
    play_relayed(&duel, &start)
}

/// A side plays, and leaves the verdict to whoever started it.
fn play_relayed(duel: &Duel<'_>, start: &CommandContext) -> Result<u8, RunError> {
    let relay = |line: &str| {
        let printed = start.console.print(line);
        printed.map_err(|error| io::Error::other(error.message))
    };
    let role = duel.request.role.unwrap_or(DuelRole::A);
    duel.side(role, &relay).map(|_| exit::OK)
}

/// Goes on with a duel, with the request of its run. `told`: what the command itself was told.
pub(super) fn resume_duel(
    left: &LoadedRun,
    (review, mut request): (ReviewRequest, DuelRequest),
    args: &ResumeArgs,
    start: &CommandContext,
) -> Result<u8, RunError> {
    if let Some(wait) = &args.timeout {
        request.timeout_ms = time("--timeout", wait)?;
    }
    let prepared = prepare_again(&review, start, left)?;
    let start = start.with_settings(&prepared.config.settings);
    let cost = args.max_cost.iter();
    let cost = cost.flat_map(|usd| ["--max-cost".into(), OsString::from(usd)]);
    let duel = Duel {
        start: &start,
        repeat_flags: start.global.repeat_flags(),
        subject: cost.collect(),
        prepared: &prepared,
        request: &request,
        left: Some(left),
        relayed: false,
    };
    let output = OutputArgs {
        output: review.output.clone(),
        ..OutputArgs::default()
    };
    conduct_duel(&duel, &output, &start)
}

/// Plays a duel to its end, and says what it came to.
fn conduct_duel(
    duel: &Duel<'_>,
    args: &OutputArgs,
    start: &CommandContext,
) -> Result<u8, RunError> {
    let request = duel.request;
    let concluded = match request.role {
        Some(role) => duel.side(role, &|_| Ok(()))?,
        None => duel.both()?,
    };
    let report = duel.report(&concluded)?;
    let settings = &duel.prepared.config.settings;
    let file = args.output.as_deref().map(|file| start.dir.join(file));
    let output = ReportOutput::from_settings(settings, file.as_deref());
    let code = deliver_with_events(args, &report, &output, start);
    remember_verdict(&report, output.shows_findings(), start);
    // It is a scratch file, unless somebody wants it. One that another side still reads is that side's to delete.
    let is_there = request.file.symlink_metadata().is_ok_and(|at| at.is_file());
    if is_there && !request.keep && request.role.is_none() && !concluded.is_cut() {
        duel_subject::remove(&request.file)?;
    }
    Ok(code)
}

impl DuelArgs {
    /// What is asked for, its subject aside.
    fn to_request(&self, dir: &Path) -> Result<DuelRequest, RunError> {
        let file = dir.join(&self.file);
        let role = self.side.map(|side| side.role(&file));
        let default_poll = if role.is_some() { 5_000 } else { 100 };
        let poll = self.poll.as_deref();
        Ok(DuelRequest {
            role,
            agents: [self.agent_a.clone(), self.agent_b.clone()],
            poll_ms: poll.map_or(Ok(default_poll), |text| time("--poll", text))?,
            timeout_ms: time("--timeout", &self.timeout)?,
            file,
            keep: self.keep,
        })
    }

    /// The arguments that name the subject and what it may cost, for another process of ours.
    fn subject_arguments(&self) -> Vec<OsString> {
        let patch = self
            .patch
            .iter()
            .flat_map(|file| ["--patch".into(), file.clone().into_os_string()]);
        let cost = self
            .max_cost
            .iter()
            .flat_map(|usd| ["--max-cost".into(), OsString::from(usd)]);
        patch
            .chain(cost)
            .chain(self.subject.iter().map(OsString::from))
            .collect()
    }

    /// The subject is a target like any other.
    fn review(&self) -> ReviewArgs {
        ReviewArgs {
            patch: self.patch.clone(),
            output: self.output.clone(),
            council: CouncilArgs {
                max_cost: self.max_cost.clone(),
                ..CouncilArgs::default()
            },
            ..ReviewArgs::default()
        }
    }
}

fn time(flag: &str, text: &str) -> Result<u64, RunError> {
    parse_duration(text).map_err(|error| RunError::usage(format!("{flag}: {error}")))
}
