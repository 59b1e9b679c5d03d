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

/// A pull request with the finding, reviewed once.
fn found() -> Stage {
    let stage = Stage::new();
    seat_two(&stage);
    let may_write = ("bob".to_owned(), "write");
    stage.hub.state().permissions.extend([may_write]);
    stage.propose(1, &[("a.py", CODE)]);
    let_say(&stage, "ash", Some(ASH), "a.py");
    let_say(&stage, "elm", Some(ELM), "a.py");
    stage.council(&ARGS);
    for name in ["ash", "elm"] {
        let_say(&stage, name, None, "a.py");
    }
    stage
}

/// Pushes these files, has them reviewed, and gives back what people read.
fn after_push(stage: &Stage, files: &[(&str, &str)]) -> String {
    stage.add(1, files);
    stage.council(&ARGS);
    let told = report(stage);
    stage.requests();
    told
}

const DISMISS: &str = "/council dismiss because the form refuses an empty list";

#[test]
fn a_dismissal_holds_whatever_a_judge_calls_its_finding_and_ends_with_the_code() {
    let stage = found();
    say(&stage, "bob", DISMISS);
    // The run that reads the reply first hears one of them again.
    let_say(&stage, "ash", Some((ASH.0, ELM.1)), "a.py");
    let more = format!("{CODE}{BELOW}");
    let told = after_push(&stage, &[("a.py", &more)]);
    assert!(
        told.contains("# PASS") && told.contains("1 dismissed"),
        "{told}"
    );
    let other = more.replace("def mean", "def average");
    let told = after_push(&stage, &[("a.py", &other)]);
    assert!(told.contains("the code around it has changed"), "{told}");
}

#[test]
fn a_dismissal_of_what_had_been_moved_before_holds() {
    let stage = found();
    stage.repo.git(["checkout", "--quiet", "topic-1"]);
    stage.repo.git(["mv", "a.py", "b.py"]);
    let told = after_push(&stage, &[("other.md", "one\n")]);
    assert!(told.contains("1 still open"), "{told}");
    say(&stage, "bob", DISMISS);
    for text in ["two\n", "three\n"] {
        let told = after_push(&stage, &[("other.md", text)]);
        assert!(
            told.contains("# PASS") && told.contains("dismissed"),
            "{told}"
        );
    }
}

/// As it was, what comes back is dismissed still, and told; among other lines, or once the dismissal is taken back, it counts.
#[test]
fn what_was_dismissed_and_mended_comes_back() {
    for is_undone in [false, true] {
        let stage = found();
        say(&stage, "bob", DISMISS);
        let told = after_push(&stage, &[("a.py", "def mean(items):\n    return 0\n")]);
        assert!(told.contains("# PASS"), "{told}");
        // With another file beside it, the change is none that was judged before.
        let back = [("a.py", CODE), ("other.md", "one\n")];
        if is_undone {
            say(&stage, "bob", "/council undo");
            let told = after_push(&stage, &back);
            assert!(told.contains("1 came back"), "{told}");
        } else {
            let told = after_push(&stage, &back);
            assert!(
                told.contains("# PASS") && told.contains("dismissed"),
                "{told}"
            );
            let other = CODE.replace("def mean", "def average");
            let told = after_push(&stage, &[("a.py", &other)]);
            assert!(told.contains("the code around it has changed"), "{told}");
        }
    }
}
