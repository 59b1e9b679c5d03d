//! Reviews that go on without us: `--detach`, `status`, `wait`.

use std::os::unix::fs::PermissionsExt;

use crate::harness::Repo;

fn conflicted() -> Repo {
    let repo = Repo::with_base();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Change");
    repo
}

/// The run's name, which stands first.
fn name(stdout: &str) -> String {
    stdout.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_detached_review_is_found_and_waited_for() {
    let repo = conflicted();
    let run = repo
        .council(["review", "HEAD", "--detach"])
        .ends(0)
        .prints("runs in the background");
    let name = name(&run.stdout);
    repo.council(["wait", &name, "--timeout", "60s"])
        .ends(1)
        .prints("notes.md:1");
    repo.council(["wait", &name, "--json"])
        .ends(1)
        .prints("\"FAIL\"");
    repo.council(["status"])
        .ends(0)
        .prints("no review is running");
}

/// A script that waits and goes on must not take the verdict over one commit for one over another.
#[test]
fn waiting_shows_no_verdict_over_another_commit() {
    let repo = Repo::with_base();
    repo.write("notes.md", "A note.\n");
    repo.commit("Note");
    let reviewed = repo.council(["review", "HEAD"]).ends(0).stdout;
    assert!(reviewed.contains("PASS"), "{reviewed}");
    repo.council(["wait"]).ends(0).prints("PASS");
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Conflict");
    for args in [&["wait"][..], &["wait", "--json"]] {
        let run = repo.council_with(&[], args).ends(3);
        assert_eq!(run.stdout, "", "no verdict");
        run.tells("not about HEAD").tells("git council review");
    }
    let log = repo.council(["log", "--json"]).ends(0).stdout;
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let name = log[0]["name"].as_str().unwrap();
    repo.council(["wait", name]).ends(0).prints("PASS");
}

#[test]
fn a_detached_review_that_takes_its_time_is_seen_and_has_a_deadline() {
    let repo = conflicted();
    let judge = repo.in_home("slow.sh");
    std::fs::write(&judge, "#!/bin/sh\nexec sleep 600\n").unwrap();
    std::fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("[agents.slow]\ndriver = 'command'\ncommand = [{judge:?}]\n");
    repo.write_home(".config/git-council/config.toml", &config);
    let run = repo
        .council([
            "review",
            "HEAD",
            "--agents",
            "slow",
            "--timeout",
            "4s",
            "--detach",
        ])
        .ends(0);
    let name = name(&run.stdout);
    repo.council(["status"])
        .ends(0)
        .prints(&format!("{name}  is running"));
    repo.council(["wait", &name, "--timeout", "100ms"])
        .ends(3)
        .tells("is still running");
    repo.council(["resume"]).tells("holds it");
    repo.council(["wait"]).ends(3).prints("INCONCLUSIVE");
}

/// An older run with a report never stands for the latest that has none.
#[test]
fn waiting_for_a_run_that_was_killed_is_not_green() {
    let repo = conflicted();
    repo.council(["review", "HEAD~", "--fresh"]).ends(0);
    let before = run_folders(&repo);
    repo.council(["review", "HEAD", "--fresh"]).ends(1);
    let killed = run_folders(&repo)
        .into_iter()
        .find(|run| !before.contains(run))
        .unwrap();
    std::fs::remove_file(killed.join("report.json")).unwrap();
    repo.council(["wait"]).ends(3).tells("was interrupted");
}

fn run_folders(repo: &Repo) -> Vec<std::path::PathBuf> {
    let runs = std::fs::read_dir(repo.path().join(".git/council/runs")).unwrap();
    runs.map(|run| run.unwrap().path()).collect()
}

/// What ended 1 ends 1 wherever it is asked for again.
#[test]
fn a_run_keeps_its_own_gate() {
    let repo = Repo::with_base();
    repo.write("tool.py", "def run(text):\n    return eval(text)\n");
    repo.commit("Change");
    repo.council(["review", "HEAD", "--fail-on", "warn"])
        .ends(1);
    for again in ["wait", "replay"] {
        repo.council([again]).ends(1);
    }
}

#[test]
fn what_cannot_be_reviewed_is_said_at_once() {
    let repo = conflicted();
    repo.council(["review", "nowhere", "--detach"])
        .ends(2)
        .tells("nowhere");
    repo.council(["review", "--staged", "--detach"])
        .ends(0)
        .prints("SKIPPED");
    repo.council(["review", "--patch", "-", "--detach"])
        .ends(2)
        .tells("standard input");
}

/// What leaves the machine is told before it does, wherever the run goes on; and again where nobody could read it.
#[test]
fn what_a_review_in_the_background_sends_is_told() {
    let models = council_fake_models::FakeModels::start([]).unwrap();
    let repo = crate::models::repo(&models, "");
    let args = ["review", "HEAD", "--detach"];
    let run = repo.council_with(&[crate::models::KEY], &args);
    let run = run.tells("will be sent:").tells("model fake-gemini");
    repo.council(["wait", &name(&run.stdout), "--timeout", "60s"]);
    let again = repo.council_with(&[crate::models::KEY], &["review", "HEAD", "--fresh"]);
    assert!(!again.stderr.contains("will be sent:"), "{}", again.stderr);
    let unseen = crate::models::repo(&models, "");
    let vars = [crate::models::KEY, ("GIT_COUNCIL_UNSEEN", "1")];
    unseen.council_with(&vars, &["review", "HEAD"]);
    unseen
        .council_with(&[crate::models::KEY], &["review", "HEAD", "--fresh"])
        .tells("will be sent:");
}
