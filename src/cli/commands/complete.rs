//! `git council __complete`: the values that only this repository knows, for the completions of shells.
//!
//! The scripts know subcommands, flags and fixed values. They ask here first, with the words of the line, and offer what
//! they are told: names of agents, perspectives, presets and runs, and ids of findings.

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::args::Cli;
use crate::cli::context::CommandContext;
use crate::cli::help::without_idle_options;
use crate::config::KEYS;
use crate::registry::built_in_backends;
use crate::run::agent_files::clients::CLIENTS;
use crate::run::backends::BackendTable;
use crate::run::error::RunError;
use crate::run::glossary::glossary_entries;
use crate::run::seats::{self, SeatPlanner};
use crate::run::settings;
use crate::run::shown;
use crate::run::store;
use crate::text::Untrusted;

/// The most values that are offered of a kind.
const MAX_VALUES: usize = 200;

/// The first word of the call. It is no subcommand: no list and no script offers it.
pub(crate) const WORD: &str = "__complete";

/// What a place of the line takes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ValueKind {
    Agents,
    Perspectives,
    Presets,
    Runs,
    Findings,
    /// Of `show`.
    RunsAndFindings,
    /// Of `explain`.
    Explainable,
    /// The same, begun: a word of the glossary, too.
    Word,
    /// One of the values of a configuration key.
    Choice(&'static [&'static str]),
    /// The words that the parser takes: fish's script offers files in the place of those that stand behind no flag.
    Given(Vec<String>),
    /// Coding agents that can call the council.
    CodingAgents,
    /// Of `config`.
    Keys,
    /// Of `backends check`.
    Backends,
}

/// Where the cursor is.
#[derive(Debug, PartialEq, Eq)]
struct CompletedPlace<'w> {
    kind: ValueKind,
    /// What stands before the value in its own word: a flag with `=`, earlier names of a list.
    before: &'w str,
    begun: &'w str,
}

/// Prints what the last of these words can be completed to: those behind the program's name up to the cursor, the last one
/// begun or empty. Shells show what is printed and nothing else: where nothing can be read, nothing is offered.
pub(crate) fn run(words: &[String], start: &CommandContext) -> Result<(), RunError> {
    let Some(place) = find_place(words) else {
        return Ok(());
    };
    let kind = match place.kind {
        ValueKind::Explainable if !place.begun.is_empty() => ValueKind::Word,
        kind => kind,
    };
    let values = list_values(kind, start).unwrap_or_default();
    let mut out = String::new();
    let fits = |value: &&String| value.starts_with(place.begun) && is_one_word(value);
    for value in values.iter().filter(fits).take(MAX_VALUES) {
        out.push_str(&format!(
            "{}{}\n",
            place.before,
            Untrusted::new(value).line()
        ));
    }
    start.console.print(&out)
}

/// Shells split what they are told at blanks, and would take some characters for orders.
fn is_one_word(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    !value.is_empty() && value.chars().all(is_plain)
}

fn find_place(words: &[String]) -> Option<CompletedPlace<'_>> {
    let root = without_idle_options(Cli::command());
    let (current, before) = words.split_last()?;
    let mut level = &root;
    let mut positionals = 0;
    let mut pending = None;
    // Bash makes a word of the `=` of `--agents=claude`.
    for word in before.iter().filter(|word| *word != "=") {
        if pending.take().is_some() {
            continue;
        }
        if word == "--" {
            return None;
        }
        if word.starts_with('-') {
            pending = option_with_value(&root, level, word);
        } else if let Some(sub) = level.find_subcommand(word) {
            level = sub;
        } else {
            positionals += 1;
        }
    }
    let current = if current == "=" { "" } else { current.as_str() };
    let (arg, taken) = match (pending, current.split_once('=')) {
        (Some(arg), _) => (arg, 0),
        (None, Some((flag, _))) if flag.starts_with("--") => {
            (find_option(&root, level, flag)?, flag.len() + 1)
        }
        (None, _) if current.starts_with('-') => return None,
        (None, _) => (level.get_positionals().nth(positionals)?, 0),
    };
    let kind = kind_of(arg, level.get_name())?;
    let is_list = matches!(kind, ValueKind::Agents | ValueKind::Perspectives);
    let listed = if is_list {
        current[taken..].rfind(',')
    } else {
        None
    };
    let (before, begun) = current.split_at(listed.map_or(taken, |at| taken + at + 1));
    Some(CompletedPlace {
        kind,
        before,
        begun,
    })
}

/// The option of that name, of the subcommand or of all of them.
fn find_option<'c>(root: &'c Command, level: &'c Command, word: &str) -> Option<&'c Arg> {
    let is_named = |arg: &&Arg| {
        let long = word.strip_prefix("--");
        let short = word.strip_prefix('-').and_then(|rest| rest.chars().next());
        match long {
            Some(long) => arg.get_long() == Some(long),
            None => short.is_some() && arg.get_short() == short,
        }
    };
    level.get_opts().chain(root.get_opts()).find(is_named)
}

