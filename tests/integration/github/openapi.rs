//! GitHub's own description of its API, a slice of it: every request that the program sends must fit it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

const SLICE: &str = include_str!("../fixtures/github/openapi.json");

struct Operation {
    template: Vec<String>,
    method: String,
    query: BTreeMap<String, Value>,
    body: Option<(jsonschema::Validator, Vec<String>)>,
}

fn operations() -> &'static [Operation] {
    static ALL: OnceLock<Vec<Operation>> = OnceLock::new();
    ALL.get_or_init(|| {
        let slice: Value = serde_json::from_str(SLICE).unwrap();
        let mut all = Vec::new();
        for (template, methods) in slice["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                all.push(read(&slice, template, method, operation));
            }
        }
        all
    })
}

fn read(slice: &Value, template: &str, method: &str, operation: &Value) -> Operation {
    let resolve = |parameter: &Value| match parameter["$ref"].as_str() {
        Some(name) => slice.pointer(name.trim_start_matches('#')).unwrap().clone(),
        None => parameter.clone(),
    };
    let parameters = operation["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(resolve);
    let query = parameters
        .filter(|parameter| parameter["in"] == "query")
        .map(|parameter| {
            (
                parameter["name"].as_str().unwrap().to_owned(),
                parameter["schema"].clone(),
            )
        });
    let schema = operation
        .pointer("/requestBody/content/application~1json/schema")
        .cloned();
    let body = schema.map(|mut schema| {
        nullable(&mut schema);
        let mut names = Vec::new();
        properties(&schema, &mut names);
        (jsonschema::validator_for(&schema).unwrap(), names)
    });
    Operation {
        template: template.split('/').map(str::to_owned).collect(),
        method: method.to_uppercase(),
        query: query.collect(),
        body,
    }
}

/// OpenAPI 3.0 says `nullable` where JSON Schema lists `null`.
fn nullable(schema: &mut Value) {
    if let Value::Object(object) = schema {
        if object.get("nullable") == Some(&Value::Bool(true))
            && let Some(Value::String(kind)) = object.get("type").cloned()
        {
            object.insert("type".into(), serde_json::json!([kind, "null"]));
        }
        object.values_mut().for_each(nullable);
    } else if let Value::Array(items) = schema {
        items.iter_mut().for_each(nullable);
    }
}

/// The names that a body may have: a schema that lists some forbids no others, and a misspelt one would go unnoticed.
fn properties(schema: &Value, names: &mut Vec<String>) {
    if let Some(object) = schema["properties"].as_object() {
        names.extend(object.keys().cloned());
    }
    for part in ["oneOf", "anyOf", "allOf"] {
        for schema in schema[part].as_array().into_iter().flatten() {
            properties(schema, names);
        }
    }
}

/// What is wrong with a request, if anything is.
pub(super) fn violation(
    method: &str,
    path: &str,
    query: &str,
    body: Option<&Value>,
) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |operation: &&Operation| {
        let same = |(is, wanted): (&&str, &String)| {
            wanted.starts_with('{') && !is.is_empty() || is == wanted
        };
        operation.method == method
            && operation.template.len() == parts.len()
            && parts.iter().zip(&operation.template).all(same)
    };
    // A literal part goes before a parameter.
    let found = operations().iter().filter(fits).min_by_key(|operation| {
        operation
            .template
            .iter()
            .filter(|part| part.starts_with('{'))
            .count()
    });
    let Some(operation) = found else {
        return Some(format!("no such operation: {method} {path}"));
    };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match operation.query.get(name) {
            None => return Some(format!("{method} {path} takes no {name}")),
            Some(schema) if schema["type"] == "integer" && value.parse::<u64>().is_err() => {
                return Some(format!("{name}={value} is no integer"));
            }
            Some(_) => {}
        }
    }
    match (&operation.body, body) {
        (Some((validator, names)), Some(body)) => {
            let unknown = body
                .as_object()
                .and_then(|body| body.keys().find(|key| !names.contains(key)).cloned());
            let unknown = unknown.map(|key| format!("{method} {path} has no field {key}"));
            unknown.or_else(|| {
                validator
                    .validate(body)
                    .err()
                    .map(|error| format!("{method} {path}: {error}"))
            })
        }
        (None, Some(body)) if !body.is_null() => Some(format!("{method} {path} takes no body")),
        _ => None,
    }
}

#[test]
fn requests_that_do_not_fit_are_found() {
    let wrong = |method, path: &str, query, body: Value| {
        violation(method, path, query, Some(&body).filter(|b| !b.is_null()))
    };
    let comments = "/repos/o/r/issues/1/comments";
    assert_eq!(
        wrong("POST", comments, "", serde_json::json!({ "body": "x" })),
        None
    );
    assert_eq!(
        wrong("GET", comments, "per_page=100&page=2", Value::Null),
        None
    );
    for (method, path, query, body) in [
        ("POST", comments, "", serde_json::json!({})),
        (
            "POST",
            comments,
            "",
            serde_json::json!({ "body": "x", "extra": 1 }),
        ),
        ("GET", comments, "pages=1", Value::Null),
        ("GET", comments, "page=x", Value::Null),
        ("PUT", comments, "", Value::Null),
        (
            "POST",
            "/repos/o/r/pulls/1/reviews",
            "",
            serde_json::json!({ "event": "LIKE" }),
        ),
    ] {
        assert!(
            wrong(method, path, query, body.clone()).is_some(),
            "{method} {path} {query} {body}"
        );
    }
}
