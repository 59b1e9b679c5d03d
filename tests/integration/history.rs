//! Runs of the past: what they leave, and what can be asked of them.

use crate::harness::Repo;

fn reviewed() -> Repo {
    let repo = Repo::with_base();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Conflict");
    repo.council(["review", "HEAD", "--debate"]).ends(1);
    repo
}

#[test]
fn a_run_leaves_the_seeds_files_where_git_does_not_see_them() {
    let repo = reviewed();
    let folder = repo.path().join(".agents/council");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".gitignore")
        .map(|name| name.split_at("2026-01-01-".len()).1.to_owned())
        .collect();
    names.sort();
    let judges = [
        "error-paths",
        "hygiene",
        "maintainability",
        "security",
        "tests",
    ];
    // Rules take no part in a second round.
    let files = judges.iter().map(|judge| format!("head-judge-{judge}.md"));
    let mut expected: Vec<String> = files.chain(["head-report.md".to_owned()]).collect();
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    repo.council(["review", "--worktree"])
        .ends(0)
        .prints("SKIPPED");
}

#[test]
fn nothing_is_saved_when_nothing_is_to_be() {
    let repo = Repo::with_base();
    repo.council(["review", "HEAD", "--no-save"]).ends(0);
    assert!(!repo.path().join(".agents").exists());
    repo.council(["log"]).ends(0).prints("PASS");
}

#[test]
fn log_lists_the_latest_first_and_show_tells_the_story() {
    let repo = reviewed();
    repo.council(["review", "HEAD~1"]).ends(0);
    repo.council(["review", "HEAD~1", "--fresh"]).ends(0);
    let log = repo.council(["log"]).ends(0).stdout;
    let rows: Vec<&str> = log.lines().collect();
    assert_eq!(rows.len(), 3, "{log}");
    assert!(
        rows[0].contains("head-1-2") && rows[2].contains("FAIL"),
        "{log}"
    );
    assert_eq!(repo.council(["log", "-n", "1"]).stdout.lines().count(), 1);
    repo.council(["show", "head"]).ends(2).tells("3 runs match");
    let name = rows[2]
        .split_whitespace()
        .find(|word| word.starts_with("council-"))
        .unwrap();
    repo.council(["show", name])
        .ends(0)
        .prints("notes.md:1")
        .prints("FAIL");
    repo.council(["show", name, "--format", "markdown"])
        .ends(0)
        .prints("# FAIL");
    repo.council(["show", name, "--json"])
        .ends(0)
        .prints("\"exit_code\": 1");
    repo.council(["show", "nowhere"])
        .ends(2)
        .tells("git council log");
}

/// Rules take milliseconds: two reviews often begin in one second, and the names of runs do not tell which was later.
#[test]
fn the_latest_of_two_runs_of_one_second_is_the_one_that_ended_last() {
    let repo = Repo::with_base();
    for name in ["one.md", "two.md"] {
        repo.write(name, "Text.\n");
        repo.commit(name);
    }
    for target in ["HEAD~1..HEAD", "HEAD", "HEAD~2..HEAD", "HEAD~1"] {
        repo.council(["review", target, "--fresh"]).ends(0);
        let shown = repo.council(["show", "--json"]).ends(0).stdout;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["target"]["label"], target);
    }
}

#[test]
fn a_replay_says_what_the_run_said() {
    let repo = reviewed();
    let shown = repo.council(["show", "--json"]).ends(0).stdout;
    let replayed = repo.council(["replay", "--json"]).ends(1);
    assert_eq!((replayed.stdout, replayed.stderr), (shown, String::new()));
}

