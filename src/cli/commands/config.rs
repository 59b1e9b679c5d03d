//! `git council config`: what holds, and where it comes from.

use std::fmt::Write;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::context::CommandContext;
use crate::config::{KEYS, LayerPart, ResolvedKey};
use crate::report::Verbosity;
use crate::run::error::RunError;
use crate::run::settings;
use crate::text::{self, Untrusted};

/// Show the effective configuration; --show-origin says where each value comes from
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfigArgs {
    /// Show only this key, or the keys of this table
    #[arg(value_name = "KEY")]
    key: Option<String>,
    /// Show where each value comes from; with -v also the values it overrides
    #[arg(long)]
    show_origin: bool,
    /// List every key and what it does
    #[arg(long, conflicts_with = "show_origin")]
    keys: bool,
    /// Print a JSON array of the values and their origins
    #[arg(long, conflicts_with_all = ["keys", "show_origin"])]
    json: bool,
}

/// A value that holds: an element of `config --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ConfigValue")]
pub(crate) struct EffectiveValue {
    key: String,
    /// As it is written in a configuration file (TOML).
    value: String,
    /// Where it comes from: a file, a variable, an option.
    origin: String,
}

impl ConfigArgs {
    fn wants_key(&self, name: &str) -> bool {
        let below = |key: &String| {
            name.strip_prefix(key.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.key.as_ref().is_none_or(below)
    }
}

pub(crate) fn run(args: &ConfigArgs, start: &CommandContext) -> Result<(), RunError> {
    if args.json {
        return start.console.print_json(&effective_values(args, start)?);
    }
    let out = if args.keys {
        list_keys(args, start.console.stdout_columns())
    } else {
        list_values(args, start)?
    };
    check_known_key(args, &out)?;
    if let Some(key) = args.key.as_ref().filter(|_| out.is_empty()) {
        start.console.hint(&format!(
            "`{key}` is not set{}; what it does: git council config --keys {key}",
            built_in_value(key)
        ));
    }
    start.console.print(&out)
}

/// What holds where a key is not set, in words.
fn built_in_value(key: &str) -> String {
    let mut keys = KEYS.iter().filter(|known| known.name == key);
    let default = keys.find_map(|known| known.default);
    default.map_or_else(String::new, |value| format!(", built-in: {value}"))
}

/// The longest line where no terminal says how wide it is.
const MAX_COLUMNS: usize = 100;

/// `--keys`
fn list_keys(args: &ConfigArgs, columns: Option<usize>) -> String {
    let mut out = String::new();
    for key in KEYS.iter().filter(|key| args.wants_key(key.name)) {
        let default = key
            .default
            .map(|d| format!(" Built-in: {d}."))
            .unwrap_or_default();
        let about = format!(
            "{} Takes {}.{default}",
            text::with_page_addresses(key.doc),
            key.kind.describe_expected()
        );
        let room = columns.unwrap_or(MAX_COLUMNS).saturating_sub(4);
        let lines = text::wrap_columns(&about, room, room);
        let _ = writeln!(out, "{}\n    {}", key.name, lines.join("\n    "));
    }
    out
}

/// `--json`
fn effective_values(
    args: &ConfigArgs,
    start: &CommandContext,
) -> Result<Vec<EffectiveValue>, RunError> {
    let config = settings::branch_config(start)?;
    for notice in &config.notices {
        start.console.warning(&notice.to_string());
    }
    let wanted = config.entries.iter();
    let wanted = wanted.filter(|entry| args.wants_key(&entry.path.to_string()));
    let values = wanted.flat_map(|entry| {
        entry.effective_parts().iter().map(|part| EffectiveValue {
            key: entry.path.to_string(),
            value: part.shown.clone(),
            origin: part.origin.to_string(),
        })
    });
    let values: Vec<EffectiveValue> = values.collect();
    let shown = values
        .iter()
        .map(|value| value.key.as_str())
        .collect::<String>();
    check_known_key(args, &shown)?;
    Ok(values)
}

fn list_values(args: &ConfigArgs, start: &CommandContext) -> Result<String, RunError> {
    let config = settings::branch_config(start)?;
    for notice in &config.notices {
        start.console.warning(&notice.to_string());
    }
    let all = args.show_origin && start.console.verbosity == Verbosity::Verbose;
    let mut rows = Vec::new();
    for entry in config
        .entries
        .iter()
        .filter(|entry| args.wants_key(&entry.path.to_string()))
    {
        let weaker = entry.parts.len() - entry.effective_parts().len();
        let shown = entry
            .parts
            .iter()
            .enumerate()
            .skip(if all { 0 } else { weaker });
        rows.extend(shown.map(|(i, part)| value_row(entry, part, i < weaker)));
    }
    let width = rows
        .iter()
        .map(|(origin, _)| origin.chars().count())
        .max()
        .unwrap_or(0);
    let line = |(origin, line): &(String, String)| {
        if args.show_origin {
            format!("{origin:width$}  {line}\n")
        } else {
            format!("{line}\n")
        }
    };
    Ok(rows.iter().map(line).collect())
}

fn value_row(entry: &ResolvedKey, part: &LayerPart, replaced: bool) -> (String, String) {
    let origin = Untrusted::new(&part.origin.to_string()).name();
    let value = Untrusted::new(&part.shown).line();
    let note = if replaced { "  (replaced)" } else { "" };
    (origin, format!("{} = {value}{note}", entry.path))
}

/// A key that matches nothing is an error where there is no such key, and silence where it is unset.
fn check_known_key(args: &ConfigArgs, out: &str) -> Result<(), RunError> {
    let Some(key) = args.key.as_ref().filter(|_| out.is_empty()) else {
        return Ok(());
    };
    let prefix = key.split('.').next().unwrap_or_default();
    let names = || KEYS.iter().map(|key| key.name);
    let is_named = |name: &str| {
        let rest = name.strip_prefix(key.as_str());
        let is_of_table = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        is_of_table || name.contains('*') && name.split('.').next() == Some(prefix)
    };
    if names().any(is_named) {
        return Ok(());
    }
    let error = RunError::usage(format!("there is no key `{key}`"));
    Err(match crate::config::nearest_word(key, names()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`git council config --keys` lists every key"),
    })
}
