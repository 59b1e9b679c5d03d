//! YAML as a tree whose nodes know their lines: what a rule reads must not depend on how somebody lays it out.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A value of a document, and where it begins.
#[derive(Debug)]
pub(crate) struct Node {
    /// The number of its first line, from 1.
    pub(crate) line: u32,
    value: Value,
}

/// What stands there. Numbers and the like are text: expressions of a workflow make no difference either.
#[derive(Debug)]
enum Value {
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// The document, where it can be read. The reader limits what anchors may unfold to.
pub(crate) fn parse_yaml(text: &str) -> Option<Node> {
    serde_saphyr::from_str::<Spanned<Value>>(text)
        .ok()
        .map(Node::from)
}

impl Node {
    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()
            .find_map(|(k, node)| (k == key).then_some(node))
    }

    /// The text of a key's value.
    pub(crate) fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// Keys and values of a mapping, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Self)> {
        let entries = match &self.value {
            Value::Map(entries) => entries.as_slice(),
            Value::Text(_) | Value::List(_) => &[],
        };
        entries.iter().map(|(key, node)| (key.as_str(), node))
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Text(_) | Value::Map(_) => &[],
        }
    }

    /// The names that a scalar, a list or the keys of a mapping give: the ways in which `on:` lists its triggers.
    pub(crate) fn names(&self) -> Vec<&str> {
        let items = self.items().iter().filter_map(Self::text);
        let keys = self.entries().map(|(key, _)| key);
        self.text().into_iter().chain(items).chain(keys).collect()
    }

    /// A line behind which nothing of it stands.
    pub(crate) fn last_line(&self) -> u32 {
        match &self.value {
            Value::Text(text) => {
                let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
                self.line.saturating_add(lines)
            }
            Value::List(items) => items.iter().map(Self::last_line).max().unwrap_or(self.line),
            Value::Map(_) => {
                let values = self.entries().map(|(_, node)| node.last_line());
                values.max().unwrap_or(self.line)
            }
        }
    }
}

impl From<Spanned<Value>> for Node {
    fn from(spanned: Spanned<Value>) -> Self {
        Self {
            line: u32::try_from(spanned.referenced.line()).unwrap_or(u32::MAX),
            value: spanned.value,
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Text(String::new()))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Text(String::new()))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Spanned<Value>>()? {
            items.push(item.into());
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Spanned<Value>>()? {
            entries.push((key, value.into()));
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_value_is_read_with_its_line() {
        let text = "on: [push, issue_comment]\na:\n  b: { c: 1, d: null }\n  e: >-\n    two\n    words\n\
                    'f': yes\ng:\n- h: ~\n  i: \"x\"\n";
        let node = parse_yaml(text).unwrap();
        assert_eq!(node.get("on").unwrap().names(), ["push", "issue_comment"]);
        let a = node.get("a").unwrap();
        assert_eq!(a.get("b").unwrap().text_of("c"), Some("1"));
        assert_eq!(a.get("b").unwrap().text_of("d"), Some(""));
        assert_eq!(a.text_of("e"), Some("two words"));
        assert!(node.text_of("f").is_some());
        let item = &node.get("g").unwrap().items()[0];
        assert_eq!((item.line, item.text_of("i")), (9, Some("x")));
        assert_eq!(item.get("i").unwrap().line, 10);
    }

    #[test]
    fn what_is_no_yaml_or_unfolds_too_far_is_not_read() {
        assert!(parse_yaml("a: [\n").is_none());
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{below}]\n");
        }
        assert!(parse_yaml(&bomb).is_none());
    }
}
