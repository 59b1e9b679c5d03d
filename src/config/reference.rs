//! The table of keys as a document and as a JSON Schema.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::checkout::CheckoutRule;
use super::key::{ConfigKey, KeyPath, MergeRule};
use super::keys::{ENVIRONMENT, KEYS};
use super::kind::{JUDGE_KEYS, ValueKind};
use super::source::SourceTrust;
use crate::text::with_page_addresses;

/// Markdown: every key with its values, its built-in value and who may set it. Part of docs/configuration.md.
pub fn render_reference() -> String {
    let mut out = String::new();
    let mut table = "";
    for key in KEYS {
        let first = key.segments().next().unwrap_or_default();
        if first != table {
            table = first;
            let _ = write!(out, "### {}\n\n", table_heading(key));
        }
        let _ = writeln!(
            out,
            "- **`{}`** — {}",
            key.name.replace('*', "NAME"),
            key.doc
        );
        let _ = writeln!(out, "  {}", key_facts(key));
        if key.kind == ValueKind::Judges {
            for (name, kind, doc) in JUDGE_KEYS {
                let _ = writeln!(
                    out,
                    "  - **`{name}`** — {doc} Takes {}.",
                    kind.describe_expected()
                );
            }
        }
        if KEYS
            .iter()
            .skip_while(|k| k.name != key.name)
            .nth(1)
            .and_then(|k| k.segments().next())
            != Some(table)
        {
            out.push('\n');
        }
    }
    let mut out = council_builtin::wrap_prose(&out);
    out.truncate(out.trim_end().len());
    out
}

fn table_heading(key: &ConfigKey) -> String {
    let parts: Vec<_> = key.segments().collect();
    match parts.as_slice() {
        [table] => format!("`[[{table}]]`"),
        [table, "*", _] => format!("`[{table}.NAME]`"),
        [table, ..] => format!("`[{table}]`"),
        [] => String::new(),
    }
}

fn key_facts(key: &ConfigKey) -> String {
    let mut facts = format!("Takes {}.", key.kind.describe_expected());
    if let Some(default) = key.default {
        let _ = write!(facts, " Built-in: `{default}`.");
    }
    if key.merge == MergeRule::Append {
        facts.push_str(" Layers add to each other.");
    }
    for (variable, name) in ENVIRONMENT {
        if ConfigKey::find(&KeyPath::parse(name)).is_some_and(|found| found.name == key.name) {
            let _ = write!(facts, " `{variable}` sets `{name}`.");
        }
    }
    facts.push_str(match key.needs {
        SourceTrust::Checkout => "",
        SourceTrust::Repository => match key.checkout {
            CheckoutRule::Never => " Set by: trusted branch or user.",
            CheckoutRule::Stricter(_) => {
                " Set by: trusted branch or user; a checkout may make it stricter."
            }
            CheckoutRule::AtLeast => " Set by: trusted branch or user; a checkout may raise it.",
            CheckoutRule::AddsSeats => " Set by: trusted branch or user; a checkout may add to it.",
        },
        SourceTrust::User => " User only.",
    });
    facts
}

/// JSON Schema (2020-12) of `council.toml` and `config.toml`.
pub fn config_schema() -> Value {
    let mut root = Map::new();
    for key in KEYS {
        let parts: Vec<_> = key.segments().collect();
        let value = with_description(key.kind.value_schema(), &with_page_addresses(key.doc));
        match parts.as_slice() {
            [name] => _ = root.insert((*name).to_owned(), value),
            [table, "*"] => table_of(&mut root, table)["additionalProperties"] = value,
            [table, name] => table_of(&mut root, table)["properties"][name] = value,
            [table, "*", name] => {
                let inner = &mut table_of(&mut root, table)["additionalProperties"];
                if !inner.is_object() {
                    *inner = empty_object();
                }
                inner["properties"][name] = value;
            }
            [table, name, "*"] => {
                let inner = &mut table_of(&mut root, table)["properties"][name];
                if !inner.is_object() {
                    *inner = empty_object();
                }
                inner["additionalProperties"] = value;
            }
            _ => {}
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "git-council configuration",
        "type": "object",
        "properties": root,
        "additionalProperties": false,
    })
}

fn empty_object() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

fn table_of<'a>(root: &'a mut Map<String, Value>, table: &str) -> &'a mut Value {
    root.entry(table.to_owned()).or_insert_with(empty_object)
}

fn with_description(mut schema: Value, doc: &str) -> Value {
    schema["description"] = doc.into();
    schema
}

impl ValueKind {
    fn value_schema(self) -> Value {
        let name = r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$";
        match self {
            Self::Choice(words) => json!({"enum": words}),
            Self::Count {
                least,
                most: u64::MAX,
            } => json!({"type": "integer", "minimum": least}),
            Self::Count { least, most } => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Self::Switch => json!({"type": "boolean"}),
            Self::Duration => {
                json!({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^([0-9]+(ms|s|m|min|h))+$|^[0-9]+$"}]})
            }
            Self::Bytes => {
                json!({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[0-9]+[kKmMgG]?$"}]})
            }
            Self::BytesOrNone => {
                json!({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+[kKmMgG]?$"}]})
            }
            Self::Name => json!({"type": "string", "pattern": name}),
            Self::Names => json!({"type": "array", "items": {"type": "string", "pattern": name}}),
            Self::Globs | Self::Signers | Self::Folders | Self::Arguments => {
                json!({"type": "array", "items": {"type": "string", "minLength": 1}})
            }
            Self::Text => json!({"type": "string"}),
            Self::Model => {
                json!({"type": "string", "pattern": r"^[A-Za-z0-9][A-Za-z0-9_.:/@+\[\]\-]*$"})
            }
            Self::Command => {
                json!({"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1})
            }
            Self::EnvNames => {
                json!({"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}})
            }
            Self::File => json!({"type": "string", "pattern": "^/"}),
            Self::Url => json!({"type": "string", "pattern": "^https?://[^\\s]+$"}),
            Self::EnvName => json!({"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}),
            Self::Models => json!({"type": "array", "items": Self::Model.value_schema()}),
            Self::Money => {
                json!({"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^\$?[0-9]+(\.[0-9]{1,6})?$"}]})
            }
            Self::Table => json!({"type": "object"}),
            Self::Judges => {
                let mut seat = empty_object();
                for (name, kind, doc) in JUDGE_KEYS {
                    seat["properties"][*name] = with_description(kind.value_schema(), doc);
                }
                json!({"type": "array", "items": seat})
            }
        }
    }
}
