//! Judges at APIs that look into the repository: what they find there counts, and nothing else comes out of it.

use council_fake_models::{FakeModels, Reply, Rule, Tool};
use serde_json::{Value, json};

use crate::harness::Repo;

const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// The line that tells what is wrong. It stands in no brief without context: the change does not touch its file.
const TELLING: &str = "    let total = add(price, u32::MAX);";

/// A repository whose change is wrong only because of a caller that it does not show, and one judge at an API.
fn repo(models: &FakeModels, api: &str, more: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write(
        "src/billing/invoice.rs",
        format!("/// What is to be paid.\npub fn invoice(price: u32) -> u32 {{\n{TELLING}\n    total\n}}\n"),
    );
    repo.write(
        "deploy/.env",
        concat!("API_TOKEN=ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8\n"),
    );
    repo.commit("Bill, saturating: an overflow broke production");
    repo.write(
        "src/lib.rs",
        "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    );
    repo.commit("Simplify");
    let base = if api == "gemini" { "/v1beta" } else { "/v1" };
    let url = models.url();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!(
            "[agents.{api}]\ndriver = 'http'\napi = '{api}'\nurl = '{url}{base}'\nkey = 'MODEL_KEY'\nmodel = 'fake'\n\
             [review]\nagents = ['{api}']\njudges = 1\nquorum = 1\n{more}"
        ),
    );
    repo
}

