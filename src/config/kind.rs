//! What values a key takes, and how they are read.

use toml::Value;

use super::units::{
    byte_count, duration_millis, money_millionths, show_bytes, show_duration, show_money,
};

/// What values a key takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// One of some words.
    Choice(&'static [&'static str]),
    /// A whole number in a range.
    Count {
        least: u64,
        most: u64,
    },
    /// `true` or `false`.
    Switch,
    /// Seconds as a number, or text such as `90s`, `2m`, `1h30m`, `250ms`. Kept in milliseconds.
    Duration,
    /// Bytes as a number, or text such as `64K`, `2M`. Kept in bytes.
    Bytes,
    /// The same, or `0` for nothing at all.
    BytesOrNone,
    /// One name: letters, digits and `-_.`, beginning with a letter or digit.
    Name,
    /// A list of names.
    Names,
    /// A list of gitignore patterns.
    Globs,
    /// Keys that sign, each with the names of its owner.
    Signers,
    /// Paths of folders.
    Folders,
    Text,
    /// The name of a model. It can never be taken for an option of a program: it begins with a letter or digit.
    Model,
    /// A program and its arguments.
    Command,
    /// The arguments of a program that another key names.
    Arguments,
    /// A file by its absolute path.
    File,
    /// Where an API of models is: an `https://` URL, or `http://`, without its key.
    Url,
    /// The name of an environment variable.
    EnvName,
    /// A list of names of models.
    Models,
    /// US dollars as a number, or text such as `$2.50`. Kept in millionths.
    Money,
    /// Names of environment variables.
    EnvNames,
    /// A table of whatever shape its reader wants; in a variable or a flag: JSON.
    Table,
    /// The list of seats: tables with the keys of [`JUDGE_KEYS`].
    Judges,
}

/// What a `[[judge]]` table may have.
pub(crate) const JUDGE_KEYS: &[(&str, ValueKind, &str)] = &[
    (
        "perspective",
        ValueKind::Name,
        "What the judge looks for. Unset: everything.",
    ),
    (
        "agent",
        ValueKind::Name,
        "The agent that acts as this judge: a built-in one or one of `[agents]`.",
    ),
    (
        "model",
        ValueKind::Model,
        "The model, where the agent has several.",
    ),
];

/// A value as it was written, in whatever layer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RawValue {
    /// Text; the only shape outside of files.
    Text(String),
    Number(String),
    /// A truth value.
    Switch(bool),
    List(Vec<Self>),
    /// A table, in the order of its keys.
    Table(Vec<(String, Self)>),
    /// A shape that no key takes (floats, dates).
    Other(String),
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueFault {
    /// It is not what [`Kind::expected`] says.
    Value,
    /// A table in it has a key that there is not.
    UnknownPart(String),
    /// A table in it has a key of that kind with another value.
    Part(String, ValueKind, RawValue),
}

impl ValueKind {
    /// Whether a value of this kind makes the program run, open or reveal something: never the repository's to set.
    pub fn is_sensitive(self) -> bool {
        matches!(
            self,
            Self::Command
                | Self::Arguments
                | Self::EnvNames
                | Self::EnvName
                | Self::File
                | Self::Url
                | Self::Money
                | Self::Table
        )
    }

    /// What is expected, in words.
    pub fn describe_expected(self) -> String {
        match self {
            Self::Choice(words) => words
                .iter()
                .map(|w| format!("`{w}`"))
                .collect::<Vec<_>>()
                .join(", "),
            Self::Count { least, most } if most == u64::MAX => format!("a number from {least} on"),
            Self::Count { least, most } => format!("a number from {least} to {most}"),
            Self::Switch => "`true` or `false`".to_owned(),
            Self::Duration => "seconds, or text such as `90s` or `2m`".to_owned(),
            Self::Bytes => "bytes, or text such as `64K` or `2M`".to_owned(),
            Self::BytesOrNone => "`0`, bytes, or text such as `64K` or `2M`".to_owned(),
            Self::Name => "a name of letters, digits and `-_.`".to_owned(),
            Self::Names => "a list of names of letters, digits and `-_.`".to_owned(),
            Self::Globs => "a list of gitignore patterns".to_owned(),
            Self::Signers => {
                "a list of keys (whole fingerprints), each with the names of its owner".to_owned()
            }
            Self::Folders => "a list of absolute paths".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Model => {
                "the name of a model, without spaces and not beginning with `-`".to_owned()
            }
            Self::Command => "a list: the program, then its arguments".to_owned(),
            Self::Arguments => "a list of arguments, without the program itself".to_owned(),
            Self::File => "an absolute path".to_owned(),
            Self::Url => "a URL that begins with `https://` or `http://`".to_owned(),
            Self::EnvName => "the name of an environment variable".to_owned(),
            Self::Models => "a list of names of models".to_owned(),
            Self::Money => "US dollars, such as `2.50`".to_owned(),
            Self::EnvNames => "a list of names of environment variables".to_owned(),
            Self::Table => "a table".to_owned(),
            Self::Judges => "a list of tables (`[[judge]]`)".to_owned(),
        }
    }

