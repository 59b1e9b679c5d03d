//! A finding about a line that no hunk of the change has: it is shown as it stands in the file, at the terminal and on the
//! page, whether what was reviewed is committed or not.

use crate::harness::Repo;
use crate::programs::{answer, with_judge};

const FINDING: &str = r#"{"severity": "critical", "category": "bug", "description": "It runs first.",
 "location": {"path": "src/long.rs", "line": 2}, "quote": "one1();", "why": "w", "fix": "f"}"#;

/// Functions of three lines, the last of which calls this.
fn long_file(last: &str) -> String {
    let function = |n: u32| format!("fn f{n}() {{\n    one{n}();\n}}\n");
    let all: String = (1..20).map(function).collect();
    format!("{all}fn last() {{\n    {last}();\n}}\n")
}

fn reviewed(target: &[&str]) -> Repo {
    let repo = with_judge(&answer("FAIL", FINDING), "");
    repo.write("src/long.rs", long_file("one"));
    repo.commit("Long");
    repo.write("src/long.rs", long_file("other"));
    match target {
        ["--worktree"] => {}
        ["--staged"] => drop(repo.git(["add", "."])),
        _ => drop(repo.commit("Change")),
    }
    let args = [&["review", "--agents", "helper"][..], target].concat();
    let shown = repo.council_with(&[], &args).stdout;
    assert!(shown.contains(" 2 |     one1();"), "{target:?}: {shown}");
    repo
}

fn page(repo: &Repo) -> String {
    repo.council(["show", "--format", "html"]).stdout
}

#[test]
fn a_line_beside_the_change_is_shown_as_it_stands_in_the_file() {
    for target in [&["HEAD"][..], &["--worktree"], &["--staged"]] {
        let repo = reviewed(target);
        let shown = page(&repo);
        assert!(shown.contains("    <mark>one1();"), "{target:?}: {shown}");
        for around in ["fn f1() {", "fn f2() {"] {
            assert!(shown.contains(around), "{target:?} {around}: {shown}");
        }
    }
}

/// What was edited since is not what was reviewed: the quote stands there alone.
#[test]
fn a_file_that_was_edited_since_is_not_shown_as_the_one_that_was_reviewed() {
    for target in ["--worktree", "--staged"] {
        let repo = reviewed(&[target]);
        let edited = format!("// New.\n// Newer.\n{}", long_file("other"));
        repo.write("src/long.rs", &edited);
        repo.git(["add", "."]);
        let shown = page(&repo);
        assert!(shown.contains("<mark>one1();"), "{shown}");
        assert!(!shown.contains("// Newer."), "{target}: {shown}");
        assert!(!shown.contains("    <mark>one1();"), "{target}: {shown}");
    }
}
