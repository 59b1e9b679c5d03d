//! Committed schemas, examples and tables are what the program says today.
//!
//! `COUNCIL_UPDATE_DOCS=1 cargo test --test integration schemas` writes schemas and examples anew.

use std::fs;
use std::path::PathBuf;

use council_protocol::{Answer, Event, Packet, Request};
use git_council::inside::config::config_schema;
use git_council::inside::report::{GatePolicy, json};
use schemars::schema_for;
use serde_json::Value;

use crate::harness::Repo;

/// The schemas as the types have them.
fn generated() -> [(&'static str, Value); 6] {
    [
        ("answer", schema_for!(Answer).to_value()),
        ("backend-event", schema_for!(Event).to_value()),
        ("backend-request", schema_for!(Request).to_value()),
        ("config", config_schema()),
        ("packet", schema_for!(Packet).to_value()),
        ("report", json::schema().to_value()),
    ]
}

fn is_updating() -> bool {
    std::env::var_os("COUNCIL_UPDATE_DOCS").is_some()
}

fn docs(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(path)
}

/// The text of a document, written anew first when that is asked for.
fn document(path: &str, current: &str) -> String {
    if is_updating() {
        fs::write(docs(path), current).unwrap();
    }
    fs::read_to_string(docs(path)).unwrap()
}

#[test]
fn the_schemas_are_current() {
    let home = Repo::home();
    for (format, schema) in generated() {
        let path = format!("schemas/{format}.schema.json");
        let text = document(&path, &format!("{schema:#}\n"));
        // Both are long: the tree's own diff shows more than they would here.
        assert!(
            serde_json::from_str::<Value>(&text).unwrap() == schema,
            "docs/{path} is out of date: set COUNCIL_UPDATE_DOCS=1 and run this test again"
        );
        // The program has the texts built in: what was written just now is printed by the next build.
        let printed = home.council(["schema", format]).ends(0).stdout.clone();
        assert!(
            is_updating() || printed == text,
            "`schema {format}` prints another text"
        );
    }
}

/// Whoever reads a schema may write in any language: a description names fields and values, not parts of this program.
#[test]
fn no_schema_speaks_of_this_programs_code() {
    let code = regex::Regex::new(r"\[`|::|`[A-Z][a-z][A-Za-z]*`|Array_of").unwrap();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(docs("schemas")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let named = text
            .lines()
            .enumerate()
            .filter(|(_, line)| code.is_match(line));
        wrong.extend(named.map(|(at, line)| format!("{}:{}: {line}", path.display(), at + 1)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
