//! The schema of an answer, as models are held to it: one for all turns of a procedure, so that no provider drops what it keeps
//! of a conversation because the schema has changed.
//!
//! Made from the published schema of [`Answer`](council_protocol::Answer), without words: the prompt says what each field
//! means. For structured output in the narrow dialect that every provider takes: objects with all fields required and no
//! others, and what stands there twice as a definition of its own (`$defs`), as the schemas of pydantic have it. What may be missing
//! is an empty text or list there, and null only where an empty one would mean something: Anthropic takes 16 fields with more
//! than one type, and OpenAI no optional ones. For a tool's arguments what may be missing is not required.
//!
//! A model writes the fields in the order of the schema. It thinks before it votes: `analysis` comes first, `verdict` last.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use council_protocol::task::Form;
use serde_json::{Map, Value, json};

/// The fields of an answer in the order in which a model writes them.
const ANSWER_ORDER: &[&str] = &[
    "analysis",
    "schema_version",
    "round",
    "key",
    "explore",
    "findings",
    "responses",
    "reproductions",
    "challenges",
    "no_challenge",
    "answers",
    "messages",
    "independent_findings",
    "withdrawn",
    "steel_man",
    "position",
    "arguments",
    "question",
    "ballot",
    "document",
    "contention",
    "key_insight",
    "recommendation",
    "restatement",
    "confidence",
    "change",
    "verdict",
];

/// The fields of its parts: what was seen before what is made of it.
const PART_ORDER: &[&str] = &[
    "tag",
    "finding",
    "shows",
    "suite",
    "files",
    "location",
    "path",
    "content",
    "line",
    "end_line",
    "quote",
    "description",
    "why",
    "severity",
    "category",
    "fix",
    "suggestion",
    "ref",
    "from",
    "to",
    "claim",
    "question",
    "challenge",
    "response",
    "text",
    "reasoning",
    "evidence",
    "stance",
    "strongest_point",
    "concession",
    "remaining_concern",
    "conditions",
    "vote",
];

/// What every answer has.
const ALWAYS: &[&str] = &[
    "analysis",
    "schema_version",
    "round",
    "key",
    "verdict",
    "confidence",
    "key_insight",
    "findings",
    "recommendation",
];

/// The turns that share a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SchemaFamily {
    /// Reviews, debates and duels.
    Review,
    /// Reviews in which judges may bring tests.
    ProvenReview,
    Council,
    /// Stages, brainstorms, research.
    Stage,
}

impl SchemaFamily {
    const ALL: [Self; 4] = [Self::Review, Self::ProvenReview, Self::Council, Self::Stage];

    /// The family of a form; none for plain text.
    fn of(form: Form) -> Option<Self> {
        match form {
            Form::Text => None,
            Form::Review | Form::Debate | Form::Duel => Some(Self::Review),
            Form::ProvenDebate => Some(Self::ProvenReview),
            Form::Opening | Form::Examination | Form::Ballot => Some(Self::Council),
            Form::Document | Form::Rebuttal | Form::Synthesis => Some(Self::Stage),
        }
    }

    /// What it has beside [`ALWAYS`].
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Review => &[
                "explore",
                "responses",
                "challenges",
                "independent_findings",
                "withdrawn",
                "steel_man",
                "restatement",
                "change",
            ],
            Self::ProvenReview => &[
                "explore",
                "responses",
                "reproductions",
                "challenges",
                "independent_findings",
                "withdrawn",
                "steel_man",
                "restatement",
                "change",
            ],
            Self::Council => &[
                "position",
                "arguments",
                "question",
                "responses",
                "challenges",
                "no_challenge",
                "answers",
                "messages",
                "independent_findings",
                "withdrawn",
                "ballot",
                "change",
            ],
            Self::Stage => &[
                "document",
                "contention",
                "explore",
                "responses",
                "challenges",
                "answers",
                "independent_findings",
                "withdrawn",
                "change",
            ],
        }
    }
}

