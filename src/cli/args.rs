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
                  `git council COMMAND -h` shows the options of one command, `--help` all of them.\n\
                  `git council help --all` also lists the plumbing: commands for scripts.\n\
                  `git council explain WORD` says what a word means, e.g. `quorum`.\n\n\
                  Exit codes: 0 PASS, WARN or SKIPPED · 1 FAIL · 2 usage or configuration ·\n\
                  3 INCONCLUSIVE · 4 not published or not written · 130 interrupted"
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
    #[command(after_help = commands::review::EXAMPLES, after_long_help = commands::review::all_examples())]
    Review(Box<crate::cli::review_args::ReviewArgs>),
    Brainstorm(Box<commands::brainstorm::BrainstormArgs>),
    Research(Box<commands::research::ResearchArgs>),
    Stage(Box<commands::stage::StageArgs>),
    Duel(Box<commands::duel::DuelArgs>),
    Publish(Box<commands::publish::PublishArgs>),
    #[command(after_help = commands::plan::examples(), mut_arg("dry_run", |arg| arg.hide(true)), mut_arg("detach", |arg| arg.hide(true)))]
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
    Completions(commands::completions::CompletionsArgs),
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

    /// The words of a line of a shell, up to a pipe or a comment; quotes keep them together.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for c in line.chars() {
            match (c, quote) {
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                (' ', None) => words.push(String::new()),
                (c, _) => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        let own = words
            .iter()
            .position(|word| ["|", "#"].contains(&word.as_str()));
        words.truncate(own.unwrap_or(words.len()));
        words
    }

    /// Every page for people, by its path.
    fn pages() -> Vec<(String, String)> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let docs = std::fs::read_dir(root.join("docs")).unwrap();
        let docs = docs.map(|entry| entry.unwrap().path());
        let others = ["README.md", "SECURITY.md", "CONTRIBUTING.md"];
        let skill = "clients/claude/skills/git-council/SKILL.md";
        let others = others.iter().chain([&skill]).map(|name| root.join(name));
        let pages = docs
            .chain(others)
            .filter(|path| path.extension().is_some_and(|e| e == "md"));
        let read = |path: std::path::PathBuf| {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            (name, std::fs::read_to_string(path).unwrap())
        };
        pages.map(read).collect()
    }

    /// What a page tells people to type: lines of their own, and what stands between backticks.
    fn told_commands(page: &str) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        for line in page.lines() {
            let alone = line.trim_start().trim_start_matches("$ ");
            told.extend(alone.strip_prefix("git council ").map(str::to_owned));
        }
        let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = flat
            .split('`')
            .filter_map(|part| part.strip_prefix("git council "));
        told.extend(parts.map(str::to_owned));
        told
    }

    /// Words that stand for what people put in their place.
    fn filled_in(word: String) -> String {
        match word.as_str() {
            "N" => "1".to_owned(),
            "SHELL" => "bash".to_owned(),
            "NAME" => "json".to_owned(),
            _ => word,
        }
    }

    #[test]
    fn the_commands_of_every_page_are_understood() {
        use clap::error::ErrorKind;
        // A sentence may name a command without what it needs.
        let is_named_only = |kind| {
            matches!(
                kind,
                ErrorKind::MissingRequiredArgument
                    | ErrorKind::DisplayHelp
                    | ErrorKind::DisplayVersion
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            )
        };
        let (mut count, mut wrong) = (0, Vec::new());
        for (page, text) in pages() {
            for command in told_commands(&text) {
                // `git council is …` is a sentence, and dots stand for anything.
                let words = words(&command);
                if words.is_empty() || command.contains('…') {
                    continue;
                }
                count += 1;
                let typed = words.into_iter().map(filled_in);
                let typed = ["git-council".to_owned()].into_iter().chain(typed);
                if let Err(error) = Cli::try_parse_from(typed)
                    && !is_named_only(error.kind())
                {
                    wrong.push(format!("{page}: git council {command}\n{error}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count > 100, "only {count} commands were found");
    }

    #[test]
    fn the_commands_of_every_next_step_are_understood() {
        let (mut count, fill) = (0, |word: String| match word.as_str() {
            "TIME" => "5m".to_owned(),
            "ID" => "F1".to_owned(),
            _ => word,
        });
        for (_, _, step) in crate::report::tests::promises::every_next_step() {
            for command in told_commands(&step) {
                count += 1;
                let typed = words(&command).into_iter().map(fill);
                let typed = ["git-council".to_owned()].into_iter().chain(typed);
                let parsed = Cli::try_parse_from(typed);
                assert!(parsed.is_ok(), "{step}\n{}", parsed.unwrap_err());
            }
        }
        assert!(count > 4, "only {count} commands were found");
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
