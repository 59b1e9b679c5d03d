//! A verdict of before is not told over what judges said since, whatever ended the run in which they said it.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Repo, Run, side_by_side};
use crate::programs::{answer, scripted_agent};

const HANGS: &str = "cat >/dev/null; sleep 60";

const PROBLEM: &str = "It divides by what may be zero.";

/// What a judge says in the second review: its vote, and how bad its finding is.
type Said = (&'static str, Option<&'static str>);

const SAID: [Said; 5] = [
    ("FAIL", Some("critical")),
    ("FAIL", None),
    ("WARN", Some("critical")),
    ("WARN", Some("significant")),
    ("PASS", None),
];

fn words((vote, severity): Said) -> String {
    let finding = severity.map(|severity| {
        format!(
            r#"{{"severity": "{severity}", "category": "arithmetic", "description": "{PROBLEM}",
 "location": {{"path": "mean.py", "line": 2}}, "quote": "total = sum / count", "why": "w", "fix": "f"}}"#
        )
    });
    answer(vote, &finding.unwrap_or_default())
}

/// A change, and two judges whose programs stay the same whatever they say: another program would judge anew.
fn with_two_judges() -> Repo {
    let repo = Repo::with_base();
    repo.write(
        "mean.py",
        "def mean(sum, count):\n    total = sum / count\n    return total\n",
    );
    let agents = ["first", "second"].map(|name| {
        let script = format!(". '{}'", repo.in_home(&format!("{name}.words")).display());
        scripted_agent(&repo, name, &script)
    });
    let more = "[review]\nagents = ['first', 'second']\ndebate = 'off'\n";
    repo.write_home(".config/git-council/config.toml", &(agents.concat() + more));
    repo
}

fn say(repo: &Repo, first: &str, second: &str) {
    repo.write_home("first.words", first);
    repo.write_home("second.words", second);
}

fn reviews(repo: &Repo, target: &[&str], more: &[&str]) -> Run {
    repo.council_with(&[], &[&["review"], target, more].concat())
}

/// Both judges pass the change; asked anew, the first says something and the second is silent until the signal ends it.
fn end_by(signal: &str, said: Said, target: &[&str], repo: &Repo) {
    say(repo, &words(("PASS", None)), &words(("PASS", None)));
    reviews(repo, target, &[]).ends(0).prints("PASS");
    say(repo, &words(said), HANGS);
    let mut review = repo.program(&repo.path());
    review.stdout(Stdio::null()).stderr(Stdio::null());
    review.arg("review").args(target).arg("--fresh");
    let mut review = review.spawn().unwrap();
    await_words(repo, said.1.is_some(), &mut review);
    let id = review.id().to_string();
    let killed = Command::new("kill").args(["-s", signal, &id]).status();
    assert!(killed.unwrap().success());
    review.wait().unwrap();
}

/// Waits until the journal of the run that goes on has what the first judge said, and what became of its quote.
fn await_words(repo: &Repo, is_quoted: bool, review: &mut Child) {
    let mark = if is_quoted {
        "\"proved\""
    } else {
        "key_insight"
    };
    let is_there = || {
        let runs = fs::read_dir(repo.path().join(".git/council/runs"));
        let runs = runs.into_iter().flatten().flatten();
        let mut open = runs.filter(|run| !run.path().join("report.json").exists());
        open.any(|run| {
            let journal = fs::read_to_string(run.path().join("journal.jsonl"));
            journal.is_ok_and(|journal| journal.contains(mark))
        })
    };
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed().as_secs() < 120, "nobody answers");
        assert!(review.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The verdict that is told, and how the command ends.
fn told(run: &Run) -> (String, i32) {
    let verdict = run.stdout.split(':').next().unwrap_or_default();
    (verdict.to_owned(), run.code)
}

/// A law: whatever ends the run in which a judge objects, or holds a critical problem, no PASS of before is told over
/// it; and what ends it makes no difference to what is told.
#[test]
fn no_known_pass_is_told_over_a_later_objection_whatever_ended_its_run() {
    side_by_side(&SAID, 3, |&said| {
        let is_open = said.0 == "FAIL" || said.1 == Some("critical");
        let review = |signal: &str| {
            let repo = with_two_judges();
            repo.commit("Mean");
            end_by(signal, said, &["HEAD"], &repo);
            say(&repo, &words(("PASS", None)), &words(("PASS", None)));
            let again = reviews(&repo, &["HEAD"], &[]);
            // Whoever has it judged anew has the last word.
            reviews(&repo, &["HEAD"], &["--fresh"]).ends(0);
            reviews(&repo, &["HEAD"], &[]).ends(0).prints("PASS");
            again
        };
        let interrupted = review("INT");
        for (signal, run) in [
            ("INT", &interrupted),
            ("HUP", &review("HUP")),
            ("KILL", &review("KILL")),
        ] {
            let what = format!("{said:?} {signal}: {}\n{}", run.stdout, run.stderr);
            assert_eq!(told(run), told(&interrupted), "{what}");
            assert_eq!(told(run).0 == "PASS", !is_open, "{what}");
            let is_named = run.stdout.contains(PROBLEM);
            assert!(is_named || !is_open || said.1.is_none(), "{what}");
        }
    });
}

/// What ended as it should is the last word by itself.
#[test]
fn no_known_pass_is_told_over_a_later_review() {
    side_by_side(&SAID, 3, |&said| {
        let repo = with_two_judges();
        repo.commit("Mean");
        say(&repo, &words(("PASS", None)), &words(("PASS", None)));
        reviews(&repo, &["HEAD"], &[]).ends(0).prints("PASS");
        say(&repo, &words(said), &words(("PASS", None)));
        let fresh = told(&reviews(&repo, &["HEAD"], &["--fresh"]));
        say(&repo, &words(("PASS", None)), &words(("PASS", None)));
        assert_eq!(told(&reviews(&repo, &["HEAD"], &[])), fresh, "{said:?}");
    });
}

/// A change is the same without a commit, and under another message.
#[test]
fn a_killed_run_is_heard_of_the_same_change_wherever_it_stands() {
    for target in [&["--worktree"][..], &["HEAD"]] {
        let repo = with_two_judges();
        let is_commit = target == ["HEAD"];
        if is_commit {
            repo.commit("Mean");
        }
        end_by("KILL", SAID[0], target, &repo);
        say(&repo, &words(("PASS", None)), &words(("PASS", None)));
        if is_commit {
            repo.git(["commit", "--quiet", "--amend", "-m", "The mean"]);
        }
        let run = reviews(&repo, target, &[]).prints(PROBLEM);
        assert_ne!(told(&run).0, "PASS", "{target:?}: {}", run.stdout);
        run.prints("was killed, and this is what its judges had said by then");
        // Another change is another matter.
        repo.write("other.py", "TOTAL = 1\n");
        reviews(&repo, &["--worktree"], &[]).ends(0).prints("PASS");
    }
}
