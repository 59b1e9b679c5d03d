//! What is known again, what was dismissed, what is taken over, and what goes.

use std::fs;
use std::path::PathBuf;

use crate::harness::Repo;

const CONFLICT: &str = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";

pub(crate) fn conflicted() -> Repo {
    let repo = Repo::with_base();
    repo.git(["config", "--global", "council.notes.write", "true"]);
    repo.write("notes.md", CONFLICT);
    repo.commit("Conflict");
    repo
}

fn runs(repo: &Repo) -> usize {
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

#[test]
fn a_verdict_is_a_note_on_the_reviewed_commit() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let note = repo.git(["notes", "--ref=council", "show", "HEAD"]);
    let [verdict, places, pointer] = note.lines().collect::<Vec<_>>()[..] else {
        panic!("{note}");
    };
    assert!(verdict.starts_with("FAIL (rules only): "), "{note}");
    assert!(
        places.starts_with("findings: notes.md:1 critical"),
        "{note}"
    );
    assert!(pointer.len() < 200, "{note}");
    let log = repo.git(["log", "-1", "--notes=council"]);
    assert!(
        log.contains("FAIL (rules only)") && log.len() < 1_000,
        "{log}"
    );
    let line = stored_verdict(&repo);
    assert_eq!(
        (&line["v"], &line["type"], &line["verdict"]),
        (&1.into(), &"verdict-report".into(), &"FAIL".into())
    );
    assert_eq!(line["head"], repo.git(["rev-parse", "HEAD"]));
    assert_eq!(line["base"], repo.git(["rev-parse", "HEAD~1"]));
    for digest in ["patch_id", "config", "council", "key"] {
        assert_eq!(line[digest].as_str().unwrap().len(), 64, "{digest}");
    }
    let before = noted(&repo);
    repo.git(["config", "--global", "council.notes.write", "false"]);
    repo.write("b.md", CONFLICT);
    repo.commit("Another");
    repo.council(["review", "HEAD"]).ends(1);
    assert_eq!(noted(&repo), before);
    // In CI nothing is written, and a cache is nobody's word.
    repo.git(["config", "--global", "council.notes.write", "true"]);
    let ci = repo
        .council_with(&[("CI", "true")], &["review", "HEAD"])
        .ends(1);
    assert!(!ci.stdout.contains("recognised"), "{}", ci.stdout);
    assert_eq!(noted(&repo), before);
}

/// How many objects have notes.
fn noted(repo: &Repo) -> usize {
    let refs = repo.git(["for-each-ref", "refs/notes"]);
    match refs.is_empty() {
        true => 0,
        false => repo.git(["notes", "--ref=council", "list"]).lines().count(),
    }
}

