//! Duels that were ended before their end: another process goes on, and no answer is paid for twice.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Repo, side_by_side};
use crate::hook::Desk;
use crate::programs::{answer, scripted_agent};

const FAULT: &str = "total = sum / count";

/// A gate, a change with a fault, and two agents; each call of theirs is written down, and hangs where the test says so.
struct Scene {
    desk: Desk,
    marks: PathBuf,
}

impl Scene {
    fn new(a: &str, b: &str) -> Self {
        let desk = Desk::new().installed();
        let marks = desk.repo.in_home("marks");
        fs::create_dir(&marks).unwrap();
        let place = marks.display();
        let agents = [("a", a), ("b", b)].map(|(name, script)| {
            let counted = format!(
                "echo {name} >> '{place}/asked'\n\
                 if [ -e '{place}/hang' ] && [ $(wc -l < '{place}/asked') -eq $(cat '{place}/hang') ]; then\n\
                 cat >/dev/null; touch '{place}/hangs'; sleep 60; fi\n{script}"
            );
            scripted_agent(&desk.repo, name, &counted)
        });
        desk.repo
            .write_home(".config/git-council/config.toml", &agents.concat());
        desk.gate();
        let text = format!("def mean(sum, count):\n    {FAULT}\n    return total\n");
        desk.repo.write("mean.py", text);
        desk.repo.commit("Mean");
        Self { desk, marks }
    }

    fn repo(&self) -> &Repo {
        &self.desk.repo
    }

    fn mark(&self, name: &str) -> PathBuf {
        self.marks.join(name)
    }

    fn asked(&self) -> usize {
        let asked = fs::read_to_string(self.mark("asked")).unwrap_or_default();
        asked.lines().count()
    }

    /// A duel whose call of that number hangs; `meanwhile` is done until it does.
    fn hanging(&self, call: usize, args: &[&str], meanwhile: &dyn Fn()) -> Child {
        fs::write(self.mark("hang"), call.to_string()).unwrap();
        let mut duel = self.repo().program(&self.repo().path());
        duel.args(args).stdout(Stdio::null()).stderr(Stdio::null());
        let duel = duel.spawn().unwrap();
        let began = Instant::now();
        while !self.mark("hangs").exists() {
            assert!(began.elapsed().as_secs() < 300, "call {call} did not come");
            meanwhile();
            std::thread::sleep(Duration::from_millis(10));
        }
        duel
    }

    /// The same, ended by a signal. Only then calls go on.
    fn cut(&self, call: usize, args: &[&str], signal: &str) {
        self.end(self.hanging(call, args, &|| {}), signal);
    }

    fn end(&self, mut duel: Child, signal: &str) {
        let id = duel.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &id])
            .status();
        assert!(sent.unwrap().success());
        duel.wait().unwrap();
        // The sides end with the process that started them.
        std::thread::sleep(Duration::from_millis(500));
        fs::remove_file(self.mark("hang")).unwrap();
    }

    fn debate(&self) -> PathBuf {
        self.repo().path().join("DEBATE.md")
    }
}

