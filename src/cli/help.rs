//! The list of subcommands as people read it: in groups, the ones to start with first. Plumbing stands behind
//! `git council help --all`.

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _};

use super::args::Cli;

/// A heading, and subcommands with what each does in a few words.
struct CommandGroup {
    heading: &'static str,
    is_plumbing: bool,
    commands: &'static [(&'static str, &'static str)],
}

const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Start here",
        is_plumbing: false,
        commands: &[
            ("review", "Review a change and give one verdict"),
            (
                "show",
                "Show the last report with everything that led to it",
            ),
            ("init", "Set up judges, the push hook or a workflow"),
            ("demo", "Watch a recorded debate, offline"),
            ("hook", "Review pushes and commits with git hooks"),
        ],
    },
    CommandGroup {
        heading: "Argue with a finding",
        is_plumbing: false,
        commands: &[
            ("explain", "Say what a finding or a rule means"),
            ("dismiss", "Dismiss a finding, with a reason"),
            ("apply", "Apply a finding's suggested fix to the worktree"),
        ],
    },
    CommandGroup {
        heading: "Runs",
        is_plumbing: false,
        commands: &[
            ("log", "List past runs, latest first"),
            ("status", "Show what is running or was interrupted"),
            ("wait", "Wait for a running review and show its report"),
            ("resume", "Finish an interrupted run without paying twice"),
            ("replay", "Compute a verdict again from the saved answers"),
            ("publish", "Post a finished run to its pull request"),
        ],
    },
    CommandGroup {
        heading: "More procedures",
        is_plumbing: false,
        commands: &[
            ("duel", "Two judges argue in writing until they agree"),
            ("brainstorm", "Collect ideas, and write one document"),
            ("research", "Research a question, and write one document"),
            (
                "stage",
                "Debate a stage of a project, and write its documents",
            ),
        ],
    },
    CommandGroup {
        heading: "Setup",
        is_plumbing: false,
        commands: &[
            (
                "config",
                "Show every setting and where its value comes from",
            ),
            ("agents", "List the agents that can act as judges here"),
            ("doctor", "Show which judges would review here, and why"),
            ("eval", "Measure which council is worth its price here"),
            ("mcp", "Let coding agents ask for reviews"),
        ],
    },
    CommandGroup {
        heading: "Plumbing",
        is_plumbing: true,
        commands: &[
            (
                "plan",
                "Prepare a review whose judges run in separate CI jobs",
            ),
            ("judge", "Run one judge of such a review"),
            ("conclude", "Compute the verdict of such a review"),
            ("backends", "List the ways to run judges"),
            ("schema", "Print a JSON Schema"),
            ("cache", "Show or clear the verdicts that are reused"),
            ("gc", "Remove old runs and verdicts"),
            ("man", "Print or install the man page"),
            ("completions", "Print completions for a shell"),
        ],
    },
];

/// How many columns the longest name takes.
const NAME_COLUMNS: usize = 12;

/// What `--all` adds is asked for by these words.
pub(super) fn asks_for_all(words: &[std::ffi::OsString]) -> bool {
    let is_help = |word: &&std::ffi::OsString| ["help", "--help", "-h"].iter().any(|h| word == h);
    let is_all = |word: &&std::ffi::OsString| ["--all", "-a"].iter().any(|all| word == all);
    words.len() == 2 && words.iter().any(|w| is_help(&w)) && words.iter().any(|w| is_all(&w))
}

/// The command line with its subcommands in groups.
pub(super) fn grouped_command(with_plumbing: bool) -> Command {
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}\
         {{after-help}}",
        render_groups(with_plumbing).trim_end()
    );
    Cli::command().help_template(StyledStr::from(template))
}

fn render_groups(with_plumbing: bool) -> String {
    let mut out = String::new();
    for group in GROUPS.iter().filter(|g| with_plumbing || !g.is_plumbing) {
        out.push_str(&format!("{}:\n", group.heading));
        for (name, does) in group.commands {
            out.push_str(&format!("  {name:NAME_COLUMNS$}{does}\n"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.commands.iter().map(|(name, _)| *name))
            .collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let mut known: Vec<&str> = command
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set())
            .map(Command::get_name)
            .collect();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn the_list_fits_a_terminal_of_eighty_columns() {
        let help = grouped_command(false).render_help().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(help.contains("Start here:\n  review"), "{help}");
        assert!(!help.contains("Plumbing:"), "{help}");
        let all = grouped_command(true).render_help().to_string();
        assert!(all.contains("Plumbing:\n  plan"), "{all}");
    }
}