fn review(repo: &Repo) -> Value {
    let args = ["review", "HEAD", "--json", "--config", "limits.context=0"];
    let run = repo.council_with(&[KEY], &args);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

fn finding(quote: &str) -> Value {
    json!({"severity": "critical", "category": "overflow", "description": "The sum overflows in the invoice.",
        "location": {"path": "src/billing/invoice.rs", "line": 3}, "quote": quote, "why": "w", "fix": "f"})
}

fn last_body(models: &FakeModels) -> String {
    models.records().last().unwrap().body.clone()
}

#[test]
fn a_defect_that_only_a_look_up_shows_is_found_and_its_quote_is_proved() {
    for api in ["anthropic", "responses", "chat", "gemini"] {
        let read = json!({"path": "src/billing/invoice.rs", "from": 1, "to": 9});
        let models = FakeModels::start([
            Rule::on(Reply::calls([
                Tool::call("search", json!({"regex": r"\badd\("})),
                Tool::call("history", json!({"path": "src/lib.rs", "from": 3, "to": 3})),
            ]))
            .times(1),
            Rule::on(Reply::calls([Tool::call("read_file", read)])).times(1),
            Rule::on(Reply::finding("FAIL", finding(TELLING.trim()))),
        ])
        .unwrap();
        let repo = repo(&models, api, "");
        let report = review(&repo);
        let records = models.records();
        let brief = &records[0].body;
        assert!(brief.contains("a + b"), "{api}");
        assert!(
            records[2]
                .body
                .contains("3      let total = add(price, u32::MAX);"),
            "{api}: {}",
            records[2].body
        );
        // The line before the change has a commit; its message is told, that of the change is not.
        assert!(!records[1].body.contains("Simplify"), "{api}");
        let found = &report["findings"][0];
        assert_eq!(
            found["finding"]["location"]["path"], "src/billing/invoice.rs",
            "{api}: {report}"
        );
        assert_ne!(found["disposition"], "rejected", "{api}: {found}");
        let usage = &report["judges"][0]["usage"];
        let tools: Vec<&str> = usage["tool_calls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| call["tool"].as_str().unwrap())
            .collect();
        assert_eq!(tools, ["search", "history", "read_file"], "{api}");
        assert_eq!(
            usage["tool_calls"][2]["asked"],
            "src/billing/invoice.rs 1-9"
        );
        // All three calls are paid for.
        let tokens =
            usage["input_tokens"].as_u64().unwrap() + usage["cached_tokens"].as_u64().unwrap_or(0);
        assert!(tokens > 3 * brief.len() as u64 / 8, "{api}: {usage}");
        // What it looked up is in the receipt and in the journal.
        let name = report["receipt"]["run"]["name"].as_str().unwrap();
        let run = repo.council(["show", name, "--format", "markdown"]);
        assert!(
            run.stdout.contains("history 1, read_file 1, search 1"),
            "{api}: {}",
            run.stdout
        );
        let journal = repo
            .path()
            .join(".git/council/runs")
            .join(name)
            .join("journal.jsonl");
        let journal = std::fs::read_to_string(journal).unwrap();
        assert!(journal.contains("\"tool\":\"read_file\""), "{api}");
    }
}

#[test]
fn a_look_up_is_told_to_whoever_watches_while_it_is_made() {
    let search = Tool::call("search", json!({"regex": r"\badd\("}));
    let models = FakeModels::start([Rule::on(Reply::calls([search])).times(1)]).unwrap();
    let repo = repo(&models, "chat", "");
    let run = repo.council_with(
        &[("MODEL_KEY", "k")],
        &[
            "review", "HEAD", "--quick", "--agents", "chat", "--events", "-",
        ],
    );
    let events: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let at = |name| events.iter().position(|event| event["event"] == name);
    let (asked, looked, replied) = (at("asked"), at("looks-up"), at("replied"));
    assert!(
        asked < looked && looked < replied && asked.is_some(),
        "{events:?}"
    );
    let looked = &events[looked.unwrap()];
    assert_eq!(
        (&looked["tool"], &looked["asked"]),
        (&json!("search"), &json!(r"\badd\(")),
    );
}

/// A provider that is overloaded is asked again: whoever watches is told, and does not take the pause for thought.
#[test]
fn a_pause_of_the_provider_is_told_to_whoever_watches() {
    let busy = Reply::status(503).header("retry-after", "1");
    let models = FakeModels::start([Rule::on(busy).times(1)]).unwrap();
    let repo = repo(&models, "chat", "");
    let args = [
        "review", "HEAD", "--quick", "--agents", "chat", "--events", "-",
    ];
    let run = repo.council_with(&[("MODEL_KEY", "k")], &args);
    let events = run.stdout.lines().map(serde_json::from_str::<Value>);
    let told: Vec<Value> = events
        .map(Result::unwrap)
        .filter(|event| event["event"] == "asks-again")
        .collect();
    assert_eq!(told.len(), 1, "{}", run.stdout);
    assert!(told[0]["pause_ms"].as_u64() >= Some(1_000), "{told:?}");
    assert!(told[0]["why"].as_str().unwrap().contains("503"), "{told:?}");
}

/// `status` and `wait` are other processes: they show the tool in use before the answer is there.
#[test]
fn the_tool_in_use_is_seen_from_another_process() {
    let search = Tool::call("search", json!({"regex": r"\badd\("}));
    let models = FakeModels::start([
        Rule::on(Reply::calls([search])).times(1),
        Rule::on(Reply::vote("PASS").after(5_000)),
    ])
    .unwrap();
    let repo = repo(&models, "chat", "");
    let review = ["review", "HEAD", "--quick", "--agents", "chat", "--detach"];
    repo.council_with(&[KEY], &review).ends(0);
    let mut seen = String::new();
    let is_seen = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(40));
        seen = repo.council(["status"]).stdout.clone();
        seen.contains(r"· search \badd\(")
    });
    assert!(is_seen, "{seen}");
    let json: Value = serde_json::from_str(&repo.council(["status", "--json"]).stdout).unwrap();
    let events = json[0]["events"].as_array().unwrap();
    assert!(
        events.iter().any(|one| one["event"] == "looks-up"),
        "{json}"
    );
    repo.council(["wait"]).ends(0);
}

#[test]
fn a_made_up_quote_of_a_file_that_was_read_proves_nothing() {
    let read = json!({"path": "src/billing/invoice.rs"});
    let models = FakeModels::start([
        Rule::on(Reply::calls([Tool::call("read_file", read)])).times(1),
        Rule::on(Reply::finding(
            "FAIL",
            finding("let total = never_written(price);"),
        )),
    ])
    .unwrap();
    let report = review(&repo(&models, "anthropic", ""));
    assert_eq!(report["findings"][0]["disposition"], "rejected", "{report}");
}

