//! A council over several machines, here one after another: planned, judged, concluded, joined by files alone.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::stage::{CONFLICT, Stage};
use crate::harness::Repo;

/// The turns of a plan.
fn planned(repo: &Repo, run: &str, target: &str) -> Vec<(String, u64)> {
    let said = repo
        .council(["plan", "--run", run, "--matrix", "judges", target])
        .ends(0)
        .stdout;
    let due: Vec<Value> =
        serde_json::from_str(said.trim().strip_prefix("judges=").unwrap()).unwrap();
    due.iter()
        .map(|due| {
            (
                due["judge"].as_str().unwrap().to_owned(),
                due["turn"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn judge(repo: &Repo, dir: &Path, run: &str, (judge, turn): &(String, u64)) {
    repo.council_in(
        dir,
        &[
            "judge",
            "--run",
            run,
            "--judge",
            judge,
            "--turn",
            &turn.to_string(),
        ],
        &[],
    )
    .ends(0);
}

#[test]
fn the_verdict_of_a_matrix_is_that_of_one_machine() {
    let repo = Repo::with_base();
    repo.write("src/a.rs", CONFLICT);
    repo.commit("Change");
    let due = planned(&repo, "run", "HEAD");
    assert_eq!(due.len(), 5);
    // The judges' machines have the folder and nothing else.
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = repo.path().join("run");
    for turn in &due {
        judge(&repo, elsewhere.path(), folder.to_str().unwrap(), turn);
    }
    let report = |args: &[&str]| -> Value {
        serde_json::from_str(&repo.council_in(&repo.path(), args, &[]).ends(1).stdout).unwrap()
    };
    let (matrix, one) = (
        report(&["conclude", "--run", "run", "--json"]),
        report(&["review", "HEAD", "--debate=off", "--json"]),
    );
    assert_eq!(
        (&matrix["verdict"], &matrix["reason"]),
        (&one["verdict"], &one["reason"])
    );
    let prints = |report: &Value| -> Vec<Value> {
        report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f["fingerprint"].clone())
            .collect()
    };
    assert_eq!(prints(&matrix), prints(&one));
    assert_eq!(matrix["receipt"]["run"]["backend"]["name"], "matrix");
    assert!(folder.join("report.json").is_file());
}

#[test]
fn a_job_that_left_nothing_is_an_abstention_and_too_few_are_no_verdict() {
    let repo = Repo::with_base();
    repo.write("docs/a.md", "A sentence.\n");
    repo.commit("Change");
    let due = planned(&repo, "run", "HEAD");
    judge(&repo, &repo.path(), "run", &due[0]);
    repo.council(["conclude", "--run", "run"])
        .ends(3)
        .prints("INCONCLUSIVE");
    // A reply that is none, or that belongs to another turn, is no better.
    let reply = |at: usize| {
        repo.path().join(format!(
            "run/workers/{}/turn-{}.reply.json",
            due[at].0, due[at].1
        ))
    };
    fs::copy(reply(0), reply(1)).unwrap();
    fs::write(reply(2), "PASS").unwrap();
    repo.council(["conclude", "--run", "run"]).ends(3);
    judge(&repo, &repo.path(), "run", &due[1]);
    repo.council(["conclude", "--run", "run"])
        .ends(0)
        .prints("PASS");
    repo.council(["plan", "--run", "run", "HEAD"])
        .ends(2)
        .tells("is there already");
    repo.council(["conclude", "--run", "nowhere"]).ends(2);
}

#[test]
fn a_pull_request_is_planned_and_its_verdict_published() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
        .council(&["plan", "--run", "run", "--pr", "1"])
        .ends(0);
    for due in fs::read_dir(stage.repo.path().join("run/workers")).unwrap() {
        let name = due.unwrap().file_name().into_string().unwrap();
        let turns = fs::read_dir(stage.repo.path().join("run/workers").join(&name)).unwrap();
        let turn = turns
            .filter_map(|f| f.unwrap().file_name().into_string().ok())
            .find(|f| f.starts_with("turn-"))
            .unwrap();
        let number = turn
            .trim_start_matches("turn-")
            .trim_end_matches(".json")
            .parse()
            .unwrap();
        judge(&stage.repo, &stage.repo.path(), "run", &(name, number));
    }
    stage
        .council(&[
            "conclude",
            "--run",
            "run",
            "--pr",
            "1",
            "--publish",
            "comment,check",
        ])
        .ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    assert_eq!(stage.hub.state().checks[0]["conclusion"], "failure");
    stage.requests();
}
