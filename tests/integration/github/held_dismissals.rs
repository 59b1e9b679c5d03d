//! A dismissal holds as long as the code that its author has read stays as it is, whatever became of the finding before, and
//! whatever its judges call it afterwards.

use std::fs;

use serde_json::json;

use super::conversations::say;
use super::stage::Stage;
use crate::programs::answer;

const ARGS: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check,review"];

const CODE: &str = "def mean(items):\n    s = sum(items)\n    return s / len(items)\n";
const BELOW: &str = "\n\n\n\n\n\ndef last(items):\n    return items[-1:]\n";

/// What happens before somebody dismisses the finding.
#[derive(Debug, Clone, Copy)]
enum Before {
    Nothing,
    Moved,
    Edited,
}

/// Who speaks of it afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nobody; the push is about another file.
    Nobody,
    /// One of its judges, word for word, as the file is shown again.
    SameWords,
    /// One of its judges, in the words of the other one.
    OtherCategory,
}

/// Each judge's words and category, about one line: one finding.
const ASH: (&str, &str) = ("An empty list divides by zero here.", "error");
const ELM: (&str, &str) = ("Division by zero when items is empty.", "edge-case");

fn seat_two(stage: &Stage) {
    let agents = ["ash", "elm"].map(|name| {
        let script = stage.file(&format!("{name}.sh"));
        format!(
            "[agents.{name}]\ndriver = 'command'\ncommand = ['/bin/sh', '{}']\nmodel = '{name}'\n",
            script.display()
        )
    });
    let config = agents.concat();
    let file = ".config/git-council/config.toml";
    stage.repo.write_home(file, &config);
}

/// What a judge says from now on; nothing: PASS.
fn let_say(stage: &Stage, name: &str, said: Option<(&str, &str)>, path: &str) {
    let finding = said.map(|(words, category)| {
        json!({ "severity": "significant", "category": category, "description": words,
            "location": { "path": path, "line": 3 }, "quote": "    return s / len(items)",
            "why": "w", "fix": "f" })
        .to_string()
    });
    let script = match finding {
        Some(finding) => answer("FAIL", &finding),
        None => answer("PASS", ""),
    };
    let script = format!("#!/bin/sh\n{script}\n");
    fs::write(stage.file(&format!("{name}.sh")), script).unwrap();
}

fn report(stage: &Stage) -> String {
    stage.reports(1)[0].body.clone()
}

#[test]
fn a_dismissal_holds_until_the_code_around_it_changes() {
    // Each of both once: a case is five reviews.
    let cases = [
        (Before::Nothing, After::OtherCategory),
        (Before::Moved, After::SameWords),
        (Before::Edited, After::Nobody),
    ];
    for (before, after) in cases {
        let told = format!("{before:?}, {after:?}");
        let stage = Stage::new();
        seat_two(&stage);
        let permissions = &mut stage.hub.state().permissions;
        permissions.insert("bob".into(), "write");
        stage.propose(1, &[("a.py", CODE)]);
        let_say(&stage, "ash", Some(ASH), "a.py");
        let_say(&stage, "elm", Some(ELM), "a.py");
        stage.council(&ARGS);
        for name in ["ash", "elm"] {
            let_say(&stage, name, None, "a.py");
        }
        let (path, code) = match before {
            Before::Nothing => ("a.py", CODE.to_owned()),
            Before::Moved => {
                stage.repo.git(["checkout", "--quiet", "topic-1"]);
                stage.repo.git(["mv", "a.py", "b.py"]);
                ("b.py", CODE.to_owned())
            }
            Before::Edited => ("a.py", CODE.replace("sum(items)", "sum(items, 0)")),
        };
        stage.add(1, &[(path, &code), ("other.md", "one\n")]);
        stage.council(&ARGS);
        assert!(
            report(&stage).contains("still open"),
            "{told}: {}",
            report(&stage)
        );
        say(
            &stage,
            "bob",
            "/council dismiss because the form refuses an empty list",
        );
        stage.add(1, &[("other.md", "two\n")]);
        stage.council(&ARGS).ends(0);
        assert!(
            report(&stage).contains("1 dismissed"),
            "{told}: {}",
            report(&stage)
        );
        let said = match after {
            After::Nobody => None,
            After::SameWords => Some(ASH),
            After::OtherCategory => Some((ASH.0, ELM.1)),
        };
        let_say(&stage, "ash", said, path);
        let shown = format!("{code}{BELOW}");
        let push = match after {
            After::Nobody => ("other.md", "three\n"),
            _ => (path, shown.as_str()),
        };
        stage.add(1, &[push]);
        stage.council(&ARGS).ends(0);
        assert!(
            !report(&stage).contains("came back"),
            "{told}: {}",
            report(&stage)
        );
        stage.add(1, &[(path, &shown.replace("def mean", "def average"))]);
        stage.council(&ARGS);
        let lapsed = "the code around it has changed";
        assert!(
            report(&stage).contains(lapsed),
            "{told}: {}",
            report(&stage)
        );
        stage.requests();
    }
}