#[test]
fn no_tool_leads_to_a_secret_or_out_of_the_objects() {
    let file = |path: &str| Tool::call("read_file", json!({ "path": path }));
    let models = FakeModels::start([Rule::on(Reply::calls([
        file("deploy/.env"),
        file("../../../../etc/passwd"),
        file("/etc/passwd"),
        file(".git/config"),
        file("untracked.txt"),
        Tool::call("search", json!({"regex": "ghp_"})),
        Tool::call("search", json!({"regex": "only in the worktree"})),
        Tool::call("list", json!({})),
    ]))
    .times(1)])
    .unwrap();
    let repo = repo(&models, "anthropic", "");
    repo.write("untracked.txt", "only in the worktree\n");
    repo.write("src/billing/invoice.rs", "only in the worktree\n");
    let report = review(&repo);
    assert_eq!(report["verdict"], "PASS", "{report}");
    let body = last_body(&models);
    assert!(
        !body.contains("ghp_a1B2") && !body.contains("root:"),
        "{body}"
    );
    assert!(body.contains("API_TOKEN=[redacted: "), "{body}");
    assert!(!body.contains("only in the worktree\\n"), "{body}");
    assert_eq!(body.matches("[0 lines in 0 files").count(), 2, "{body}");
    assert_eq!(body.matches("no such file").count(), 3, "{body}");
    assert!(
        body.contains("src/billing/invoice.rs") && !body.contains("untracked.txt\\n"),
        "{body}"
    );
}

#[test]
fn a_limit_of_none_and_a_switch_take_the_tools_away() {
    let path = ".config/git-council/config.toml";
    for (before, after) in [
        ("[review]\n", "[limits]\ntool-calls = 0\n[review]\n"),
        ("api = 'chat'\n", "api = 'chat'\ntools = false\n"),
    ] {
        let models = FakeModels::start([]).unwrap();
        let repo = repo(&models, "chat", "");
        let config = std::fs::read_to_string(repo.in_home(path)).unwrap();
        repo.write_home(path, &config.replace(before, after));
        let report = review(&repo);
        assert!(!last_body(&models).contains("read_file"));
        let why = &report["judges"][0]["usage"]["without_tools"];
        assert_eq!(why, "they are switched off in the configuration");
    }
}

#[test]
fn a_file_that_did_not_fit_the_brief_counts_as_seen_once_it_was_read() {
    let large = |word: &str| -> String {
        let line = |nth| {
            format!("pub const {word}_{nth}: &str = \"a line of a file that is long enough\";\n")
        };
        (0..150).map(line).collect()
    };
    let files = ["src/one.rs", "src/two.rs", "src/three.rs"];
    let reads = files.map(|path| Tool::call("read_file", json!({ "path": path })));
    for (rules, reason) in [
        (vec![], "incomplete-coverage"),
        (vec![Rule::on(Reply::calls(reads)).times(1)], "agreed"),
    ] {
        let is_read = !rules.is_empty();
        let models = FakeModels::start(rules).unwrap();
        let repo = repo(&models, "anthropic", "[limits]\nbrief = '16K'\n");
        for path in files {
            repo.write(path, large(&path[4..7].to_uppercase()));
        }
        repo.commit("Much");
        let report = review(&repo);
        assert_eq!(
            report["reason"] == "incomplete-coverage",
            !is_read,
            "{reason}: {report}"
        );
    }
}

/// The clients that are given our tools, each as it is held: with a mailbox of the five tools or of all nine.
const CLIENTS: [(&str, &str); 5] = [
    ("claude", "teams"),
    ("claude", "subagents"),
    ("codex", "teams"),
    ("codex", "subagents"),
    ("opencode", "teams"),
];