#[test]
fn a_replay_without_its_report_still_gives_the_verdict() {
    let repo = reviewed();
    let runs = repo.path().join(".git/council/runs");
    let run = std::fs::read_dir(runs)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    std::fs::remove_file(run.join("report.json")).unwrap();
    repo.council(["show"]).ends(2).tells("git council replay");
    let name = run.file_name().unwrap().to_str().unwrap();
    repo.council(["show", name])
        .ends(2)
        .tells("git council replay");
    repo.council(["replay", name]).ends(1).prints("notes.md:1");
    let plan = std::fs::read_to_string(run.join("plan.json")).unwrap();
    std::fs::write(run.join("plan.json"), plan.replace("findings", "majority")).unwrap();
    repo.council(["replay", name])
        .ends(3)
        .tells("does not match the journal");
}

#[test]
fn log_tells_commits_by_their_subjects_and_show_finds_a_run_by_its_commit() {
    let repo = reviewed();
    let head = repo.git(["rev-parse", "HEAD"]);
    let subject = repo.git(["log", "-1", "--format=%s"]);
    let log = repo.council(["log"]).ends(0).stdout;
    assert!(log.contains(&head[..9]) && log.contains(&subject), "{log}");
    repo.council(["review", "HEAD~1"]).ends(0);
    let log = repo.council(["log", "HEAD"]).ends(0).stdout;
    assert_eq!(log.lines().count(), 1, "{log}");
    repo.council(["log", "nowhere"]).ends(2);
    repo.council(["show", "HEAD"]).ends(0).prints("FAIL");
    repo.council(["log", "--stats"])
        .ends(0)
        .prints("2 runs")
        .prints("judge");
    let json = repo.council(["log", "--json"]).ends(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[1]["commit"], head);
    assert_eq!(json[1]["subject"], subject);
    let schema = repo.council(["schema", "log"]).ends(0).stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert!(jsonschema::is_valid(&schema, &json), "{json}");
}

/// The counts of a row of `log --stats`.
fn counts_of(repo: &Repo, row: &str) -> Vec<usize> {
    let stats = repo.council(["log", "--stats"]).ends(0).stdout.clone();
    let line = stats.lines().find(|line| line.contains(row));
    let line = line.unwrap_or_else(|| panic!("{row}: {stats}"));
    let (_, counts) = line.split_once(row).unwrap();
    let counts = counts.split_whitespace().map(|word| word.parse().unwrap());
    counts.collect()
}

