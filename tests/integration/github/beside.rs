//! What another page, or the line beside a finding, has to do with it: the finding is the same, and so is its verdict.

use serde_json::{Value, json};

use super::remembered::{FINDING, OPENS, failed_over, let_judges_say};
use super::stage::Stage;

const SHOWN: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check,review"];

/// What the built-in rules report, a line each; the second field is the line of a function's body.
const KINDS: [(&str, &str); 5] = [
    ("code-evaluation", "y = eval(x)"),
    (
        "disabled-tls",
        "y = requests.get(x, verify=False, timeout=3)",
    ),
    (
        "shell-injection",
        "y = subprocess.run(f\"ls {x}\", shell=True)",
    ),
    ("unsafe-deserialization", "y = pickle.loads(x)"),
    (
        "weak-password-hash",
        "password_hash = hashlib.md5(password).hexdigest()",
    ),
];

/// A file with each kind once, and these lines directly above and below each.
fn each_kind(head: &str, above: &str, below: &str) -> String {
    let one = |(name, line): (&str, &str)| {
        let name = name.replace('-', "_");
        format!("def {name}(x, password):\n{above}    {line}\n{below}    return x\n\n\n")
    };
    format!("{head}{}", KINDS.map(one).concat())
}

/// The line of the comment that says what the last push did.
fn update_line(stage: &Stage) -> String {
    let body = stage.reports(1)[0].body.clone();
    let line = body.lines().find(|line| line.contains("** since "));
    line.unwrap_or_default().to_owned()
}

/// Whatever is edited beside the line that a rule objects to: the finding is still open, neither resolved nor new, and its
/// conversation goes on. It ends with the line.
#[test]
fn an_edit_beside_a_line_ends_neither_finding_nor_conversation() {
    let head = "import hashlib, pickle, requests, subprocess\n\n\n";
    let stage = Stage::new();
    let text = each_kind(head, "    log(1)\n", "    log(2)\n");
    stage.propose(1, &[("src/a.py", &text)]);
    stage.council(&SHOWN);
    let begun = stage.hub.state().threads.len();
    assert!(begun >= 4, "{:?}", stage.hub.state().threads);
    let more = format!("\"\"\"Words.\"\"\"\n\n{head}");
    for (head, above, below) in [
        (head, "    log(3)\n", "    log(2)\n"),
        (head, "    log(3)\n", "    log(4)\n"),
        (head, "    log(5)\n    log(6)\n", "    log(4)\n"),
        (head, "", "    log(7)\n    log(8)\n"),
        (more.as_str(), "    log(9)\n", ""),
    ] {
        stage.add(1, &[("src/a.py", &each_kind(head, above, below))]);
        stage.council(&SHOWN);
        let told = update_line(&stage);
        let is_right =
            told.contains("still open") && !told.contains("resolved") && !told.contains("new");
        assert!(is_right, "{above}{below}: {told}");
        let state = stage.hub.state();
        assert_eq!(state.threads.len(), begun, "{above}{below}");
        assert!(state.threads.iter().all(|thread| !thread.resolved));
    }
    stage.add(1, &[("src/a.py", "def f(x):\n    return x\n")]);
    stage.council(&SHOWN);
    let told = update_line(&stage);
    assert!(
        told.contains("resolved") && !told.contains("still open"),
        "{told}"
    );
    assert!(
        stage
            .hub
            .state()
            .threads
            .iter()
            .all(|thread| thread.resolved)
    );
    stage.requests();
}

/// A dismissal is about the code as it stood: the finding comes back with the code around it, in a conversation of its own.
#[test]
fn a_dismissal_is_not_carried_to_other_surroundings() {
    let stage = Stage::new();
    let text =
        |above: &str| format!("def f(x):\n    log({above})\n    y = eval(x)\n    return y\n");
    stage.propose(1, &[("src/a.py", &text("1"))]);
    stage.council(&SHOWN);
    let begun = stage.hub.state().threads.len();
    for thread in &mut stage.hub.state().threads {
        let order = "/council dismiss because fixture";
        thread.replies.push(("alice".to_owned(), order.to_owned()));
        thread.comments += 1;
    }
    stage
        .hub
        .state()
        .permissions
        .insert("alice".into(), "write");
    stage.council(&SHOWN).ends(0);
    stage.add(1, &[("src/a.py", &text("2"))]);
    stage.council(&SHOWN);
    assert_eq!(stage.hub.state().threads.len(), 2 * begun);
    stage.requests();
}

