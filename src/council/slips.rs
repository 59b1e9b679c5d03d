//! Slips of form that leave no doubt what is meant: a line number as a text, the only evidence in a list, emphasis around a
//! vote. A true finding is not lost for one.

use serde_json::{Map, Value, json};

/// Fields of numbers.
const NUMBERS: [&str; 2] = ["line", "end_line"];

/// Fields of one object each, which models put into a list of one.
const SINGLE: [&str; 2] = ["evidence", "location"];

/// Fields of one text each.
const TEXTS: [&str; 2] = ["ref", "reference"];

/// Puts right what can only mean one thing; what can mean several stays, and is told.
pub(super) fn straighten_slips(value: &mut Value) {
    if let Value::Object(fields) = value {
        if let Some(Value::String(vote)) = fields.get_mut("verdict") {
            let bare = vote.trim_matches(|c: char| c.is_whitespace() || "*_`".contains(c));
            *vote = bare.to_owned();
        }
        if let Some(confidence) = fields.get_mut("confidence") {
            name_confidence(confidence);
        }
    }
    straighten(value);
}

fn straighten(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(straighten),
        Value::Object(fields) => {
            straighten_fields(fields);
            fields.values_mut().for_each(straighten);
        }
        _ => {}
    }
}

fn straighten_fields(fields: &mut Map<String, Value>) {
    for name in NUMBERS {
        if let Some(number) = fields.get_mut(name)
            && let Some(line) = number.as_str().and_then(line_of)
        {
            *number = line.into();
        }
    }
    for name in SINGLE {
        if let Some(Value::Array(items)) = fields.get_mut(name)
            && let [item @ Value::Object(_)] = items.as_mut_slice()
        {
            let item = item.take();
            fields.insert(name.to_owned(), item);
        }
    }
    if let Some(Value::String(text)) = fields.get("evidence") {
        match evidence_in(text) {
            Some(evidence) => drop(fields.insert("evidence".to_owned(), evidence)),
            // What proves nothing costs the stance its evidence, and no judge its round.
            None => drop(fields.remove("evidence")),
        }
    }
    for name in TEXTS {
        if let Some(Value::Array(items)) = fields.get_mut(name)
            && let [Value::String(text)] = items.as_mut_slice()
        {
            let text = std::mem::take(text);
            fields.insert(name.to_owned(), text.into());
        }
    }
}

/// `a.py:5: total = x / 0` as a place and its quote.
fn evidence_in(text: &str) -> Option<Value> {
    let (path, rest) = text.trim().split_once(':')?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let line: u32 = rest[..digits].parse().ok()?;
    let quote = rest[digits..]
        .trim_start_matches([':', ' ', '-', '—', '–'])
        .trim();
    let is_path = !path.is_empty() && !path.contains(char::is_whitespace);
    (is_path && !quote.is_empty()).then(|| json!({ "path": path, "line": line, "quote": quote }))
}

/// `5`, `L5`, `line 5`.
fn line_of(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.strip_prefix("line").or_else(|| text.strip_prefix('l'));
    digits.unwrap_or(&text).trim().parse().ok()
}

/// A share of one is a confidence, too. It is shown, and never weighed.
fn name_confidence(confidence: &mut Value) {
    let Some(share) = confidence
        .as_f64()
        .filter(|share| (0.0..=1.0).contains(share))
    else {
        return;
    };
    let word = match share {
        0.8.. => "HIGH",
        0.5.. => "MEDIUM",
        _ => "LOW",
    };
    *confidence = word.into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::testing::config())]

        /// However a place, a piece of evidence or a vote is wrapped, it is the one that was meant; and what was right stays.
        #[test]
        fn a_slip_changes_nothing_that_is_meant(
            line in 1u32..100_000,
            spelling in 0usize..4,
            in_list in any::<bool>(),
            emphasis in "[*_` ]{0,3}",
        ) {
            let right = json!({
                "verdict": "FAIL",
                "responses": [{"to": "A1", "evidence": {"path": "a.py", "line": line, "quote": "x"}}],
                "findings": [{"location": {"path": "a.py", "line": line}, "ref": "CWE-369"}],
            });
            let mut kept = right.clone();
            straighten_slips(&mut kept);
            prop_assert_eq!(&kept, &right);
            let number = match spelling {
                0 => json!(line),
                1 => json!(line.to_string()),
                2 => json!(format!("L{line}")),
                _ => json!(format!(" line {line}")),
            };
            let wrap = |value: Value| if in_list { json!([value]) } else { value };
            let mut slipped = json!({
                "verdict": format!("{emphasis}FAIL{emphasis}"),
                "responses": [{"to": "A1", "evidence": wrap(json!({"path": "a.py", "line": number, "quote": "x"}))}],
                "findings": [{"location": wrap(json!({"path": "a.py", "line": number})), "ref": wrap(json!("CWE-369"))}],
            });
            straighten_slips(&mut slipped);
            prop_assert_eq!(slipped, right);
        }
    }

    #[test]
    fn evidence_in_words_is_a_place_with_a_quote_or_none() {
        let read = |text: &str| {
            let mut value = json!({"responses": [{"to": "A1", "evidence": text}]});
            straighten_slips(&mut value);
            value["responses"][0].get("evidence").cloned()
        };
        let shown = json!({"path": "a.py", "line": 5, "quote": "total = x / 0"});
        for text in [
            "a.py:5: total = x / 0",
            "a.py:5 — total = x / 0",
            " a.py:5 total = x / 0",
        ] {
            assert_eq!(read(text), Some(shown.clone()), "{text}");
        }
        for text in [
            "I looked at it",
            "a.py:5",
            "see the lines: five of them",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_can_mean_several_things_stays() {
        for kept in [
            json!({"findings": [{"location": {"line": "5-7"}}]}),
            json!({"responses": [{"evidence": [{"line": 5}, {"line": 9}]}]}),
            json!({"confidence": 7}),
            json!({"findings": [{"ref": ["a", "b"]}]}),
        ] {
            let mut value = kept.clone();
            straighten_slips(&mut value);
            assert_eq!(value, kept);
        }
    }
}
