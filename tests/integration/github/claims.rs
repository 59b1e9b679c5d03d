//! A report that a job without rights left, from its artefact to the pull request: whatever it says, the check ends as
//! neutral at best, the built-in judges read the objects themselves, and no later run relies on it.

use std::fs;

use serde_json::{Value, json};

use super::stage::{CONFLICT, Stage};
use crate::harness::Run;

const CLEAN: &str = "/// A sentence.\npub const A: u32 = 1;\n";

/// The honest report of a job that could only read, about `main...head`.
fn artefact(stage: &Stage, head: &str) -> Value {
    let file = stage.file("report.json");
    let range = format!("main...{head}");
    stage.council(&["review", &range, "--json", "-o", file.to_str().unwrap()]);
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// The second, privileged job of docs/workflows/fork-safe-publish.yml over an artefact.
fn publish(stage: &Stage, number: u64, head: &str, report: &Value) -> Run {
    publish_on("comment,check", stage, number, head, report)
}

fn publish_on(surfaces: &str, stage: &Stage, number: u64, head: &str, report: &Value) -> Run {
    let file = stage.file("artefact.json");
    fs::write(&file, report.to_string()).unwrap();
    let ended = json!({ "action": "completed", "workflow_run": {
        "event": "pull_request", "head_sha": head, "head_branch": format!("topic-{number}"),
        "head_repository": { "owner": { "login": "octo" } } } });
    let args = [
        "publish",
        "--report",
        file.to_str().unwrap(),
        "--event",
        "--publish",
        surfaces,
    ];
    stage.job(&args, &stage.event("workflow_run", &ended))
}

fn conclusions(stage: &Stage) -> Vec<String> {
    let state = stage.hub.state();
    let said = state
        .checks
        .iter()
        .map(|check| check["conclusion"].as_str());
    said.map(|word| word.unwrap_or_default().to_owned())
        .collect()
}

/// The state that our comment carries for the next run.
fn carried(stage: &Stage, number: u64) -> Value {
    let body = stage.reports(number)[0].body.clone();
    let line = body.lines().next().unwrap();
    let json = line.split_once(" {").unwrap().1.trim_end_matches(" -->");
    serde_json::from_str(&format!("{{{json}")).unwrap()
}

/// A report that says of the broken change what an honest one says of a clean change.
fn green(stage: &Stage, clean: &str, broken: &str, path: &str) -> Value {
    let mut forged = artefact(stage, clean);
    forged["target"]["head"] = broken.into();
    for file in forged["coverage"]["files"].as_array_mut().unwrap() {
        file["path"] = path.into();
    }
    forged["receipt"]["run"]["recognition_key"] = "a".repeat(64).into();
    forged
}

#[test]
fn a_green_report_over_a_broken_change_is_read_again_and_fails() {
    let stage = Stage::new();
    let clean = stage.propose(2, &[("src/b.rs", CLEAN)]);
    let broken = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let forged = green(&stage, &clean, &broken, "src/a.rs");
    assert_eq!(forged["verdict"], "PASS");
    let run = publish(&stage, 1, &broken, &forged);
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert_eq!(conclusions(&stage), ["failure"]);
    let body = stage.reports(1)[0].body.clone();
    assert!(
        body.contains("src/a.rs") && body.contains("unprivileged job"),
        "{body}"
    );
}

#[test]
fn an_honest_green_report_ends_as_neutral_and_is_never_known_again() {
    let stage = Stage::new();
    let clean = stage.propose(1, &[("src/b.rs", CLEAN)]);
    let mut report = artefact(&stage, &clean);
    // The key of the real review: the job can compute it as well as anybody.
    report["receipt"]["run"]["recognition_key"] = "a".repeat(64).into();
    publish(&stage, 1, &clean, &report);
    assert_eq!(conclusions(&stage), ["neutral"]);
    let state = carried(&stage, 1);
    assert_eq!(state["key"], Value::Null, "{state}");
    assert_eq!(
        (&state["open"], &state["whole"]),
        (&Value::Null, &json!(false)),
        "{state}"
    );
    // A job with rights reviews the change itself.
    let args = ["review", "--pr", "1", "--publish", "comment,check"];
    let run = stage.job(&args, &[]).ends(0);
    assert!(!run.stdout.contains("recognised"), "{}", run.stdout);
}

#[test]
fn what_a_job_invents_is_nobody_s_finding_after_the_next_push() {
    let stage = Stage::new();
    let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let mut report = artefact(&stage, &head);
    let text = report.to_string().replace("conflict", "INVENTED");
    report = serde_json::from_str(&text).unwrap();
    publish(&stage, 1, &head, &report);
    stage.add(1, &[("src/a.rs", CLEAN)]);
    let run = stage.job(&["review", "--pr", "1", "--publish", "comment,check"], &[]);
    assert!(!run.stdout.contains("INVENTED"), "{}", run.stdout);
    assert!(!stage.reports(1)[0].body.contains("INVENTED"));
}

#[test]
fn a_report_that_contradicts_itself_leaves_nothing_on_the_pull_request() {
    let stage = Stage::new();
    let clean = stage.propose(1, &[("src/b.rs", CLEAN)]);
    let honest = artefact(&stage, &clean);
    type Forgery = (&'static str, fn(&mut Value));
    let forgeries: [Forgery; 5] = [
        ("rounds that nobody was asked in", |report| {
            report["consensus"] = "majority".into();
            report["rounds"] = 2.into();
            report["converged"] = true.into();
        }),
        ("convergence without a difference", |report| {
            report["converged"] = true.into()
        }),
        ("more judges than sat", |report| {
            report["counted"] = 99.into()
        }),
        ("no rule of consensus", |report| {
            report["consensus"] = Value::Null
        }),
        ("votes that nobody cast", |report| {
            report["judges"][0]["counted"] = "WARN".into();
        }),
    ];
    for (what, forge) in forgeries {
        let mut forged = honest.clone();
        forge(&mut forged);
        let run = publish(&stage, 1, &clean, &forged);
        assert_eq!(run.code, 2, "{what}: {} {}", run.stdout, run.stderr);
        assert!(stage.reports(1).is_empty(), "{what}");
        assert!(conclusions(&stage).is_empty(), "{what}");
    }
}

/// The verdict of a part is not the verdict of the pull request, whoever reviewed the part and however it was named.
#[test]
fn a_report_over_a_part_of_the_request_is_not_published() {
    let stage = Stage::new();
    let first = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let head = stage.add(1, &[("docs/notes.md", "# Fine\n")]);
    let file = stage.file("report.json");
    let file = file.to_str().unwrap();
    let (last, whole) = (format!("{first}..{head}"), format!("main...{head}"));
    let parts: [&[&str]; 4] = [
        &[&head],
        &[&last],
        &[&whole, "--", "docs"],
        &[&whole, "--", ":!src/a.rs"],
    ];
    let own = ["publish", "--pr", "1", "--publish", "comment,check,status"];
    let foreign = [&own[..], &["--report", file]].concat();
    for part in parts {
        let review = [&["review", "--json", "-o", file], part].concat();
        stage.council(&review).ends(0);
        for publish in [&own[..], &foreign] {
            let run = stage.job(publish, &[]).ends(3);
            run.tells("not about all of #1").tells("review all of it");
        }
    }
    let state = stage.hub.state();
    assert!(state.checks.is_empty() && state.comments.is_empty());
    drop(state);
    // The whole, in either spelling of a range.
    for all in [whole.clone(), format!("main..{head}")] {
        stage.council(&["review", &all]).ends(1);
        stage.job(&own, &[]).ends(1);
    }
}

/// A report about something else is refused with what it is about, what the request is at, and what to do.
#[test]
fn a_report_about_something_else_says_what_it_is_about() {
    let stage = Stage::new();
    let first = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let head = stage.add(1, &[("docs/notes.md", "# Fine\n")]);
    let file = stage.file("report.json");
    let patch = stage.file("change.diff");
    fs::write(&patch, "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+one\n").unwrap();
    let range = format!("main...{first}");
    let others: [(&[&str], String); 2] = [
        (&[&range], format!("is about commit {}", &first[..12])),
        (
            &["--patch", patch.to_str().unwrap()],
            "is about a patch".to_owned(),
        ),
    ];
    for (target, about) in others {
        let output = ["review", "--fresh", "--json", "-o", file.to_str().unwrap()];
        stage.council(&[&output[..], target].concat());
        let foreign = ["--report", file.to_str().unwrap()];
        let own = ["publish", "--pr", "1", "--publish", "comment,check"];
        let report: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let name = report["receipt"]["run"]["name"].as_str().unwrap();
        for publish in [
            &own[..],
            &[&own[..], &[name]].concat(),
            &[&own[..], &foreign].concat(),
        ] {
            stage
                .job(publish, &[])
                .ends(3)
                .tells(&format!("the report of {name} {about}"))
                .tells(&format!("#1 is at {}: nothing is posted", &head[..12]))
                .tells("review all of it: git council review --pr 1")
                .tells("git council publish RUN");
        }
    }
    let state = stage.hub.state();
    assert!(state.checks.is_empty() && state.comments.is_empty());
}

/// A commit status stands in for a check that may not be written: what a job with rights has said in it stays, by whichever
/// surface the claim comes.
#[test]
fn a_claim_leaves_the_status_that_a_job_with_rights_has_set() {
    for (surfaces, denied) in [("status", None), ("check", Some("checks: write"))] {
        for said in ["failure", "error", "success", "pending"] {
            let stage = Stage::new();
            let clean = stage.propose(1, &[("src/b.rs", CLEAN)]);
            let report = artefact(&stage, &clean);
            let set = json!({ "state": said, "context": "git-council" });
            let foreign = json!({ "state": "success", "context": "build" });
            {
                let mut state = stage.hub.state();
                state.statuses = vec![(clean.clone(), set), (clean.clone(), foreign)];
                state.denied.extend(denied);
            }
            publish_on(surfaces, &stage, 1, &clean, &report);
            let state = stage.hub.state();
            let mut ours = state
                .statuses
                .iter()
                .filter(|(_, body)| body["context"] == "git-council");
            let last = ours.next_back().unwrap().1["state"].clone();
            assert_eq!(last, said, "{surfaces}");
            assert_eq!(state.violations, Vec::<String>::new());
        }
    }
}
