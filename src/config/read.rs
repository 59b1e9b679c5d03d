//! Layers into assignments: one key, one value, one origin each.

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::kind::{Fault, JUDGE_KEYS, Raw};
use super::{ConfigError, KEYS, Key, KeyPath, Kind, Layer, Origin, Pair, Source, nearest};

/// One key set by one layer.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) path: KeyPath,
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// Reads a layer; unknown keys and values that do not fit are errors.
pub(crate) fn read(layer: &Layer) -> Result<Vec<Assignment>, ConfigError> {
    match layer {
        Layer::File { source, name, text } => File {
            source: *source,
            name,
            text,
        }
        .read(),
        Layer::Pairs { source, pairs } => {
            pairs.iter().map(|pair| read_pair(*source, pair)).collect()
        }
    }
}

fn read_pair(source: Source, pair: &Pair) -> Result<Assignment, ConfigError> {
    let origin = Origin {
        source,
        place: pair.place.clone(),
    };
    let short = KeyPath::parse(&format!("review.{}", pair.key));
    let path = match Key::find(&short) {
        Some(_) if !pair.key.contains('.') => short,
        _ => KeyPath::parse(&pair.key),
    };
    assign(path, &Raw::Text(pair.value.clone()), origin)
}

fn assign(path: KeyPath, raw: &Raw, origin: Origin) -> Result<Assignment, ConfigError> {
    let Some(key) = Key::find(&path) else {
        return Err(unknown(&path, origin));
    };
    let bad = |path: &KeyPath, kind: Kind, raw: &Raw, origin| ConfigError::BadValue {
        key: path.to_string(),
        value: shown(raw),
        origin,
        expected: kind.expected(),
    };
    match key.kind.read(raw) {
        Ok(value) => Ok(Assignment {
            path,
            key,
            value,
            origin,
        }),
        Err(Fault::Value) => Err(bad(&path, key.kind, raw, origin)),
        Err(Fault::Part(name, kind, raw)) => Err(bad(&path.join(&name), kind, &raw, origin)),
        Err(Fault::UnknownPart(name)) => Err(unknown(&path.join(&name), origin)),
    }
}

fn unknown(path: &KeyPath, origin: Origin) -> ConfigError {
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
    let suggestion = nearest(&written, names())
        .or_else(same_end)
        .map(str::to_owned);
    ConfigError::UnknownKey {
        key: written,
        origin,
        suggestion,
    }
}

fn shown(raw: &Raw) -> String {
    match raw {
        Raw::Text(text) => format!("{text:?}"),
        Raw::Number(text) | Raw::Other(text) => text.clone(),
        Raw::Switch(on) => on.to_string(),
        Raw::List(parts) => format!(
            "[{}]",
            parts.iter().map(shown).collect::<Vec<_>>().join(", ")
        ),
        Raw::Table(_) => "a table".to_owned(),
    }
}

struct File<'a> {
    source: Source,
    name: &'a str,
    text: &'a str,
}

impl File<'_> {
    fn read(&self) -> Result<Vec<Assignment>, ConfigError> {
        let document = DeTable::parse(self.text).map_err(|error| ConfigError::Syntax {
            origin: self.origin(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut found = Vec::new();
        self.table(&KeyPath(Vec::new()), document.get_ref(), &mut found)?;
        Ok(found)
    }

    fn table(
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
                DeValue::Table(inner) if is_table(&path) => self.table(&path, inner, found)?,
                other => found.push(assign(path, &raw(other), self.origin(name.span().start))?),
            }
        }
        Ok(())
    }

    fn origin(&self, at: usize) -> Origin {
        let line = self
            .text
            .as_bytes()
            .iter()
            .take(at)
            .filter(|b| **b == b'\n')
            .count()
            + 1;
        Origin {
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

fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => Raw::Number(number.to_string()),
        DeValue::Boolean(on) => Raw::Switch(*on),
        DeValue::Array(parts) => Raw::List(parts.iter().map(|part| raw(part.get_ref())).collect()),
        DeValue::Table(table) => Raw::Table(
            table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), raw(value.get_ref())))
                .collect(),
        ),
        DeValue::Float(number) => Raw::Other(number.to_string()),
        DeValue::Datetime(date) => Raw::Other(date.to_string()),
    }
}
