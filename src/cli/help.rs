//! Help as people read it: subcommands in groups, the ones to start with first, and of many options those that most
//! people need. `-h` is short; `--help` and `help` say more; `help --all` adds the plumbing.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory as _};

use super::args::Cli;

/// How much the list of subcommands shows. Ordered: each depth shows the ones before it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HelpDepth {
    /// What most people need; the others by their names.
    Short,
    /// Everything that people type.
    Usual,
    /// Also what scripts call.
    Plumbing,
}

/// A heading, and subcommands with what each does in a few words.
struct CommandGroup {
    heading: &'static str,
    depth: HelpDepth,
    commands: &'static [(&'static str, &'static str)],
}

const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Start here",
        depth: HelpDepth::Short,
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
        depth: HelpDepth::Short,
        commands: &[
            ("explain", "Say what a finding, a rule or a word means"),
            ("dismiss", "Dismiss a finding, with a reason"),
            ("apply", "Apply a finding's suggested fix to the worktree"),
        ],
    },
    CommandGroup {
        heading: "Runs",
        depth: HelpDepth::Usual,
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
        depth: HelpDepth::Usual,
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
        depth: HelpDepth::Usual,
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
        depth: HelpDepth::Plumbing,
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

/// Of commands with many options those that `-h` shows; `--help` shows all.
const COMMON_OPTIONS: &[(&str, &[&str])] = &[
    ("review", REVIEW_OPTIONS),
    ("plan", PLAN_OPTIONS),
    ("brainstorm", BRAINSTORM_OPTIONS),
    ("research", RESEARCH_OPTIONS),
];

const REVIEW_OPTIONS: &[&str] = &[
    "target",
    "pathspecs",
    "staged",
    "worktree",
    "patch",
    "pr",
    "dry_run",
    "fresh",
    "detach",
    "quick",
    "deep",
    "debate",
    "agents",
    "max_cost",
    "timeout",
    "fail_on",
    "format",
    "output",
];

const PLAN_OPTIONS: &[&str] = &[
    "target",
    "pathspecs",
    "run",
    "next",
    "matrix",
    "pr",
    "event",
    "debate",
    "agents",
    "max_cost",
    "timeout",
];

const BRAINSTORM_OPTIONS: &[&str] = &[
    "topic",
    "technique",
    "deep",
    "judges",
    "perspectives",
    "agents",
    "timeout",
    "max_cost",
    "format",
    "output",
];

const RESEARCH_OPTIONS: &[&str] = &[
    "topic",
    "deep",
    "explorers",
    "judges",
    "perspectives",
    "agents",
    "timeout",
    "max_cost",
    "format",
    "output",
];

/// Options of a review that `plan` refuses: it runs no judge and has no verdict. No help shows them there.
const NOT_OF_PLAN: [&str; 10] = [
    "detach", "dry_run", "fresh", "format", "json", "output", "no_save", "events", "sarif", "html",
];

/// How long a document is worked on; a review says it of a staged debate.
const INTENSITY_OF_TOPIC: &str =
    "How many rounds: full (3 to 5), standard (2 to 4), light (1) [default: light]";

/// The command line without options that a subcommand shares with a review and has no use for.
pub(super) fn without_idle_options(command: Command) -> Command {
    let command = command.mut_subcommand("plan", |plan| {
        let hide = |plan: Command, id: &&str| plan.mut_arg(*id, |arg| arg.hide(true));
        NOT_OF_PLAN.iter().fold(plan, hide)
    });
    let topics = ["brainstorm", "research"];
    topics.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |topic| {
            topic.mut_arg("intensity", |arg| arg.help(INTENSITY_OF_TOPIC))
        })
    })
}

/// The global options that `-h` of such a command shows.
const COMMON_GLOBALS: &[&str] = &["directory", "config", "verbose", "quiet"];

/// What is asked for by these words.
pub(super) fn depth_of(words: &[OsString]) -> HelpDepth {
    let is_one_of = |word: &OsString, names: &[&str]| names.iter().any(|name| word == name);
    let is_long = |word: &OsString| is_one_of(word, &["help", "--help"]);
    let is_help = |word: &OsString| is_long(word) || word == "-h";
    match words {
        [one, other] if is_help(one) && is_one_of(other, &["--all", "-a"]) => HelpDepth::Plumbing,
        [one, other] if is_help(other) && is_one_of(one, &["--all", "-a"]) => HelpDepth::Plumbing,
        _ if words.iter().any(is_long) => HelpDepth::Usual,
        _ => HelpDepth::Short,
    }
}

