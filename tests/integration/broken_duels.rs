//! Duels in which a side gives no more section: each is a run, with what the other side found and what both have said.

use serde_json::Value;

use crate::harness::{Repo, Run};
use crate::hook::Desk;
use crate::programs::{answer, scripted_agent};

const FAULT: &str = "total = sum / count";

/// A gate, a change with a fault, and two agents that run these scripts.
fn desk(a: &str, b: &str) -> Desk {
    let desk = Desk::new().installed();
    let agents = [("a", a), ("b", b)];
    let agents = agents.map(|(name, script)| scripted_agent(&desk.repo, name, script));
    desk.repo
        .write_home(".config/git-council/config.toml", &agents.concat());
    desk.gate();
    desk.repo.write(
        "mean.py",
        format!("def mean(sum, count):\n    {FAULT}\n    return total\n"),
    );
    desk.repo.commit("Mean");
    desk
}

fn finds_it() -> String {
    let finding = format!(
        r#"{{"severity": "critical", "category": "arithmetic", "description": "It divides by zero.",
 "location": {{"path": "mean.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    );
    answer("FAIL", &finding)
}

fn duel(repo: &Repo) -> (Run, Value) {
    let args = [
        "duel",
        "HEAD",
        "--json",
        "--agent-a",
        "a",
        "--agent-b",
        "b",
        "--timeout",
        "20s",
    ];
    let run = repo.council(args).ends(3);
    let report = serde_json::from_str(&run.stdout).unwrap();
    (run, report)
}

const REFUSES: &str = "cat >/dev/null; echo 'no credit' >&2; exit 1";

/// A law: however a side breaks off, the run is there, and holds what the other side has proven; the gate knows it.
#[test]
fn a_duel_that_breaks_off_is_a_run_and_its_criticals_hold_the_gate() {
    let garbled = "cat >/dev/null; echo 'well, well'";
    let once = format!(
        "if [ -e \"$0.asked\" ]; then {REFUSES}; fi; touch \"$0.asked\"\n{}",
        answer("PASS", "")
    );
    for b in [REFUSES, garbled, &once] {
        let desk = desk(&finds_it(), b);
        let (run, report) = duel(&desk.repo);
        assert_eq!(report["verdict"], "INCONCLUSIVE", "{b}: {report}");
        assert_eq!(report["reason"], "duel-broken-off", "{b}");
        let finding = &report["findings"][0]["finding"];
        assert_eq!(
            (&finding["severity"], &finding["location"]["line"]),
            (&"critical".into(), &2.into()),
            "{b}"
        );
        let notes = report["notes"].to_string();
        assert!(
            notes.contains("The duel broke off: Agent B gave no section"),
            "{notes}{}",
            run.stderr
        );
        assert!(notes.contains("git council duel --file FILE"), "{notes}");
        let name = report["receipt"]["run"]["name"].as_str().unwrap();
        for command in [&["log"][..], &["show", name]] {
            desk.repo.council_with(&[], command).prints("INCONCLUSIVE");
        }
        desk.push(&["origin", "HEAD:refs/heads/topic"])
            .ends(1)
            .tells("mean.py:2")
            .tells("the push is blocked");
    }
}

/// What the side that breaks off has said in no section is told, and the first to speak may be the one.
#[test]
fn the_last_words_of_a_side_that_breaks_off_are_told() {
    let objects =
        "cat >/dev/null; echo 'f is broken. I vote FAIL, critical: mean.py:2 divides by zero.'";
    for (a, b) in [
        (answer("PASS", ""), objects.to_owned()),
        (objects.to_owned(), answer("PASS", "")),
    ] {
        let desk = desk(&a, &b);
        let (_, report) = duel(&desk.repo);
        assert_eq!(report["verdict"], "INCONCLUSIVE", "{report}");
        assert!(report.to_string().contains("it said FAIL"), "{report}");
        desk.repo.council(["log"]).prints("INCONCLUSIVE");
    }
}

/// Nobody was asked: nothing is left behind.
#[test]
fn a_duel_that_is_refused_before_anybody_is_asked_leaves_no_run() {
    let desk = desk(&answer("PASS", ""), &answer("PASS", ""));
    desk.repo
        .council(["duel", "HEAD", "--agent-a", "a", "--agent-b", "nobody"])
        .ends(2);
    assert!(desk.repo.council(["log"]).ends(0).stdout.is_empty());
}

/// A file with a debate that is over, or with words of this side, is no reason for a run: going on with it would agree to
/// what this side has neither read nor written.
#[test]
fn a_duel_that_its_file_refuses_leaves_no_run() {
    let section = |heading: &str, role: char| {
        format!("\n## {heading}\n\nVote: PASS\n\n*— Agent {role}, 2025-06-15T14:30:00Z*\n\n---\n")
    };
    let taken = section("Opening", 'A') + &section("Response 1", 'B');
    let concluded = format!("{taken}\n## CONSENSUS\n\nAgreed.\n");
    for (debate, why) in [
        (concluded, "holds a concluded debate"),
        (
            taken,
            "has words of Agent B that this process did not write",
        ),
    ] {
        let desk = desk(&answer("PASS", ""), &answer("PASS", ""));
        let repo = &desk.repo;
        repo.write("DEBATE.md", format!("# Code Debate: HEAD\n{debate}"));
        let joins = ["duel", "HEAD", "--as", "b", "--agent-b", "b"];
        let refused = repo.council(joins).ends(2);
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
        assert!(repo.council(["log"]).ends(0).stdout.is_empty());
    }
}

/// A law: whatever the other side puts in the place of the file, the debate is broken by it, and what our side has found and
/// was paid for is in the report and holds the gate.
#[test]
fn whatever_replaces_the_file_of_a_duel_is_a_violation_with_a_report() {
    for replace in [
        "ln -s nowhere \"$F\"",
        "mkdir \"$F\"",
        "true",
        // One that can be read: what stands there is nobody's section.
        "echo '# Other words, more than a few.' > \"$F.other\"; ln -s \"$F.other\" \"$F\"",
    ] {
        let desk = desk(&finds_it(), "true");
        let file = desk.repo.path().join("DEBATE.md").display().to_string();
        let script = format!(
            "F='{file}'; rm -f \"$F\"; {replace}\n{}",
            answer("PASS", "")
        );
        // The same program as before, which now knows the place.
        scripted_agent(&desk.repo, "b", &script);
        let (run, report) = duel(&desk.repo);
        assert_eq!(
            report["verdict"], "INCONCLUSIVE",
            "{replace}: {}",
            run.stderr
        );
        let notes = report["notes"].to_string();
        assert!(
            notes.contains("The protocol was broken"),
            "{replace}: {notes}"
        );
        assert_eq!(
            report["findings"][0]["finding"]["severity"], "critical",
            "{replace}"
        );
        let name = report["receipt"]["run"]["name"].as_str().unwrap();
        desk.repo.council(["show", name]).prints("INCONCLUSIVE");
        desk.push(&["origin", "HEAD:refs/heads/topic"])
            .ends(1)
            .tells("mean.py:2");
    }
}
