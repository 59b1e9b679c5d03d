//! A run as one file: what is in it, that it is verified anywhere, and that it can sit at the table again.

use serde_json::Value;

use crate::harness::Repo;
use crate::hook::CONFLICT;
use crate::programs::{answer, with_judge};

/// A fault that the scripted judges hold, with a secret in their words.
const FINDING: &str = r#"{"severity": "critical", "category": "naming", "description": "The name says nothing.",
 "location": {"path": "src/more.rs", "line": 2}, "quote": "pub const MORE: u32 = 1;", "why": "w", "fix": "f"}"#;

/// Shaped like a token, and written so that nobody takes it for one here.
const TOKEN: &str = concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789");

/// A repository with a reviewed commit, whose run is in `run.json` of the home.
fn bundled(more: &[&str]) -> (Repo, String) {
    let words = format!("echo 'Between us: {TOKEN}'\n");
    let script = answer("FAIL", FINDING).replace("cat <<END", &format!("{words}cat <<END"));
    let repo = with_judge(&script, "");
    let run = repo.council(["review", "HEAD", "--json"]).ends(1);
    let file = repo.in_home("run.json").display().to_string();
    let mut args = vec!["replay", "--json", "--bundle", &file];
    args.extend(more);
    let replayed = repo.council_with(&[], &args).ends(1);
    assert_eq!(replayed.stdout, run.stdout);
    (repo, run.stdout)
}

fn text(repo: &Repo) -> String {
    std::fs::read_to_string(repo.in_home("run.json")).unwrap()
}

#[test]
fn a_bundle_gives_the_same_report_without_the_repository() {
    let (repo, report) = bundled(&[]);
    let elsewhere = Repo::home();
    elsewhere.write("run.json", text(&repo));
    let replayed = elsewhere.council(["replay", "run.json", "--json"]).ends(1);
    let [mut report, replayed_report]: [Value; 2] =
        [&report, &replayed.stdout].map(|text| serde_json::from_str(text).unwrap());
    for judge in report["judges"].as_array_mut().unwrap() {
        // How an agent is reached is nobody's business.
        judge["seat"]["agent"]["kind"] = serde_json::json!({ "driver": "backend" });
    }
    assert_eq!((replayed_report, replayed.stderr), (report, String::new()));
    elsewhere
        .council(["replay", "run.json"])
        .ends(1)
        .prints("src/more.rs:2");
}

/// What the rules added to a council of models is not in its journal.
#[test]
fn what_the_rules_added_to_models_is_part_of_the_bundle() {
    let repo = with_judge(&answer("PASS", ""), "");
    repo.write("notes.md", CONFLICT);
    repo.commit("Conflict");
    let run = repo
        .council(["review", "HEAD", "--json"])
        .ends(1)
        .prints("conflict-marker");
    let file = repo.in_home("run.json").display().to_string();
    let replayed = repo
        .council_with(&[], &["replay", "--json", "--bundle", &file])
        .ends(1);
    assert_eq!(replayed.stdout, run.stdout);
    let elsewhere = Repo::home();
    elsewhere.write("run.json", text(&repo));
    elsewhere
        .council(["replay", "run.json"])
        .ends(1)
        .prints("conflict-marker");
}

#[test]
fn words_and_prompts_are_in_it_on_request_only_and_secrets_never() {
    let (repo, _) = bundled(&[]);
    let plain = text(&repo);
    for absent in [
        "Between us",
        "Here is what I think",
        TOKEN,
        "helper.sh",
        "It adds numbers",
        "pub const MORE: u32 = 1;\\n",
    ] {
        assert!(!plain.contains(absent), "{absent}");
    }
    let value: Value = serde_json::from_str(&plain).unwrap();
    let object = &value["objects"][0];
    assert_eq!(object["path"], "src/more.rs");
    assert_eq!(object["new"], repo.git(["rev-parse", "HEAD:src/more.rs"]));
    assert!(value["turns"][0]["prompt"].is_null());

    let (repo, _) = bundled(&["--answers", "--prompts"]);
    let whole = text(&repo);
    assert!(whole.contains("Here is what I think") && whole.contains("[redacted: github-token]"));
    assert!(!whole.contains(TOKEN));
    let value: Value = serde_json::from_str(&whole).unwrap();
    let prompt = value["turns"][0]["prompt"].as_str().unwrap();
    assert!(prompt.contains("Round 1: review the change"), "{prompt}");
    let brief = value["briefs"][0]["text"].as_str().unwrap();
    assert!(brief.contains("pub const MORE: u32 = 1;"), "{brief}");
    assert_eq!(value["briefs"][0]["judges"].as_array().unwrap().len(), 2);
}

#[test]
fn a_bundle_that_was_changed_is_not_believed() {
    let (repo, _) = bundled(&[]);
    let mut better: Value = serde_json::from_str(&text(&repo)).unwrap();
    better["report"]["verdict"] = "PASS".into();
    repo.write("better.json", better.to_string());
    repo.council(["replay", "better.json"])
        .ends(3)
        .tells("the bundle was changed");
    let mut fewer: Value = serde_json::from_str(&text(&repo)).unwrap();
    fewer["entries"].as_array_mut().unwrap().truncate(3);
    repo.write("fewer.json", fewer.to_string());
    repo.council(["replay", "fewer.json"])
        .ends(3)
        .tells("cannot be replayed");
    let mut newer: Value = serde_json::from_str(&text(&repo)).unwrap();
    newer["bundle"] = 9.into();
    repo.write("newer.json", newer.to_string());
    repo.council(["replay", "newer.json"])
        .ends(2)
        .tells("it has version 9");
    repo.write("none.json", "[]");
    repo.council(["replay", "none.json"])
        .ends(2)
        .tells("is not a bundle");
}

#[test]
fn a_recorded_council_sits_again_and_comes_to_the_same_findings() {
    let (repo, report) = bundled(&["--answers"]);
    let recording = repo.in_home("run.json").display().to_string();
    let config = format!("[agents.helper]\ndriver = 'recorded'\nrecording = {recording:?}\n");
    repo.write_home(".config/git-council/config.toml", &config);
    let again = repo.council(["review", "HEAD", "--json"]).ends(1);
    let [before, after]: [Value; 2] =
        [&report, &again.stdout].map(|text| serde_json::from_str(text).unwrap());
    assert_eq!(after["verdict"], before["verdict"]);
    assert_eq!(after["findings"], before["findings"]);
    assert_ne!(after["receipt"]["run"]["name"], Value::Null);
    assert_eq!(after["receipt"]["run"]["backend"]["name"], "teams");
    // What was said of one change says nothing of another.
    repo.write("other.rs", "fn other() {}\n");
    repo.commit("Another change");
    repo.council(["review", "HEAD"])
        .ends(2)
        .tells("is the recording of another change");
    repo.council(["review", "HEAD~1", "--fresh"]).ends(1);
    let odd = "[agents.helper]\ndriver = 'recorded'\n";
    repo.write_home(".config/git-council/config.toml", odd);
    repo.council(["review", "HEAD", "--fresh"])
        .ends(2)
        .tells("has no recording");
    let config = config.replace("run.json", "gone.json");
    repo.write_home(".config/git-council/config.toml", &config);
    repo.council(["review", "HEAD", "--fresh"])
        .ends(2)
        .tells("gone.json");
}