/// The text of every note.
pub(crate) fn all_notes(repo: &Repo) -> String {
    if noted(repo) == 0 {
        return String::new();
    }
    let list = repo.git(["notes", "--ref=council", "list"]);
    let texts = list.lines().map(|line| {
        let (blob, _) = line.split_once(' ').unwrap();
        repo.git(["cat-file", "blob", blob])
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The whole verdict that the note on HEAD leads to.
pub(crate) fn stored_verdict(repo: &Repo) -> serde_json::Value {
    let note = repo.git(["notes", "--ref=council", "show", "HEAD"]);
    let pointer = note.lines().find(|line| line.starts_with('{')).unwrap();
    let pointer: serde_json::Value = serde_json::from_str(pointer).unwrap();
    let object = pointer["note"].as_str().unwrap().to_owned();
    serde_json::from_str(&repo.git(["notes", "--ref=council", "show", &object])).unwrap()
}

/// Nobody's history gets notes unless somebody asks for them, or the hook is there that reads them.
#[test]
fn no_note_is_written_unless_it_is_asked_for_or_the_hook_is_installed() {
    let repo = conflicted();
    repo.git(["config", "--global", "--unset", "council.notes.write"]);
    repo.council(["review", "HEAD"]).ends(1);
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    assert_eq!(noted(&repo), 0);
    repo.council(["hook", "install"]).ends(0);
    repo.council(["review", "HEAD", "--fresh"]);
    assert_eq!(noted(&repo), 2);
    repo.council(["show", "HEAD"]).ends(0).prints("(yours)");
}

/// Anybody who may write notes can copy one.
#[test]
fn a_note_that_was_copied_from_another_commit_is_nobody_s() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    repo.write("fine.txt", "fine\n");
    repo.commit("Fine");
    repo.council(["review", "HEAD"]).ends(0);
    repo.council(["show", "HEAD"]).ends(0).prints("(yours)");
    let note = repo.git(["notes", "--ref=council", "list", "HEAD"]);
    let copy = [
        "notes",
        "--ref=council",
        "add",
        "-f",
        "-C",
        note.trim(),
        "HEAD~1",
    ];
    repo.git(copy);
    let run = repo.council(["show", "HEAD~1"]).ends(0);
    let run = run.prints("not trusted: it is about another commit");
    assert!(!run.stdout.contains("(yours)"), "{}", run.stdout);
}

/// A key of ssh for a repository's user; none where there is no ssh.
pub(crate) fn key(repo: &Repo) -> Option<String> {
    let file = repo.in_home("key");
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&file)
        .status();
    made.ok().filter(|status| status.success())?;
    repo.git(["config", "--global", "gpg.format", "ssh"]);
    repo.git([
        "config",
        "--global",
        "user.signingKey",
        file.to_str().unwrap(),
    ]);
    repo.git(["config", "--global", "council.notes.sign", "true"]);
    let print = std::process::Command::new("ssh-keygen")
        .args(["-l", "-f"])
        .arg(&file)
        .output()
        .unwrap();
    let print = String::from_utf8(print.stdout).unwrap();
    print.split_whitespace().nth(1).map(str::to_owned)
}

#[test]
fn a_note_from_elsewhere_counts_when_its_signer_is_listed() {
    let one = conflicted();
    let Some(key) = key(&one) else {
        eprintln!("skipped, because ssh-keygen makes no key here");
        return;
    };
    one.council(["review", "HEAD"]).ends(1);
    let two = Repo::home();
    let from = one.path().to_str().unwrap().to_owned();
    two.git(["clone", "--quiet", &from, "."]);
    two.git([
        "fetch",
        "--quiet",
        "origin",
        "refs/notes/council:refs/notes/council",
    ]);
    two.council(["review", "HEAD", "--no-save"])
        .ends(1)
        .prints("it is not trusted");
    two.council(["cache", "clear"]).ends(0);
    two.git([
        "config",
        "--global",
        "council.trustedNotes",
        &format!("{key} ann ann@example.com"),
    ]);
    two.council(["review", "HEAD"])
        .ends(1)
        .prints("a note signed by")
        .prints("SHA256:");
    // Not by the repository's own word.
    two.git(["config", "--global", "--unset", "council.trustedNotes"]);
    two.git(["config", "council.trustedNotes", &key]);
    let run = two.council(["review", "HEAD", "--fresh"]).ends(1);
    let run = run
        .prints("`notes.trusted`")
        .prints("is ignored: no repository may set it");
    assert!(!run.stdout.contains("a note signed by"), "{}", run.stdout);
    two.git(["config", "--unset", "council.trustedNotes"]);
    two.git([
        "config",
        "--global",
        "council.trustedNotes",
        &format!("{key} ann ann@example.com"),
    ]);
    // In CI nobody signs for their own change.
    let job = |actor: &str| {
        two.council_with(
            &[("CI", "1"), ("GITHUB_ACTOR", actor)],
            &["review", "HEAD~1..HEAD"],
        )
    };
    job("zoe").ends(1).prints("reused: ");
    job("ann").ends(1).prints("it is not trusted");
}

#[test]
fn a_dismissed_finding_is_listed_and_does_not_count_until_its_code_changes() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    repo.council(["dismiss", "F1"]).ends(2);
    let one = repo.council([
        "dismiss",
        "F1",
        "--because",
        "it is an example",
        "--as",
        "accepted-risk",
    ]);
    one.ends(0).prints("is dismissed until its code changes");
    let mut report = repo.council(["review", "HEAD"]).stdout;
    // The conflict's markers are several findings.
    for _ in 0..8 {
        if !report.contains("FAIL (rules only)") {
            break;
        }
        let json = repo.council(["review", "HEAD", "--json"]).stdout;
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let findings = value["findings"].as_array().unwrap();
        let open = findings.iter().find(|f| f["level"] == "fail").unwrap();
        let print = open["fingerprint"].as_str().unwrap();
        repo.council(["dismiss", print, "--because", "the same"])
            .ends(0);
        report = repo.council(["review", "HEAD"]).stdout;
    }
    assert!(report.contains("PASS"), "{report}");
    assert!(
        report.contains("dismissed: F1") && report.contains("accepted risk: it"),
        "{report}"
    );
    assert!(report.contains("A Tester <tester@example.com>"), "{report}");
    // Judged anew, the rule holds too.
    repo.council(["review", "HEAD", "--fresh"])
        .ends(0)
        .prints("dismissed: ");
    let note = repo.git([
        "notes",
        "--ref=council",
        "show",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ]);
    assert!(note.contains("\"ground\":\"accepted-risk\""), "{note}");
    // Its code changes: it is back.
    repo.write("notes.md", CONFLICT.replace("ours", "nobody's"));
    repo.git(["commit", "--quiet", "--all", "--amend", "--no-edit"]);
    repo.council(["review", "HEAD"]).ends(1);
}

