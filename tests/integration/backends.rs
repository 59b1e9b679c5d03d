//! The four built-in backends, each over the same change, with the program itself as worker.

use crate::harness::{Repo, Run};

fn conflicted() -> Repo {
    let repo = Repo::with_base();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Change");
    repo
}

fn verdict(run: &Run) -> serde_json::Value {
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    serde_json::json!([report["verdict"], report["reason"], report["findings"]])
}

#[test]
fn every_backend_comes_to_the_same_verdict() {
    let repo = conflicted();
    let held = ["teams", "subagents", "background", "inline"].map(|name| {
        let run = repo
            .council([
                "review",
                "HEAD",
                "--backend",
                name,
                "--debate=off",
                "--json",
            ])
            .ends(1);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["receipt"]["run"]["backend"]["name"], name, "{name}");
        verdict(&run)
    });
    assert!(held.iter().all(|v| *v == held[0]), "{held:#?}");
}

#[test]
fn a_debate_that_was_asked_for_needs_a_backend_with_messages() {
    let run = conflicted()
        .council(["review", "HEAD", "--backend", "background", "--debate"])
        .ends(2);
    run.tells("backend `background` lacks message");
}

#[test]
fn judges_without_memory_debate_by_making_their_first_round_again() {
    conflicted()
        .council(["review", "HEAD", "--backend", "subagents", "--debate"])
        .ends(1);
}

#[test]
fn a_worker_answers_from_the_files_of_a_run_alone() {
    let repo = conflicted();
    repo.council(["review", "HEAD", "--backend", "background", "--debate=off"])
        .ends(1);
    let runs = repo.path().join(".git/council/runs");
    let run = std::fs::read_dir(&runs)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let judge = std::fs::read_dir(run.join("workers"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let turn = std::fs::read_dir(judge.path())
        .unwrap()
        .filter_map(|e| {
            e.unwrap()
                .file_name()
                .to_str()?
                .strip_prefix("turn-")?
                .strip_suffix(".reply.json")
                .map(str::to_owned)
        })
        .next()
        .unwrap();
    let reply = judge.path().join(format!("turn-{turn}.reply.json"));
    let before = std::fs::read(&reply).unwrap();
    std::fs::remove_file(&reply).unwrap();
    let name = judge.file_name().into_string().unwrap();
    let folder = run.to_str().unwrap();
    let elsewhere = Repo::home();
    elsewhere
        .council(["judge", "--run", folder, "--judge", &name, "--turn", &turn])
        .ends(0);
    assert_eq!(std::fs::read(&reply).unwrap(), before);
    elsewhere
        .council(["judge", "--run", folder, "--judge", "../x", "--turn", "1"])
        .ends(2);
    elsewhere
        .council(["judge", "--run", folder, "--judge", "nobody", "--turn", "1"])
        .ends(2)
        .tells("no judge \"nobody\"")
        .tells(&name);
    elsewhere
        .council(["judge", "--run", folder, "--judge", &name, "--turn", "99"])
        .ends(2)
        .tells("no turn 99")
        .tells(&format!("its turns: {turn}"));
}

#[test]
fn the_conformance_suite_passes_for_every_built_in_backend() {
    let home = Repo::home();
    for name in ["teams", "subagents", "background", "inline"] {
        home.council(["backends", "check", name])
            .ends(0)
            .prints(", 0 failed,");
    }
    home.council(["backends", "check", "carrier-pigeon"])
        .ends(2)
        .tells("there is no backend");
}
