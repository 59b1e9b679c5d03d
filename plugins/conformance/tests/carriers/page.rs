//! `docs/backends.md`: every example in it is parsed, compiled or run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use council_conformance::{Candidate, ScenarioOutcome};
use council_protocol::message::Manifest;
use council_protocol::{Answer, Capability, Event, FailureKind, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::support::{builtin, compile_file, conforms, in_library, in_process, load};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("docs/backends.md")).unwrap()
}

/// The fenced blocks whose opening line is exactly this.
fn blocks(page: &str, info: &str) -> Vec<String> {
    let opening = format!("\n```{info}\n");
    let parts = page.split(&opening).skip(1);
    parts
        .map(|part| part.split("\n```").next().unwrap().to_owned() + "\n")
        .collect()
}

fn lines(page: &str, info: &str) -> Vec<String> {
    blocks(page, info)
        .iter()
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Parses an example and requires that nothing in it is unknown.
fn parsed<T: DeserializeOwned + Serialize>(line: &str) -> T {
    let value: T = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let (given, known) = (
        serde_json::from_str(line).unwrap(),
        serde_json::to_value(&value).unwrap(),
    );
    covers(&known, &given, line);
    value
}

/// Everything in `given` stands in `known` too.
fn covers(known: &Value, given: &Value, line: &str) {
    match (known, given) {
        (Value::Object(known), Value::Object(given)) => {
            for (key, value) in given {
                // A manifest's line says that it is one; the type does not.
                if key != "type" {
                    covers(
                        known
                            .get(key)
                            .unwrap_or_else(|| panic!("`{key}` is unknown: {line}")),
                        value,
                        line,
                    );
                }
            }
        }
        (known, given) => assert_eq!(known, given, "{line}"),
    }
}

fn types(lines: &[String]) -> BTreeSet<String> {
    let of = |line: &String| {
        serde_json::from_str::<Value>(line).unwrap()["type"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    lines.iter().map(of).collect()
}

#[test]
fn every_json_example_parses_and_every_message_has_one() {
    let page = page();
    let (requests, events) = (lines(&page, "json request"), lines(&page, "json event"));
    requests
        .iter()
        .for_each(|line| drop(parsed::<Request>(line)));
    for line in &events {
        assert_ne!(parsed::<Event>(line), Event::Unknown, "{line}");
    }
    lines(&page, "json manifest")
        .iter()
        .for_each(|line| drop(parsed::<Manifest>(line)));
    lines(&page, "json answer")
        .iter()
        .for_each(|line| drop(parsed::<Answer>(line)));
    let all = [
        "manifest", "open", "spawn", "send", "cancel", "shutdown", "close",
    ]
    .map(str::to_owned);
    assert_eq!(types(&requests), BTreeSet::from(all));
    let all = [
        "opened", "probed", "started", "answered", "failed", "ended", "error", "closed",
    ]
    .map(str::to_owned);
    assert_eq!(types(&events), BTreeSet::from(all));
    let known: usize = ["request", "event", "manifest", "answer"]
        .iter()
        .map(|kind| blocks(&page, &format!("json {kind}")).len())
        .sum();
    assert_eq!(
        page.matches("\n```json").count(),
        known,
        "a block of JSON says what it is"
    );
}

#[test]
fn the_tables_name_every_capability_and_only_real_failures() {
    let page = page();
    for capability in Capability::known() {
        assert!(
            page.contains(&format!("\n| `{capability}` |")),
            "{capability}"
        );
    }
    let table = page
        .split("| failure | is |")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let mut names = 0;
    for name in table
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| *name != "max_answer_bytes")
    {
        let kind: FailureKind = serde_json::from_value(Value::from(name)).unwrap();
        assert_eq!(kind.to_string(), name);
        names += 1;
    }
    assert_eq!(names, 15);
}

#[test]
fn the_first_backend_conforms_as_it_stands() {
    if std::process::Command::new("python3")
        .arg("-V")
        .output()
        .is_err()
    {
        println!("SKIPPED: no python3 was found, the first backend of the page is not tried");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("first.py");
    fs::write(&file, &blocks(&page(), "python")[0]).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let make = || in_process(&file, &Value::Null);
    let table = conforms(&Candidate::new("the page's first backend", make, builtin()));
    assert_eq!(
        table.outcome_of("messages in order"),
        Some(&ScenarioOutcome::Passed)
    );
}

/// The suite is worth something only if it can fail: the same backend with two faults.
#[test]
fn the_first_backend_with_faults_does_not_conform() {
    if std::process::Command::new("python3")
        .arg("-V")
        .output()
        .is_err()
    {
        println!("SKIPPED: no python3 was found, the faulty backend is not tried");
        return;
    }
    let right = blocks(&page(), "python")[0].clone();
    for (good, bad, scenario) in [
        (
            r#""key": turn["key"]"#,
            r#""key": "other""#,
            "one judge, one answer",
        ),
        (r#"emit("closed")"#, r#"emit("closed"); emit("closed")"#, ""),
        (r#""graceful""#, r#""forced""#, "idle judge ends"),
    ] {
        assert!(right.contains(good), "{good}");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("wrong.py");
        fs::write(&file, right.replace(good, bad)).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let make = || in_process(&file, &Value::Null);
        let table = council_conformance::run_scenarios(&Candidate::new("wrong", make, builtin()));
        // What a carrier mends is no fault that the program sees.
        let failed = matches!(table.outcome_of(scenario), Some(ScenarioOutcome::Failed(_)));
        assert_eq!(failed, !scenario.is_empty(), "{bad}: {table}");
        assert_eq!(table.passed(), scenario.is_empty(), "{bad}: {table}");
    }
}

#[test]
fn the_smallest_library_loads_opens_and_closes() {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("smallest.c");
    fs::write(&source, &blocks(&page(), "c")[0]).unwrap();
    let Some(path) = compile_file(&source, &[], dir.path()) else {
        return;
    };
    let mut session = crate::support::Session::open(in_library(load(&path)), Default::default());
    session.spawn("a", 100);
    assert_eq!(session.failed("a").kind, FailureKind::Unsupported);
    session.backend.close().unwrap();
    assert_eq!(
        session.rest(std::time::Duration::from_millis(50)),
        [Event::Closed]
    );
}

#[test]
fn every_link_leads_somewhere() {
    for target in page()
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap().to_owned())
    {
        assert!(root().join("docs").join(&target).exists(), "{target}");
    }
}