/// What stands in an answer more than once: each request carries it, so it is spelt out once.
const SHARED_PARTS: [&str; 2] = ["Finding", "Evidence"];

/// What becomes of fields that may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SchemaDialect {
    /// They are required, and may be empty.
    Strict,
    /// They are not required.
    Loose,
}

/// A schema; `serde_json`'s feature `preserve_order` keeps its fields in the order in which they are to be written.
#[derive(Debug)]
pub struct AnswerSchema {
    value: Value,
    text: String,
}

impl AnswerSchema {
    fn build(family: SchemaFamily, dialect: SchemaDialect) -> Self {
        let (mut root, definitions) = answer_form(dialect);
        let is_asked = |name: &String| {
            ALWAYS.contains(&name.as_str()) || family.fields().contains(&name.as_str())
        };
        if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| is_asked(name));
        }
        let mut value = put_in_order(narrow_schema(&root, &definitions, dialect), ANSWER_ORDER);
        if dialect == SchemaDialect::Strict {
            value["$defs"] = shared_parts(&definitions);
        }
        Self {
            text: value.to_string(),
            value,
        }
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The same as text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The form whose schema a judge is held to in a turn. Who may be asked for tests later has the schema of that turn from
/// the first one on.
pub(crate) fn held_form(form: Form, proves: bool) -> Form {
    match form {
        Form::Review | Form::Debate if proves => Form::ProvenDebate,
        form => form,
    }
}

/// The schema for structured output of all turns of the procedure of this form; none for plain text.
pub fn answer_schema(form: Form) -> Option<&'static AnswerSchema> {
    find_schema(form, SchemaDialect::Strict)
}

/// The same for the arguments of a tool.
pub fn tool_schema(form: Form) -> Option<&'static AnswerSchema> {
    find_schema(form, SchemaDialect::Loose)
}

fn find_schema(form: Form, dialect: SchemaDialect) -> Option<&'static AnswerSchema> {
    static SCHEMAS: LazyLock<BTreeMap<(SchemaFamily, SchemaDialect), AnswerSchema>> =
        LazyLock::new(|| {
            let dialects = [SchemaDialect::Strict, SchemaDialect::Loose];
            let families = SchemaFamily::ALL.into_iter();
            let all = families.flat_map(|family| dialects.map(|dialect| (family, dialect)));
            all.map(|(family, dialect)| ((family, dialect), AnswerSchema::build(family, dialect)))
                .collect()
        });
    SCHEMAS.get(&(SchemaFamily::of(form)?, dialect))
}

/// A schema whose objects have their fields in the given order; objects within them in [`PART_ORDER`].
fn put_in_order(schema: Value, order: &[&str]) -> Value {
    let rank = |name: &str| order.iter().position(|known| *known == name);
    match schema {
        Value::Object(fields) => {
            let ordered = |(name, value): (String, Value)| {
                let value = match (name.as_str(), value) {
                    ("properties", Value::Object(properties)) => {
                        let mut properties: Vec<(String, Value)> = properties.into_iter().collect();
                        properties.sort_by_key(|(name, _)| rank(name));
                        let inner = |(name, part)| (name, put_in_order(part, PART_ORDER));
                        Value::Object(properties.into_iter().map(inner).collect())
                    }
                    ("required", Value::Array(mut names)) => {
                        names.sort_by_key(|name| name.as_str().and_then(rank));
                        Value::Array(names)
                    }
                    (_, value) => put_in_order(value, order),
                };
                (name, value)
            };
            Value::Object(fields.into_iter().map(ordered).collect())
        }
        Value::Array(items) => items.into_iter().map(|i| put_in_order(i, order)).collect(),
        other => other,
    }
}

/// The schema of an answer as it is published; a test holds it against the type.
const ANSWER: &str = include_str!("../../../docs/schemas/answer.schema.json");

