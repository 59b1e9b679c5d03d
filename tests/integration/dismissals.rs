//! What people say of a finding: which one they mean, what a dismissal covers, and when it ends.

use std::fs;

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::Value;

use crate::harness::Repo;
use crate::memory::{CONFLICT, conflicted};
use crate::models::{self, KEY, finding};

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

/// The line that a report offers ends with `--because '…'`: whoever pastes it as it stands has not said why.
#[test]
fn what_stands_for_a_reason_in_an_offered_line_dismisses_nothing() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    for none in ["…", "...", "<reason>", "reason", " "] {
        repo.council(["dismiss", "F1", "--because", none])
            .ends(2)
            .tells("a dismissal needs a reason")
            .tells("say why: git council dismiss ID --because 'the input is a constant'");
    }
    repo.council(["dismiss", "F1", "--because", "…"])
        .ends(2)
        .tells("and \"…\" is none");
    repo.council(["review", "HEAD"]).ends(1);
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

/// A report lists 200 findings. The last of more stands for the others, is counted where the verdict is told, and gives way
/// to nobody's reason: nobody was shown them.
#[test]
fn what_is_not_listed_is_counted_and_cannot_be_dismissed() {
    let repo = Repo::with_base();
    let keys = (0..205).map(|n| format!("key_{n} = \"{}\"\n", sample_key(n)));
    repo.write("m.py", keys.collect::<String>());
    repo.commit("Keys");
    let told = "200 critical; 5 more findings are not listed";
    repo.council(["review", "HEAD"]).ends(1).prints(told);
    for named in ["F200", "F198-F200"] {
        repo.council(["dismiss", named, "--because", "samples"])
            .ends(2)
            .tells("F200 (provider-token) at m.py:200 cannot be dismissed: it stands for 5 more problems");
    }
    // What was named before the one that is refused is dismissed.
    repo.council(["review", "HEAD"])
        .ends(1)
        .prints("198 critical; 5 more findings are not listed")
        .prints("F1-F197 --because");
}

/// Two judges see one problem of a line and one sees another: who dismisses what is shown has said nothing of the rest, then
/// and in each later review, and can dismiss that as well.
#[test]
fn a_dismissal_leaves_what_judges_say_of_another_kind_in_the_same_line() {
    let of = |category: &str, words: &str| {
        let mut said = finding();
        (said["category"], said["description"]) = (category.into(), words.into());
        Reply::finding("FAIL", said)
    };
    let (sql, null) = (
        "It is an SQL injection.",
        "A name of None is formatted as text.",
    );
    let server = FakeModels::start([
        Rule::on(of("sql", sql)).model("fake-anthropic"),
        Rule::on(of("null", null)).model("fake-gemini"),
        Rule::on(of("sql", sql)).model("fake-responses"),
    ])
    .unwrap();
    let repo = models::repo(&server, "");
    let review = |more: &[&str]| {
        let args = [
            &["review", "HEAD", "--json", "--deep", "--debate=off"],
            more,
        ]
        .concat();
        let run = repo.council_with(&[KEY], &args);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let told = report["findings"].as_array().unwrap().iter().map(|found| {
            let words = found["finding"]["description"].as_str().unwrap().to_owned();
            (words, found["dismissed"].is_object())
        });
        (report["verdict"].clone(), told.collect::<Vec<_>>())
    };
    let (verdict, told) = review(&[]);
    assert_eq!(
        (verdict, told),
        ("FAIL".into(), vec![(sql.to_owned(), false)]),
        "most see this"
    );
    repo.council(["dismiss", "F1", "--because", "the name is a constant"])
        .ends(0)
        .prints("This leaves another problem of its line")
        .prints(null);
    let left = (
        "FAIL".into(),
        vec![(sql.to_owned(), true), (null.to_owned(), false)],
    );
    let sorted = |(verdict, mut told): (Value, Vec<(String, bool)>)| {
        told.sort_by_key(|(_, is_dismissed)| !is_dismissed);
        (verdict, told)
    };
    assert_eq!(sorted(review(&[])), left);
    assert_eq!(sorted(review(&["--fresh"])), left);
    repo.council(["dismiss", "F2", "--because", "the form requires a name"])
        .ends(0);
    for more in [&[][..], &["--fresh"]] {
        let (verdict, told) = review(more);
        assert_eq!(verdict, "PASS", "{told:?}");
        assert!(
            told.iter().all(|(_, is_dismissed)| *is_dismissed),
            "{told:?}"
        );
    }
}