fn finds_it() -> String {
    let finding = format!(
        r#"{{"severity": "critical", "category": "arithmetic", "description": "It divides by zero.",
 "location": {{"path": "mean.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    );
    answer("FAIL", &finding)
}

const BOTH: [&str; 7] = ["duel", "HEAD", "--agent-a", "a", "--agent-b", "b", "--keep"];

/// A law: whichever call a duel is ended in, and however, it goes on and comes to what it would have come to; each call
/// that was answered was made once. Where the branch has moved on, it is still about what was read.
#[test]
fn a_duel_goes_on_wherever_it_was_ended_and_buys_nothing_twice() {
    let whole = Scene::new(&finds_it(), &answer("PASS", ""));
    let args = [&BOTH[..], &["--json"]].concat();
    let told = whole.repo().council_with(&[], &args);
    let report: Value = serde_json::from_str(&told.stdout).unwrap();
    let calls = whole.asked();
    assert!(calls > 3, "{calls}: {}", told.stderr);
    let every: Vec<usize> = (1..=calls).collect();
    side_by_side(&every, 3, |&call| {
        let signal = ["-KILL", "-INT", "-TERM"][call % 3];
        let scene = Scene::new(&finds_it(), &answer("PASS", ""));
        scene.cut(call, &BOTH, signal);
        let status = scene.repo().council(["status"]).ends(0);
        status.prints("`git council resume council-");
        scene.repo().council(["log"]).ends(0);
        if call % 2 == 0 {
            scene.repo().write("other.py", "OTHER = 1\n");
            scene.repo().commit("Other");
        }
        if call % 4 == 1 && scene.debate().exists() {
            fs::remove_file(scene.debate()).unwrap();
        }
        let resumed = scene.repo().council(["resume"]);
        let again = scene.repo().council(["show", "--json"]).stdout;
        let again: Value = serde_json::from_str(&again).unwrap();
        let told = format!(
            "{signal} in call {call}: {}{}",
            resumed.stdout, resumed.stderr
        );
        for key in ["verdict", "reason", "headline"] {
            assert_eq!(again[key], report[key], "{key}: {told}");
        }
        // A call that only asks for a better form is not made again: the answer before it counts.
        let asked = scene.asked();
        assert!([calls, calls + 1].contains(&asked), "{asked}: {told}");
        scene
            .repo()
            .council(["resume"])
            .ends(2)
            .tells("is complete");
    });
}

/// A side of ours against somebody else's goes on, too; what the other side has written meanwhile is read.
#[test]
fn one_side_goes_on_against_a_stranger() {
    let scene = Scene::new(&finds_it(), &answer("PASS", ""));
    let args = [
        "duel",
        "HEAD",
        "--as",
        "a",
        "--agent-a",
        "a",
        "--poll",
        "50ms",
    ];
    let response = "\n## Response 1\n\nVote: PASS\n\n- A1: Disagreed, `count` is never zero\n\n\
                    *— Agent B, 2026-11-26T10:00:00Z*\n";
    let as_b = || {
        let text = fs::read_to_string(scene.debate()).unwrap_or_default();
        if text.contains("*— Agent A") && !text.contains("## Response 1") {
            fs::write(scene.debate(), text + response).unwrap();
        }
    };
    let args = [&args[..], &["--timeout", "20s"]].concat();
    scene.end(scene.hanging(2, &args, &as_b), "-KILL");
    let resumed = scene.repo().council(["resume"]).ends(3);
    resumed.prints("timeout-b");
    let text = fs::read_to_string(scene.debate()).unwrap();
    for once in [
        "## Opening",
        "## Response 1",
        "## Follow-up 1",
        "## CONSENSUS",
    ] {
        assert_eq!(text.matches(once).count(), 1, "{text}");
    }
    assert_eq!(scene.asked(), 3, "{text}");
}

/// A file that somebody has changed meanwhile is not taken for what the sides wrote.
#[test]
fn a_file_that_was_changed_meanwhile_is_refused() {
    let scene = Scene::new(&finds_it(), &answer("PASS", ""));
    scene.cut(3, &BOTH, "-KILL");
    let text = fs::read_to_string(scene.debate()).unwrap();
    let asked = scene.asked();
    let in_the_middle = text.replace("divides by zero", "is fine");
    let at_its_end = format!("{text}\n(a note of mine)\n");
    for changed in [in_the_middle, at_its_end] {
        fs::write(scene.debate(), changed).unwrap();
        let refused = scene.repo().council(["resume"]).ends(2);
        refused
            .tells("is not as this duel left it")
            .tells("move it away");
        assert_eq!(scene.asked(), asked);
    }
    fs::remove_file(scene.debate()).unwrap();
    scene.repo().council(["resume"]);
    assert!(
        fs::read_to_string(scene.debate())
            .unwrap()
            .contains("divides by zero")
    );
}

/// What a side has heard is believed only as this user's program wrote it down.
#[test]
fn what_somebody_else_wrote_for_a_side_is_not_believed() {
    let scene = Scene::new(&finds_it(), &answer("PASS", ""));
    scene.cut(3, &BOTH, "-KILL");
    let runs = scene.repo().path().join(".git/council/runs");
    let run = fs::read_dir(runs).unwrap().next().unwrap().unwrap().path();
    let log = run.join("side-a.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("FAIL"), "{text}");
    fs::write(&log, text.replace("FAIL", "PASS")).unwrap();
    let resumed = scene.repo().council(["resume"]);
    let told = format!("{}{}", resumed.stdout, resumed.stderr);
    assert!(!told.contains("PASS:"), "{told}");
    // A line in the midst of others is told from the end of a file that the disk has lost.
    let scene = Scene::new(&finds_it(), &answer("PASS", ""));
    scene.cut(5, &BOTH, "-KILL");
    let runs = scene.repo().path().join(".git/council/runs");
    let run = fs::read_dir(runs).unwrap().next().unwrap().unwrap().path();
    let log = run.join("side-a.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("FAIL", "PASS", 1)).unwrap();
    scene
        .repo()
        .council(["resume"])
        .ends(2)
        .tells("does not bear your key's seal");
}

/// A law: a gate hears a duel that was killed, whichever call it was killed in, as soon as a side has said that the change
/// must not pass: in the file or not yet. A whole review answers it.
#[test]
fn a_gate_hears_a_duel_that_was_killed() {
    for (a, b, call) in [
        // Behind A's review, and behind B's.
        (finds_it(), answer("PASS", ""), 2),
        (finds_it(), answer("PASS", ""), 3),
        (answer("PASS", ""), finds_it(), 3),
    ] {
        let scene = Scene::new(&a, &b);
        scene.cut(call, &BOTH, "-KILL");
        let status = scene.repo().council(["status"]).ends(0);
        status.prints("was interrupted");
        scene
            .desk
            .push(&["origin", "HEAD:refs/heads/topic"])
            .ends(1)
            .tells("mean.py:2")
            .tells("the push is blocked");
    }
}
