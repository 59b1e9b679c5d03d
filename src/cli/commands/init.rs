//! `git council init`: a first configuration, from what is installed.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;

use clap::Args;
use council_agents::installed::{InstalledClient, InstalledTool, find_clients};
use council_agents::known_tools::TreeCode;

use crate::cli::commands::hook;
use crate::cli::context::CommandContext;
use crate::run::backends::bare_agent_context;
use crate::run::detect_tools::detect_tools;
use crate::run::error::RunError;
use crate::safe_file;
use crate::text::Untrusted;

/// Write a first configuration file with the agents that you have installed
#[derive(Debug, Clone, Args)]
pub(crate) struct InitArgs {
    /// Print the configuration instead of writing a file
    #[arg(long)]
    print: bool,
    /// Overwrite an existing configuration
    #[arg(long, conflicts_with = "print")]
    force: bool,
}

pub(crate) fn run(args: &InitArgs, start: &CommandContext) -> Result<(), RunError> {
    let file = start.environment.user_file();
    if !args.print && !args.force {
        refuse_to_overwrite(file.as_deref())?;
    }
    let found = find_clients(&bare_agent_context(start));
    let answers = match args.print {
        true => InitAnswers::default(),
        false => ask_questions(&found, start),
    };
    let tools = render_tools(&detect_tools(start));
    let text = render_configuration(&found, answers.agents_judge) + &tools;
    let (Some(file), false) = (file, args.print) else {
        return start.console.print(&text);
    };
    let cannot = |error| RunError::run(format!("cannot write {}: {error}", file.display()));
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(cannot)?;
    }
    // The user's own link, such as that of a manager of dotfiles, stays and leads where it leads.
    let place = file.canonicalize().unwrap_or_else(|_| file.clone());
    safe_file::write_file(&place, text).map_err(cannot)?;
    start
        .console
        .print(&describe_result(&found, answers.agents_judge, &file))?;
    match answers.with_hook {
        true => hook::install_push_hook(start).map(drop),
        false => Ok(()),
    }
}

/// What somebody at a terminal wants; without one everything stays off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct InitAnswers {
    /// The installed agents judge, not only the built-in rules.
    agents_judge: bool,
    /// Pushes of this repository are reviewed.
    with_hook: bool,
}

/// Two questions to whoever sits at a terminal: the answer to both is no, unless a yes is typed.
fn ask_questions(found: &[InstalledClient], start: &CommandContext) -> InitAnswers {
    let mut answers = InitAnswers::default();
    if !start.console.is_watched() || !std::io::stdin().is_terminal() || start.environment.is_ci() {
        return answers;
    }
    if !found.is_empty() {
        let names: Vec<&str> = found.iter().map(|one| one.known.name).collect();
        let question = format!(
            "Let {} judge? Their answers may cost money.",
            names.join(" and ")
        );
        answers.agents_judge = ask_yes(&question, start);
    }
    if start
        .dir
        .ancestors()
        .any(|folder| folder.join(".git").exists())
    {
        answers.with_hook = ask_yes(
            "Review every push of this repository? A hook gives advice and stops nothing.",
            start,
        );
    }
    answers
}

