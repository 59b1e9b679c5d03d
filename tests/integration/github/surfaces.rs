//! One verdict on every surface.

use std::fs;

use serde_json::Value;

use council_secrets::samples::sample_secrets;

use super::stage::{CONFLICT, Stage};

const ALL: &str = "comment,check,review,summary,annotations,outputs";

/// A comment on a public pull request is read by more people than the secret's file.
#[test]
fn no_kind_of_secret_is_sent_to_the_forge_or_shown_by_the_job() {
    let stage = Stage::new();
    let samples = sample_secrets();
    let lines: Vec<&str> = samples.iter().map(|sample| &*sample.line).collect();
    stage.propose(1, &[("src/all.txt", &(lines.join("\n") + "\n"))]);
    let run = stage
        .job(&["review", "--pr", "1", "--publish", ALL], &[])
        .ends(1);
    let state = stage.hub.state();
    let sent: Vec<String> = state.asked.iter().map(|a| a.body.to_string()).collect();
    assert!(!state.reviews.is_empty() && !state.checks.is_empty());
    assert!(sent.iter().any(|body| body.contains("src/all.txt")));
    let exits = [
        ("forge", sent.concat()),
        ("job", run.stdout + &run.stderr),
        (
            "summary",
            fs::read_to_string(stage.file("summary.md")).unwrap(),
        ),
        ("outputs", format!("{:?}", stage.outputs())),
    ];
    for (exit, text) in &exits {
        assert!(text.len() > 80, "{exit}: {text}");
        for secret in samples.iter().map(|sample| &sample.secret) {
            assert!(
                !text.contains(secret.as_str()),
                "{exit} shows {secret}:\n{text}"
            );
        }
    }
}

/// The report leads to every conversation that there is, those that this very run began included.
#[test]
fn each_finding_in_the_report_leads_to_its_conversation_at_once() {
    let stage = Stage::new();
    let args = ["review", "--pr", "1", "--publish", "review,comment"];
    let conversations = || stage.reports(1)[0].body.matches("#discussion_r").count();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage.council(&args).ends(1);
    let first = conversations();
    assert!(
        first > 0 && first == stage.hub.state().threads.len(),
        "{first}"
    );
    stage.add(
        1,
        &[(
            "a.py",
            "import yaml\n\n\ndef f(s):\n    return yaml.load(s)\n",
        )],
    );
    stage.council(&args).ends(1);
    let then = conversations();
    assert!(
        then > first && then == stage.hub.state().threads.len(),
        "{then}"
    );
    // A second run of the same commit has nothing to add.
    stage.council(&args).ends(1);
    assert_eq!(conversations(), then);
}

#[test]
fn a_pull_request_is_reviewed_by_its_number_and_shown_everywhere() {
    let stage = Stage::new();
    let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let before = stage.repo.git([
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        "refs/heads",
        "refs/remotes",
        "refs/tags",
    ]);
    stage
        .job(&["review", "--pr", "1", "--publish", ALL], &[])
        .ends(1)
        .prints("FAIL");
    // Nothing of the user's moved, nothing was checked out.
    assert_eq!(
        stage.repo.git([
            "for-each-ref",
            "--format=%(refname) %(objectname)",
            "refs/heads",
            "refs/remotes",
            "refs/tags"
        ]),
        before
    );
    assert_eq!(stage.repo.git(["status", "--porcelain"]), "");
    let [report] = &stage.reports(1)[..] else {
        panic!()
    };
    assert!(
        report.body.contains("# FAIL") && report.body.contains(&head),
        "{}",
        report.body
    );
    {
        let state = stage.hub.state();
        let [check] = &state.checks[..] else {
            panic!("{:?}", state.checks)
        };
        assert_eq!(
            (&check["status"], &check["conclusion"]),
            (&Value::from("completed"), &Value::from("failure"))
        );
        assert_eq!(check["head_sha"], head.as_str());
        assert_eq!(state.reviews.len(), 1);
        assert_eq!(state.reviews[0]["event"], "COMMENT");
        assert!(!state.threads.is_empty());
    }
    assert!(
        fs::read_to_string(stage.file("summary.md"))
            .unwrap()
            .contains("# FAIL")
    );
    let outputs = stage.outputs();
    assert_eq!(
        (outputs["verdict"].as_str(), outputs["conclusion"].as_str()),
        ("fail", "failure")
    );
    assert!(
        outputs["comment-url"].contains("#issuecomment-")
            && outputs["check-run-url"].contains("/runs/")
    );
    let requests = stage.requests();
    assert!(requests <= 12, "{requests}");
}

