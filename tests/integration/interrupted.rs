//! Duels and documents that are interrupted: nobody is asked any more, and each is a run that says how far it came.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Repo, Run, side_by_side};
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
    let cases = [("-INT", &BOTH[..]), ("-TERM", &BOTH), ("-INT", &one)];
    side_by_side(&cases, 3, |(signal, args)| {
        let repo = slow();
        let duel = asked(&repo, args);
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
        let again = format!("git council resume {name}");
        repo.council(["status"]).prints(&again);
        assert!(notes.contains(&again), "{notes}");
        std::thread::sleep(SLOW);
        assert!(!repo.in_home("marks/late").exists(), "its agent went on");
    });
}

/// Nothing can be said after `kill -9`, but nobody is paid any more, and the run is there.
#[test]
fn the_sides_of_a_duel_end_with_the_process_that_started_them() {
    let repo = slow();
    let mut duel = asked(&repo, &BOTH);
    send("-KILL", &duel);
    assert_eq!(duel.wait().unwrap().code(), None, "it was killed");
    repo.council(["status"])
        .prints("was interrupted; `git council resume council-");
    repo.council(["log"]).prints("interrupted");
    repo.council(["wait"])
        .ends(3)
        .tells("was interrupted")
        .tells("git council resume council-");
    std::thread::sleep(SLOW + Duration::from_secs(1));
    assert!(!repo.in_home("marks/late").exists(), "its agent went on");
}

/// A law: wherever the writing of a document is ended, and however, it goes on and comes to its document; whoever has
/// answered is not asked again.
#[test]
fn a_document_goes_on_wherever_it_was_ended() {
    let stage = &["stage", "02-plan"][..];
    let brainstorm = &["brainstorm", "What now?"][..];
    let research = &["research", "What now?"][..];
    let cases = [
        (stage, 3),
        (stage, 5),
        (brainstorm, 2),
        (brainstorm, 3),
        (research, 2),
    ];
    side_by_side(&cases, 5, |&(args, calls)| {
        for signal in ["-INT", "-KILL"] {
            let words = format!(
                "echo x >> \"@MARKS/calls\"\n\
                 if [ -e \"@MARKS/hang\" ] && [ $(wc -l < \"@MARKS/calls\") -ge {calls} ]; then\n\
                 touch \"@MARKS/asked\"; sleep 30; fi"
            );
            let repo = project(&words);
            let marks = repo.in_home("marks");
            std::fs::write(marks.join("hang"), "").unwrap();
            let count = |name: &str| {
                let text = std::fs::read_to_string(marks.join(name)).unwrap_or_default();
                text.lines().count()
            };
            let mut run = asked(&repo, args);
            // Those that were asked beside the one that hangs may still answer.
            std::thread::sleep(Duration::from_secs(1));
            send(signal, &run);
            run.wait().unwrap();
            std::fs::remove_file(marks.join("hang")).unwrap();
            let told = format!("{args:?} {signal} in call {calls}");
            repo.council(["status"])
                .prints("git council resume council-");
            let before = count("calls");
            let resumed = repo.council(["resume"]).ends(0);
            let told = format!("{told}: {}{}", resumed.stdout, resumed.stderr);
            assert!(count("calls") > before, "{told}");
            if args[0] == "stage" {
                let written = repo.path().join("stages/02-plan/outputs/synthesis.md");
                assert!(written.exists(), "{told}");
            } else {
                assert!(told.contains("Work of round"), "{told}");
            }
            repo.council(["resume"]).ends(2).tells("is complete");
        }
    });
}

/// What a stage is debated over must still be there as it was.
#[test]
fn a_stage_whose_files_have_changed_does_not_go_on() {
    let repo = project("touch \"@MARKS/asked\"; sleep 30");
    let mut run = asked(&repo, &["stage", "02-plan"]);
    send("-KILL", &run);
    run.wait().unwrap();
    repo.write("stages/02-plan/CLAUDE.md", "Plan something else.\n");
    repo.council(["resume"])
        .ends(2)
        .tells("has changed")
        .tells("git council stage");
}
