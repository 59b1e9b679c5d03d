use std::collections::BTreeSet;

use council_protocol::{Answer, Vote};

use super::*;

const FORMS: [Form; 10] = [
    Form::Review,
    Form::Debate,
    Form::Duel,
    Form::Opening,
    Form::Examination,
    Form::Ballot,
    Form::Document,
    Form::Rebuttal,
    Form::Synthesis,
    Form::ProvenDebate,
];

fn strict(form: Form) -> &'static Value {
    answer_schema(form).unwrap().value()
}

/// Calls `visit` with every object of a JSON value.
fn each_object(value: &Value, visit: &mut impl FnMut(&Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            visit(fields);
            fields.values().for_each(|value| each_object(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|item| each_object(item, visit)),
        _ => {}
    }
}

#[test]
fn every_form_is_strict_at_all_levels_and_refers_only_to_its_own_parts() {
    for form in FORMS {
        let text = strict(form).to_string();
        for dialect in [
            "oneOf",
            "\"default\"",
            "\"format\"",
            "\"minimum\"",
            "\"description\":\"",
        ] {
            assert!(!text.contains(dialect), "{form:?} has {dialect}");
        }
        let mut found = 0;
        each_object(strict(form), &mut |object| {
            let Some(properties) = object.get("properties").and_then(Value::as_object) else {
                return;
            };
            if object.get("type") != Some(&json!("object")) {
                return;
            }
            found += 1;
            let names: Vec<_> = properties.keys().collect();
            assert_eq!(object["required"], json!(names));
            assert_eq!(object["additionalProperties"], false);
        });
        assert!(found >= 3, "{form:?}");
        let parts = strict(form)["$defs"].as_object().unwrap();
        let mut referred = BTreeSet::new();
        each_object(strict(form), &mut |object| {
            if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                // Gemini takes nothing beside a reference.
                assert_eq!(object.len(), 1, "{form:?}");
                referred.insert(name.strip_prefix("#/$defs/").unwrap().to_owned());
            }
        });
        let parts: BTreeSet<String> = parts.keys().cloned().collect();
        assert_eq!(parts, referred, "{form:?}");
        assert!(!tool_schema(form).unwrap().text().contains("$ref"));
    }
    assert!(answer_schema(Form::Text).is_none());
}

/// Anthropic takes 16 fields with more than one type and 24 that may be missing; four bytes are about a token.
#[test]
fn a_schema_is_small_and_no_provider_refuses_its_unions() {
    for form in FORMS {
        let mut unions = 0;
        each_object(strict(form), &mut |object| {
            unions += usize::from(object.contains_key("anyOf"));
            unions += usize::from(object.get("type").is_some_and(Value::is_array));
        });
        let bytes = answer_schema(form).unwrap().text().len();
        assert!(unions <= 12, "{form:?} has {unions}");
        let most = match form {
            Form::Review | Form::Debate | Form::Duel => 3_300,
            _ => 4_300,
        };
        assert!(bytes <= most, "{form:?} has {bytes} bytes");
    }
}

#[test]
fn all_turns_of_a_procedure_have_the_same_bytes() {
    for turns in FORMS.chunks(3) {
        for form in turns {
            let (first, this) = (
                answer_schema(turns[0]).unwrap(),
                answer_schema(*form).unwrap(),
            );
            assert_eq!(first.text(), this.text());
            let (first, this) = (tool_schema(turns[0]).unwrap(), tool_schema(*form).unwrap());
            assert_eq!(first.text(), this.text());
        }
    }
}

#[test]
fn a_review_that_asks_for_tests_later_has_their_schema_from_the_first_turn_on() {
    let bytes = |form, proves| {
        let held = held_form(form, proves);
        let schemas = (answer_schema(held).unwrap(), tool_schema(held).unwrap());
        (schemas.0.text(), schemas.1.text())
    };
    let last = bytes(Form::ProvenDebate, true);
    for form in [Form::Review, Form::Debate] {
        assert_eq!(bytes(form, true), last);
        assert_eq!(bytes(form, false), bytes(Form::Review, false));
        assert_ne!(
            bytes(form, false),
            last,
            "a review without tests pays for them"
        );
    }
    for form in FORMS.into_iter().chain([Form::Text]) {
        let is_review = matches!(form, Form::Review | Form::Debate);
        assert_eq!(held_form(form, true) == form, !is_review, "{form:?}");
    }
}

