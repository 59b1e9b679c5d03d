//! Arguments in, exit code out: wires the rooms; alone prints, exits and reads the environment.

mod agent_setup;
mod args;
mod commands;
mod console;
mod context;
mod councillors;
mod deliver;
mod detach;
mod github;
mod help;
mod hook_words;
mod interrupts;
mod limits;
mod live;
mod modes;
mod pager;
mod review_args;
mod topic;
mod web;

use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::{ContextKind, ErrorKind};
use council_agents::guard;

use args::{Cli, CliCommand};
use console::Console;
use context::{CommandContext, process_environment};
use help::HelpDepth;

use crate::report::{Verbosity, exit};
use crate::run::error::{RunError, RunErrorKind};

/// Runs the program.
pub fn main() -> ExitCode {
    // Before the first word is written: that may be what is too large for `ulimit -f`.
    guard::keep_file_size_an_error();
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|word| word == guard::SUBCOMMAND)
    {
        return ExitCode::from(guard::run_guard(&arguments.collect::<Vec<_>>()));
    }
    guard::hide_from_others();
    if let Some(code) = limits::refuse_small_stack(report_early) {
        return ExitCode::from(code);
    }
    let words = hook_words::separate_arguments(std::env::args_os().skip(1).collect());
    if let [word] = &words[..]
        && (word == "--version" || word == "-V")
    {
        return ExitCode::from(print_version());
    }
    // Before the parser, which needs memory itself.
    if let Err(error) = limits::check_limits() {
        return ExitCode::from(report_early(&error));
    }
    if words
        .first()
        .is_some_and(|word| word == commands::complete::WORD)
    {
        return ExitCode::from(complete_words(&words[1..]));
    }
    let depth = help::depth_of(&words);
    let mut command = help::grouped_command(depth);
    if depth == HelpDepth::Plumbing {
        return ExitCode::from(print_help(&command.render_help().ansi().to_string()));
    }
    let parsed = command
        .try_get_matches_from(std::env::args_os().take(1).chain(words))
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let code = match parsed {
        Ok(cli) => run_cli(cli),
        Err(error) => report_usage(error),
    };
    // Judges that did not end in time hold their folders to the last.
    council_agents::private::remove_own();
    ExitCode::from(code)
}

fn print_help(text: &str) -> u8 {
    let console = Console::new(None, Verbosity::Normal, &process_environment());
    console
        .print(text)
        .map_or_else(|error| report_error(&error, &console), |()| exit::OK)
}

/// The version without the parser, which would describe every subcommand first.
fn print_version() -> u8 {
    let console = Console::new(None, Verbosity::Normal, &process_environment());
    let shown = console.print(concat!("git council ", env!("CARGO_PKG_VERSION"), "\n"));
    shown.map_or_else(|error| report_error(&error, &console), |()| exit::OK)
}

/// Tells a shell what a line can be completed to; `--` stands before its words.
fn complete_words(words: &[std::ffi::OsString]) -> u8 {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.skip_while(|word| word == "--").collect();
    let environment = process_environment();
    let console = Console::new(None, Verbosity::Quiet, &environment);
    let start = CommandContext::new(args::GlobalArgs::default(), environment, console);
    let told = start.and_then(|start| commands::complete::run(&words, &start));
    told.map_or(exit::USAGE, |()| exit::OK)
}

fn run_cli(cli: Cli) -> u8 {
    let environment = process_environment();
    let verbosity = match (cli.global.quiet, cli.global.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let console = Console::new(cli.global.color.map(Into::into), verbosity, &environment);
    crate::session::call_when_held(interrupts::end_when_unheard);
    let start = CommandContext::new(cli.global, environment, console);
    let start = start.map(|start| start.with_own_color());
    if let Some(place) = start.as_ref().ok().and_then(|start| start.rooms_dir()) {
        council_agents::private::make_folders_below(place);
    }
    let console = start.as_ref().map_or(console, |start| start.console);
    let code = start.and_then(|start| dispatch(cli.command, &start));
    code.unwrap_or_else(|error| report_error(&error, &console))
}

fn dispatch(command: CliCommand, start: &CommandContext) -> Result<u8, RunError> {
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
        CliCommand::Eval(args) => return commands::eval::run(&args, start),
        CliCommand::Cache(args) => commands::cache::run(&args, start)?,
        CliCommand::Gc(args) => commands::gc::run(&args, start)?,
        CliCommand::Man(args) => commands::man::run(&args, start)?,
        CliCommand::Completions(args) => commands::completions::run(&args, start)?,
        CliCommand::Replay(args) => return commands::replay::run(&args, start),
        CliCommand::Show(args) => commands::show::run(&args, start)?,
        CliCommand::Log(args) => commands::log::run(&args, start)?,
        CliCommand::Config(args) => commands::config::run(&args, start)?,
        CliCommand::Mcp(args) => commands::mcp::run(&args, start)?,
        CliCommand::Init(args) => commands::init::run(&args, start)?,
        CliCommand::Agents(args) => commands::agents::run(&args, start)?,
        CliCommand::Backends(args) => return commands::backends::run(&args, start),
        CliCommand::Demo(args) => commands::demo::run(&args, start)?,
        CliCommand::Doctor(args) => commands::doctor::run(&args, start)?,
        CliCommand::Explain(args) => commands::explain::run(&args, start)?,
        CliCommand::Schema(args) => commands::schema::run(&args, &start.console)?,
    }
    Ok(exit::OK)
}

/// Tells an error before the arguments are read.
fn report_early(error: &RunError) -> u8 {
    report_error(
        error,
        &Console::new(None, Verbosity::Normal, &process_environment()),
    )
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

/// An error of usage whose last line names the form of help that works without a man page. Its words may be painted.
fn in_short_form(text: &str) -> String {
    match text.rsplit_once("--help") {
        Some((before, after)) if before.contains("For more information") => {
            format!("{before}-h{after}")
        }
        _ => text.to_owned(),
    }
}

/// Help and version go to standard output and are no error; everything else is one of usage.
fn report_usage(mut error: clap::Error) -> u8 {
    // "to pass '--debte' as a value, use '-- --debte'": a mistyped flag is never meant to be a path.
    let has_better = error.get(ContextKind::SuggestedArg).is_some();
    if error.kind() == ErrorKind::UnknownArgument || has_better {
        error.remove(ContextKind::Suggested);
    }
    let text = error.render().ansi().to_string();
    if !error.use_stderr() {
        return print_help(&text);
    }
    let console = Console::new(None, Verbosity::Normal, &process_environment());
    // One word for errors, whoever found them.
    let text = text.replacen("error:", "Error:", 1);
    // `git council --help` asks git for a man page, which few have installed.
    console.write_stderr(&in_short_form(&text));
    exit::USAGE
}
