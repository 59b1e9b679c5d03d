//! What a judge repeats of a secret leaves in none of the forms that SECURITY.md names, by no exit.

use std::path::Path;

use serde_json::json;

use crate::harness::{FORMATS, Repo};
use crate::programs::with_judge;
use crate::secrets::{REPEATS, all_files};

/// A password in an address of the old side, and a value of a file of settings.
const VALUES: [&str; 2] = ["tr0ub4dor", "Zk7-pass&word9"];

fn each_letter(value: &str, write: impl Fn(char) -> String) -> String {
    value.chars().map(write).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).flat_map(|group| {
        let sum = (0..3).fold(0_u32, |sum, at| {
            sum << 8 | u32::from(*group.get(at).unwrap_or(&0))
        });
        (0..=group.len()).map(move |at| char::from(DIGITS[(sum >> (18 - 6 * at) & 63) as usize]))
    });
    groups.collect()
}

/// The forms of a value: each is one text, or two fields of a finding that follow each other.
fn forms(value: &str) -> Vec<(String, String)> {
    let hex = |c: char| format!("{:02x}", c as u32);
    let base64 = |text: String| base64(text.as_bytes());
    let (begin, end) = value.split_at(value.len() / 2);
    let letters: Vec<String> = value.chars().map(String::from).collect();
    let one = |text: String| (text, String::new());
    vec![
        one(value.to_owned()),
        one(value.to_uppercase()),
        one(each_letter(value, |c| format!("%{}", hex(c)))),
        one(each_letter(value, |c| format!("\\x{}", hex(c)))),
        one(each_letter(value, |c| format!("\\u00{}", hex(c)))),
        one(each_letter(value, hex)),
        one(base64(value.to_owned())),
        one(base64(format!("a{value}"))),
        one(base64(format!("ab{value}c"))),
        one(letters.join(" ")),
        one(letters.join("-")),
        one(value.chars().rev().collect()),
        one(value[1..].to_owned()),
        one(value[..value.len() - 1].to_owned()),
        one(format!("{begin}\n{end}")),
        (begin.to_owned(), end.to_owned()),
    ]
}

fn told() -> Vec<(String, String)> {
    VALUES.iter().flat_map(|value| forms(value)).collect()
}

/// A judge that repeats each form in a finding of its own.
fn with_repeating_judge() -> Repo {
    let finding = |(number, (first, second)): (usize, (String, String))| {
        let line = number + 1;
        json!({
            "severity": "critical", "category": format!("kind-{number}"), "fix": "f", "quote": format!("let a = {line};"),
            "location": {"path": "src/all.rs", "line": line}, "description": format!("It was {first}"),
            "why": if second.is_empty() { "It is told.".to_owned() } else { format!("{second} it goes on.") },
        })
    };
    let findings: Vec<_> = told().into_iter().enumerate().map(finding).collect();
    let count = findings.len();
    let answer = json!({
        "schema_version": 1, "round": 1, "key": "@KEY@", "verdict": "FAIL", "confidence": "HIGH",
        "key_insight": "Passwords are told.", "findings": findings, "recommendation": "Revoke them.",
    });
    let repo = with_judge(&REPEATS.replace("src/all.txt", "src/all.rs"), "");
    repo.git(["config", "--global", "council.notes.write", "true"]);
    // A program that reads it finds `\\x41` in its JSON as `\\\\x41`, and sed takes none of the backslashes away.
    std::fs::write(
        repo.in_home("marks/answer.json"),
        format!("```json\n{answer}\n```\n"),
    )
    .unwrap();
    repo.write(
        "src/old.rs",
        format!(
            "const URL: &str = \"postgres://app:{}@db.internal/x\";\n",
            VALUES[0]
        ),
    );
    repo.write(".env", format!("APP_PASSWORD={}\n", VALUES[1]));
    repo.commit("Old");
    repo.write("src/old.rs", "// Nothing.\n");
    repo.write(".env", "APP_PASSWORD=\n");
    let lines = (1..=count).map(|line| format!("let a = {line};\n"));
    repo.write("src/all.rs", lines.collect::<String>());
    repo.commit("New");
    repo
}

#[test]
fn no_form_of_a_known_value_leaves_by_any_exit() {
    let repo = with_repeating_judge();
    let mut exits: Vec<(&str, String)> = Vec::new();
    for format in FORMATS {
        let run = repo
            .council(["review", "HEAD", "-v", "--format", format])
            .ends(1);
        exits.push((format, run.stdout + &run.stderr));
    }
    let events = repo.in_home("events.jsonl").display().to_string();
    repo.council(["review", "HEAD", "--no-save", "--events", &events])
        .ends(1);
    exits.push(("events", std::fs::read_to_string(&events).unwrap()));
    exits.push(("reports", all_files(&repo.path().join(".agents"))));
    let bundle = repo.in_home("run.json").display().to_string();
    let args = ["replay", "--bundle", &bundle, "--answers", "--prompts"];
    exits.push(("replay", repo.council_with(&[], &args).ends(1).stdout));
    exits.push((
        "bundle",
        std::fs::read_to_string(Path::new(&bundle)).unwrap(),
    ));
    exits.push(("note", crate::verdict_notes::all_notes(&repo)));
    for (exit, text) in &exits {
        // A bundle holds answers as they came, whose fields are not read together.
        let is_read = |second: &String| second.is_empty() || *exit != "bundle";
        for (first, second) in told().into_iter().filter(|(_, second)| is_read(second)) {
            // A form that is cut in two fields begins one and ends the other.
            let parts = [format!("It was {first}"), format!("{second} it goes on")];
            let parts = if second.is_empty() {
                vec![first]
            } else {
                parts.to_vec()
            };
            for part in parts {
                let in_json = part.replace('\\', "\\\\").replace('\n', "\\n");
                let is_shown = text.contains(&part) || text.contains(&in_json);
                assert!(!is_shown, "{exit} shows {part:?}:\n{text}");
            }
        }
    }
}