/// The same, where the next word is its value.
fn option_with_value<'c>(root: &'c Command, level: &'c Command, word: &str) -> Option<&'c Arg> {
    let takes_next = |arg: &&Arg| arg.get_action().takes_values() && !arg.is_require_equals_set();
    find_option(root, level, word).filter(takes_next)
}

/// What an argument takes, by what the help calls it; none: the shell knows as much as we do.
fn kind_of(arg: &Arg, command: &str) -> Option<ValueKind> {
    let given = arg.get_possible_values();
    if !given.is_empty() {
        let offered = given.iter().filter(|value| !value.is_hide_set());
        let offered = offered.map(|value| value.get_name().to_owned());
        return arg
            .is_positional()
            .then(|| ValueKind::Given(offered.collect()));
    }
    let name = arg.get_value_names().and_then(|names| names.first());
    match (arg.get_long(), name.map_or("", |name| name.as_str())) {
        (Some("agents" | "agent-a" | "agent-b"), _) => Some(ValueKind::Agents),
        (Some("perspectives"), _) => Some(ValueKind::Perspectives),
        (Some("preset"), _) => Some(ValueKind::Presets),
        (None, "RUN") if command == "show" => Some(ValueKind::RunsAndFindings),
        (_, "RUN" | "RUN|BUNDLE") => Some(ValueKind::Runs),
        (None, "KEY") => Some(ValueKind::Keys),
        (None, "NAME") if ["install", "remove"].contains(&command) => Some(ValueKind::CodingAgents),
        (None, "NAME") if command == "check" => Some(ValueKind::Backends),
        (None, "RULE|FINDING|WORD") => Some(ValueKind::Explainable),
        (None, "ID") if ["dismiss", "apply"].contains(&command) => Some(ValueKind::Findings),
        (Some(flag), _) => CHOICES
            .iter()
            .find(|(known, _)| *known == flag)
            .and_then(|(_, key)| choices_of(key)),
        _ => None,
    }
}

/// Flags whose words the configuration checks, each with its key.
const CHOICES: &[(&str, &str)] = &[
    ("procedure", "review.procedure"),
    ("consensus", "review.consensus"),
    ("intensity", "review.intensity"),
    ("fail-on", "review.fail-on"),
    ("format", "output.format"),
];

fn choices_of(key: &str) -> Option<ValueKind> {
    let known = KEYS.iter().find(|known| known.name == key)?;
    match known.kind {
        crate::config::ValueKind::Choice(words) => Some(ValueKind::Choice(words)),
        _ => None,
    }
}

fn list_values(kind: ValueKind, start: &CommandContext) -> Result<Vec<String>, RunError> {
    Ok(match kind {
        ValueKind::Agents => {
            let config = settings::branch_config(start)?;
            let planner = SeatPlanner {
                config: &config,
                deep: false,
            };
            let agents = planner.known_agents()?.into_iter();
            agents.map(|agent| agent.name).collect()
        }
        ValueKind::Perspectives => {
            seats::perspective_names(&settings::branch_config(start)?.settings)
        }
        ValueKind::Presets => seats::known_presets(&settings::branch_config(start)?.settings),
        ValueKind::Choice(words) => words.iter().map(|&word| word.to_owned()).collect(),
        ValueKind::Given(words) => words,
        ValueKind::CodingAgents => CLIENTS.map(str::to_owned).into(),
        ValueKind::Keys => KEYS.iter().map(|known| known.name.to_owned()).collect(),
        ValueKind::Backends => list_backends(start)?,
        ValueKind::Runs => list_runs(start)?,
        ValueKind::Findings => list_findings(start)?,
        ValueKind::RunsAndFindings => [list_findings(start)?, list_runs(start)?].concat(),
        ValueKind::Explainable => {
            let rules = council_builtin::rules().map(|rule| rule.id.to_owned());
            let findings = list_findings(start)?.into_iter();
            findings.chain(rules).collect()
        }
        // Shells ask before they list more than a hundred words: these come to whoever has begun to write one.
        ValueKind::Word => {
            let words = glossary_entries().map(|entry| entry.word.to_owned());
            let known = list_values(ValueKind::Explainable, start)?.into_iter();
            known.chain(words).collect()
        }
    })
}

/// Those of the program and the configured plugins, none of which is loaded for it.
fn list_backends(start: &CommandContext) -> Result<Vec<String>, RunError> {
    let built_in = built_in_backends(&BackendTable::without_change(start).kit);
    let settings = settings::branch_config(start)?.settings;
    let names = built_in.into_iter().map(|listed| listed.name);
    Ok(names.chain(settings.backends.into_keys()).collect())
}

fn list_runs(start: &CommandContext) -> Result<Vec<String>, RunError> {
    let runs = store::list_runs(start)?.into_iter();
    Ok(runs.map(|(past, _)| past.name).collect())
}

