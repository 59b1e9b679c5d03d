//! Verdicts and their exit codes, as a script would read them.

use crate::harness::Repo;

/// A repository whose last commit does `what`.
fn with(path: &str, content: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write(path, content);
    repo.commit("Change");
    repo
}

fn clean() -> Repo {
    let repo = Repo::with_base();
    repo.write("src/lib.rs", "/// Adds two numbers, at most `u32::MAX`.\npub fn add(a: u32, b: u32) -> u32 {\n    a.saturating_add(b)\n}\n");
    repo.commit("Say more");
    repo
}

const CRITICAL: (&str, &str) = (
    "notes.md",
    "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
);
const MINOR: (&str, &str) = (
    "src/more.py",
    "def more():\n    from orders import load  # noqa\n    return load()\n",
);

#[test]
fn a_clean_commit_passes_in_a_few_words() {
    let run = clean().council(["review", "HEAD"]).ends(0).prints("PASS");
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    assert!(run.stdout.lines().count() <= 3, "{}", run.stdout);
    let run = clean().council(["review", "HEAD", "--quiet"]).ends(0);
    assert_eq!(run.stdout.lines().count(), 1);
}

#[test]
fn a_critical_finding_fails_with_its_place_and_its_text() {
    let run = with(CRITICAL.0, CRITICAL.1)
        .council(["review", "HEAD"])
        .ends(1);
    run.prints("notes.md:1")
        .prints("<<<<<<< HEAD")
        .prints("FAIL");
}

#[test]
fn a_note_passes() {
    with(MINOR.0, MINOR.1)
        .council(["review", "HEAD"])
        .ends(0)
        .prints("src/more.py:2");
}

#[test]
fn warn_fails_only_when_asked() {
    let repo = with(
        "src/load.py",
        "def load(path):\n    try:\n        return open(path).read()\n    except Exception:\n        pass\n",
    );
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("WARN")
        .prints("src/load.py:4");
    repo.council(["review", "HEAD", "--fail-on", "warn"])
        .ends(1)
        .prints("WARN");
    repo.write("council.toml", "review.fail-on = 'warn'\n");
    repo.council(["review", "HEAD"]).ends(1);
}

#[test]
fn the_exit_code_the_headline_and_the_json_say_the_same() {
    for (repo, word, code) in [
        (clean(), "PASS", 0),
        (with(CRITICAL.0, CRITICAL.1), "FAIL", 1),
    ] {
        let run = repo.council(["review", "HEAD", "--json"]).ends(code);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (report["verdict"].as_str(), report["exit_code"].as_i64()),
            (Some(word), Some(code.into()))
        );
        assert!(report["headline"].as_str().unwrap().starts_with(word));
    }
}

#[test]
fn json_fits_the_schema_that_the_program_prints() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    let schema = serde_json::from_str(&repo.council(["schema", "report"]).ends(0).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for args in [
        ["review", "HEAD", "--json"],
        ["review", "--staged", "--json"],
        ["review", "HEAD~1", "--json"],
    ] {
        let report = serde_json::from_str(&repo.council(args).stdout).unwrap();
        let errors: Vec<_> = validator
            .iter_errors(&report)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn procedures_and_debates() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    let rounds = |args: &[&str]| {
        let args: Vec<_> = ["review", "HEAD", "--json"]
            .iter()
            .chain(args)
            .copied()
            .collect();
        let run = repo.council_with(&[], &args).ends(1);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        (
            report["judges"].as_array().unwrap().len(),
            report["rounds"].as_u64().unwrap(),
        )
    };
    assert_eq!(rounds(&["--quick"]), (1, 1));
    assert_eq!(rounds(&["--debate=off"]), (5, 1));
    // The built-in judges are rules: nothing that is asked for makes them debate.
    assert_eq!(rounds(&["--debate"]), (5, 1));
    assert_eq!(rounds(&["--procedure", "debate"]), (5, 1));
    assert_eq!(
        rounds(&["--perspectives", "security,hygiene", "--debate=force"]),
        (2, 1)
    );
    assert_eq!(rounds(&["--debate=off", "--backend", "inline"]), (5, 1));
}

#[test]
fn consensus_by_votes() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    repo.council(["review", "HEAD", "--consensus", "strict"])
        .ends(1)
        .prints("FAIL");
    // One of five votes against it, and what it found is confirmed: no majority lets that in.
    repo.council(["review", "HEAD", "--consensus", "majority", "--debate=off"])
        .ends(1)
        .prints("FAIL");
}

#[test]
fn the_seeds_refusals_word_for_word() {
    let repo = clean();
    let refused =
        |args: &[&str], text: &str| drop(repo.council_with(&[], args).ends(2).tells(text));
    let quick_debate = "Error: --quick and --debate are incompatible.\n";
    refused(&["review", "--quick", "--debate"], quick_debate);
    refused(
        &["review", "--procedure", "quick", "--debate=auto"],
        quick_debate,
    );
    refused(
        &["review", "HEAD", "--judges", "13"],
        "Error: Total agent count 13 exceeds MAX_AGENTS (12). Reduce --explorers or remove --mixed.\n",
    );
    repo.council(["review", "HEAD", "--quick", "--debate=off"])
        .ends(0);
}