    /// The value in its normal form.
    pub(crate) fn parse_value(self, raw: &RawValue) -> Result<Value, ValueFault> {
        match (self, raw) {
            (Self::Judges, RawValue::List(seats)) => seats
                .iter()
                .map(parse_judge_table)
                .collect::<Result<_, _>>()
                .map(Value::Array),
            (
                Self::Names
                | Self::Globs
                | Self::Folders
                | Self::Command
                | Self::Arguments
                | Self::EnvNames
                | Self::Models,
                _,
            ) => self.parse_list(raw).ok_or(ValueFault::Value),
            (Self::Signers, _) => {
                let signers = self.parse_list(raw).filter(has_whole_keys);
                signers.ok_or(ValueFault::Value)
            }
            _ => self.parse_single(raw).ok_or(ValueFault::Value),
        }
    }

    /// A normal form as it would be written in a file.
    pub(crate) fn show_value(self, value: &Value) -> String {
        let number = value.as_integer().and_then(|n| u64::try_from(n).ok());
        match (self, number) {
            (Self::Duration, Some(ms)) => format!("{:?}", show_duration(ms)),
            (Self::BytesOrNone, Some(0)) => "0".to_owned(),
            (Self::Bytes | Self::BytesOrNone, Some(size)) => format!("{:?}", show_bytes(size)),
            (Self::Money, Some(millionths)) => show_money(millionths),
            _ => value.to_string(),
        }
    }

    fn parse_single(self, raw: &RawValue) -> Option<Value> {
        match (self, raw) {
            (Self::Switch, RawValue::Switch(on)) => Some(Value::Boolean(*on)),
            (Self::Switch, RawValue::Text(text)) => parse_switch(text).map(Value::Boolean),
            (Self::Choice(words), RawValue::Text(text)) => {
                words.contains(&text.as_str()).then(|| text.as_str().into())
            }
            (Self::Count { least, most }, RawValue::Number(text) | RawValue::Text(text)) => {
                to_integer(text.parse().ok().filter(|n| (least..=most).contains(n))?)
            }
            (Self::Duration, RawValue::Number(text) | RawValue::Text(text)) => {
                to_integer(duration_millis(text)?)
            }
            (Self::BytesOrNone, RawValue::Number(text) | RawValue::Text(text)) if text == "0" => {
                to_integer(0)
            }
            (Self::Bytes | Self::BytesOrNone, RawValue::Number(text) | RawValue::Text(text)) => {
                to_integer(byte_count(text)?)
            }
            (Self::Name, RawValue::Text(text)) => is_name(text).then(|| text.as_str().into()),
            (Self::Model, RawValue::Text(text)) => is_model(text).then(|| text.as_str().into()),
            (Self::Text, RawValue::Text(text)) => Some(text.as_str().into()),
            (Self::File, RawValue::Text(text)) => {
                text.starts_with('/').then(|| text.as_str().into())
            }
            (Self::Url, RawValue::Text(text)) => is_url(text).then(|| text.as_str().into()),
            (Self::EnvName, RawValue::Text(text)) => {
                is_variable(text).then(|| text.as_str().into())
            }
            (
                Self::Money,
                RawValue::Number(text) | RawValue::Other(text) | RawValue::Text(text),
            ) => to_integer(money_millionths(text)?),
            (Self::Table, RawValue::Table(_)) => parse_any(raw),
            (Self::Table, RawValue::Text(text)) => serde_json::from_slice(text.as_bytes())
                .ok()
                .map(Value::Table),
            _ => None,
        }
    }