/// The findings of the report shown last, else of the last run: those that `F1` means elsewhere.
fn list_findings(start: &CommandContext) -> Result<Vec<String>, RunError> {
    let shown = shown::last_shown(start).map(|shown| shown.report);
    let report = match shown {
        Some(report) => Some(report),
        None => store::list_own_runs(start)?
            .into_iter()
            .find_map(|(_, report)| report),
    };
    let findings = report.map(|report| report.outcome.findings);
    Ok(findings
        .unwrap_or_default()
        .into_iter()
        .map(|found| found.id)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: &str) -> Option<(ValueKind, String, String)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let place = find_place(&words)?;
        Some((place.kind, place.before.to_owned(), place.begun.to_owned()))
    }

    #[test]
    fn each_place_takes_what_the_help_says() {
        use ValueKind::*;
        for (line, kind, before, begun) in [
            ("review --agents ", Agents, "", ""),
            ("review --agents cl", Agents, "", "cl"),
            ("review --agents claude,co", Agents, "claude,", "co"),
            (
                "review --agents=claude,co",
                Agents,
                "--agents=claude,",
                "co",
            ),
            ("review --agents = co", Agents, "", "co"),
            ("review --agents =", Agents, "", ""),
            ("-C . review --perspectives a,", Perspectives, "a,", ""),
            ("review --preset s", Presets, "", "s"),
            ("duel HEAD --agent-b x", Agents, "", "x"),
            ("show ", RunsAndFindings, "", ""),
            ("show --format json co", RunsAndFindings, "", "co"),
            ("explain x", Explainable, "", "x"),
            ("explain F1 --run ", Runs, "", ""),
            ("dismiss ", Findings, "", ""),
            ("apply F", Findings, "", "F"),
            ("resume ", Runs, "", ""),
            ("wait ", Runs, "", ""),
            ("replay ", Runs, "", ""),
            ("agents install c", CodingAgents, "", "c"),
            ("agents remove ", CodingAgents, "", ""),
            ("backends check ", Backends, "", ""),
            ("config ", Keys, "", ""),
        ] {
            let expected = (kind, before.to_owned(), begun.to_owned());
            assert_eq!(place(line), Some(expected), "{line}");
        }
    }

    /// Words that stand behind no flag, and which only the user knows: files, revisions, free words.
    const UNKNOWN: &[&str] = &[
        "REVISION", "TARGET", "FILE", "PATH", "PATHSPEC", "SUBJECT", "QUESTION", "TOPIC", "STAGE",
        "COMMAND", "ARGS", "ARG", "DIR",
    ];

    /// The places of a command and of all below it whose values are known and not offered.
    fn silent_places(command: &Command) -> Vec<String> {
        let name = command.get_name();
        let own = command.get_positionals().filter(|arg| {
            let called = arg.get_value_names().and_then(|names| names.first());
            let called = called.map_or_else(|| arg.get_id().as_str(), |called| called.as_str());
            kind_of(arg, name).is_none() && !UNKNOWN.contains(&called.to_uppercase().as_str())
        });
        let own = own.map(|arg| format!("{name} {}", arg.get_id()));
        own.chain(command.get_subcommands().flat_map(silent_places))
            .collect()
    }

    /// At every level: where the values are known they are offered, and not the files of the folder.
    #[test]
    fn every_word_behind_no_flag_is_completed_or_known_to_the_user_alone() {
        assert_eq!(silent_places(&Cli::command()), Vec::<String>::new());
        let given = |line: &str| match place(line) {
            Some((ValueKind::Given(words), ..)) => words,
            other => panic!("{line}: {other:?}"),
        };
        assert!(given("completions ").contains(&"fish".to_owned()));
        assert_eq!(given("hook run p"), ["pre-push", "post-commit"]);
        assert!(given("schema ").contains(&"report".to_owned()));
    }

    #[test]
    fn each_flag_that_the_configuration_checks_offers_the_words_of_its_key() {
        for (flag, _) in CHOICES {
            let told = place(&format!("review --{flag} "));
            assert!(
                matches!(told, Some((ValueKind::Choice(words), ..)) if words.len() > 1),
                "{flag}"
            );
        }
    }

    #[test]
    fn where_the_scripts_know_as_much_nothing_is_said() {
        for line in [
            "",
            "rev",
            "review ",
            "show --format ",
            "review --debate ",
            "init --preset ",
            "show --form",
            "show council-1 ",
            "review -- ",
            "log ",
            "nonsense ",
        ] {
            assert_eq!(place(line), None, "{line}");
        }
    }

    #[test]
    fn what_a_shell_would_take_for_more_than_a_word_is_not_offered() {
        for value in ["a b", "$(x)", "`x`", "a;b", "", "\u{1b}[2J", "a'b", "a*"] {
            assert!(!is_one_word(value), "{value:?}");
        }
        assert!(is_one_word("council-20260101-a.b_c") && is_one_word("F1"));
    }
}
