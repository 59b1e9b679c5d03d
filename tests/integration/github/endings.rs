//! However a run ends, its check says so.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::stage::{CONFLICT, Stage};
use crate::harness::Run;

/// A pull request with something against it.
fn proposed() -> Stage {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
}

/// A pull request, and in the user's configuration a judge `other` that runs a script.
fn with_judge(script: impl Fn(&Stage) -> String) -> Stage {
    let stage = Stage::new();
    // Nothing that a rule would fail: the judge alone decides.
    stage.propose(1, &[("src/a.rs", "fn a() {}\n")]);
    let config = format!(
        "[agents.other]\ndriver = \"command\"\ncommand = [\"/bin/sh\", \"-c\", {:?}]\n[timeouts]\nshutdown = \"1s\"\n",
        script(&stage)
    );
    stage
        .repo
        .write_home(".config/git-council/config.toml", &config);
    stage
}

/// A review by that judge, whose check is all that is published.
const BY_OTHER: [&str; 7] = [
    "review",
    "--pr",
    "1",
    "--publish",
    "check",
    "--agents",
    "other",
];

/// The one check, and how it ended.
fn ending(stage: &Stage) -> (Value, Value) {
    let state = stage.hub.state();
    assert_eq!(state.violations, Vec::<String>::new());
    let [check] = &state.checks[..] else {
        panic!("{:?}", state.checks)
    };
    (check["status"].clone(), check["conclusion"].clone())
}

fn completed(conclusion: &str) -> (Value, Value) {
    ("completed".into(), conclusion.into())
}

#[test]
fn inconclusive_asks_for_action_where_it_gates_and_is_neutral_where_it_advises() {
    let mute = |_: &Stage| "exit 0".to_owned();
    let stage = with_judge(mute);
    stage.job(&BY_OTHER, &[]).ends(3).prints("INCONCLUSIVE");
    assert_eq!(ending(&stage), completed("action_required"));
    let stage = with_judge(mute);
    let advisory = [&BY_OTHER[..], &["--advisory"]].concat();
    stage.job(&advisory, &[]).ends(3);
    assert_eq!(ending(&stage), completed("neutral"));
}

#[test]
fn a_warning_is_neutral_and_fails_where_warnings_do() {
    let change = [(
        "src/load.py",
        "def load(path):\n    try:\n        return open(path).read()\n    except Exception:\n        pass\n",
    )];
    let review = |more: &[&str]| {
        let stage = Stage::new();
        stage.propose(1, &change);
        let args = [
            &["review", "--pr", "1", "--publish", "check", "--json"][..],
            more,
        ]
        .concat();
        let run = stage.job(&args, &[]);
        (stage, run)
    };
    let (stage, run) = review(&[]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (run.code, &report["verdict"]),
        (0, &"WARN".into()),
        "{}",
        run.stdout
    );
    assert_eq!(ending(&stage), completed("neutral"));
    let (stage, run) = review(&["--fail-on", "warn"]);
    assert_eq!(run.code, 1);
    assert_eq!(ending(&stage), completed("failure"));
}

#[test]
fn nothing_to_review_is_skipped() {
    let stage = Stage::new();
    stage.propose(1, &[]);
    stage
        .job(&["review", "--pr", "1", "--publish", "check"], &[])
        .ends(0)
        .prints("SKIPPED");
    assert_eq!(ending(&stage), completed("skipped"));
}

fn slow(_: &Stage) -> String {
    "sleep 60".to_owned()
}

#[test]
fn the_deadline_of_the_run_is_a_conclusion_of_its_own() {
    let stage = with_judge(slow);
    let args = [&BY_OTHER[..], &["--timeout", "1s"]].concat();
    stage.job(&args, &[]).ends(3);
    assert_eq!(ending(&stage), completed("timed_out"));
}

#[test]
fn a_council_that_cannot_be_convened_leaves_no_check_in_progress() {
    let stage = proposed();
    let args = [
        "review",
        "--pr",
        "1",
        "--publish",
        "check",
        "--backend",
        "teams",
        "--agents",
        "nobody",
    ];
    assert_ne!(stage.job(&args, &[]).code, 0);
    let state = stage.hub.state();
    let is_over = |check: &Value| check["status"] == "completed";
    assert!(state.checks.iter().all(is_over), "{:?}", state.checks);
}

/// Sends a signal as a runner does that cancels a job, once `ready` says so.
fn interrupted(stage: &Stage, signal: &str, args: &[&str], ready: impl Fn(&Stage) -> bool) -> Run {
    let mut command = stage.command(args);
    command.env("CI", "true").process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    for _ in 0..600 {
        if ready(stage) {
            break;
        }
        sleep(Duration::from_millis(50));
    }
    let told = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(told.success());
    Run::of(child.wait_with_output().unwrap())
}

#[test]
fn an_interrupted_run_ends_as_cancelled() {
    for signal in ["-INT", "-TERM"] {
        let began = |stage: &Stage| stage.file("began");
        let stage = with_judge(|stage| format!("touch {}; sleep 60", began(stage).display()));
        let run = interrupted(&stage, signal, &BY_OTHER, |stage| began(stage).exists());
        assert_eq!(run.code, 130, "{}", run.stderr);
        assert_eq!(ending(&stage), completed("cancelled"), "{signal}");
    }
}

/// Between the check that begins and the judges that sit there is time, too.
#[test]
fn a_run_that_is_interrupted_before_anybody_sits_ends_as_cancelled() {
    let stage = with_judge(slow);
    let begun = |stage: &Stage| !stage.hub.state().checks.is_empty();
    let run = interrupted(&stage, "-TERM", &BY_OTHER, begun);
    assert_eq!(run.code, 130, "{}", run.stderr);
    assert_eq!(ending(&stage), completed("cancelled"));
}

/// A report is published by the rule under which it was made, by its own program and from elsewhere.
#[test]
fn what_is_published_later_fails_as_the_run_was_told_to() {
    const WARNS: &str =
        "import subprocess\n\n\ndef f(x):\n    subprocess.call('ls ' + x, shell=True)\n";
    for (fail_on, code, conclusion) in [("warn", 1, "failure"), ("fail", 0, "neutral")] {
        let stage = Stage::new();
        let head = stage.propose(1, &[("run.py", WARNS)]);
        let range = format!("main...{head}");
        let file = stage.file("report.json");
        let file = file.to_str().unwrap();
        let args = ["review", &range, "--fail-on", fail_on, "--json", "-o", file];
        stage.council(&args).ends(code);
        let own = ["publish", "--pr", "1", "--publish", "check"];
        stage.job(&own, &[]).ends(code);
        assert_eq!(ending(&stage), completed(conclusion), "{fail_on}");
        stage.hub.state().checks.clear();
        let foreign = [
            "publish",
            "--report",
            file,
            "--pr",
            "1",
            "--publish",
            "check",
        ];
        stage.job(&foreign, &[]).ends(code);
        assert_eq!(
            ending(&stage),
            completed(conclusion),
            "{fail_on}: from elsewhere"
        );
    }
}
