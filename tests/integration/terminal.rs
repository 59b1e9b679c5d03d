//! What a stranger meets first: help, version, mistakes.

use std::process::Stdio;

use crate::harness::Repo;

#[test]
fn help_and_version_are_no_errors() {
    let home = Repo::home();
    home.council(["--version"]).ends(0).prints(concat!(
        "git council ",
        env!("CARGO_PKG_VERSION"),
        "\n"
    ));
    let run = home.council(["--help"]).ends(0).prints("Exit codes:");
    assert!(run.stderr.is_empty());
    home.council([]).ends(2).tells("Usage: git council");
}

#[test]
fn a_mistake_ends_with_two_and_says_what_to_do() {
    let home = Repo::home();
    home.council(["confgi"]).ends(2).tells("'config'");
    home.council(["config", "-C", "nowhere"])
        .ends(2)
        .tells("nowhere is not a directory");
    home.council(["explain", "new-unwarp"])
        .ends(2)
        .tells("hint: did you mean `new-unwrap`?");
}

#[test]
fn a_mistyped_flag_is_not_taken_for_a_path() {
    let home = Repo::home();
    let run = home
        .council(["review", "--debte"])
        .ends(2)
        .tells("--debate");
    assert!(!run.stderr.contains("-- --debte"), "{}", run.stderr);
}

#[test]
fn help_begins_with_what_to_start_with_and_hides_the_plumbing() {
    let home = Repo::home();
    let help = home
        .council(["--help"])
        .ends(0)
        .prints("Start here:\n  review");
    assert!(!help.stdout.contains("completions"), "{}", help.stdout);
    home.council(["help", "--all"]).ends(0).prints("Plumbing:");
    home.council(["--help", "--all"])
        .ends(0)
        .prints("completions");
}

#[test]
fn what_programs_read_fits_its_schema() {
    let repo = Repo::with_base();
    repo.council(["review", "HEAD"]).ends(0);
    for (schema, command) in [
        ("status", &["status", "--json"][..]),
        ("config-values", &["config", "--json"]),
        ("cache", &["cache", "show", "--json"]),
        ("agents", &["agents", "--json"]),
        ("log", &["log", "--json"]),
        ("hook-status", &["hook", "status", "--json"]),
        ("doctor", &["doctor", "--json"]),
    ] {
        let schema = repo.council(["schema", schema]).ends(0).stdout;
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        let printed = repo.council_with(&[], command).stdout;
        let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert!(
            jsonschema::is_valid(&schema, &printed),
            "{command:?}: {printed}"
        );
    }
}

#[test]
fn completions_work_in_the_shells_that_are_here() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/completions.sh");
    let tried = std::process::Command::new("bash")
        .args([script, env!("CARGO_BIN_EXE_git-council"), "--if-present"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tried.stderr);
    eprint!("{said}");
    assert!(tried.status.success(), "{said}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = Repo::home();
    let mut command = home.program(&home.path());
    let mut child = command
        .args(["config", "--keys"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn colour_is_for_those_who_ask() {
    let home = Repo::home();
    let run = home
        .council(["--color", "always", "explain", "nothing"])
        .ends(2);
    assert!(run.stderr.contains("\u{1b}["));
    let run = home.council(["explain", "nothing"]).ends(2);
    assert!(!run.stderr.contains("\u{1b}["));
}

#[test]
fn every_schema_is_one() {
    let home = Repo::home();
    for format in [
        "report",
        "answer",
        "packet",
        "config",
        "events",
        "log",
        "status",
        "cache",
        "agents",
        "doctor",
        "hook-status",
    ] {
        let run = home.council(["schema", format]).ends(0);
        let schema: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(jsonschema::meta::is_valid(&schema), "{format}");
        jsonschema::validator_for(&schema).unwrap();
    }
}

#[test]
fn every_rule_is_explained() {
    let home = Repo::home();
    let list = home.council(["explain"]).ends(0).stdout;
    let rules = council_builtin::rules()
        .map(|rule| rule.id)
        .collect::<Vec<_>>();
    for rule in rules {
        assert!(list.contains(rule));
        home.council(["explain", rule])
            .ends(0)
            .prints(&format!("{rule}: "))
            .prints("[rules]");
    }
}
