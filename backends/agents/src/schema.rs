//! The schema of an answer, as models are held to it.
//!
//! Made from [`Answer`] itself, without references, and with only the fields that a form of answer asks for. For structured
//! output in the narrow dialect that every provider takes: objects with all fields required and no others, optional fields
//! nullable (whoever reads an answer drops nulls). For a tool's arguments as they are: what may be missing is not required.

use council_protocol::Answer;
use council_protocol::task::Form;
use serde_json::{Map, Value, json};

/// What every answer has.
const ALWAYS: &[&str] = &[
    "schema_version",
    "round",
    "key",
    "verdict",
    "confidence",
    "key_insight",
    "findings",
    "recommendation",
];

/// The schema of an answer in this form, for structured output; none for plain text.
pub fn answer_schema(form: Form) -> Option<Value> {
    build_schema(form, SchemaDialect::Strict)
}

/// The schema of an answer in this form, for the arguments of a tool; none for plain text.
pub fn tool_schema(form: Form) -> Option<Value> {
    build_schema(form, SchemaDialect::Loose)
}

/// What becomes of fields that may be missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaDialect {
    /// They are required, and may be null.
    Strict,
    /// They are not required.
    Loose,
}

fn build_schema(form: Form, dialect: SchemaDialect) -> Option<Value> {
    let more = fields_of(form)?;
    let (mut root, definitions) = answer_form(dialect);
    let is_asked = |name: &String| ALWAYS.contains(&name.as_str()) || more.contains(&name.as_str());
    if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| is_asked(name));
    }
    Some(narrow_schema(&root, &definitions, dialect))
}

/// The schema of an answer with the fields of every form: for agents whose provider drops what it keeps of a
/// conversation when the schema changes from turn to turn.
pub fn schema_of_every_form() -> Value {
    let (root, definitions) = answer_form(SchemaDialect::Strict);
    narrow_schema(&root, &definitions, SchemaDialect::Strict)
}

/// The schema of [`Answer`] and what it refers to. `findings: null` is no answer, so that field may not be null where
/// others may.
fn answer_form(dialect: SchemaDialect) -> (Value, Value) {
    let mut root = schemars::schema_for!(Answer).to_value();
    let definitions = root.get_mut("$defs").map_or(Value::Null, Value::take);
    let required = root.get_mut("required").and_then(Value::as_array_mut);
    if let Some(required) = required.filter(|_| dialect == SchemaDialect::Strict) {
        required.push("findings".into());
    }
    (root, definitions)
}

/// What the form adds.
fn fields_of(form: Form) -> Option<&'static [&'static str]> {
    Some(match form {
        Form::Text => return None,
        Form::Review => &["explore"],
        Form::Debate => &[
            "restatement",
            "steel_man",
            "responses",
            "challenges",
            "independent_findings",
            "withdrawn",
            "change",
        ],
        Form::Duel => &["responses", "independent_findings", "withdrawn", "change"],
        Form::Opening => &["position", "arguments", "question"],
        Form::Examination => &[
            "position",
            "arguments",
            "responses",
            "challenges",
            "no_challenge",
            "answers",
            "messages",
            "independent_findings",
            "withdrawn",
            "change",
        ],
        Form::Ballot => &["ballot", "change"],
        Form::Document => &["document"],
        Form::Rebuttal => &[
            "document",
            "responses",
            "challenges",
            "answers",
            "independent_findings",
            "withdrawn",
            "change",
        ],
        Form::Synthesis => &["document", "contention"],
    })
}

/// The same schema in the narrow dialect.
fn narrow_schema(schema: &Value, definitions: &Value, dialect: SchemaDialect) -> Value {
    let Some(fields) = schema.as_object() else {
        return json!({});
    };
    if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        let target = definitions.get(name).cloned().unwrap_or_default();
        return with_description(narrow_schema(&target, definitions, dialect), fields);
    }
    if let Some(words) = enum_values(fields) {
        return with_description(json!({ "type": "string", "enum": words }), fields);
    }
    if let Some(either) = fields.get("anyOf").and_then(Value::as_array) {
        let mut either: Vec<Value> = either
            .iter()
            .map(|s| narrow_schema(s, definitions, dialect))
            .collect();
        // A path is text; its escaped form for bytes that are not UTF-8 is nothing that a model writes.
        if either[0] == json!({ "type": "string" }) {
            return with_description(either.swap_remove(0), fields);
        }
        return with_description(json!({ "anyOf": either }), fields);
    }
    let mut out = Map::new();
    for name in ["type", "const", "enum", "minimum", "maximum"] {
        if let Some(value) = fields.get(name) {
            out.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(items) = fields.get("items") {
        out.insert(
            "items".to_owned(),
            narrow_schema(items, definitions, dialect),
        );
    }
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        narrow_object(
            &mut out,
            properties,
            fields.get("required"),
            definitions,
            dialect,
        );
    }
    with_description(Value::Object(out), fields)
}