/// A dismissal is about the secret that was looked at, though no report shows it.
#[test]
fn a_dismissed_token_does_not_excuse_another_one() {
    let repo = Repo::with_base();
    let token = |last: char| format!("t = \"ghp_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUn{last}\"\n");
    repo.write("a.py", token('A'));
    repo.commit("Token");
    repo.council(["review", "HEAD"]).ends(1);
    let why = [
        "dismiss",
        "F1",
        "--because",
        "revoked last year",
        "--as",
        "false-positive",
    ];
    repo.council(why).ends(0);
    repo.council(["review", "HEAD"]).ends(0);
    repo.write("a.py", token('B'));
    repo.commit("Another token");
    repo.council(["review", "HEAD"]).ends(1).prints("a.py:1");
}

#[test]
fn the_finding_that_is_meant_is_the_one_of_the_report_shown_last() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let first = repo.git(["rev-parse", "HEAD"]);
    repo.write("other.md", CONFLICT);
    repo.commit("Another conflict");
    repo.council(["review", "HEAD"]).ends(1).prints("other.md");
    // The first change again: recognised, without a run, and shown.
    repo.council(["review", first.trim()])
        .ends(1)
        .prints("nobody was asked again");
    repo.council(["explain", "F1"])
        .ends(0)
        .prints("at notes.md:");
    // A run that ended since and was not shown calls another finding the same.
    std::thread::sleep(std::time::Duration::from_millis(20));
    let runs = fs::read_dir(repo.path().join(".git/council/runs")).unwrap();
    for run in runs.map(|run| run.unwrap().path().join("report.json")) {
        let text = fs::read(&run).unwrap();
        if String::from_utf8_lossy(&text).contains("other.md") {
            fs::write(&run, text).unwrap();
        }
    }
    for command in [
        &["dismiss", "F1", "--because", "no"][..],
        &["explain", "F1"],
    ] {
        repo.council_with(&[], command)
            .ends(2)
            .tells("F1 is ambiguous")
            .tells("notes.md:")
            .tells("other.md:");
    }
    repo.council(["review", first.trim()]).ends(1);
    repo.council(["dismiss", "F1", "--because", "no"])
        .ends(0)
        .prints("at notes.md:");
}

/// What came in the background, or was shown to a coding agent, is nothing that a person has seen.
#[test]
fn a_report_that_nobody_was_shown_is_not_the_one_that_is_meant() {
    for unseen in [("GIT_COUNCIL_UNSEEN", "1"), ("CLAUDECODE", "1")] {
        let repo = conflicted();
        repo.council(["review", "HEAD"]).ends(1);
        repo.write("other.md", CONFLICT);
        repo.commit("Another conflict");
        repo.council_with(&[unseen], &["review", "HEAD", "--quiet"])
            .ends(1);
        for command in [
            &["dismiss", "F1", "--because", "no"][..],
            &["explain", "F1"],
        ] {
            repo.council_with(&[], command)
                .ends(2)
                .tells("F1 is ambiguous");
        }
    }
    let repo = conflicted();
    let agent = ("CLAUDECODE", "1");
    repo.council(["review", "HEAD"]).ends(1);
    repo.write("other.md", CONFLICT);
    repo.commit("Another conflict");
    repo.council_with(&[agent], &["review", "HEAD"]).ends(1);
    repo.council_with(&[agent], &["explain", "F1"])
        .ends(0)
        .prints("other.md:");
}

