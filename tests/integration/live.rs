//! What is seen while judges work: lines in CI, events for programs, and the same from the journal of a run in the
//! background.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::harness::Repo;
use crate::programs::with_judge;

/// Finds nothing, in words that would clear a terminal.
const JUDGE: &str = r##"
prompt=$(cat)
field() { printf '%s' "$prompt" | sed -n "$1" | tail -n 1; }
key=$(field 's/.*`key` is `\([^`]*\)`.*/\1/p')
round=$(field 's/.*`round` is \([0-9]*\).*/\1/p')
cat <<END
{"schema_version": 1, "round": ${round:-1}, "key": "$key", "verdict": "PASS", "confidence": "HIGH", "findings": [],
 "key_insight": "It is sound. \u001b[2J", "recommendation": "Merge it."}
END
"##;

fn with_change() -> Repo {
    let repo = with_judge(JUDGE, "");
    repo.write(
        "src/lib.rs",
        "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    );
    repo.commit("Add plainly");
    repo
}

const REVIEW: [&str; 4] = ["review", "HEAD", "--agents", "helper"];

#[test]
fn in_ci_a_line_tells_what_changes_and_elsewhere_nothing_does() {
    let repo = with_change();
    let run = repo.council_with(&[("CI", "true")], &REVIEW);
    assert!(run.stderr.contains("answered PASS"), "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    let run = repo.council_with(&[], &[&REVIEW[..], &["--fresh"]].concat());
    assert!(!run.stderr.contains("answered"), "{}", run.stderr);
    let lines = [
        &REVIEW[..],
        &["--fresh", "--config", "output.progress=lines"],
    ]
    .concat();
    let run = repo.council_with(&[], &lines);
    assert!(run.stderr.contains("answered PASS"), "{}", run.stderr);
    let off = [&REVIEW[..], &["--fresh", "-q"]].concat();
    let run = repo.council_with(&[("CI", "true")], &off);
    assert_eq!(run.stderr, "");
}

fn parse(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The events of a run: each fits the schema, time never goes back, and the last one says how the program ended.
pub(crate) fn checked_events(repo: &Repo, text: &str, code: i32) -> Vec<Value> {
    let schema = repo.council(["schema", "events"]).ends(0).stdout.clone();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let events = parse(text);
    for event in &events {
        let errors: Vec<String> = validator
            .iter_errors(event)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{event}");
    }
    let times: Vec<u64> = events.iter().map(|e| e["at"].as_u64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let last = events.last().unwrap();
    assert_eq!(last["event"], "finished");
    assert_eq!(last["exit_code"], code);
    events
}

#[test]
fn events_fit_their_schema_and_end_with_the_verdict() {
    let repo = with_change();
    let run = repo.council_with(&[], &[&REVIEW[..], &["--events", "-"]].concat());
    let events = checked_events(&repo, &run.stdout, run.code);
    let names: Vec<&str> = events
        .iter()
        .map(|e| e["event"].as_str().unwrap())
        .collect();
    assert_eq!(names.first(), Some(&"convened"), "{names:?}");
    for name in ["started", "asked", "replied", "answered", "concluded"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    assert!(run.stderr.contains("PASS"), "the report: {}", run.stderr);
    // A verdict that is reused convenes nobody, and says so.
    let run = repo.council_with(&[], &[&REVIEW[..], &["--events", "seen.ndjson"]].concat());
    assert!(run.stdout.contains("PASS"), "{}", run.stdout);
    let seen = std::fs::read_to_string(repo.path().join("seen.ndjson")).unwrap();
    let seen = parse(&seen);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(seen[0]["reused"], true);
}

/// Events have standard output; the report goes to standard error in the form that was asked for.
#[test]
fn beside_events_the_report_keeps_its_format() {
    let repo = with_change();
    for (format, begins) in [
        ("json", "{"),
        ("sarif", "{"),
        ("agent", "git-council 1\t"),
        ("markdown", "---"),
        ("terminal", "PASS"),
    ] {
        let args = [
            "review",
            "HEAD",
            "--fresh",
            "--no-save",
            "--events",
            "-",
            "--format",
            format,
        ];
        let run = repo.council_with(&[], &args);
        let report = run.stderr.lines().any(|line| line.starts_with(begins));
        assert!(report, "{format}: {}", run.stderr);
        let only = ["terminal"].contains(&format);
        assert_eq!(
            run.stderr.contains("\nPASS") || run.stderr.starts_with("PASS"),
            only,
            "{}",
            run.stderr
        );
    }
}

#[test]
fn the_demo_plays_without_a_repository_or_a_network() {
    let home = Repo::home();
    let run = home
        .council(["demo"])
        .ends(0)
        .prints("FAIL (a recording): 2 critical");
    assert_eq!(run.stderr, "", "nobody watches");
    let run = home.council_with(
        &[("CI", "true")],
        &["demo", "--at-once", "--format", "markdown"],
    );
    assert!(run.stdout.contains("refunds.py"), "{}", run.stdout);
}

/// The page at the end is made offline from the recording: the findings, and the change beside them.
#[test]
fn the_demo_ends_with_a_page_for_a_browser() {
    let home = Repo::home();
    home.council(["demo", "--at-once", "--html", "demo.html"])
        .ends(0)
        .prints("FAIL (a recording): 2 critical");
    let page = std::fs::read_to_string(home.path().join("demo.html")).unwrap();
    for part in [
        "FAIL (a recording): 2 critical",
        "refunds.py",
        "gateway.transfer(order, amount)",
    ] {
        assert!(page.contains(part), "{part} is not in the page");
    }
    assert!(
        !page.contains("src=\"http") && !page.contains("href=\"http"),
        "{page}"
    );
    let printed = home
        .council(["demo", "--at-once", "--format", "html"])
        .ends(0);
    assert_eq!(printed.stdout, page);
    let opened = home.in_home("opened");
    let browser = home.in_home("browser.sh");
    let script = format!("#!/bin/sh\ncp \"$1\" '{}'\n", opened.display());
    std::fs::write(&browser, script).unwrap();
    std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).unwrap();
    let variables = [("BROWSER", browser.to_str().unwrap())];
    let run = home.council_with(&variables, &["demo", "--at-once", "--web"]);
    let place = run.stdout.lines().last().unwrap().to_owned();
    let is_opened = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::read_to_string(&opened).is_ok_and(|text| text == page)
    });
    assert!(is_opened, "{place}: {}", run.stderr);
    // However often the page is shown, there is one file of it, and no folder among the temporary ones.
    let again = home.council_with(&variables, &["demo", "--at-once", "--web"]);
    assert_eq!(again.stdout.lines().last(), Some(place.as_str()));
    assert!(
        place.starts_with(home.in_home("").to_str().unwrap()),
        "{place}"
    );
}

#[test]
fn the_demo_and_wait_obey_the_setting() {
    let home = Repo::home();
    let lines = ["demo", "--config", "output.progress=lines"];
    let run = home.council(lines).ends(0);
    assert!(run.stderr.contains("disputes"), "{}", run.stderr);
    let off = ["demo", "--config", "output.progress=off"];
    let run = home.council_with(&[("CI", "true")], &off);
    assert_eq!(run.stderr, "");
    let repo = with_judge("cat > /dev/null; exec sleep 600", "");
    let detached = [&REVIEW[..], &["--timeout", "3s", "--detach"]].concat();
    repo.council_with(&[], &detached).ends(0);
    let off = ["wait", "--config", "output.progress=off"];
    let run = repo.council_with(&[("CI", "true")], &off);
    assert!(!run.stderr.contains("out of time"), "{}", run.stderr);
}

#[test]
fn a_run_in_the_background_is_seen_from_its_journal() {
    let repo = with_judge("cat > /dev/null; exec sleep 600", "");
    repo.write(
        "src/lib.rs",
        "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    );
    repo.commit("Add plainly");
    let detached = [&REVIEW[..], &["--timeout", "15s", "--detach"]].concat();
    repo.council_with(&[], &detached).ends(0);
    let seen = (0..140).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        repo.council(["status"]).stdout.contains("thinking")
    });
    assert!(seen, "{}", repo.council(["status"]).stdout);
    let run = repo.council_with(&[("CI", "true")], &["wait"]);
    assert_eq!(run.code, 3);
    assert!(
        run.stderr.contains("out of time") || run.stderr.contains("time was over"),
        "{}",
        run.stderr
    );
}