/// An object's fields, as the dialect wants them.
fn narrow_object(
    out: &mut Map<String, Value>,
    properties: &Map<String, Value>,
    required: Option<&Value>,
    definitions: &Value,
    dialect: SchemaDialect,
) {
    let required: Vec<&str> = required
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |list| {
            list.iter().filter_map(Value::as_str).collect()
        });
    let is_required = |name: &str| required.contains(&name) && properties.contains_key(name);
    let narrowed = |(name, property): (&String, &Value)| {
        let property = narrow_schema(property, definitions, dialect);
        let property = if dialect == SchemaDialect::Loose || is_required(name) {
            property
        } else {
            make_nullable(property)
        };
        (name.clone(), property)
    };
    let narrowed: Map<String, Value> = properties.iter().map(narrowed).collect();
    let names: Value = match dialect {
        SchemaDialect::Strict => narrowed.keys().cloned().collect(),
        SchemaDialect::Loose => properties
            .keys()
            .filter(|name| is_required(name))
            .cloned()
            .collect(),
    };
    out.insert("required".to_owned(), names);
    out.insert("properties".to_owned(), Value::Object(narrowed));
    if dialect == SchemaDialect::Strict {
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// The words of an enumeration that is written as one constant each.
fn enum_values(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let each = fields.get("oneOf")?.as_array()?;
    each.iter().map(|one| one.get("const").cloned()).collect()
}

fn make_nullable(schema: Value) -> Value {
    let may_be_null = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|t| t == "null"),
        _ => schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|either| either.iter().any(|s| s["type"] == "null")),
    };
    if may_be_null {
        schema
    } else {
        json!({ "anyOf": [schema, { "type": "null" }] })
    }
}

/// What the field means, which models read.
fn with_description(mut schema: Value, fields: &Map<String, Value>) -> Value {
    if let (Some(out), Some(text)) = (schema.as_object_mut(), fields.get("description")) {
        out.insert("description".to_owned(), text.clone());
    }
    schema
}

#[cfg(test)]
mod tests {
    use council_protocol::Vote;

    use super::*;

    const FORMS: [Form; 9] = [
        Form::Review,
        Form::Debate,
        Form::Duel,
        Form::Opening,
        Form::Examination,
        Form::Ballot,
        Form::Document,
        Form::Rebuttal,
        Form::Synthesis,
    ];

    /// Every object in a schema.
    fn objects(schema: &Value, out: &mut Vec<Value>) {
        match schema {
            Value::Object(fields) => {
                if fields.contains_key("properties") {
                    out.push(schema.clone());
                }
                fields.values().for_each(|value| objects(value, out));
            }
            Value::Array(items) => items.iter().for_each(|item| objects(item, out)),
            _ => {}
        }
    }

    #[test]
    fn every_form_is_strict_at_all_levels_and_refers_to_nothing() {
        for form in FORMS {
            let schema = answer_schema(form).unwrap();
            let text = schema.to_string();
            for dialect in ["$ref", "oneOf", "\"default\"", "\"format\""] {
                assert!(!text.contains(dialect), "{form:?} has {dialect}");
            }
            let mut found = Vec::new();
            objects(&schema, &mut found);
            assert!(found.len() >= 3, "{form:?}");
            for object in found {
                let names: Vec<_> = object["properties"].as_object().unwrap().keys().collect();
                assert_eq!(object["required"], json!(names));
                assert_eq!(object["additionalProperties"], false);
            }
        }
        assert_eq!(answer_schema(Form::Text), None);
    }

    #[test]
    fn a_tool_requires_only_what_an_answer_requires() {
        let schema = jsonschema::validator_for(&tool_schema(Form::Review).unwrap()).unwrap();
        let answer = serde_json::to_value(Answer::new(1, "k", Vote::Pass)).unwrap();
        assert!(schema.is_valid(&answer));
        assert!(!schema.is_valid(&json!({ "verdict": "PASS" })));
    }

    #[test]
    fn each_field_of_an_answer_belongs_to_some_form() {
        let whole = schemars::schema_for!(Answer).to_value();
        for name in whole["properties"].as_object().unwrap().keys() {
            let asked = |form| {
                answer_schema(form).unwrap()["properties"]
                    .get(name)
                    .is_some()
            };
            assert!(FORMS.into_iter().any(asked), "{name} is never asked for");
        }
    }

    #[test]
    fn an_answer_fits_the_schema_of_its_form() {
        let schema = jsonschema::validator_for(&answer_schema(Form::Review).unwrap()).unwrap();
        let mut given = serde_json::to_value(Answer::new(1, "k", Vote::Warn)).unwrap();
        given["explore"] = Value::Null;
        given["findings"] = json!([{
            "severity": "minor", "category": "naming", "description": "d", "quote": "q", "why": "w", "fix": "f",
            "location": {"path": "a.rs", "line": 3, "end_line": null},
            "rule": null, "suggestion": null, "ref": null,
        }]);
        let problems: Vec<String> = schema.iter_errors(&given).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?}");
        given["verdict"] = json!("SKIPPED");
        assert!(!schema.is_valid(&given));
    }
}