/// A dismissal comes after the report that it is about, and a change that is reviewed again raises nothing new.
#[test]
fn the_counts_are_those_of_findings_and_of_what_was_last_said_of_them() {
    let repo = reviewed();
    let shown = repo.council(["show", "--json"]).ends(0).stdout.clone();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let found = shown["findings"].as_array().unwrap();
    let of_rule = |f: &&serde_json::Value| f["finding"]["rule"] == "conflict-marker";
    let all = found.iter().filter(of_rule).count();
    assert!(all > 1, "{shown}");
    let (rule, judge) = ("conflict-marker", "builtin hygiene");
    assert_eq!(counts_of(&repo, rule), [all, all, 0, 0]);
    assert_eq!(counts_of(&repo, judge), [all, all, 0, 0]);
    repo.council(["dismiss", "F1", "--because", "on purpose"])
        .ends(0);
    repo.council(["dismiss", "F2", "--because", "gone", "--as", "fixed"])
        .ends(0);
    assert_eq!(counts_of(&repo, rule), [all, all, 1, 1]);
    repo.council(["dismiss", "F1", "--undo"]).ends(0);
    assert_eq!(counts_of(&repo, rule), [all, all, 0, 1]);
    repo.council(["review", "HEAD", "--fresh"]);
    repo.council(["log", "--stats"]).prints("2 runs");
    let json = repo.council(["log", "--stats", "--json"]).ends(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let row = &json["rules"][0];
    assert_eq!((&json["runs"], &row["name"]), (&2.into(), &rule.into()));
    assert_eq!(
        (&row["raised"], &row["called_fixed"]),
        (&all.into(), &1.into())
    );
    let schema = repo.council(["schema", "log-stats"]).ends(0).stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert!(jsonschema::is_valid(&schema, &json), "{json}");
    assert_eq!(counts_of(&repo, rule), [all, all, 0, 1]);
    assert_eq!(counts_of(&repo, judge), [all, all, 0, 1]);
}

#[test]
fn old_runs_are_let_go() {
    let repo = Repo::with_base();
    for _ in 0..4 {
        repo.council(["review", "HEAD", "--fresh", "--config", "runs.keep=2"])
            .ends(0);
    }
    let log = repo.council(["log"]).stdout;
    assert_eq!(log.lines().count(), 2, "{log}");
}

/// Whoever asks for a run by its name is shown that run or none, never a later one.
#[test]
fn the_name_of_a_run_that_is_gone_is_never_given_again() {
    let repo = Repo::with_base();
    let mut names = Vec::new();
    for round in 0..4 {
        let review = ["review", "HEAD", "--fresh", "--config", "runs.keep=1"];
        repo.council(review).ends(0);
        let json = repo.council(["log", "--json"]).ends(0).stdout;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        names.push(json[0]["name"].as_str().unwrap().to_owned());
        if round == 2 {
            repo.council(["gc", "--keep", "0"]).ends(0);
        }
    }
    let once: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(once.len(), names.len(), "{names:?}");
    assert!(names[3].ends_with("-4"), "{names:?}");
}

#[test]
fn a_report_goes_where_it_is_sent() {
    let repo = reviewed();
    let read = |name: &str| std::fs::read_to_string(repo.path().join(name)).unwrap();
    let run = repo
        .council(["review", "HEAD", "--json", "-o", "report.json"])
        .ends(1)
        .prints("notes.md:1");
    assert!(!run.stdout.starts_with('{') && read("report.json").starts_with('{'));
    repo.council(["review", "HEAD", "--format", "sarif", "-o", "report.sarif"])
        .ends(1);
    assert!(read("report.sarif").contains("\"2.1.0\""));
    repo.council(["review", "HEAD", "--format", "markdown"])
        .ends(1)
        .prints("# FAIL");
    // What can be seen before anybody is asked is refused before.
    for (place, why) in [
        ("nowhere/report.json", "its folder does not exist"),
        ("src", "it is a folder"),
    ] {
        let run = repo
            .council(["review", "HEAD", "--json", "-o", place])
            .ends(2);
        run.tells("cannot write").tells(why);
    }
}

/// Nothing that was paid for is lost, and whoever reads the file next does not take an older one for it.
#[test]
#[cfg(target_os = "linux")]
fn a_report_that_cannot_be_written_is_printed_and_the_run_does_not_end_well() {
    let repo = Repo::with_base();
    repo.write("src/two.rs", "/// Two.\npub const TWO: u32 = 2;\n");
    repo.commit("Two");
    let run = repo
        .council(["review", "HEAD", "-q", "--json", "-o", "/proc/report.json"])
        .ends(4);
    assert!(run.stdout.starts_with('{'), "{}", run.stdout);
    run.tells("cannot write /proc/report.json");
}

#[test]
fn a_finding_of_an_earlier_run_is_explained() {
    let repo = reviewed();
    let log = repo.council(["log"]).stdout;
    let run = log
        .split_whitespace()
        .find(|word| word.starts_with("council-"))
        .unwrap();
    repo.council(["explain", "F1", "--run", run])
        .ends(0)
        .prints("F1 (");
    repo.council(["explain", "F1", "--run", "nothing-like-it"])
        .ends(2);
}

#[test]
fn without_a_run_there_is_nothing_to_show() {
    let repo = Repo::with_base();
    repo.council(["log"]).ends(0);
    repo.council(["wait"]).ends(2).tells("has no run yet");
    repo.council(["show"])
        .ends(2)
        .tells("has no run yet")
        .tells("git council review");
    repo.council(["replay"]).ends(2);
    Repo::home()
        .council(["log"])
        .ends(2)
        .tells("is not inside a git repository");
}
