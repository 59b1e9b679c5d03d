//! What holds for every renderer.

use super::{
    Gate, Look, Report, Verbosity, json, judge, markdown, rdjson, samples, sarif, story, terminal,
};
use crate::text;

fn looks() -> [(&'static str, Look); 3] {
    let look = Look::default();
    [
        (
            "quiet",
            Look {
                verbosity: Verbosity::Quiet,
                ..look
            },
        ),
        ("normal", look),
        (
            "verbose",
            Look {
                verbosity: Verbosity::Verbose,
                width: 80,
                ..look
            },
        ),
    ]
}

#[test]
fn terminal() {
    for (name, report) in samples::all() {
        let text = terminal::render(&report, Look::default());
        insta::assert_snapshot!(format!("terminal_{name}"), text);
    }
}

#[test]
fn markdown() {
    for (name, report) in samples::all() {
        let text = markdown::render(&report, markdown::Options::default());
        insta::assert_snapshot!(format!("markdown_{name}"), text);
    }
}

#[test]
fn story() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("story_{name}"),
            story::render(&report, Look::default())
        );
    }
}

#[test]
fn sarif() {
    for (name, report) in samples::all() {
        if ["fail", "inconclusive", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(format!("sarif_{name}"), sarif::render(&report));
        }
    }
}

#[test]
fn rdjson() {
    for (name, report) in samples::all() {
        if ["pass", "fail", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(format!("rdjson_{name}"), rdjson::render(&report));
        }
    }
}

#[test]
fn judge_files() {
    let (seat, answers) = samples::answers();
    for answer in answers {
        let file = judge::render(&seat, answer.round, &answer);
        assert!(file.starts_with("```json\n{\n"), "{file}");
        assert_eq!(judge::parse(&file), Some(answer.clone()));
        insta::assert_snapshot!(format!("judge_r{}", answer.round), file);
    }
}

#[test]
fn a_terminal_without_colour_gets_no_escapes_and_keeps_its_width() {
    for (name, report) in samples::all() {
        for (look_name, look) in looks() {
            for line in terminal::render(&report, look).lines() {
                assert!(
                    !line.chars().any(text::is_hidden),
                    "{name} {look_name}: {line:?}"
                );
                let named = line.contains("src/db.rs") || line.contains("src/server.rs");
                assert!(
                    text::width(line) <= if named { 400 } else { look.width },
                    "{name} {look_name}: {line}"
                );
                assert!(
                    !line.trim_start().starts_with("::") && !line.contains("##["),
                    "{name}: {line}"
                );
            }
        }
    }
}

#[test]
fn json_is_read_back_and_hides_nothing() {
    for (name, report) in samples::all() {
        let text = json::render(&report, Gate::default());
        assert!(
            !text.chars().any(|c| c != '\n' && text::is_hidden(c)),
            "{name}"
        );
        let again: Report = json::parse(&text).unwrap();
        assert_eq!(again, report, "{name}");
    }
}

#[test]
fn json_follows_its_schema() {
    let schema = json::schema().to_value();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, report) in samples::all() {
        let value = serde_json::from_str(&json::render(&report, Gate::default())).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn json_of_another_version_is_refused() {
    let text = json::render(&samples::pass(), Gate::default())
        .replace("\"schema_version\": 1", "\"schema_version\": 2");
    let error = json::parse(&text).unwrap_err().to_string();
    assert!(error.contains("schema version 2"), "{error}");
}
