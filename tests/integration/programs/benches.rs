//! Whoever sits beside the rules or in their place: what they find counts all the same.

use super::{answer, with_judge};
use crate::harness::Repo;

/// Models in the place of the rules do not make a review weaker: what no rule may let pass is found all the same, and a
/// hook does not take the models' word for the rules'.
#[test]
fn a_key_does_not_pass_because_models_sit_where_rules_did() {
    let repo = with_judge(&answer("PASS", ""), "[review]\nagents = ['helper']\n");
    repo.write("d.md", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n");
    repo.commit("Markers");
    let run = repo.council(["review", "HEAD", "--json"]).ends(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&report["verdict"], &report["reviewed_by"]),
        (&"FAIL".into(), &"both".into())
    );
    assert_eq!(report["findings"][0]["members"][0]["judge"], "rules");
    let known = repo.council(["review", "HEAD", "--json"]).ends(1);
    let known: serde_json::Value = serde_json::from_str(&known.stdout).unwrap();
    assert_eq!(known["receipt"]["run"]["recognised"]["place"], "cache");
    assert_eq!(known["findings"], report["findings"]);
    let name = report["receipt"]["run"]["name"].as_str().unwrap();
    repo.council(["replay", name]).ends(1).prints("FAIL");
    // The key of a clean change is the models' alone.
    repo.write("e.md", "Fine.\n");
    repo.commit("Clean");
    let clean = repo.council(["review", "HEAD", "--json"]).ends(0);
    let clean: serde_json::Value = serde_json::from_str(&clean.stdout).unwrap();
    assert_eq!(clean["reviewed_by"], "models");
}

/// Whoever sits, and with whatever perspective: what a rule finds critical fails the change, and is told once.
#[test]
fn no_bench_is_milder_than_the_rules_alone() {
    let repo = with_judge(&answer("PASS", ""), "");
    repo.write("d.md", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n");
    repo.commit("Markers");
    let alone = review_of(&repo, &[]);
    for agents in ["builtin", "helper,builtin", "helper,helper,builtin"] {
        for perspectives in [
            "tests",
            "hygiene",
            "tests,hygiene",
            "hygiene,tests",
            "security,error-paths,tests",
        ] {
            let bench = ["--agents", agents, "--perspectives", perspectives];
            let report = review_of(&repo, &bench);
            assert_eq!(report["verdict"], "FAIL", "{bench:?}");
            let (found, wanted) = (told_rules(&report), told_rules(&alone));
            assert_eq!(found, wanted, "{bench:?}");
            let name = report["receipt"]["run"]["name"].as_str().unwrap();
            repo.council(["replay", name]).ends(1).prints("FAIL");
        }
    }
}

/// Law: what is meant for those who judge is told however they obey it. Each such rule's own example, before models that
/// find nothing, comes to no milder verdict than before the rules alone, and the rule is named.
#[test]
fn no_bench_that_obeys_an_attack_is_milder_than_the_rules_alone() {
    let repo = with_judge(&answer("PASS", ""), "");
    let base = repo.git(["rev-parse", "HEAD"]);
    let guards = council_builtin::rules().filter(|rule| council_builtin::guards_review(rule.id));
    let mut warned = Vec::new();
    for rule in guards {
        for example in rule.examples {
            repo.git(["reset", "--quiet", "--hard", base.trim()]);
            repo.write(example.path, example.bad);
            repo.commit("Change");
            let alone = told_of(&repo, &["--agents", "builtin"]);
            let obeyed = told_of(&repo, &["--agents", "helper,helper,helper"]);
            if !alone.contains(&rule.id.to_owned()) {
                continue;
            }
            assert!(
                obeyed.contains(&rule.id.to_owned()),
                "{}: {obeyed:?}",
                rule.id
            );
            warned.push(rule.id);
        }
    }
    assert!(warned.contains(&"instruction-injection"), "{warned:?}");
    assert!(warned.len() > 6, "{warned:?}");
}

/// The rules that warn of a change, or fail it.
fn told_of(repo: &Repo, bench: &[&str]) -> Vec<String> {
    let asked = [&["review", "HEAD", "--fresh", "--json"], bench].concat();
    let run = repo.council_in(&repo.path(), &asked, &[]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let counted = findings.filter(|f| f["level"] == "warn" || f["level"] == "fail");
    let rules: Vec<String> = counted
        .filter_map(|f| f["finding"]["rule"].as_str().map(str::to_owned))
        .collect();
    let is_green = report["verdict"] == "PASS" || report["verdict"] == "SKIPPED";
    assert!(rules.is_empty() || !is_green, "{report}");
    rules
}

fn review_of(repo: &Repo, bench: &[&str]) -> serde_json::Value {
    let asked = [&["review", "HEAD", "--fresh", "--json"], bench].concat();
    let run = repo.council_in(&repo.path(), &asked, &[]).ends(1);
    serde_json::from_str(&run.stdout).unwrap()
}

/// The rules that the findings of a report name, with their lines.
fn told_rules(report: &serde_json::Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let told = findings.map(|f| {
        format!(
            "{} {}",
            f["finding"]["rule"], f["finding"]["location"]["line"]
        )
    });
    told.collect()
}
