//! Committed schemas, examples and tables are what the program says today.
//!
//! `COUNCIL_UPDATE_DOCS=1 cargo test --test integration schemas` writes schemas and examples anew.

use std::fs;
use std::path::PathBuf;

use git_council::inside::report::{GatePolicy, json};
use serde_json::Value;

use crate::harness::Repo;

const FORMATS: [&str; 6] = [
    "answer",
    "backend-event",
    "backend-request",
    "config",
    "packet",
    "report",
];

fn docs(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(path)
}

/// The text of a document, written anew first when that is asked for.
fn document(path: &str, current: &str) -> String {
    if std::env::var_os("COUNCIL_UPDATE_DOCS").is_some() {
        fs::write(docs(path), current).unwrap();
    }
    fs::read_to_string(docs(path)).unwrap()
}

#[test]
fn the_schemas_are_current() {
    let home = Repo::home();
    for format in FORMATS {
        let printed = home.council(["schema", format]).ends(0).stdout.clone();
        let path = format!("schemas/{format}.schema.json");
        let committed: Value = serde_json::from_str(&document(&path, &printed)).unwrap();
        let printed: Value = serde_json::from_str(&printed).unwrap();
        // Both are long: the tree's own diff shows more than they would here.
        assert!(
            committed == printed,
            "docs/{path} is out of date: set COUNCIL_UPDATE_DOCS=1 and run this test again"
        );
    }
}

#[test]
fn the_example_report_is_current_and_fits_its_schema() {
    let path = "examples/report.json";
    let report = json::parse(&fs::read_to_string(docs(path)).unwrap()).unwrap();
    let rendered = json::render(&report, GatePolicy::default());
    let text = document(path, &rendered);
    assert_eq!(
        rendered, text,
        "docs/{path} is out of date: set COUNCIL_UPDATE_DOCS=1 and run this test again"
    );
    let schema = json::schema();
    let validator = jsonschema::validator_for(schema.as_value()).unwrap();
    let value = serde_json::from_str(&text).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}

/// The words of an enumeration of the report's schema.
fn words(name: &str) -> Vec<String> {
    let schema = json::schema();
    let variants = schema.as_value()["$defs"][name]["oneOf"]
        .as_array()
        .unwrap();
    let words = variants
        .iter()
        .map(|v| v["const"].as_str().unwrap().to_owned());
    words.collect()
}

#[test]
fn every_verdict_reason_and_conclusion_is_documented() {
    let page = fs::read_to_string(docs("report.md")).unwrap();
    for name in ["Verdict", "VerdictReason", "Disposition", "CheckConclusion"] {
        let words = words(name);
        assert!(words.len() >= 4, "{name}");
        for word in words {
            assert!(
                page.contains(&format!("`{word}`")),
                "docs/report.md does not explain {word} of {name}"
            );
        }
    }
}