/// Who asked for the verdict alone has not seen its findings: `F1` is not theirs.
#[test]
fn a_headline_shows_no_finding() {
    let quiet: [&[&str]; 4] = [
        &["review", "HEAD", "-q"],
        &["review", "HEAD", "-q", "--events", "events.ndjson"],
        &["review", "HEAD", "-q", "-o", "report.md"],
        // The second time it is reused, and leaves no run.
        &["review", "HEAD", "-q", "--advisory"],
    ];
    for args in quiet {
        let repo = conflicted();
        let first = repo.git(["rev-parse", "HEAD"]);
        repo.write("other.md", CONFLICT);
        repo.commit("Another conflict");
        if args.contains(&"--advisory") {
            repo.council(["review", "HEAD"]).ends(1);
        }
        repo.council(["review", first.trim()]).ends(1);
        std::thread::sleep(std::time::Duration::from_millis(20));
        repo.council_with(&[], args);
        for command in [
            &["dismiss", "F1", "--because", "no"][..],
            &["explain", "F1"],
        ] {
            repo.council_with(&[], command)
                .ends(2)
                .tells("F1 is ambiguous");
        }
        // The headline of an old run changes nothing of what was shown.
        repo.council(["review", first.trim()]).ends(1);
        let log = repo.council(["log", "--json"]).stdout;
        let log: serde_json::Value = serde_json::from_str(&log).unwrap();
        let runs = log.as_array().unwrap().iter();
        let names = runs.filter_map(|run| run["run"].as_str().or(run["name"].as_str()));
        for name in names {
            repo.council(["show", name, "-q"]);
        }
        repo.council(["explain", "F1"])
            .ends(0)
            .prints("at notes.md:");
    }
}