/// That schema and what it refers to. `findings: null` is no answer, so that field is always required.
fn answer_form(dialect: SchemaDialect) -> (Value, Value) {
    let mut root: Value = serde_json::from_slice(ANSWER.as_bytes()).unwrap_or_default();
    let definitions = root.get_mut("$defs").map_or(Value::Null, Value::take);
    let required = root.get_mut("required").and_then(Value::as_array_mut);
    if let Some(required) = required.filter(|_| dialect == SchemaDialect::Strict) {
        required.push("findings".into());
    }
    (root, definitions)
}

/// What the strict schemas refer to.
fn shared_parts(definitions: &Value) -> Value {
    let part = |name: &&str| {
        let schema = narrow_schema(&definitions[*name], definitions, SchemaDialect::Strict);
        ((*name).to_owned(), put_in_order(schema, PART_ORDER))
    };
    Value::Object(SHARED_PARTS.iter().map(part).collect())
}

/// The same schema in the narrow dialect.
fn narrow_schema(schema: &Value, definitions: &Value, dialect: SchemaDialect) -> Value {
    let Some(fields) = schema.as_object() else {
        return json!({});
    };
    if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or_default();
        if dialect == SchemaDialect::Strict && SHARED_PARTS.contains(&name) {
            return json!({ "$ref": format!("#/$defs/{name}") });
        }
        let target = definitions.get(name).cloned().unwrap_or_default();
        return narrow_schema(&target, definitions, dialect);
    }
    if let Some(words) = enum_values(fields) {
        return json!({ "type": "string", "enum": words });
    }
    if let Some(either) = fields.get("anyOf").and_then(Value::as_array) {
        let mut either: Vec<Value> = either
            .iter()
            .map(|s| narrow_schema(s, definitions, dialect))
            .collect();
        // A path is text; its escaped form for bytes that are not UTF-8 is nothing that a model writes.
        if either[0] == json!({ "type": "string" }) {
            return either.swap_remove(0);
        }
        return json!({ "anyOf": either });
    }
    let mut out = Map::new();
    // Bounds of numbers are left out: one of the providers refuses them.
    for name in ["type", "const", "enum"] {
        if let Some(value) = fields.get(name) {
            out.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(items) = fields.get("items") {
        let items = narrow_schema(items, definitions, dialect);
        out.insert("items".to_owned(), items);
    }
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        let required = fields.get("required");
        narrow_object(&mut out, properties, required, definitions, dialect);
    }
    Value::Object(out)
}

/// The rule that found something is nothing that a model has.
const RULE: &str = "rule";

/// What stands in it is written into a file: who has nothing to say there has to be able to write no text at all.
const STAYS_NULL: &str = "suggestion";

/// An object's fields, as the dialect wants them.
fn narrow_object(
    out: &mut Map<String, Value>,
    properties: &Map<String, Value>,
    required: Option<&Value>,
    definitions: &Value,
    dialect: SchemaDialect,
) {
    let required = required.and_then(Value::as_array);
    let is_required = |name: &str| {
        let mut required = required.into_iter().flatten();
        dialect == SchemaDialect::Strict || required.any(|known| known == name)
    };
    let narrowed = properties.iter().filter(|(name, _)| *name != RULE);
    let narrowed: Map<String, Value> = narrowed
        .map(|(name, property)| {
            let property = narrow_schema(property, definitions, dialect);
            let property = match dialect {
                SchemaDialect::Strict if name != STAYS_NULL => without_null(property),
                _ => property,
            };
            (name.clone(), property)
        })
        .collect();
    let names = narrowed.keys().filter(|name| is_required(name));
    out.insert("required".to_owned(), names.cloned().collect());
    out.insert("properties".to_owned(), Value::Object(narrowed));
    if dialect == SchemaDialect::Strict {
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// A text that may be null is an empty one instead; whoever reads an answer knows that it means the same.
fn without_null(mut property: Value) -> Value {
    if property["type"] == json!(["string", "null"]) {
        property["type"] = "string".into();
    }
    property
}

/// The words of an enumeration that is written as one constant each.
fn enum_values(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let each = fields.get("oneOf")?.as_array()?;
    each.iter().map(|one| one.get("const").cloned()).collect()
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
