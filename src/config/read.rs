//! Layers into assignments: one key, one value, one origin each.

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::key::{ConfigKey, KeyPath};
use super::keys::KEYS;
use super::kind::{JUDGE_KEYS, RawValue, ValueFault, ValueKind};
use super::source::{ConfigLayer, KeyValue, LayerSource, ValueOrigin};
use super::suggest::nearest_word;

/// One key set by one layer.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) path: KeyPath,
    pub(crate) key: &'static ConfigKey,
    pub(crate) value: Value,
    pub(crate) origin: ValueOrigin,
}

/// Reads a layer; unknown keys and values that do not fit are errors.
pub(crate) fn read_layer(layer: &ConfigLayer) -> Result<Vec<Assignment>, ConfigError> {
    match layer {
        ConfigLayer::File { source, name, text } => TomlLayer {
            source: *source,
            name,
            text,
        }
        .read_assignments(),
        ConfigLayer::Pairs { source, pairs } => {
            pairs.iter().map(|pair| read_pair(*source, pair)).collect()
        }
    }
}

fn read_pair(source: LayerSource, pair: &KeyValue) -> Result<Assignment, ConfigError> {
    let origin = ValueOrigin {
        source,
        place: pair.place.clone(),
    };
    let short = KeyPath::parse(&format!("review.{}", pair.key));
    let path = match ConfigKey::find(&short) {
        Some(_) if !pair.key.contains('.') => short,
        _ => KeyPath::parse(&pair.key),
    };
    assign_value(path, &RawValue::Text(pair.value.clone()), origin)
}

fn assign_value(
    path: KeyPath,
    raw: &RawValue,
    origin: ValueOrigin,
) -> Result<Assignment, ConfigError> {
    let Some(key) = ConfigKey::find(&path) else {
        return Err(unknown_key(&path, origin));
    };
    let bad = |path: &KeyPath, kind: ValueKind, raw: &RawValue, origin| ConfigError::BadValue {
        key: path.to_string(),
        value: show_raw(raw),
        origin,
        expected: kind.describe_expected(),
    };
    match key.kind.parse_value(raw) {
        Ok(value) => Ok(Assignment {
            path,
            key,
            value,
            origin,
        }),
        Err(ValueFault::Value) => Err(bad(&path, key.kind, raw, origin)),
        Err(ValueFault::Part(name, kind, raw)) => Err(bad(&path.join(&name), kind, &raw, origin)),
        Err(ValueFault::UnknownPart(name)) => Err(unknown_key(&path.join(&name), origin)),
    }
}

fn unknown_key(path: &KeyPath, origin: ValueOrigin) -> ConfigError {
    if is_table(path) {
        return ConfigError::NotATable {
            key: path.to_string(),
            origin,
        };
    }
    let written = path.to_string();
    let last = path.0.last().map_or("", String::as_str);
    let parts = JUDGE_KEYS.iter().map(|(name, ..)| format!("judge.{name}"));
    let names: Vec<String> = KEYS
        .iter()
        .map(|key| key.name.to_owned())
        .chain(parts)
        .collect();
    let names = || {
        names
            .iter()
            .map(String::as_str)
            .filter(|name| !name.contains('*'))
    };
    let same_end = || names().find(|name| name.rsplit('.').next() == Some(last));
    let suggestion = nearest_word(&written, names())
        .or_else(same_end)
        .map(str::to_owned);
    ConfigError::UnknownKey {
        key: written,
        origin,
        suggestion,
    }
}

fn show_raw(raw: &RawValue) -> String {
    match raw {
        RawValue::Text(text) => format!("{text:?}"),
        RawValue::Number(text) | RawValue::Other(text) => text.clone(),
        RawValue::Switch(on) => on.to_string(),
        RawValue::List(parts) => format!(
            "[{}]",
            parts.iter().map(show_raw).collect::<Vec<_>>().join(", ")
        ),
        RawValue::Table(_) => "a table".to_owned(),
    }
}

struct TomlLayer<'a> {
    source: LayerSource,
    name: &'a str,
    text: &'a str,
}

impl TomlLayer<'_> {
    fn read_assignments(&self) -> Result<Vec<Assignment>, ConfigError> {
        let document = DeTable::parse(self.text).map_err(|error| ConfigError::Syntax {
            origin: self.origin_at(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut found = Vec::new();
        self.read_table(&KeyPath(Vec::new()), document.get_ref(), &mut found)?;
        Ok(found)
    }

    fn read_table(
        &self,
        at: &KeyPath,
        table: &DeTable<'_>,
        found: &mut Vec<Assignment>,
    ) -> Result<(), ConfigError> {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let path = at.join(name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if is_table(&path) => self.read_table(&path, inner, found)?,
                other => found.push(assign_value(
                    path,
                    &to_raw(other),
                    self.origin_at(name.span().start),
                )?),
            }
        }
        Ok(())
    }

    fn origin_at(&self, at: usize) -> ValueOrigin {
        let line = self
            .text
            .as_bytes()
            .iter()
            .take(at)
            .filter(|b| **b == b'\n')
            .count()
            + 1;
        ValueOrigin {
            source: self.source,
            place: format!("{}:{line}", self.name),
        }
    }
}

/// Whether some key lies below `path`.
fn is_table(path: &KeyPath) -> bool {
    KEYS.iter().any(|key| {
        let parts: Vec<_> = key.segments().collect();
        parts.len() > path.0.len()
            && parts
                .iter()
                .zip(&path.0)
                .all(|(pattern, part)| *pattern == "*" || pattern == part)
    })
}

fn to_raw(value: &DeValue<'_>) -> RawValue {
    match value {
        DeValue::String(text) => RawValue::Text(text.to_string()),
        DeValue::Integer(number) => RawValue::Number(number.to_string()),
        DeValue::Boolean(on) => RawValue::Switch(*on),
        DeValue::Array(parts) => {
            RawValue::List(parts.iter().map(|part| to_raw(part.get_ref())).collect())
        }
        DeValue::Table(table) => RawValue::Table(
            table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), to_raw(value.get_ref())))
                .collect(),
        ),
        DeValue::Float(number) => RawValue::Other(number.to_string()),
        DeValue::Datetime(date) => RawValue::Other(date.to_string()),
    }
}