/// A client that reads these files before it answers, over a change that is wrong only because of `invoice.rs`.
fn repo_with_client(client: &str, paths: &[&str]) -> Repo {
    let driver = if client == "opencode" { "acp" } else { client };
    let repo = crate::clients::with_client(driver, "looks-up", "");
    repo.write(
        "src/billing/invoice.rs",
        format!("/// What is to be paid.\npub fn invoice(price: u32) -> u32 {{\n{TELLING} // overflows here\n    total\n}}\n"),
    );
    repo.commit("Bill");
    repo.write(
        "src/lib.rs",
        "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n",
    );
    repo.write_home("marks/paths", &paths.join("\n"));
    if client == "opencode" {
        // ACP agents are told apart by the names of their programs.
        let path = ".config/git-council/config.toml";
        let config = std::fs::read_to_string(repo.in_home(path)).unwrap();
        let (_, command) = config.split_once("command = ").unwrap();
        let argv: Vec<String> = serde_json::from_str(command.lines().next().unwrap()).unwrap();
        let program = repo.in_home("opencode");
        std::fs::write(
            &program,
            format!("#!/bin/sh\nexec '{}' \"$@\"\n", argv.join("' '")),
        )
        .unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, executable).unwrap();
        repo.write_home(
            path,
            &format!(
                "[agents.helper]\ndriver = 'acp'\ncommand = [{:?}]\n",
                program.display().to_string()
            ),
        );
    }
    repo
}

fn review_with_client(repo: &Repo, backend: &str, brief: &str) -> Value {
    let limit = format!("limits.brief={brief}");
    let keys = [("ANTHROPIC_API_KEY", "k"), ("OPENAI_API_KEY", "k")];
    let run = repo.council_with(
        &keys,
        &[
            "review",
            "HEAD",
            "--json",
            "--backend",
            backend,
            "--config",
            "review.judges=1",
            "--config",
            "review.quorum=1",
            "--config",
            "limits.context=0",
            "--config",
            &limit,
        ],
    );
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// Law: what a client looks up is kept as what a judge at an API looks up is: it may be quoted, and stands in usage, journal
/// and receipt.
#[test]
fn what_clients_look_up_may_be_quoted_and_is_kept() {
    for (client, backend) in CLIENTS {
        let repo = repo_with_client(client, &["src/billing/invoice.rs"]);
        repo.commit("Simplify");
        let report = review_with_client(&repo, backend, "400K");
        let case = format!("{client} in {backend}");
        let found = &report["findings"][0];
        assert_eq!(found["finding"]["location"]["line"], 3, "{case}: {report}");
        assert_ne!(found["disposition"], "rejected", "{case}: {found}");
        let calls = &report["judges"][0]["usage"]["tool_calls"];
        assert_eq!(calls[0]["tool"], "read_file", "{case}: {report}");
        assert_eq!(calls[0]["asked"], "src/billing/invoice.rs", "{case}");
        let name = report["receipt"]["run"]["name"].as_str().unwrap();
        let shown = repo.council(["show", name, "--format", "markdown"]);
        assert!(
            shown.stdout.contains("read_file 1"),
            "{case}: {}",
            shown.stdout
        );
        let run = repo.path().join(".git/council/runs").join(name);
        let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
        assert!(journal.contains("\"tool\":\"read_file\""), "{case}");
        assert!(
            run.join("lookups.json").exists(),
            "{case}: whoever watches sees it"
        );
    }
}

/// Law: a changed file that no brief had room for counts as seen once a client has read it, and not before.
#[test]
fn a_file_that_a_client_has_read_counts_as_seen() {
    let line =
        |nth| format!("pub const VALUE_{nth}: &str = \"a line of a file that is long enough\";\n");
    let large: String = (0..150).map(line).collect();
    let files = ["src/one.rs", "src/two.rs", "src/three.rs"];
    for (client, backend) in CLIENTS {
        for read in [0, files.len()] {
            let repo = repo_with_client(client, &files[..read]);
            for path in files {
                repo.write(path, &large);
            }
            repo.commit("Much");
            let report = review_with_client(&repo, backend, "16K");
            let is_gap = report["reason"] == "incomplete-coverage";
            assert_eq!(is_gap, read == 0, "{client} in {backend}: {report}");
        }
    }
}
