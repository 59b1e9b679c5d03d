//! What agents were handed stays out of whatever is kept: only this process knows those values, so whoever reads the journal,
//! a bundle or the folder of a matrix later could not tell them from other words.

use std::cell::OnceCell;
use std::ops::Range;

use council_protocol::message::Usage;
use council_protocol::worker::WorkerReply;
use council_protocol::{Event, Failure, Location};
use council_secrets::Redactor;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest name of a field, or word of a fixed list, in an answer.
const MAX_WORD: usize = 24;

/// Takes the values that agents were handed out of what comes from them.
pub(crate) struct HandedValues<'a> {
    redactor: &'a Redactor,
    is_reviewed: &'a IsReviewed<'a>,
}

/// Whether a text names a file or quotes what is under review, maybe at one of these places: a value that happens to stand
/// there must neither move a finding elsewhere nor make a quote one of nothing.
pub(crate) type IsReviewed<'a> = dyn Fn(&str, &[Location]) -> bool + 'a;

impl<'a> HandedValues<'a> {
    pub(crate) fn new(redactor: &'a Redactor, is_reviewed: &'a IsReviewed<'a>) -> Self {
        Self {
            redactor,
            is_reviewed,
        }
    }

    pub(crate) fn take_out_of_event(&self, event: &mut Event) {
        match event {
            Event::Answered { raw, usage, .. } => self.take_out_of_answer(raw, usage),
            Event::Failed { failure, .. } => self.take_out_of_failure(failure),
            _ => {}
        }
    }

    pub(crate) fn take_out_of_reply(&self, reply: &mut WorkerReply) {
        match reply {
            WorkerReply::Answered { raw, usage } => self.take_out_of_answer(raw, usage),
            WorkerReply::Failed { failure } => self.take_out_of_failure(failure),
        }
    }

    fn take_out_of_answer(&self, raw: &mut String, usage: &mut Option<Usage>) {
        if let Some(text) = self.without_values(raw) {
            *raw = text;
        }
        if let Some(usage) = usage {
            self.take_out_of_fields(usage);
        }
    }

