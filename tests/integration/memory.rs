//! What is known again, what is taken over, and what goes.

use std::fs;
use std::path::PathBuf;

use crate::harness::Repo;

pub(crate) const CONFLICT: &str = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";

pub(crate) fn conflicted() -> Repo {
    let repo = Repo::with_base();
    repo.git(["config", "--global", "council.notes.write", "true"]);
    repo.write("notes.md", CONFLICT);
    repo.commit("Conflict");
    repo
}

pub(crate) fn runs(repo: &Repo) -> usize {
    let log = repo.council(["log"]).ends(0).stdout;
    log.lines()
        .filter(|line| !line.contains("· reused"))
        .count()
}

/// Another program at the same path, or another file in its command, is another judge.
#[test]
fn a_judge_whose_program_was_replaced_judges_anew() {
    let repo = crate::programs::with_judge(&crate::programs::answer("PASS", ""), "");
    let counted = |code: i32| {
        let run = repo.council(["review", "HEAD", "--json"]).ends(code);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        report["receipt"]["run"]["recognised"].is_object()
    };
    assert!(!counted(0));
    assert!(counted(0), "nothing has changed");
    let program = repo.in_home("helper.sh");
    let text = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, text.replace("PASS", "FAIL")).unwrap();
    assert!(!counted(3), "two that vote FAIL over nothing");
}

/// A law: whatever a fresh run would say in the commit's note, the note says after a recognised one.
#[test]
fn a_recognised_verdict_is_noted_as_a_fresh_one() {
    let repo = conflicted();
    let noted = || {
        let mut git = repo.git_command(&["notes", "--ref", "council", "show", "HEAD"]);
        String::from_utf8(git.output().unwrap().stdout).unwrap()
    };
    repo.git(["config", "--global", "council.notes.write", "false"]);
    repo.council(["review", "HEAD"]).ends(1);
    assert_eq!(noted(), "", "nothing is written unasked");
    repo.git(["config", "--global", "council.notes.write", "true"]);
    repo.council(["review", "HEAD"]).ends(1).prints("reused: ");
    assert!(
        noted().contains("FAIL (rules only): 2 critical"),
        "{}",
        noted()
    );
    let once = noted();
    repo.council(["review", "HEAD"]).ends(1).prints("reused: ");
    assert_eq!(noted(), once, "what stands there is not written again");
    // A dismissal makes another verdict of it.
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    repo.council(["review", "HEAD"]).ends(1).prints("reused: ");
    assert!(
        noted().contains("FAIL (rules only): 1 critical"),
        "{}",
        noted()
    );
}

#[test]
fn the_same_change_costs_no_judge_wherever_it_stands() {
    let repo = conflicted();
    let first = repo.council(["review", "HEAD"]).ends(1).stdout;
    assert!(!first.contains("recognised"), "{first}");
    // Another message, another branch, another base.
    repo.git(["commit", "--quiet", "--amend", "--message", "Other words"]);
    repo.council(["review", "HEAD"])
        .ends(1)
        .prints("nobody was asked again")
        .prints("notes.md:1");
    repo.git(["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    repo.write("elsewhere.txt", "x\n");
    repo.commit("Elsewhere");
    repo.git(["cherry-pick", "main"]);
    repo.council(["review", "HEAD"]).ends(1).prints("reused: ");
    assert_eq!(runs(&repo), 1);
    // A white space is another change.
    repo.write("notes.md", CONFLICT.replace("ours", " ours"));
    repo.git(["commit", "--quiet", "--all", "--amend", "--no-edit"]);
    let run = repo.council(["review", "HEAD"]).ends(1);
    assert!(!run.stdout.contains("recognised"), "{}", run.stdout);
    assert_eq!(runs(&repo), 2);
    // Other judges, other rules, or a wish to know.
    repo.council(["review", "HEAD", "--fresh"]).ends(1);
    repo.council(["review", "HEAD", "--perspectives", "tests"])
        .ends(1)
        .prints("[conflict-marker]");
    assert_eq!(runs(&repo), 4);
    let json = repo.council(["review", "HEAD", "--json"]).ends(1).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        report["receipt"]["run"]["recognised"]["place"], "cache",
        "{json}"
    );
}

/// The same lines are harmless in one workflow and critical in another: rules look at the whole file.
#[test]
fn a_reused_verdict_hides_nothing_that_the_rules_find_today() {
    let repo = Repo::with_base();
    let workflow = ".github/workflows/w.yml";
    let jobs = "jobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo\n";
    let more = "      - uses: actions/checkout@v4\n        with:\n          \
                ref: ${{ github.event.pull_request.head.sha }}\n";
    for (on, branch) in [
        ("pull_request", "harmless"),
        ("pull_request_target", "critical"),
    ] {
        repo.git(["checkout", "--quiet", "-b", branch, "main"]);
        repo.write(workflow, format!("on: {on}\n{jobs}"));
        repo.commit("Workflow");
        repo.write(workflow, format!("on: {on}\n{jobs}{more}"));
        repo.commit("Checkout");
    }
    repo.git(["checkout", "--quiet", "harmless"]);
    repo.council(["review", "HEAD"]).ends(0);
    repo.council(["review", "HEAD"]).ends(0).prints("reused: ");
    repo.git(["checkout", "--quiet", "critical"]);
    let judged = repo.council(["review", "HEAD"]).ends(1);
    assert!(!judged.stdout.contains("reused: "), "{}", judged.stdout);
    repo.council(["review", "HEAD"]).ends(1).prints("reused: ");
}

#[test]
fn the_cache_is_shared_by_worktrees_and_can_be_cleared() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let tree = repo.in_home("tree");
    repo.git([
        "worktree",
        "add",
        "--quiet",
        "--detach",
        tree.to_str().unwrap(),
    ]);
    let run = repo.council_in(&tree, &["review", "HEAD"], &[]).ends(1);
    run.prints("reused: ");
    repo.council(["cache"])
        .ends(0)
        .prints("1 verdict, ")
        .prints("FAIL");
    repo.council(["cache", "clear"])
        .ends(0)
        .prints("1 verdict deleted");
    // The note is there, and it is one's own: nobody is warned of it.
    let again = repo.council(["review", "HEAD"]).ends(1);
    assert!(!again.stdout.contains("not trusted"), "{}", again.stdout);
}