fn ask_yes(question: &str, start: &CommandContext) -> bool {
    start.console.write_stderr(&format!("{question} [y/N] "));
    let mut typed = String::new();
    let read = std::io::stdin().read_line(&mut typed);
    read.is_ok() && matches!(typed.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn refuse_to_overwrite(file: Option<&Path>) -> Result<(), RunError> {
    match file {
        None => Err(
            RunError::usage("there is no home directory to write a configuration to")
                .hint("set HOME or XDG_CONFIG_HOME, or write it elsewhere: --print"),
        ),
        Some(file) if file.exists() => {
            let message = format!("{} already exists", file.display());
            Err(RunError::usage(message)
                .hint("see what would be written: --print")
                .hint("or overwrite it: --force"))
        }
        Some(_) => Ok(()),
    }
}

/// What was done, and what comes next.
fn describe_result(found: &[InstalledClient], agents_judge: bool, file: &Path) -> String {
    let mut out = format!("wrote {}\n", file.display());
    for one in found {
        let _ = writeln!(out, "  {}: {}", one.known.name, format_version(one));
    }
    if agents_judge {
        out.push_str("they judge from now on: git council review\n");
        return out;
    }
    let next = match found.is_empty() {
        true => "no agent is installed: the built-in judges review, at no cost",
        false => {
            "the built-in judges still review; add others under `agents` in that file, or try: git council review --config review.agents="
        }
    };
    let names: Vec<&str> = found.iter().map(|one| one.known.name).collect();
    let _ = writeln!(out, "{next}{}", names.join(","));
    out
}

fn format_version(one: &InstalledClient) -> String {
    match &one.version {
        Ok(version) => Untrusted::new(version).line(),
        Err(failure) => Untrusted::new(&failure.detail).line(),
    }
}

/// The file. Nothing in it costs money unless that was asked for: whoever wants other judges takes a `#` away.
fn render_configuration(found: &[InstalledClient], agents_judge: bool) -> String {
    let names: Vec<String> = found
        .iter()
        .map(|one| format!("{:?}", one.known.name))
        .collect();
    let others = match names.is_empty() {
        true => "\"claude\", \"codex\"".to_owned(),
        false => names.join(", "),
    };
    let mut out = format!(
        r#"# git-council: your own configuration. `git council config --keys` lists every key,
# `git council config --show-origin` says where each value comes from.

[review]
# The agents that act as judges, in turn. The built-in rules need no key and cost nothing.
agents = ["builtin"]
# With models: two judges, or one for each agent if there are more. They may cost money.
# agents = [{others}]

# When to run a second round: `auto` if the judges disagree, or if only one of them reports a critical finding;
# `force` always; `off` never.
# debate = "auto"
"#
    );
    for one in found {
        let _ = write!(
            out,
            "\n# {}: {}\n[agents.{}]\ndriver = \"{}\"\n# model = \"…\"\n",
            one.known.name,
            format_version(one),
            one.known.name,
            one.known.driver
        );
    }
    if agents_judge {
        out = out
            .replace("agents = [\"builtin\"]\n", "")
            .replace("# agents = [", "agents = [");
    }
    out.push_str(
        r#"
# Any tool that reports SARIF can be a judge; its findings are checked like those of the others.
# [agents.semgrep]
# driver = "command"
# command = ["semgrep", "scan", "--sarif", "--quiet", "--metrics", "off", "--config", ".semgrep.yml", "{files}"]
# format = "sarif"
# deterministic = true

[timeouts]
# r1 = "120s"
# r2 = "90s"
"#,
    );
    out
}

/// The linters of this repository, as comments: they run programs, and the file is for all repositories.
fn render_tools(tools: &[InstalledTool]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let names: Vec<String> = tools
        .iter()
        .map(|one| format!("{:?}", one.tool.name))
        .collect();
    let mut out = format!(
        "\n# Tools that this repository uses, as judges: `agents = [\"builtin\", {}]` under [review].\n",
        names.join(", ")
    );
    for InstalledTool { tool, problem } in tools {
        if let Some(problem) = problem {
            let _ = writeln!(out, "# {}: {}", tool.name, Untrusted::new(problem).line());
        }
        if tool.code == TreeCode::Always {
            let _ = writeln!(
                out,
                "# {0} runs code of the change: only if you review nothing that you would not run yourself.\n\
                 # [agents.{0}]\n# allow-code = true",
                tool.name
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use council_agents::known::KNOWN_CLIENTS;
    use council_protocol::{Failure, FailureKind};

    use super::*;
    use crate::config::{ConfigLayer, LayerSource, resolve_layers};

    fn found() -> Vec<InstalledClient> {
        let one = |known| InstalledClient {
            known,
            program: "/usr/bin/x".into(),
            version: match known.name {
                "gemini" => Err(Failure::new(FailureKind::Empty, "told nothing\u{1b}[0m")),
                _ => Ok("1.2.3 (a \"version\"\n)".to_owned()),
            },
        };
        KNOWN_CLIENTS.iter().map(one).collect()
    }

    fn agents(text: &str) -> Vec<String> {
        let layer = ConfigLayer::File {
            source: LayerSource::User,
            name: "config.toml".into(),
            text: text.into(),
        };
        resolve_layers(&[layer]).unwrap().settings.review.agents
    }

    #[test]
    fn what_is_written_is_read_and_costs_nothing() {
        for found in [Vec::new(), found()] {
            assert_eq!(agents(&render_configuration(&found, false)), ["builtin"]);
        }
    }

    #[test]
    fn the_tools_of_the_repository_are_offered_and_taken_in_as_they_are_written() {
        let tool = |name| InstalledTool {
            tool: council_agents::known_tools::find_tool(name).unwrap(),
            problem: (name == "eslint").then(|| "`eslint` has version 8; 9 is needed".to_owned()),
        };
        let text = render_tools(&[tool("ruff"), tool("eslint")]);
        assert!(
            text.contains(r#"agents = ["builtin", "ruff", "eslint"]"#),
            "{text}"
        );
        let taken_in = text
            .replace(
                "# [agents.eslint]",
                "[review]\nagents = [\"eslint\"]\n[agents.eslint]",
            )
            .replace("# allow-code", "allow-code");
        assert_eq!(agents(&taken_in), ["eslint"]);
        assert_eq!(render_tools(&[]), "");
    }

    #[test]
    fn whoever_says_yes_has_the_agents_that_are_here() {
        let text = render_configuration(&found(), true);
        let names: Vec<&str> = KNOWN_CLIENTS.iter().map(|known| known.name).collect();
        assert_eq!(agents(&text), names);
    }

    #[test]
    fn every_line_that_is_commented_out_can_be_taken_in() {
        let text = render_configuration(&found(), false);
        let taken_in = text
            .replace("# agents = [", "agents = [")
            .replacen("agents = [\"builtin\"]", "", 1)
            .replace("# debate", "debate")
            .replace("# [agents.semgrep]", "[agents.semgrep]")
            .replace("# driver", "driver")
            .replace("# command", "command")
            .replace("# format", "format")
            .replace("# deterministic", "deterministic")
            .replace("# r1", "r1")
            .replace("# r2", "r2");
        assert_eq!(agents(&taken_in).len(), KNOWN_CLIENTS.len());
    }
}