    /// Every text of a JSON value; one that is JSON itself is looked at as that.
    pub(crate) fn take_out_of_json(&self, value: &mut Value) {
        match value {
            Value::String(text) if text.starts_with(['{', '[']) => {
                if let Some(redacted) = self.without_values(text) {
                    *text = redacted;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|v| self.take_out_of_json(v)),
            Value::Object(fields) => fields.values_mut().for_each(|v| self.take_out_of_json(v)),
            other => drop(self.take_out_of_value(other)),
        }
    }

    fn take_out_of_failure(&self, failure: &mut Failure) {
        self.take_out_of_fields(failure);
    }

    /// Every text of an object.
    fn take_out_of_fields<T: Serialize + DeserializeOwned>(&self, whole: &mut T) {
        let Ok(mut fields) = serde_json::to_value(&*whole) else {
            return;
        };
        if self.take_out_of_value(&mut fields)
            && let Ok(redacted) = serde_json::from_value(fields)
        {
            *whole = redacted;
        }
    }

    /// Says whether anything was replaced.
    fn take_out_of_value(&self, value: &mut Value) -> bool {
        let each = |found: bool, value| self.take_out_of_value(value) || found;
        match value {
            Value::String(text) => {
                let redacted = self.without_value(text, Vec::new);
                let found = redacted.is_some();
                *text = redacted.unwrap_or_else(|| std::mem::take(text));
                found
            }
            Value::Array(values) => values.iter_mut().fold(false, each),
            Value::Object(fields) => fields.values_mut().fold(false, each),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// A text of one field, where it holds a value and is no word that an answer is made of. `places`: of what it may be a
    /// quote.
    fn without_value(&self, text: &str, places: impl FnOnce() -> Vec<Location>) -> Option<String> {
        let redacted = self.redactor.redact_handed(text);
        let holds = redacted.secrets > 0 && !is_word_of_answers(text);
        (holds && !(self.is_reviewed)(text, &places())).then_some(redacted.text)
    }

    /// An answer as it came: JSON, mostly, with words around it. Its strings are looked at as they are meant, whatever escapes
    /// they are written with, and everything else stays as it is: two fields of one name must not become one.
    fn without_values(&self, raw: &str) -> Option<String> {
        let mut out = String::with_capacity(raw.len());
        let (mut end, mut found, mut kept) = (0, false, false);
        let strings = json_strings(raw);
        let named = OnceCell::new();
        for (index, place) in strings.iter().enumerate() {
            let written = &raw[place.clone()];
            let Ok(text) = serde_json::from_slice::<String>(written.as_bytes()) else {
                continue;
            };
            found |= self.push_around(&mut out, &raw[end..place.start]);
            end = place.end;
            let places =
                || NamedPlace::near(named.get_or_init(|| named_places(raw, &strings)), index);
            if let Some(redacted) = self.without_value(&text, places) {
                // A text is always JSON.
                out.push_str(&serde_json::to_string(&redacted).unwrap_or_default());
                found = true;
            } else {
                kept |= self.redactor.redact_handed(&text).secrets > 0;
                out.push_str(written);
            }
        }
        found |= self.push_around(&mut out, &raw[end..]);
        if !kept {
            let whole = self.redactor.redact_handed_as_written(&out);
            (out, found) = (whole.text, found || whole.secrets > 0);
        }
        found.then_some(out)
    }

    /// Adds what stands between the strings of an answer, and says whether anything was replaced.
    fn push_around(&self, out: &mut String, text: &str) -> bool {
        let redacted = self.redactor.redact_handed(text);
        out.push_str(&redacted.text);
        redacted.secrets > 0
    }
}

/// How many strings further on a place may be named to which a quote belongs: those of one finding.
const MAX_DISTANCE: usize = 32;

/// How many strings stand between the names of the two fields of a place.
const MAX_FIELDS: usize = 3;

/// A place that an answer names, and the index of the string that does.
struct NamedPlace {
    index: usize,
    location: Location,
}

impl NamedPlace {
    /// The places that are named around a string, the nearest first.
    fn near(named: &[Self], index: usize) -> Vec<Location> {
        let first = named.partition_point(|place| place.index + MAX_DISTANCE < index);
        let around = named[first..].iter();
        let around = around.take_while(|place| place.index <= index + MAX_DISTANCE);
        let mut around: Vec<&Self> = around.collect();
        around.sort_by_key(|place| place.index.abs_diff(index));
        around.iter().map(|place| place.location.clone()).collect()
    }
}

/// The places that an answer names: a `path`, and the `line` beside it.
fn named_places(raw: &str, strings: &[Range<usize>]) -> Vec<NamedPlace> {
    let is_key = |index: &usize, name: &str| raw[strings[*index].clone()].trim_matches('"') == name;
    let paths = (0..strings.len().saturating_sub(1)).filter(|index| is_key(index, "path"));
    let named = paths.filter_map(|index| {
        let path: String =
            serde_json::from_slice(raw[strings[index + 1].clone()].as_bytes()).ok()?;
        let around = index.saturating_sub(MAX_FIELDS)..strings.len().min(index + 2 + MAX_FIELDS);
        let mut lines = around.filter(|index| is_key(index, "line"));
        let line = lines.find_map(|key| number_behind(&raw[strings[key].end..]));
        let location = Location {
            path: path.as_str().into(),
            line: line.unwrap_or(1),
            end_line: None,
        };
        Some(NamedPlace { index, location })
    });
    named.collect()
}

/// The number that is the value of a field, behind its name.
fn number_behind(text: &str) -> Option<u32> {
    let value = text.trim_start().strip_prefix(':')?.trim_start();
    let value = value.trim_start_matches('"');
    let end = value.find(|c: char| !c.is_ascii_digit())?;
    value[..end].parse().ok()
}

/// Whether a text may be a field's name or a word such as `critical`: without it an answer is none.
fn is_word_of_answers(text: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b'-';
    text.len() <= MAX_WORD && text.bytes().all(is_letter)
}

/// Where the strings of a JSON text stand, with their quotes. They end on their line.
fn json_strings(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut begin = None;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (begin, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(start), b'"') => {
                found.push(start..at + 1);
                begin = None;
            }
            (None, b'"') => begin = Some(at),
            (_, b'\n') => begin = None,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer_without(value: &str, raw: &str, file: &str) -> String {
        let redactor = Redactor::default().handing([format!("MY_KEY={value}").as_str()]);
        let is_file = |name: &str, _: &[Location]| name == file;
        let mut raw = raw.to_owned();
        HandedValues::new(&redactor, &is_file).take_out_of_answer(&mut raw, &mut None);
        raw
    }

    fn escaped(text: &str) -> String {
        text.encode_utf16()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect()
    }

    proptest! {
        /// However JSON writes it, in whatever field, with words around the answer or without.
        #[test]
        fn no_spelling_of_json_keeps_a_value(
            value in "[a-z]{4}[0-9]{3}[A-Za-z0-9\"\\\\/+]{6,12}[a-z][0-9]",
            before in "[a-z \"{]{0,12}",
            is_escaped: bool,
        ) {
            let written = match is_escaped {
                true => format!("\"{}\"", escaped(&value)),
                false => serde_json::to_string(&value).unwrap(),
            };
            let object = format!("{{\"verdict\":\"PASS\",\"key_insight\":{written},\"key_insight\":\"two\"}}");
            let raw = format!("{before}\n{object}");
            let shown = answer_without(&value, &raw, "");
            let (around, object) = shown.split_once('\n').unwrap();
            prop_assert_eq!(around, before);
            // Both fields are there as they were.
            prop_assert_eq!(object.matches("key_insight").count(), 2);
            let read: Value = serde_json::from_str(&object.replacen("key_insight", "first", 1)).unwrap();
            prop_assert!(!read["first"].as_str().unwrap().contains(&value), "{}", shown);
            prop_assert_eq!(&read["verdict"], "PASS");
        }

        /// What holds no value is not touched at all, JSON or not.
        #[test]
        fn other_words_stay(raw in "[ -~\n]{0,80}") {
            prop_assert_eq!(answer_without("zq7Kd93hfLs02mXw5TtB", &raw, ""), raw);
        }
    }

    proptest! {
        /// A call of a model is a JSON text within a JSON text, and its arguments may be another one.
        #[test]
        fn no_depth_of_json_keeps_a_value(depth in 0..3_usize, before in "[a-z \"]{0,8}") {
            let value = "zq7Kd93hfLs02mXw5TtB";
            let redactor = Redactor::default().handing([format!("MY_KEY={value}").as_str()]);
            let mut step = serde_json::json!({ "pattern": format!("{before}{value}") });
            for _ in 0..depth {
                step = serde_json::json!({ "arguments": step.to_string() });
            }
            HandedValues::new(&redactor, &|_, _| false).take_out_of_json(&mut step);
            prop_assert!(!step.to_string().contains(value), "{}", step);
        }
    }

    #[test]
    fn words_that_an_answer_needs_and_names_of_files_stay() {
        let raw = r#"{"severity":"critical","location":{"path":"conf/key-7.ini"},"why":"see conf/key-7.ini"}"#;
        assert_eq!(answer_without("critical", raw, ""), raw);
        let shown = answer_without("conf/key-7.ini", raw, "conf/key-7.ini");
        assert!(shown.contains(r#""path":"conf/key-7.ini""#), "{shown}");
        assert!(shown.contains("see [redacted: value]"), "{shown}");
    }

    #[test]
    fn what_a_turn_cost_and_why_it_failed_hold_no_value() {
        let value = "zq7Kd93hfLs02mXw5TtB";
        let redactor = Redactor::default().handing([format!("MY_KEY={value}").as_str()]);
        let mut failure = Failure::new(
            council_protocol::FailureKind::Died,
            format!("it wrote {value}"),
        )
        .with_unread(format!("my key is {value}").as_bytes());
        HandedValues::new(&redactor, &|_, _| false).take_out_of_failure(&mut failure);
        assert!(!format!("{failure:?}").contains(value), "{failure:?}");
        assert_eq!(failure.kind, council_protocol::FailureKind::Died);
    }
}
