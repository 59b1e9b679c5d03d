//! The command line as it is typed. What it means is decided elsewhere ([`crate::run::stored_request`]).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cli::commands;
use crate::config::{ColorChoice, KeyValue};

/// Review a change with several independent judges, and give one verdict
#[derive(Debug, Parser)]
#[command(
    name = "git council",
    bin_name = "git council",
    version,
    arg_required_else_help = true,
    subcommand_required = true,
    after_help = "Options of every command: -C DIR, --config KEY=VALUE, --color WHEN, -v, -q, -h\n\
                  `git council COMMAND -h` shows the options of one command.\n\
                  `git council help --all` also lists the plumbing: commands for scripts.\n\n\
                  Exit codes: 0 PASS, WARN or SKIPPED · 1 FAIL · 2 usage or configuration ·\n\
                  3 INCONCLUSIVE · 4 not published · 130 interrupted"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// One variant for each subcommand.
#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    #[command(after_help = commands::review::EXAMPLES)]
    Review(Box<commands::review::ReviewArgs>),
    Brainstorm(Box<commands::brainstorm::BrainstormArgs>),
    Research(Box<commands::research::ResearchArgs>),
    Stage(Box<commands::stage::StageArgs>),
    Duel(Box<commands::duel::DuelArgs>),
    Publish(Box<commands::publish::PublishArgs>),
    #[command(after_help = commands::plan::EXAMPLES, mut_arg("dry_run", |arg| arg.hide(true)), mut_arg("detach", |arg| arg.hide(true)))]
    Plan(Box<commands::plan::PlanArgs>),
    Conclude(Box<commands::conclude::ConcludeArgs>),
    Show(commands::show::ShowArgs),
    Log(commands::log::LogArgs),
    Status(commands::status::StatusArgs),
    Wait(commands::wait::WaitArgs),
    Resume(commands::resume::ResumeArgs),
    Replay(commands::replay::ReplayArgs),
    Explain(commands::explain::ExplainArgs),
    Config(commands::config::ConfigArgs),
    Init(commands::init::InitArgs),
    Agents(commands::agents::AgentsArgs),
    Backends(commands::backends::BackendsArgs),
    Demo(commands::demo::DemoArgs),
    Doctor(commands::doctor::DoctorArgs),
    Schema(commands::schema::SchemaArgs),
    Judge(commands::judge::JudgeArgs),
    Hook(commands::hook::HookArgs),
    Dismiss(commands::dismiss::DismissArgs),
    Apply(commands::apply::ApplyArgs),
    Eval(commands::eval::EvalArgs),
    Cache(commands::cache::CacheArgs),
    Gc(commands::gc::GcArgs),
    Man(commands::man::ManArgs),
    Completions(commands::man::CompletionsArgs),
    Mcp(commands::mcp::McpArgs),
}

/// Flags of every subcommand.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Set a configuration key for this run, e.g. review.quorum=3
    #[arg(long = "config", value_name = "KEY=VALUE", global = true, value_parser = parse_pair)]
    pub(crate) config: Vec<KeyValue>,
    /// When to use colour: auto, always, never
    #[arg(long, value_name = "WHEN", global = true, hide_possible_values = true)]
    pub(crate) color: Option<ColorArg>,
    /// Show more: findings that do not count, how each judge ran, and a log
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show only the verdict
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

impl GlobalArgs {
    /// The flags that another process of ours is given again; the directory is not among them.
    pub(crate) fn repeat_flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = Vec::new();
        for pair in &self.config {
            flags.extend([
                "--config".to_owned(),
                format!("{}={}", pair.key, pair.value),
            ]);
        }
        if self.verbose {
            flags.push("--verbose".to_owned());
        }
        flags
    }
}

/// `--color`
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}

impl From<ColorArg> for ColorChoice {
    fn from(arg: ColorArg) -> Self {
        match arg {
            ColorArg::Auto => Self::Auto,
            ColorArg::Always => Self::Always,
            ColorArg::Never => Self::Never,
        }
    }
}

fn parse_pair(text: &str) -> Result<KeyValue, String> {
    let (key, value) = text
        .split_once('=')
        .ok_or("write it as KEY=VALUE, e.g. review.quorum=3")?;
    Ok(KeyValue::new(key.trim(), value.trim(), "--config"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// The words of a line of a shell; quotes keep them together.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                c => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn the_commands_of_the_procedures_page_are_understood() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/procedures.md");
        let page = std::fs::read_to_string(page).unwrap();
        let shown = page.lines().filter_map(|line| {
            let line = line.trim_start().trim_start_matches("$ ");
            line.strip_prefix("git council ")
        });
        let shown: Vec<&str> = shown.collect();
        assert!(shown.len() > 8, "{shown:?}");
        for command in shown {
            let typed = ["git-council".to_owned()].into_iter().chain(words(command));
            if let Err(error) = Cli::try_parse_from(typed) {
                panic!("{command}: {error}");
            }
        }
    }

    #[test]
    fn every_subcommand_says_what_it_does_in_a_line() {
        for command in Cli::command().get_subcommands() {
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                !about.is_empty() && about.chars().count() <= 90,
                "{}: {about}",
                command.get_name()
            );
        }
    }
}