/// The queue's entry of a request.
fn queued(stage: &Stage, tree: &str) -> Vec<(&'static str, String)> {
    let base = stage.repo.git(["rev-parse", "main"]);
    let tree = format!("{tree}^{{tree}}");
    let entry = stage
        .repo
        .git(["commit-tree", "-m", "Merge #1", "-p", &base, &tree]);
    let name = format!("refs/heads/gh-readonly-queue/main/pr-1-{base}");
    let update = format!("+{entry}:{name}");
    stage.repo.git(["push", "--quiet", "origin", &update]);
    let payload = json!({ "action": "checks_requested", "merge_group": {
        "head_sha": entry, "base_sha": base, "head_ref": name } });
    stage.event("merge_group", &payload)
}

fn greens(stage: &Stage) -> usize {
    let state = stage.hub.state();
    let is_green = |check: &&Value| check["conclusion"] == "success";
    state.checks.iter().filter(is_green).count()
}

/// Whoever judges the entry of a merge queue: what its request left open fails it as long as the code is there.
#[test]
fn an_entry_of_the_queue_fails_over_what_its_request_left_open() {
    let args = ["review", "--event", "--publish", "check"];
    let rules = [
        "review",
        "--event",
        "--publish",
        "check",
        "--agents",
        "builtin",
    ];
    let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
    let_judges_say(&stage, "PASS", "");
    for args in [&args[..], &rules[..]] {
        let event = queued(&stage, "topic-1");
        stage.job(args, &event).ends(1).prints("FAIL");
        assert_eq!(greens(&stage), 0);
    }
    // Somebody reviews everything anew, on purpose.
    let event = queued(&stage, "topic-1");
    stage
        .job(&[&rules[..], &["--full"]].concat(), &event)
        .ends(0);
    let full = greens(&stage);
    // The entry has the code in another form.
    stage
        .repo
        .git(["checkout", "--quiet", "-b", "mended", "main"]);
    stage
        .repo
        .write("src/a.py", "with open(q) as x:\n    x.read()\n");
    stage.repo.commit("Mended");
    stage.repo.git(["checkout", "--quiet", "main"]);
    let event = queued(&stage, "mended");
    stage.job(&rules, &event).ends(0);
    assert_eq!(greens(&stage), full + 1);
    // What cannot be read is not nothing.
    stage.hub.state().faults.push_back(super::state::Fault {
        method: "GET",
        path: "/issues/1/comments",
        kind: super::state::FaultKind::Refuse(502, Vec::new(), "Bad gateway"),
        times: 99,
    });
    let event = queued(&stage, "topic-1");
    assert_ne!(stage.job(&rules, &event).code, 0);
    assert_eq!(greens(&stage), full + 1);
}

/// A check of the same name counts for the commit, whichever request it came from: a milder one does not follow a failure.
#[test]
fn a_second_request_of_a_failed_commit_does_not_make_it_green() {
    let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
    stage.publish_ref("refs/pull/1/head", "refs/pull/2/head");
    let pull = stage.hub.state().pulls[&1].clone();
    stage.hub.state().pulls.insert(2, pull);
    // On another machine, which remembers nothing of the first one.
    std::fs::remove_dir_all(stage.repo.path().join(".git/council")).unwrap();
    for publish in ["check", "comment,check", "check"] {
        let args = [
            "review",
            "--pr",
            "2",
            "--publish",
            publish,
            "--agents",
            "builtin",
        ];
        let run = stage.council(&args).ends(1);
        // The first line says what the exit code says.
        run.prints("FAIL (rules only): another review has failed this very commit");
        assert_eq!(greens(&stage), 0, "{publish}");
        let last = stage.hub.state().checks.last().unwrap()["conclusion"].clone();
        assert_eq!(last, "failure", "{publish}");
    }
    let anew = [
        "review",
        "--pr",
        "2",
        "--publish",
        "check",
        "--agents",
        "builtin",
        "--full",
    ];
    stage.council(&anew).ends(0);
    assert_eq!(greens(&stage), 1);
    stage.requests();
}
