//! How much memory JSON would take, told from its bytes before it is read: a megabyte of it can become eighty.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// What an object costs at most beside its text: a node of the map has room for eleven members.
const OBJECT: usize = 640;

/// What any other value costs at most.
const VALUE: usize = 40;

/// The most that a message, an answer or an event may cost, in bytes.
pub const MESSAGE: usize = 32 << 20;

/// The most that the report of a tool may cost, in bytes.
pub const REPORT: usize = 64 << 20;

/// Reads JSON in which no object has a key twice: readers disagree about which of the two counts, so neither may.
///
/// # Errors
/// What is no JSON, or names a key that stands twice, with its place.
pub fn parse_unique(text: &str) -> Result<Value, serde_json::Error> {
    parse_unique_bytes(text.as_bytes())
}

/// The same for bytes that may be no text. What is wrong with JSON but for a key that stands twice is not of the
/// category `Data`.
///
/// # Errors
/// What is no JSON, or names a key that stands twice, with its place.
pub fn parse_unique_bytes(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<UniqueKeys>(bytes).map(|UniqueKeys(value)| value)
}

struct UniqueKeys(Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(UniqueKeys(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((name, UniqueKeys(value))) = entries.next_entry::<String, _>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom(format!(
                    "the key `{name}` stands twice in one object"
                )));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

/// How many bytes the object or list has that a text begins with; none: it has no end. Says nothing about what stands in it.
pub fn bracketed_length(text: &str) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return matches!(byte, b'}' | b']').then_some(at + 1);
        }
    }
    None
}

/// A JSON text without the commas that stand before a closing bracket.
pub fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_text, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if in_text {
            in_text = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c == '"' {
            in_text = true;
        } else if c == ',' && text[at + 1..].trim_start().starts_with(['}', ']']) {
            continue;
        }
        out.push(c);
    }
    out
}

/// Whether reading a text takes at most so many bytes beside the text itself. Says nothing about text that is no JSON.
pub fn fits_in_memory(text: &[u8], most: usize) -> bool {
    if text.len().saturating_mul(OBJECT / 4) <= most {
        return true;
    }
    let (mut cost, mut quoted, mut escaped) = (0_usize, false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => cost += OBJECT,
            b'[' | b',' | b':' if !quoted => cost += VALUE,
            _ => {}
        }
        if cost > most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        for text in [r#"{"a":1,"b":2,"a":1}"#, r#"[{"x":{"a":1,"\u0061":2}}]"#] {
            let error = parse_unique(text).unwrap_err().to_string();
            assert!(error.contains("the key `a` stands twice"), "{error}");
            assert!(parse_unique_bytes(text.as_bytes()).unwrap_err().is_data());
        }
        for no_json in ["[DONE]", "{\"a\":", "1e999", "\u{1}", "{\"\\ud800\":1}"] {
            assert!(!parse_unique(no_json).unwrap_err().is_data(), "{no_json}");
        }
        let same = r#"{"a":[1,-2,0.5,"s",null,true,{"a":{}}]}"#;
        assert_eq!(parse_unique(same).unwrap().to_string(), same);
    }

    #[test]
    fn many_small_values_do_not_fit_and_long_strings_do() {
        for small in ["{\"\":0},", "{},", "0,", "[],", "\"\","] {
            assert!(
                !fits_in_memory(small.repeat(2 << 20).as_bytes(), MESSAGE),
                "{small}"
            );
            assert!(
                fits_in_memory(small.repeat(1 << 10).as_bytes(), MESSAGE),
                "{small}"
            );
        }
        let long = format!("{{\"text\":\"{}\"}}", "[{,\\\"".repeat(4 << 20));
        assert!(fits_in_memory(long.as_bytes(), MESSAGE));
    }

    #[test]
    fn a_comma_within_a_text_stays() {
        let text = r#"{"a":"x,}","b":[1,2,],}"#;
        assert_eq!(without_trailing_commas(text), r#"{"a":"x,}","b":[1,2]}"#);
    }

    #[test]
    fn an_object_ends_with_the_bracket_that_closes_it() {
        let object = r#"{"a":"}\"]","b":[1,{}]}"#;
        assert_eq!(bracketed_length(object), Some(object.len()));
        assert_eq!(
            bracketed_length(&format!("{object} and }} more")),
            Some(object.len())
        );
        for none in ["", "{", "{\"a\": \"}", "words {}", "]"] {
            assert_eq!(bracketed_length(none), None, "{none}");
        }
    }
}