/// The command line with its subcommands in groups, and with the options that `-h` shows.
pub(super) fn grouped_command(depth: HelpDepth) -> Command {
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}\
         {{after-help}}",
        render_groups(depth).trim_end()
    );
    let command = without_idle_options(Cli::command());
    let command = command.help_template(StyledStr::from(template));
    let command = command.mut_args(|arg| shorten(arg, COMMON_GLOBALS));
    COMMON_OPTIONS
        .iter()
        .fold(command, |command, (name, common)| {
            command.mut_subcommand(name, |sub| sub.mut_args(|arg| shorten(arg, common)))
        })
}

fn shorten(arg: Arg, common: &[&str]) -> Arg {
    let is_common = common.contains(&arg.get_id().as_str());
    arg.hide_short_help(!is_common)
}

fn render_groups(depth: HelpDepth) -> String {
    let mut out = String::new();
    let (shown, others): (Vec<_>, Vec<_>) = GROUPS.iter().partition(|group| group.depth <= depth);
    for group in shown {
        out.push_str(&format!("{}:\n", group.heading));
        for (name, does) in group.commands {
            out.push_str(&format!("  {name:NAME_COLUMNS$}{does}\n"));
        }
    }
    if depth == HelpDepth::Short {
        let others = others
            .iter()
            .filter(|group| group.depth == HelpDepth::Usual);
        out.push_str("More commands (`git council help` says what each does):\n");
        for group in others {
            let names: Vec<&str> = group.commands.iter().map(|(name, _)| *name).collect();
            out.push_str(&format!("  {}\n", names.join(", ")));
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
    fn the_list_fits_a_terminal_of_eighty_columns_and_grows_with_its_depth() {
        let depths = [HelpDepth::Short, HelpDepth::Usual, HelpDepth::Plumbing];
        let pages = depths.map(|depth| grouped_command(depth).render_help().to_string());
        for line in pages.iter().flat_map(|page| page.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let [short, usual, all] = &pages;
        assert!(short.lines().count() <= 30, "{short}");
        assert!(short.contains("Start here:\n  review"), "{short}");
        assert!(!usual.contains("Plumbing:"), "{usual}");
        assert!(all.contains("Plumbing:\n  plan"), "{all}");
        for (_, name) in GROUPS.iter().flat_map(|group| {
            let is_for_people = group.depth < HelpDepth::Plumbing;
            group
                .commands
                .iter()
                .filter(move |_| is_for_people)
                .map(move |(name, _)| (group, name))
        }) {
            assert!(short.contains(name) && usual.contains(name), "{name}");
        }
    }

    #[test]
    fn short_help_fits_on_a_screen_and_the_long_one_has_every_option() {
        for (name, common) in COMMON_OPTIONS {
            let mut command = grouped_command(HelpDepth::Short);
            command.build();
            let sub = command.find_subcommand_mut(name).unwrap();
            let (short, long) = (
                sub.render_help().to_string(),
                sub.render_long_help().to_string(),
            );
            assert!(short.lines().count() <= 60, "{name}: {short}");
            let options: Vec<&Arg> = sub
                .get_arguments()
                .filter(|arg| !arg.is_hide_set())
                .collect();
            for option in &options {
                let Some(flag) = option.get_long() else {
                    continue;
                };
                assert!(long.contains(&format!("--{flag}")), "{name} --{flag}");
            }
            for common in *common {
                let is_there = options.iter().any(|option| option.get_id() == *common);
                assert!(is_there, "{name} has no {common}");
            }
        }
    }

    /// Law: whoever reads an example finds what it uses on the same screen.
    #[test]
    fn a_page_lists_the_options_of_its_examples() {
        let mut command = grouped_command(HelpDepth::Short);
        command.build();
        for (name, _) in COMMON_OPTIONS {
            let sub = command.find_subcommand_mut(name).unwrap();
            for page in [sub.render_help(), sub.render_long_help()] {
                let page = page.to_string();
                let (options, examples) = page.split_once("Examples:").unwrap();
                let own = format!("git council {name} ");
                let own = examples.lines().filter_map(|line| line.split_once(&own));
                let used = own.flat_map(|(_, words)| words.split_whitespace());
                let used: Vec<&str> = used.filter(|word| word.starts_with("--")).collect();
                for option in used.iter().filter(|word| word.len() > 2) {
                    assert!(options.contains(option), "{name} {option}: {page}");
                }
                assert!(!used.is_empty(), "{name}: {page}");
            }
        }
    }

    #[test]
    fn words_ask_for_a_depth() {
        let depth = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            depth_of(&words)
        };
        assert_eq!(depth(""), HelpDepth::Short);
        assert_eq!(depth("-h"), HelpDepth::Short);
        assert_eq!(depth("--help"), HelpDepth::Usual);
        assert_eq!(depth("help"), HelpDepth::Usual);
        assert_eq!(depth("help --all"), HelpDepth::Plumbing);
        assert_eq!(depth("-a -h"), HelpDepth::Plumbing);
    }
}
