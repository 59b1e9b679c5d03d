//! Duels and documents that are interrupted: nobody is asked any more, and each is a run that says how far it came.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Repo, Run};
use crate::programs::with_judge;
use crate::stage::project;

/// How long the judge of a test takes for its answer.
const SLOW: Duration = Duration::from_secs(4);

fn slow() -> Repo {
    let script = format!(
        "cat >/dev/null; touch @MARKS/asked; sleep {}; touch @MARKS/late",
        SLOW.as_secs()
    );
    with_judge(&script, "")
}

/// A run whose first judge is being asked.
fn asked(repo: &Repo, args: &[&str]) -> Child {
    let mut run = repo.program(&repo.path());
    run.args(args);
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let run = run.unwrap();
    let began = Instant::now();
    while !repo.in_home("marks/asked").exists() {
        assert!(began.elapsed().as_secs() < 60, "nobody is asked");
        std::thread::sleep(Duration::from_millis(10));
    }
    run
}

fn send(signal: &str, process: &Child) {
    let sent = Command::new("kill")
        .args([signal, &process.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

const BOTH: [&str; 7] = [
    "duel",
    "HEAD",
    "--json",
    "--agent-a",
    "helper",
    "--agent-b",
    "helper",
];

#[test]
fn an_interrupted_duel_is_a_run_that_says_how_far_it_came() {
    let one = ["duel", "HEAD", "--json", "--as", "a", "--agent-a", "helper"];
    for (signal, args) in [("-INT", BOTH), ("-TERM", BOTH), ("-INT", one)] {
        let repo = slow();
        let duel = asked(&repo, &args);
        send(signal, &duel);
        let run = Run::of(duel.wait_with_output().unwrap()).ends(130);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["incomplete"], true, "{report}");
        assert_eq!(report["verdict"], "INCONCLUSIVE", "{signal}");
        let notes = report["notes"].to_string();
        assert!(notes.contains("The duel was interrupted"), "{notes}");
        let name = report["receipt"]["run"]["name"].as_str().unwrap();
        for command in [&["status"][..], &["log"]] {
            let told = repo.council_with(&[], command).ends(0);
            assert!(told.stdout.contains(name), "{command:?}: {}", told.stdout);
        }
        repo.council(["status"])
            .prints("begin it again: `git council duel HEAD --file FILE`");
        repo.council(["resume", name])
            .ends(2)
            .tells("begin it again: `git council duel HEAD --file FILE`");
        std::thread::sleep(SLOW);
        assert!(!repo.in_home("marks/late").exists(), "its agent went on");
    }
}

/// Nothing can be said after `kill -9`, but nobody is paid any more, and the run is there.
#[test]
fn the_sides_of_a_duel_end_with_the_process_that_started_them() {
    let repo = slow();
    let mut duel = asked(&repo, &BOTH);
    send("-KILL", &duel);
    assert_eq!(duel.wait().unwrap().code(), None, "it was killed");
    repo.council(["status"])
        .prints("was interrupted; it cannot be continued; begin it again: `git council duel HEAD --file FILE`");
    repo.council(["log"]).prints("interrupted");
    repo.council(["wait"])
        .ends(3)
        .tells("was interrupted")
        .tells("begin it again: `git council duel HEAD --file FILE`");
    std::thread::sleep(SLOW + Duration::from_secs(1));
    assert!(!repo.in_home("marks/late").exists(), "its agent went on");
}

/// What writes a document does not go on where it was cut off: what begins it again is named, and it is no review.
#[test]
fn an_interrupted_document_names_what_begins_it_again() {
    for (args, again) in [
        (&["stage", "02-plan"][..], "git council stage 02-plan"),
        (&["brainstorm", "What now?"], "git council brainstorm"),
        (&["research", "What now?"], "git council research"),
    ] {
        let repo = project("touch \"@MARKS/asked\"; sleep 30");
        let run = asked(&repo, &[args, &["--max-cost", "5"]].concat());
        send("-INT", &run);
        let run = Run::of(run.wait_with_output().unwrap()).ends(130);
        assert!(!run.stdout.contains("git council resume"), "{}", run.stdout);
        repo.council(["status"]).prints(again);
        repo.council(["resume"]).ends(2).tells(again);
    }
}
