//! Arguments in, exit code out: wires the rooms; alone prints, exits and reads the environment.

mod args;
mod before;
mod bench;
mod bundle;
mod columns;
mod commands;
mod console;
mod convene;
mod councillors;
mod deliver;
mod detach;
mod digests;
mod duel;
mod environment;
mod error;
mod findings;
mod forecast;
mod gather;
mod github;
mod history;
mod hold;
mod hook;
mod journal;
mod layers;
mod left;
mod matrix;
mod modes;
mod noted;
mod nothing;
mod own;
mod pager;
mod parts;
mod plugins;
mod prepare;
mod prompts;
mod recognise;
mod request;
mod rooms;
mod settings;
mod stage;
mod table;
mod topic;
mod trust;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use council_agents::guard;

use args::{Cli, CliCommand};
use console::Console;
use environment::ProcessEnvironment;
use error::{RunError, RunErrorKind};

use crate::config::Settings;
use crate::memory::MacKey;
use crate::report::{Verbosity, exit};

/// Runs the program.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|word| word == guard::SUBCOMMAND)
    {
        return ExitCode::from(guard::run_guard(&arguments.collect::<Vec<_>>()));
    }
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    if let [word] = &words[..]
        && (word == "--version" || word == "-V")
    {
        return ExitCode::from(print_version());
    }
    ExitCode::from(match Cli::try_parse() {
        Ok(cli) => run_cli(cli),
        Err(error) => report_usage(&error),
    })
}

/// What the process was started with.
#[derive(Clone)]
struct RunContext {
    environment: ProcessEnvironment,
    console: Console,
    global: args::GlobalArgs,
    /// `-C DIR`, else the current directory; absolute.
    dir: PathBuf,
}

impl RunContext {
    fn new(
        global: args::GlobalArgs,
        environment: ProcessEnvironment,
        console: Console,
    ) -> Result<Self, RunError> {
        let unreadable =
            |error| RunError::usage(format!("cannot tell the current directory: {error}"));
        let here = std::env::current_dir().map_err(unreadable)?;
        let dir = global
            .directory
            .as_ref()
            .map_or(here.clone(), |dir| here.join(dir));
        if !dir.is_dir() {
            return Err(RunError::usage(format!(
                "{} is not a directory",
                dir.display()
            )));
        }
        Ok(Self {
            environment,
            console,
            global,
            dir,
        })
    }

    /// The same with what the configuration says about the output, where no flag did.
    fn with_settings(&self, settings: &Settings) -> Self {
        let flag = self.global.color.map(Into::into);
        Self {
            console: self.console.with_color_setting(flag, settings.output.color),
            ..self.clone()
        }
    }

    /// What this user's own files in a git directory bear; none, with a warning, where its key cannot be kept.
    fn signing_key(&self) -> Option<MacKey> {
        let seal = MacKey::load_or_create(&self.environment.state_dir()?);
        let told = |error: &std::io::Error| {
            self.console
                .warning(&format!("nothing is known again: {error}"));
        };
        seal.inspect_err(told).ok()
    }

    /// The environment as the git room sees it.
    fn git_environment(&self) -> crate::git::GitEnvironment {
        crate::git::GitEnvironment::from_vars(self.environment.vars())
    }
}

/// The version without the parser, which would describe every subcommand first.
fn print_version() -> u8 {
    let console = Console::new(None, Verbosity::Normal, &ProcessEnvironment::from_process());
    let shown = console.print(concat!("git council ", env!("CARGO_PKG_VERSION"), "\n"));
    shown.map_or_else(|error| report_error(&error, &console), |()| exit::OK)
}

fn run_cli(cli: Cli) -> u8 {
    let environment = ProcessEnvironment::from_process();
    let verbosity = match (cli.global.quiet, cli.global.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let console = Console::new(cli.global.color.map(Into::into), verbosity, &environment);
    let start = RunContext::new(cli.global, environment, console);
    let code = start.and_then(|start| dispatch(cli.command, &start));
    code.unwrap_or_else(|error| report_error(&error, &console))
}

fn dispatch(command: CliCommand, start: &RunContext) -> Result<u8, RunError> {
    match command {
        CliCommand::Review(args) => return commands::review::run(*args, start),
        CliCommand::Plan(args) => return commands::plan::run(&args, start),
        CliCommand::Conclude(args) => return commands::conclude::run(&args, start),
        CliCommand::Publish(args) => return commands::publish::run(&args, start),
        CliCommand::Brainstorm(args) => return commands::brainstorm::run(*args, start),
        CliCommand::Research(args) => return commands::research::run(*args, start),
        CliCommand::Stage(args) => return commands::stage::run(&args, start),
        CliCommand::Duel(args) => return commands::duel::run(&args, start),
        CliCommand::Judge(args) => return commands::judge::run(&args, start),
        CliCommand::Wait(args) => return commands::wait::run(&args, start),
        CliCommand::Status(args) => commands::status::run(&args, start)?,
        CliCommand::Resume(args) => return commands::resume::run(&args, start),
        CliCommand::Hook(args) => return commands::hook::run(&args, start),
        CliCommand::Dismiss(args) => commands::dismiss::run(&args, start)?,
        CliCommand::Apply(args) => commands::apply::run(&args, start)?,
        CliCommand::Cache(args) => commands::cache::run(&args, start)?,
        CliCommand::Gc(args) => commands::gc::run(&args, start)?,
        CliCommand::Man(args) => commands::man::run(&args, start)?,
        CliCommand::Completions(args) => commands::man::run_completions(&args, start)?,
        CliCommand::Replay(args) => return commands::replay::run(&args, start),
        CliCommand::Show(args) => commands::show::run(&args, start)?,
        CliCommand::Log(args) => commands::log::run(&args, start)?,
        CliCommand::Config(args) => commands::config::run(&args, start)?,
        CliCommand::Mcp(args) => commands::mcp::run(&args, start)?,
        CliCommand::Init(args) => commands::init::run(&args, start)?,
        CliCommand::Agents(args) => commands::agents::run(&args, start)?,
        CliCommand::Backends(args) => return commands::backends::run(&args, start),
        CliCommand::Doctor(args) => commands::doctor::run(&args, start)?,
        CliCommand::Explain(args) => commands::explain::run(&args, &start.console)?,
        CliCommand::Schema(args) => commands::schema::run(&args, &start.console)?,
    }
    Ok(exit::OK)
}

/// Tells an error; its kind is the exit code.
fn report_error(error: &RunError, console: &Console) -> u8 {
    if error.kind != RunErrorKind::BrokenPipe {
        console.error(error);
    }
    match error.kind {
        RunErrorKind::BrokenPipe => exit::OK,
        RunErrorKind::Usage => exit::USAGE,
        RunErrorKind::Run => exit::INCONCLUSIVE,
        RunErrorKind::Output => exit::UNPUBLISHED,
    }
}

/// Help and version go to standard output and are no error; everything else is one of usage.
fn report_usage(error: &clap::Error) -> u8 {
    let console = Console::new(None, Verbosity::Normal, &ProcessEnvironment::from_process());
    let text = error.render().ansi().to_string();
    if !error.use_stderr() {
        return console
            .print(&text)
            .map_or_else(|error| report_error(&error, &console), |()| exit::OK);
    }
    // One word for errors, whoever found them.
    console.write_stderr(&text.replacen("error:", "Error:", 1));
    exit::USAGE
}
