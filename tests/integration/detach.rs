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
    repo.council(["wait"]).ends(3).prints("INCONCLUSIVE");
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