/// The page of a report is kept among the artefacts of the job: the check leads there, however it was made.
#[test]
fn the_check_leads_to_the_artefacts_of_the_job() {
    for surfaces in ["check", ALL] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.rs", CONFLICT)]);
        let page = stage.file("page.html");
        let args = ["review", "--pr", "1", "--publish", surfaces];
        let page_arg = ["--html", page.to_str().unwrap()];
        stage.job(&[&args[..], &page_arg].concat(), &[]).ends(1);
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.contains("conflict-marker"), "{text}");
        let url = stage.hub.state().checks[0]["details_url"].clone();
        let url = url.as_str().unwrap_or_default().to_owned();
        assert!(
            url.ends_with("/octo/project/actions/runs/77#artifacts"),
            "{surfaces}: {url}"
        );
        if surfaces == ALL {
            assert_eq!(stage.outputs()["html-path"], page.display().to_string());
        }
        stage.requests();
    }
    // Without a page it leads to the job.
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
        .job(&["review", "--pr", "1", "--publish", "check"], &[])
        .ends(1);
    let url = stage.hub.state().checks[0]["details_url"].clone();
    assert!(
        url.as_str()
            .unwrap()
            .ends_with("/octo/project/actions/runs/77"),
        "{url}"
    );
}

#[test]
fn an_unchanged_pull_request_costs_four_requests_and_no_judge() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = ["review", "--pr", "1", "--publish", ALL];
    stage.job(&args, &[]).ends(1);
    stage.requests();
    let runs =
        || fs::read_dir(stage.repo.path().join(".git/council/runs")).map_or(0, Iterator::count);
    let before = runs();
    stage.job(&args, &[]).ends(1).prints("reused: ");
    assert_eq!(runs(), before);
    let requests = stage.requests();
    assert!(requests <= 4, "{requests}");
    assert_eq!(stage.reports(1).len(), 1);
}

/// The check run of the commit is told with the pull request: it costs no request of its own.
#[test]
fn with_a_check_run_an_unchanged_pull_request_costs_two_requests_and_a_changed_one_six() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = ["review", "--pr", "1", "--publish", "comment,check"];
    stage.job(&args, &[]).ends(1);
    stage.requests();
    stage.job(&args, &[]).ends(1).prints("reused: ");
    assert_eq!(stage.requests(), 2);
    stage.add(1, &[("src/b.rs", "/// One.\npub fn one() {}\n")]);
    stage.job(&args, &[]).ends(1);
    assert_eq!(stage.requests(), 6);
    stage.job(&args, &[]).ends(1).prints("reused: ");
    assert_eq!(stage.requests(), 2);
    // Where the token may not read checks, the pull request is read all the same.
    stage.hub.state().denied.insert("checks: read");
    stage.job(&args, &[]).ends(1).tells("checks: read");
    assert_eq!(stage.reports(1).len(), 1);
}

/// Outputs and summary of the last job, without what says that it is recognised and how long it took.
fn told(stage: &Stage) -> (std::collections::BTreeMap<String, String>, Vec<String>) {
    let mut outputs = stage.outputs();
    outputs.remove("recognised");
    let summary = fs::read_to_string(stage.file("summary.md")).unwrap();
    let is_own = |line: &&str| {
        let line = line.to_lowercase();
        !line.is_empty()
            && !line.contains("recognised")
            && !line.contains("reused: ")
            && !line.contains("duration")
            && !line.contains(" ms")
    };
    let summary = summary.lines().filter(is_own).map(str::to_owned).collect();
    for file in ["outputs.txt", "summary.md"] {
        fs::remove_file(stage.file(file)).unwrap();
    }
    (outputs, summary)
}