#[test]
fn what_cannot_be_is_refused_before_any_judge_starts() {
    let repo = clean();
    let refused =
        |args: &[&str], text: &str| drop(repo.council_with(&[], args).ends(2).tells(text));
    refused(
        &["review", "HEAD", "--quorum", "6"],
        "the quorum is 6, but there are only 5 judges",
    );
    for file in ["--html", "--sarif", "-o"] {
        refused(
            &["review", "HEAD", file, "no/folder/report"],
            "its folder does not exist",
        );
    }
    refused(
        &["review", "HEAD", "--quick", "--judges", "3"],
        "--quick asks one judge, and --judges asks for more",
    );
    refused(
        &["review", "HEAD", "--quick", "--agents", "a,b"],
        "--quick asks one judge, and --agents names more",
    );
    refused(
        &["review", "HEAD", "--backend", "carrier-pigeon"],
        "there is no backend `carrier-pigeon`",
    );
    refused(
        &["review", "HEAD", "--backend", "background", "--debate"],
        "lacks message",
    );
    refused(
        &["review", "HEAD", "--consensus", "loudest"],
        "`review.consensus` cannot be \"loudest\" (--consensus)",
    );
    refused(&["review", "HEAD", "--timeout", "soon"], "(--timeout)");
    refused(
        &["review", "HEAD", "--perspectives", "secruity"],
        "did you mean `security`?",
    );
    refused(
        &[
            "review",
            "HEAD",
            "--agents",
            "builtin",
            "--perspectives",
            "securty",
        ],
        "did you mean `security`?",
    );
    refused(
        &["review", "HEAD", "--judges", "2", "--deep"],
        "cannot be used with",
    );
    refused(&["review", "HEAD", "--ignore", "[z-a]"], "review.ignore");
    repo.council(["log"]).ends(0);
    assert_eq!(
        std::fs::read_dir(repo.path().join(".git/council/runs"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn the_same_change_gives_the_same_report_apart_from_time() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    let report = || {
        let run = repo
            .council(["review", "HEAD", "--json", "--debate", "--fresh"])
            .ends(1);
        let mut report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let receipt = report["receipt"]["run"].as_object_mut().unwrap();
        for time in ["name", "started", "duration_ms", "seed"] {
            receipt.remove(time);
        }
        for judge in report["judges"].as_array_mut().unwrap() {
            judge.as_object_mut().unwrap().remove("answered_ms");
        }
        report
    };
    assert_eq!(report(), report());
}

#[test]
fn a_key_knows_the_change_again_and_what_it_was_judged_by() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    let key = |args: &[&str]| {
        let args: Vec<_> = ["review", "HEAD", "--json"]
            .iter()
            .chain(args)
            .copied()
            .collect();
        let report: serde_json::Value =
            serde_json::from_str(&repo.council_with(&[], &args).stdout).unwrap();
        report["receipt"]["run"]["recognition_key"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = key(&[]);
    assert_eq!(
        (first.len(), &first),
        (64, &key(&["--color", "always", "--no-save"]))
    );
    assert_ne!(first, key(&["--consensus", "strict"]));
    assert_ne!(first, key(&["--perspectives", "security,tests"]));
    repo.write("src/lib.rs", "pub fn add() {}\n");
    repo.commit("Another change");
    assert_ne!(first, key(&[]));
}

#[test]
fn a_review_is_shown_in_a_browser_as_one_page() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    repo.council(["review", "HEAD", "--html", "report.html"])
        .ends(1);
    let text = std::fs::read_to_string(repo.path().join("report.html")).unwrap();
    assert!(
        text.starts_with("<!DOCTYPE html>") && text.contains("<mark>"),
        "{text}"
    );
    let opened = repo.in_home("opened");
    let browser = repo.in_home("browser");
    std::fs::write(
        &browser,
        format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display()),
    )
    .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&browser, mode).unwrap();
    let vars = [("BROWSER", browser.to_str().unwrap())];
    let shown = repo.council_with(&vars, &["show", "--web"]).ends(0);
    let path = shown.stdout.trim();
    assert!(
        std::fs::read_to_string(path)
            .unwrap()
            .contains("conflict-marker")
    );
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !opened.exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(std::fs::read_to_string(opened).unwrap().trim(), path);
}

#[test]
fn a_review_here_writes_sarif_too() {
    let repo = with(CRITICAL.0, CRITICAL.1);
    repo.council(["review", "HEAD", "--sarif", "council.sarif"])
        .ends(1);
    let text = std::fs::read_to_string(repo.path().join("council.sarif")).unwrap();
    assert!(text.contains("conflict-marker"), "{text}");
}

/// A rule's finding that was dismissed stays in the report, whoever sits: its next reader would not know of it.
#[test]
fn what_was_dismissed_of_a_rule_is_told_beside_models() {
    let repo = crate::programs::with_judge(&crate::programs::answer("PASS", ""), "");
    repo.write("notes.py", "<<<<<<< HEAD\n");
    repo.commit("Notes");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    let fresh = ["review", "HEAD", "--fresh"];
    repo.council(fresh).ends(0).prints("dismissed");
    repo.council(["show", "--format", "markdown"])
        .ends(0)
        .prints("an example");
    repo.council(["replay"]).ends(0).prints("dismissed");
    // It can be taken back where it is told.
    repo.council(["dismiss", "F1", "--undo"]).ends(0);
    repo.council(fresh).ends(1);
}

/// Rules read no instructions, and whoever gave some must not think that somebody minded them.
#[test]
fn instructions_that_nobody_reads_are_told() {
    let repo = Repo::with_base();
    repo.write("notes.md", "A note.\n");
    repo.commit("Note");
    let review = ["review", "HEAD"];
    let told = "--instructions was read by nobody";
    let run = repo.council([review[0], review[1], "--instructions", "mind the migration"]);
    run.ends(0).tells(told);
    let run = repo.council(review).ends(0);
    assert!(!run.stderr.contains(told), "{}", run.stderr);
}