#[test]
fn a_model_thinks_first_and_votes_last() {
    for form in FORMS {
        for schema in [answer_schema(form).unwrap(), tool_schema(form).unwrap()] {
            let properties = schema.text().split_once("\"properties\":{").unwrap().1;
            assert!(properties.starts_with("\"analysis\":"), "{form:?}");
            let mut known: Vec<&str> = ANSWER_ORDER.to_vec();
            known.retain(|name| schema.value()["properties"].get(name).is_some());
            let places: Vec<usize> = known
                .iter()
                .map(|name| schema.text().rfind(&format!("\"{name}\":")).unwrap())
                .collect();
            let verdict = known.iter().position(|name| *name == "verdict").unwrap();
            assert_eq!(places.iter().max(), Some(&places[verdict]), "{form:?}");
            assert_eq!(schema.value().to_string(), schema.text());
        }
    }
}

#[test]
fn models_are_held_to_the_type_that_is_read() {
    let committed: Value = serde_json::from_str(ANSWER).unwrap();
    let generated = schemars::schema_for!(Answer).to_value();
    // As texts: the order of fields counts.
    assert_eq!(committed.to_string(), generated.to_string());
}

#[test]
fn every_field_has_its_place_in_the_order() {
    let whole = schemars::schema_for!(Answer).to_value();
    for name in whole["properties"].as_object().unwrap().keys() {
        assert!(ANSWER_ORDER.contains(&name.as_str()), "{name}");
        let asked = |form| strict(form)["properties"].get(name).is_some();
        assert!(FORMS.into_iter().any(asked), "{name} is never asked for");
    }
    for form in FORMS {
        each_object(strict(form), &mut |object| {
            let Some(properties) = object.get("properties").and_then(Value::as_object) else {
                return;
            };
            let parts = properties
                .keys()
                .filter(|_| !properties.contains_key("verdict"));
            for name in parts {
                assert!(PART_ORDER.contains(&name.as_str()), "{name}");
            }
        });
    }
}

#[test]
fn a_tool_requires_only_what_an_answer_requires() {
    let schema = tool_schema(Form::Review).unwrap().value();
    let schema = jsonschema::validator_for(schema).unwrap();
    let answer = serde_json::to_value(Answer::new(1, "k", Vote::Pass)).unwrap();
    assert!(schema.is_valid(&answer));
    assert!(!schema.is_valid(&json!({ "verdict": "PASS" })));
}

#[test]
fn an_answer_fits_the_schema_of_its_form() {
    let schema = jsonschema::validator_for(strict(Form::Review)).unwrap();
    let mut given = json!({
        "analysis": "a", "schema_version": 1, "round": 1, "key": "k", "explore": [], "responses": [], "challenges": [],
        "independent_findings": [], "withdrawn": [], "steel_man": "", "key_insight": "i", "recommendation": "",
        "restatement": "r", "confidence": "HIGH", "change": null, "verdict": "WARN",
    });
    given["findings"] = json!([{
        "severity": "minor", "category": "naming", "description": "d", "quote": "q", "why": "w", "fix": "f",
        "location": {"path": "a.rs", "line": 3, "end_line": null}, "suggestion": null, "ref": "",
    }]);
    let problems: Vec<String> = schema.iter_errors(&given).map(|e| e.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}");
    given["verdict"] = json!("SKIPPED");
    assert!(!schema.is_valid(&given));
}

#[test]
fn tests_of_judges_are_in_the_schema_only_where_they_are_asked_for() {
    let has_tests = |form| strict(form)["properties"].get("reproductions").is_some();
    let asks = FORMS.into_iter().filter(|form| has_tests(*form)).count();
    assert_eq!(asks, 1);
    assert!(has_tests(Form::ProvenDebate));
    let schema = answer_schema(Form::ProvenDebate).unwrap();
    assert!(schema.text().len() <= 5_000, "{}", schema.text().len());
    let one = &strict(Form::ProvenDebate)["properties"]["reproductions"]["items"];
    let required = ["finding", "shows", "suite", "files"];
    assert_eq!(one["required"], serde_json::json!(required));
}
