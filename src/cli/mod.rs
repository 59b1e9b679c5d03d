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

use args::{Cli, Command};
use console::Console;
use environment::Environment;
use error::{CliError, Kind};

use crate::config::Settings;
use crate::memory::Seal;
use crate::report::{Verbosity, exit};

/// Runs the program.
pub fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|word| word == guard::SUBCOMMAND)
    {
        return ExitCode::from(guard::run(&arguments.collect::<Vec<_>>()));
    }
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    if let [word] = &words[..]
        && (word == "--version" || word == "-V")
    {
        return ExitCode::from(version());
    }
    ExitCode::from(match Cli::try_parse() {
        Ok(cli) => run(cli),
        Err(error) => refuse(&error),
    })
}

/// What the process was started with.
#[derive(Clone)]
struct Start {
    environment: Environment,
    console: Console,
    global: args::Global,
    /// `-C DIR`, else the current directory; absolute.
    dir: PathBuf,
}

impl Start {
    fn new(
        global: args::Global,
        environment: Environment,
        console: Console,
    ) -> Result<Self, CliError> {
        let unreadable =
            |error| CliError::usage(format!("cannot tell the current directory: {error}"));
        let here = std::env::current_dir().map_err(unreadable)?;
        let dir = global
            .directory
            .as_ref()
            .map_or(here.clone(), |dir| here.join(dir));
        if !dir.is_dir() {
            return Err(CliError::usage(format!(
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
    fn configured(&self, settings: &Settings) -> Self {
        let flag = self.global.color.map(Into::into);
        Self {
            console: self.console.configured(flag, settings.output.color),
            ..self.clone()
        }
    }

    /// What this user's own files in a git directory bear; none, with a warning, where its key cannot be kept.
    fn seal(&self) -> Option<Seal> {
        let seal = Seal::of_user(&self.environment.state_dir()?);
        let told = |error: &std::io::Error| {
            self.console
                .warning(&format!("nothing is known again: {error}"));
        };
        seal.inspect_err(told).ok()
    }

    /// The environment as the git room sees it.
    fn git(&self) -> crate::git::Environment {
        crate::git::Environment::from_vars(self.environment.vars())
    }
}

/// The version without the parser, which would describe every subcommand first.
fn version() -> u8 {
    let console = Console::new(None, Verbosity::Normal, &Environment::of_the_process());
    let shown = console.print(concat!("git council ", env!("CARGO_PKG_VERSION"), "\n"));
    shown.map_or_else(|error| end(&error, &console), |()| exit::OK)
}

fn run(cli: Cli) -> u8 {
    let environment = Environment::of_the_process();
    let verbosity = match (cli.global.quiet, cli.global.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let console = Console::new(cli.global.color.map(Into::into), verbosity, &environment);
    let start = Start::new(cli.global, environment, console);
    let code = start.and_then(|start| dispatch(cli.command, &start));
    code.unwrap_or_else(|error| end(&error, &console))
}

fn dispatch(command: Command, start: &Start) -> Result<u8, CliError> {
    match command {
        Command::Review(args) => return commands::review::run(*args, start),
        Command::Plan(args) => return commands::plan::run(&args, start),
        Command::Conclude(args) => return commands::conclude::run(&args, start),
        Command::Publish(args) => return commands::publish::run(&args, start),
        Command::Brainstorm(args) => return commands::brainstorm::run(*args, start),
        Command::Research(args) => return commands::research::run(*args, start),
        Command::Stage(args) => return commands::stage::run(&args, start),
        Command::Duel(args) => return commands::duel::run(&args, start),
        Command::Judge(args) => return commands::judge::run(&args, start),
        Command::Wait(args) => return commands::wait::run(&args, start),
        Command::Status(args) => commands::status::run(&args, start)?,
        Command::Resume(args) => return commands::resume::run(&args, start),
        Command::Hook(args) => return commands::hook::run(&args, start),
        Command::Dismiss(args) => commands::dismiss::run(&args, start)?,
        Command::Apply(args) => commands::apply::run(&args, start)?,
        Command::Cache(args) => commands::cache::run(&args, start)?,
        Command::Gc(args) => commands::gc::run(&args, start)?,
        Command::Man(args) => commands::man::run(&args, start)?,
        Command::Completions(args) => commands::man::complete(&args, start)?,
        Command::Replay(args) => return commands::replay::run(&args, start),
        Command::Show(args) => commands::show::run(&args, start)?,
        Command::Log(args) => commands::log::run(&args, start)?,
        Command::Config(args) => commands::config::run(&args, start)?,
        Command::Mcp(args) => commands::mcp::run(&args, start)?,
        Command::Init(args) => commands::init::run(&args, start)?,
        Command::Agents(args) => commands::agents::run(&args, start)?,
        Command::Backends(args) => return commands::backends::run(&args, start),
        Command::Doctor(args) => commands::doctor::run(&args, start)?,
        Command::Explain(args) => commands::explain::run(&args, &start.console)?,
        Command::Schema(args) => commands::schema::run(&args, &start.console)?,
    }
    Ok(exit::OK)
}

/// Tells an error; its kind is the exit code.
fn end(error: &CliError, console: &Console) -> u8 {
    if error.kind != Kind::BrokenPipe {
        console.error(error);
    }
    match error.kind {
        Kind::BrokenPipe => exit::OK,
        Kind::Usage => exit::USAGE,
        Kind::Run => exit::INCONCLUSIVE,
        Kind::Output => exit::UNPUBLISHED,
    }
}

/// Help and version go to standard output and are no error; everything else is one of usage.
fn refuse(error: &clap::Error) -> u8 {
    let console = Console::new(None, Verbosity::Normal, &Environment::of_the_process());
    let text = error.render().ansi().to_string();
    if !error.use_stderr() {
        return console
            .print(&text)
            .map_or_else(|error| end(&error, &console), |()| exit::OK);
    }
    // One word for errors, whoever found them.
    console.tell(&text.replacen("error:", "Error:", 1));
    exit::USAGE
}