#[test]
fn a_recognised_pull_request_has_the_outputs_files_and_exit_code_of_a_fresh_one() {
    let code = "/// One.\npub fn one() {\n    // TODO: the rest\n}\n";
    for (path, content, fail_on) in [
        ("src/a.rs", CONFLICT, "fail"),
        ("src/a.rs", code, "warn"),
        ("docs/a.md", "A sentence.\n", "fail"),
    ] {
        let stage = Stage::new();
        stage.propose(1, &[(path, content)]);
        let (sarif, json) = (stage.file("a.sarif"), stage.file("a.json"));
        let (sarif, json) = (sarif.to_str().unwrap(), json.to_str().unwrap());
        let args = [
            "review",
            "--pr",
            "1",
            "--publish",
            ALL,
            "--fail-on",
            fail_on,
            "--sarif",
            sarif,
            "--format",
            "json",
            "--output",
            json,
        ];
        let fresh = stage.job(&args, &[]);
        let first = told(&stage);
        let files = || {
            let read = |file: &str| fs::read_to_string(file).unwrap();
            let report: Value = serde_json::from_str(&read(json)).unwrap();
            let shown = (
                report["findings"].clone(),
                report["headline"].clone(),
                report["exit_code"].clone(),
            );
            (read(sarif), shown)
        };
        let written = files();
        fs::remove_file(sarif).unwrap();
        fs::remove_file(json).unwrap();
        let known = stage.job(&args, &[]).prints("reused: ");
        assert_eq!(fresh.code, known.code, "{path}");
        let second = told(&stage);
        assert_eq!(first.0, second.0, "{path}: outputs");
        assert_eq!(first.1, second.1, "{path}: summary");
        assert_eq!(written, files(), "{path}: files");
    }
}

#[test]
fn a_clean_pull_request_passes_and_says_so() {
    let stage = Stage::new();
    stage.propose(1, &[("docs/a.md", "A sentence.\n")]);
    stage
        .job(&["review", "--pr", "1", "--publish", "comment,check"], &[])
        .ends(0)
        .prints("PASS");
    assert!(stage.reports(1)[0].body.contains("# PASS"));
    assert_eq!(stage.hub.state().checks[0]["conclusion"], "success");
    stage.requests();
}

#[test]
fn two_hundred_findings_on_a_busy_pull_request_take_twelve_requests() {
    let stage = Stage::new();
    let names: Vec<String> = (0..210).map(|n| format!("src/f{n}.rs")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), CONFLICT)).collect();
    stage.propose(1, &files);
    stage.others_say(1, 100);
    let args = ["review", "--pr", "1", "--publish", ALL];
    stage.job(&args, &[]).ends(1);
    let outputs = stage.outputs();
    assert!(outputs["findings"].parse::<u32>().unwrap() >= 200);
    {
        let state = stage.hub.state();
        let annotations = state.checks[0].pointer("/output/annotations").unwrap();
        assert!(annotations.as_array().unwrap().len() >= 190);
        assert_eq!(state.threads.len(), 10);
    }
    assert_eq!(stage.reports(1).len(), 1);
    let requests = stage.requests();
    assert!(requests <= 12, "{requests}");
    // And once more, unchanged: nobody is asked.
    stage.job(&args, &[]).ends(1).prints("reused: ");
    let requests = stage.requests();
    assert!(requests <= 4, "{requests}");
}

#[test]
fn sarif_fingerprints_survive_a_shift_of_lines() {
    let prints = |above: &str| -> Vec<Value> {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.rs", &format!("{above}{CONFLICT}"))]);
        let file = stage.file("report.sarif");
        stage
            .job(
                &[
                    "review",
                    "--pr",
                    "1",
                    "--publish",
                    "outputs",
                    "--sarif",
                    file.to_str().unwrap(),
                ],
                &[],
            )
            .ends(1);
        assert_eq!(stage.outputs()["sarif-path"], file.to_str().unwrap());
        let log: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results
            .iter()
            .map(|result| result["partialFingerprints"]["gitCouncil/v1"].clone())
            .collect()
    };
    let (here, below) = (prints(""), prints("/// One.\npub const ONE: u32 = 1;\n\n"));
    assert!(!here.is_empty() && here.iter().all(Value::is_string));
    assert_eq!(here, below);
}