#[test]
fn a_dismissal_is_taken_back_and_one_of_a_stranger_is_hearsay() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    repo.council(["dismiss", "F1", "--because", "no"]).ends(0);
    repo.council(["review", "HEAD"]).prints("dismissed: F1");
    repo.council(["dismiss", "F1", "--undo"])
        .ends(0)
        .prints("counts again");
    let run = repo.council(["review", "HEAD"]).ends(1);
    assert!(!run.stdout.contains("dismissed: "), "{}", run.stdout);
    repo.council(["dismiss", "F1", "--because", "no"]).ends(0);
    // In a clone only the notes are there.
    fs::remove_file(repo.path().join(".git/council/dismissals.jsonl")).unwrap();
    let run = repo.council(["review", "HEAD", "--fresh"]).ends(1);
    run.prints("from elsewhere").prints("not counted");
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
fn a_suggestion_is_taken_into_the_worktree_unless_its_lines_moved() {
    let (repo, source) = suggested();
    // Nobody takes what nothing shows.
    repo.council(["explain", "F1"])
        .ends(0)
        .prints("in place of line 3")
        .prints("  +     n.saturating_mul(2)");
    let before = fs::read_to_string(&source).unwrap();
    fs::write(&source, format!("// new\n{before}")).unwrap();
    repo.council(["apply", "F1"])
        .ends(2)
        .tells("changed since they were reviewed");
    fs::write(&source, &before).unwrap();
    repo.council(["apply", "F1"]).ends(0).prints("src/more.rs:");
    let after = fs::read_to_string(&source).unwrap();
    assert_eq!(after.lines().nth(2), Some("    n.saturating_mul(2)"));
    assert_eq!(after.lines().count(), before.lines().count());
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

/// Each review of a commit leaves a note: what several say of it is one line.
#[test]
fn what_many_untrusted_notes_say_is_told_once() {
    let repo = conflicted();
    for _ in 0..3 {
        repo.council(["review", "HEAD", "--fresh"]).ends(1);
    }
    // Somebody else's program knows nothing of this user's verdicts.
    fs::remove_dir_all(repo.path().join(".git/council")).unwrap();
    let run = repo.council(["review", "HEAD"]).ends(1);
    let told = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(told.matches("not trusted").count(), 1, "{told}");
}

#[test]
fn git_s_own_rules_are_followed() {
    let repo = conflicted();
    repo.write(
        "src/lib.rs",
        "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a.saturating_add(b)\n}\n",
    );
    repo.commit("Clean");
    let at = repo.path().join("src");
    let run = repo
        .council_in(
            &at,
            &["-C", "..", "review", "HEAD~2..HEAD", "--", "src"],
            &[],
        )
        .ends(0);
    run.prints("PASS");
    // The index of `git commit -a` is a temporary one.
    let other = repo.in_home("index");
    fs::copy(repo.path().join(".git/index"), &other).unwrap();
    repo.write("staged.md", CONFLICT);
    let mut add = repo.git_command(&["add", "staged.md"]);
    assert!(
        add.env("GIT_INDEX_FILE", &other)
            .status()
            .unwrap()
            .success()
    );
    repo.council(["review", "--staged"])
        .ends(0)
        .prints("SKIPPED");
    let vars = [("GIT_INDEX_FILE", other.to_str().unwrap())];
    repo.council_with(&vars, &["review", "--staged"])
        .ends(1)
        .prints("staged.md:1");
    repo.council(["-h"]).ends(0).prints("hook");
    repo.council(["man"]).ends(0).prints(".TH ");
    for (shell, word) in [
        ("bash", "_git_council"),
        ("zsh", "#compdef"),
        ("fish", "complete -c git-council"),
    ] {
        repo.council(["completions", shell]).ends(0).prints(word);
    }
    repo.council(["completions", "csh"]).ends(2);
}

/// A key as the rules know it, another one for each number.
fn sample_key(number: usize) -> String {
    let letters: Vec<char> = ('A'..='Z').collect();
    let (a, b) = (letters[number / 26 % 26], letters[number % 26]);
    format!("AKIAQYLPMN5HHHFPZ{a}{b}2")
}

/// A dismissal covers what was there when it was made, and nothing that comes later: neither a further place that no finding
/// names, nor other content of a file that nobody can read.
#[test]
fn a_dismissal_covers_nothing_that_was_not_there() {
    let script = |keys: std::ops::Range<usize>| -> Vec<u8> {
        let line = |n| format!("def f{n}():\n    return connect(\"{}\")\n", sample_key(n));
        keys.map(line).collect::<String>().into_bytes()
    };
    let binary = |text: &str| [b"\x89PNG\r\n\x1a\n\0\0\0\0", text.as_bytes()].concat();
    let eval = |lines: usize| -> Vec<u8> {
        let line = |n| format!("    eval(text_{n})\n");
        ("def a():\n".to_owned() + &(0..lines).map(line).collect::<String>()).into_bytes()
    };
    let cases = [
        ("six keys", "m.py", script(0..6), script(0..7)),
        ("forty keys", "m.py", script(0..40), script(0..41)),
        ("the rest of a file", "m.py", eval(9), eval(10)),
        (
            "an image",
            "k.png",
            binary(&sample_key(1)),
            binary(&sample_key(2)),
        ),
        (
            "an image, twice",
            "k.png",
            binary(&sample_key(1)),
            binary(&format!("{} {}", sample_key(1), sample_key(2))),
        ),
        ("a library", "a.jar", binary("one"), binary("two")),
        ("a key store", "a.p12", binary("one"), binary("two")),
    ];
    for (name, path, before, after) in cases {
        let repo = Repo::with_base();
        let review = |content: &[u8]| -> serde_json::Value {
            repo.write(path, content);
            repo.git(["add", "."]);
            let run = repo.council(["review", "--staged", "--json"]);
            serde_json::from_str(&run.stdout).unwrap()
        };
        let report = review(&before);
        assert_ne!(report["verdict"], "PASS", "{name}");
        for finding in report["findings"].as_array().unwrap() {
            let id = finding["fingerprint"].as_str().unwrap();
            repo.council(["dismiss", id, "--because", "samples"])
                .ends(0);
        }
        assert_eq!(review(&before)["verdict"], "PASS", "{name}");
        assert_ne!(review(&after)["verdict"], "PASS", "{name}: {report}");
        assert_eq!(review(&before)["verdict"], "PASS", "{name}");
    }
}