/// A repository whose latest run has a suggestion for line 3 of a file.
pub(crate) fn suggested() -> (Repo, PathBuf) {
    let repo = Repo::with_base();
    repo.write(
        "src/more.rs",
        "/// Doubles.\npub fn double(n: u32) -> u32 {\n    dbg!(n) * 2\n}\n",
    );
    repo.commit("More");
    repo.council(["review", "HEAD", "--json"]);
    let json = repo.council(["show", "--json"]).ends(0).stdout;
    let name = serde_json::from_str::<serde_json::Value>(&json).unwrap()["receipt"]["run"]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = repo
        .path()
        .join(".git/council/runs")
        .join(name)
        .join("report.json");
    // The built-in judges suggest little: give the first finding a suggestion of a judge's.
    let mut report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let finding = &mut report["findings"][0];
    assert!(finding.is_object(), "{json}");
    assert_eq!(finding["finding"]["location"]["line"], 3, "{json}");
    finding["finding"]["suggestion"] = "    n.saturating_mul(2)".into();
    fs::write(&file, report.to_string()).unwrap();
    // What was shown had no suggestion: nothing was shown since.
    fs::remove_file(repo.path().join(".git/council/shown.json")).unwrap();
    let source = repo.path().join("src/more.rs");
    (repo, source)
}

#[test]
fn a_suggestion_is_taken_into_the_worktree_where_its_lines_are_now_unless_they_changed() {
    let (repo, source) = suggested();
    // Nobody takes what nothing shows.
    repo.council(["explain", "F1"])
        .ends(0)
        .prints("in place of line 3")
        .prints("  +     n.saturating_mul(2)");
    let before = fs::read_to_string(&source).unwrap();
    fs::write(&source, before.replace("* 2", "* 3")).unwrap();
    repo.council(["apply", "F1"])
        .ends(2)
        .tells("changed since they were reviewed");
    let moved = format!("// new\n{before}");
    fs::write(&source, &moved).unwrap();
    repo.council(["apply", "F1"])
        .ends(0)
        .prints("applied at line 4");
    let after = fs::read_to_string(&source).unwrap();
    assert_eq!(after.lines().nth(3), Some("    n.saturating_mul(2)"));
    assert_eq!(after.lines().count(), moved.lines().count());
}

#[test]
fn gc_takes_the_oldest_runs_with_or_without_a_report() {
    let repo = conflicted();
    for _ in 0..4 {
        repo.council(["review", "HEAD", "--fresh"]).ends(1);
    }
    let runs = repo.path().join(".git/council/runs");
    let cut_off = runs.join("council-20200101-old");
    fs::create_dir(&cut_off).unwrap();
    repo.council(["gc", "--keep", "2"])
        .ends(0)
        .prints("removed: 3 runs");
    assert!(!cut_off.exists());
    // The names of the runs that are gone stay, each as an empty file, so that no run has one again.
    let left = fs::read_dir(&runs).unwrap();
    let folders = left.filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(folders.count(), 2);
}

/// The files for people go with their runs, when `runs.keep` lets one go as when `gc` does; a file of the user's stays.
#[test]
fn what_people_read_of_a_run_goes_with_it() {
    let repo = conflicted();
    let folder = repo.path().join(".agents/council");
    let reports = || {
        let names = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let names = names.filter(|name| name.to_string_lossy().ends_with("-report.md"));
        names.count()
    };
    repo.git(["config", "--global", "council.runs.keep", "3"]);
    for _ in 0..5 {
        repo.council(["review", "HEAD", "--fresh"]).ends(1);
    }
    assert_eq!(reports(), 3);
    fs::write(folder.join("2020-01-01-mine-report.md"), "Mine.\n").unwrap();
    repo.council(["gc", "--keep", "1"]).ends(0);
    assert_eq!(reports(), 2);
    assert!(folder.join("2020-01-01-mine-report.md").exists());
}