    fn parse_list(self, raw: &RawValue) -> Option<Value> {
        let split: Vec<&str> = match raw {
            RawValue::Text(text) if matches!(self, Self::Command | Self::Arguments) => {
                text.split_whitespace().collect()
            }
            RawValue::Text(text) => text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .collect(),
            RawValue::List(parts) => parts.iter().map(as_text).collect::<Option<_>>()?,
            _ => return None,
        };
        let fits = |part: &&str| match self {
            Self::Names => is_name(part),
            Self::EnvNames => is_variable(part),
            Self::Models => is_model(part),
            _ => !part.is_empty(),
        };
        (split.iter().all(fits) && !(self == Self::Command && split.is_empty()))
            .then(|| Value::Array(split.into_iter().map(Value::from).collect()))
    }
}

fn parse_judge_table(raw: &RawValue) -> Result<Value, ValueFault> {
    let RawValue::Table(entries) = raw else {
        return Err(ValueFault::Value);
    };
    let read = |(name, raw): &(String, RawValue)| {
        let known = JUDGE_KEYS.iter().find(|(known, ..)| known == name);
        let (_, kind, _) = known.ok_or_else(|| ValueFault::UnknownPart(name.clone()))?;
        match kind.parse_value(raw) {
            Ok(value) => Ok((name.clone(), value)),
            Err(_) => Err(ValueFault::Part(name.clone(), *kind, raw.clone())),
        }
    };
    entries
        .iter()
        .map(read)
        .collect::<Result<_, _>>()
        .map(Value::Table)
}

/// A value as it was written, whatever it is.
fn parse_any(raw: &RawValue) -> Option<Value> {
    match raw {
        RawValue::Text(text) => Some(text.as_str().into()),
        RawValue::Number(number) => number.parse().ok().map(Value::Integer),
        RawValue::Switch(on) => Some((*on).into()),
        RawValue::List(parts) => parts
            .iter()
            .map(parse_any)
            .collect::<Option<_>>()
            .map(Value::Array),
        RawValue::Table(entries) => {
            let entry = |(name, raw): &(String, RawValue)| Some((name.clone(), parse_any(raw)?));
            entries
                .iter()
                .map(entry)
                .collect::<Option<_>>()
                .map(Value::Table)
        }
        RawValue::Other(other) => other.parse().ok().map(Value::Float),
    }
}

fn as_text(raw: &RawValue) -> Option<&str> {
    match raw {
        RawValue::Text(text) => Some(text),
        _ => None,
    }
}

fn to_integer(number: u64) -> Option<Value> {
    i64::try_from(number).ok().map(Value::Integer)
}

/// As git reads a boolean.
fn parse_switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" | "" => Some(false),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    begins_well(text)
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

/// Whether this may be the name of a model.
pub(crate) fn is_model(text: &str) -> bool {
    begins_well(text)
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.:/@+[]".contains(&b))
}

fn is_variable(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn is_url(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| begins_well(rest.trim_start_matches('[')))
        && !text.contains(char::is_whitespace)
}

fn begins_well(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether no fingerprint of a list is shortened, as pages show them.
fn has_whole_keys(list: &Value) -> bool {
    let entries = list.as_array().into_iter().flatten();
    let mut entries = entries.filter_map(Value::as_str);
    entries.all(|entry| !entry.contains('…') && !entry.contains("..."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_never_an_option() {
        assert!(is_model("claude-sonnet-4.5") && is_model("org/model:tag@1"));
        assert!(
            !is_model("--dangerously") && !is_model("a b") && !is_model("") && !is_model("a\n")
        );
    }

    #[test]
    fn a_list_is_written_with_commas_where_there_are_only_strings() {
        let read = ValueKind::Names
            .parse_value(&RawValue::Text("security, tests,".into()))
            .unwrap();
        assert_eq!(read, Value::Array(vec!["security".into(), "tests".into()]));
    }

    /// A command without a program starts nothing; a program without arguments starts.
    #[test]
    fn only_a_command_needs_a_first_word() {
        let empty = || RawValue::List(vec![]);
        let read = |kind: ValueKind, text: &str| kind.parse_value(&RawValue::Text(text.into()));
        assert_eq!(
            ValueKind::Command.parse_value(&empty()),
            Err(ValueFault::Value)
        );
        assert_eq!(
            ValueKind::Arguments.parse_value(&empty()),
            Ok(Value::Array(vec![]))
        );
        for words in ["serve", "serve --port 1"] {
            assert_eq!(
                read(ValueKind::Command, words),
                read(ValueKind::Arguments, words)
            );
        }
    }
}
