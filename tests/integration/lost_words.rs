//! What a judge has said is not unsaid by how its turn ends: whoever runs it, and whatever becomes of its process, its time
//! or the program itself.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::clients::with_client;
use crate::harness::{Repo, Run};
use crate::programs::{answer, with_judge};

/// Every client, how it can say something before its turn is over, and what holds it then.
const WAYS: [(&str, &str, &[&str]); 6] = [
    ("acp", "handed-in", &["teams", "background", "jobs"]),
    ("acp", "said", &["teams", "background", "jobs"]),
    ("claude", "handed-in", &["teams"]),
    ("claude", "said", &["teams", "subagents", "background"]),
    (
        "codex",
        "said",
        &["teams", "subagents", "background", "jobs"],
    ),
    ("codex", "streamed", &["teams"]),
];

const KEYS: [(&str, &str); 2] = [
    ("ANTHROPIC_API_KEY", "sk-ant-fake"),
    ("OPENAI_API_KEY", "sk-fake"),
];

/// Three judges, of whom the first one that is asked objects so and ends so.
fn bench(client: &str, how: &str, ending: &str) -> Repo {
    let rest = "[review]\njudges = 3\nquorum = 2\n[timeouts]\nr1 = '15s'\nshutdown = '1s'\n";
    let repo = with_client(client, &format!("objects:{how}:{ending}"), rest);
    if client == "acp" && how == "handed-in" {
        name_gemini(&repo);
    }
    repo
}

/// Programs of other names get no mailbox.
fn name_gemini(repo: &Repo) {
    let path = ".config/git-council/config.toml";
    let config = fs::read_to_string(repo.in_home(path)).unwrap();
    let (head, rest) = config.split_once("command = [").unwrap();
    let (command, rest) = rest.split_once("]\n").unwrap();
    let program = repo.in_home("gemini");
    let script = format!("#!/bin/sh\nexec {} \"$@\"\n", command.replace(", ", " "));
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    repo.write_home(path, &format!("{head}command = [{program:?}]\n{rest}"));
}

/// An objection that was made is told, and the change is not approved.
fn is_told(what: &str, repo: &Repo, run: &Run) {
    assert!(
        has_objected(repo),
        "{what}: nobody objected: {}",
        run.stderr
    );
    let report: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{what}: {error}: {}\n{}", run.stdout, run.stderr));
    assert_ne!(report["verdict"], "PASS", "{what}: {}", run.stdout);
    let told = run.stdout.contains("said FAIL") || run.stdout.contains("It deletes all data.");
    assert!(told, "{what}: {}", run.stdout);
}

fn has_objected(repo: &Repo) -> bool {
    repo.in_home("marks/objected").exists()
}

fn council(repo: &Repo, args: &[&str]) -> Run {
    repo.council_with(&KEYS, args)
}

/// A whole review in this backend; `jobs` is a matrix of them.
fn review(repo: &Repo, backend: &str) -> Run {
    if backend != "jobs" {
        return council(
            repo,
            &[
                "review",
                "HEAD",
                "--json",
                "--debate=off",
                "--backend",
                backend,
            ],
        );
    }
    council(repo, &["plan", "HEAD", "--run", "jobs", "--debate=off"]).ends(0);
    for judge in ["judge-1", "judge-2", "judge-3"] {
        let turn = fs::read_dir(repo.path().join("jobs/workers").join(judge)).unwrap();
        let names = turn.map(|file| file.unwrap().file_name().into_string().unwrap());
        let id =
            names.filter_map(|name| name.strip_prefix("turn-")?.split('.').next()?.parse().ok());
        let id: u32 = id.max().unwrap();
        council(
            repo,
            &[
                "judge",
                "--run",
                "jobs",
                "--judge",
                judge,
                "--turn",
                &id.to_string(),
            ],
        )
        .ends(0);
    }
    council(repo, &["conclude", "--run", "jobs", "--json"])
}

/// Small models rate findings by words of their own: what they found, and where, is told on every surface all the same.
#[test]
fn a_finding_is_told_whatever_word_rates_it() {
    for rating in ["error", "P0", "must-fix"] {
        let finding = format!(
            r#"{{"severity": "{rating}", "category": "bug", "description": "It deletes all data.",
 "location": {{"path": "src/more.rs", "line": 2}}, "quote": "pub const MORE: u32 = 1;", "why": "w", "fix": "f"}}"#
        );
        let repo = with_judge(&answer("FAIL", &finding), "");
        let run = repo.council(["review", "HEAD"]);
        assert!(!run.stdout.starts_with("PASS"), "{rating}: {}", run.stdout);
        for format in ["terminal", "story", "markdown", "json"] {
            let shown = repo.council(["show", "--format", format]).ends(0).stdout;
            let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            for part in ["src/more.rs:2", "It deletes all data."] {
                assert!(flat.contains(part), "{rating} {format}: {shown}");
            }
        }
    }
}

/// Runs a few at a time: most of the time is waiting.
fn run_all<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    for few in cases.chunks(12) {
        thread::scope(|scope| {
            for case in few {
                scope.spawn(|| check(case));
            }
        });
    }
}

#[test]
fn no_ending_of_a_turn_unsays_an_objection() {
    let mut cases = Vec::new();
    for (client, how, backends) in WAYS {
        for backend in backends {
            for ending in ["hangs", "dies", "leaves"] {
                if ending != "leaves" || client == "acp" {
                    cases.push((client, how, *backend, ending));
                }
            }
        }
    }
    run_all(&cases, |(client, how, backend, ending)| {
        let repo = bench(client, how, ending);
        is_told(
            &format!("{client} {how} {backend} {ending}"),
            &repo,
            &review(&repo, backend),
        );
    });
}

/// What is whole has been said: a hook or a tool that hangs behind it takes nothing from it, nor does the end of the process.
#[test]
fn an_agent_that_lingers_or_ends_behind_its_whole_answer_has_answered() {
    for ending in ["hangs", "dies"] {
        let repo = bench("acp", "said", ending);
        let run = review(&repo, "teams");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            report["receipt"]["participation"]["counted"], 3,
            "{ending}: {}",
            run.stdout
        );
        assert!(
            run.stdout.contains("It deletes all data."),
            "{ending}: {}",
            run.stdout
        );
        assert!(
            !run.stdout.contains("said FAIL"),
            "{ending}: {}",
            run.stdout
        );
    }
}

/// The same where the program is killed, or interrupted, and somebody goes on with the run.
#[test]
fn no_end_of_the_program_unsays_an_objection() {
    let mut cases = Vec::new();
    for (client, how, backends) in WAYS {
        for backend in backends.iter().filter(|backend| **backend != "jobs") {
            cases.push((
                client,
                how,
                *backend,
                if cases.len() % 3 == 0 { "INT" } else { "KILL" },
            ));
        }
    }
    run_all(&cases, |(client, how, backend, signal)| {
        let repo = bench(client, how, "hangs");
        let mut program = repo.program(&repo.path());
        program
            .envs(KEYS)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        program.args(["review", "HEAD", "--debate=off", "--backend", backend]);
        let mut child = program.spawn().unwrap();
        let began = Instant::now();
        while !has_objected(&repo) && began.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(20));
        }
        let mut kill = Command::new("kill");
        assert!(
            kill.args(["-s", signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        child.wait().unwrap();
        council(&repo, &["resume"]);
        let run = council(&repo, &["show", "--format", "json"]);
        is_told(&format!("{client} {how} {backend} {signal}"), &repo, &run);
    });
}
