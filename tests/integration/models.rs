//! Whole councils whose judges are APIs of models, against a scripted server.

use std::time::Duration;

use council_fake_models::{FakeModels, Fault, Reply, Rule, Stop};
use serde_json::{Value, json};

use crate::harness::{Repo, Run};

pub(crate) const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// A repository with a commit, and three judges at the APIs of `models`: anthropic, responses, gemini.
pub(crate) fn repo(models: &FakeModels, more: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    repo.commit("More");
    let mut config = String::new();
    for (api, base) in [
        ("anthropic", "/v1"),
        ("gemini", "/v1beta"),
        ("responses", "/v1"),
    ] {
        let url = models.url();
        config.push_str(&format!(
            "[agents.{api}]\ndriver = 'http'\napi = '{api}'\nurl = '{url}{base}'\nkey = 'MODEL_KEY'\nmodel = 'fake-{api}'\n"
        ));
    }
    repo.write_home(
        ".config/git-council/config.toml",
        &format!("{config}{more}"),
    );
    repo
}

fn review(repo: &Repo, more: &[&str]) -> (Run, Value) {
    let args = [&["review", "HEAD", "--json"], more].concat();
    let run = repo.council_with(&[KEY], &args);
    let report = serde_json::from_str(&run.stdout).unwrap_or_default();
    (run, report)
}

pub(crate) fn finding() -> Value {
    json!({"severity": "critical", "category": "naming", "description": "The name says nothing.",
        "location": {"path": "src/more.rs", "line": 2}, "quote": "pub const MORE: u32 = 1;", "why": "w", "fix": "f"})
}

#[test]
fn three_vendors_agree_in_parallel_and_the_receipt_says_what_it_took() {
    let models = FakeModels::start([Rule::on(Reply::default().after(300))]).unwrap();
    let repo = repo(
        &models,
        "[prices.fake-anthropic]\ninput = '3'\noutput = 15\n",
    );
    let (run, report) = review(&repo, &["--deep"]);
    run.ends(0);
    assert_eq!(report["verdict"], "PASS");
    assert_eq!(report["receipt"]["participation"]["counted"], 3);
    let stats = models.stats();
    assert_eq!((stats.requests, stats.max_in_flight), (3, 3));
    let usage = &report["judges"][0]["usage"];
    assert!(usage["input_tokens"].as_u64() > Some(500), "{usage}");
    assert_eq!(usage["model"], "fake-anthropic");
}

#[test]
fn a_split_is_debated_in_the_conversation_that_there_is() {
    let models = FakeModels::start([Rule::on(Reply::finding("FAIL", finding()))
        .model("fake-gemini")
        .times(1)])
    .unwrap();
    let repo = repo(&models, "");
    let (_, report) = review(&repo, &["--deep", "--debate"]);
    assert_eq!(report["rounds"], 2, "{report}");
    // R1 and R2 of each: six calls, not nine.
    let records = models.records();
    assert_eq!(records.len(), 6);
    for record in &records[3..] {
        assert!(
            record.shared_bytes * 10 > record.prompt_bytes * 5,
            "{record:?}"
        );
    }
    let last = records
        .iter()
        .rfind(|r| r.path.contains("/messages"))
        .unwrap();
    let messages = serde_json::from_str::<Value>(&last.body).unwrap()["messages"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(messages, 3, "two prompts and an answer");
    assert!(report["judges"][0]["usage_by_round"]["2"]["input_tokens"].as_u64() > Some(0));
}

#[test]
fn whoever_does_not_answer_abstains_with_a_reason_of_its_own() {
    let cases = [
        (Reply::status(401), "quota"),
        (Reply::status(403), "quota"),
        (Reply::status(429).header("retry-after", "900"), "quota"),
        (Reply::stop(Stop::Refusal), "refused"),
        (Reply::stop(Stop::MaxTokens), "truncated"),
        (Reply::text("Looks good to me. PASS"), "prose"),
        (
            Reply::text(
                "```json\n{\"schema_version\": 1, \"round\": {{round}}, \"key\": \"{{key}}\"}\n```",
            ),
            "malformed",
        ),
        (Reply::text(""), "empty"),
        (Reply::fault(Fault::Hang), "timeout"),
        (
            Reply {
                filler_bytes: 2 << 20,
                ..Reply::text("x")
            },
            "oversized",
        ),
    ];
    for (reply, kind) in cases {
        let models = FakeModels::start([Rule::on(reply).model("fake-gemini")]).unwrap();
        let repo = repo(&models, "[timeouts]\nr1 = '3s'\nshutdown = '1s'\n");
        let (run, report) = review(&repo, &["--deep"]);
        run.ends(0);
        assert_eq!(report["receipt"]["participation"]["counted"], 2, "{kind}");
        let failures = report["judges"][1]["failures"].as_array().unwrap();
        assert_eq!(failures[0]["failure"]["kind"], kind, "{failures:?}");
        if matches!(kind, "prose" | "malformed") {
            assert_eq!(failures.len(), 2, "asked again once: {failures:?}");
        }
    }
}

#[test]
fn below_quorum_nothing_is_green() {
    let models = FakeModels::start([
        Rule::on(Reply::status(401)).model("fake-gemini"),
        Rule::on(Reply::status(403)).model("fake-anthropic"),
    ])
    .unwrap();
    let (run, report) = review(&repo(&models, ""), &["--deep"]);
    run.ends(3);
    assert_eq!(report["reason"], "below-quorum");
}

#[test]
fn a_key_that_is_not_there_is_told_before_anybody_is_asked() {
    let models = FakeModels::start([]).unwrap();
    let repo = repo(&models, "");
    repo.council(["review", "HEAD", "--backend", "teams"])
        .ends(2)
        .tells("MODEL_KEY");
    repo.council(["review", "HEAD"]).ends(2).tells("MODEL_KEY");
    repo.council(["review", "HEAD", "--backend", "background"])
        .ends(2)
        .tells("MODEL_KEY");
    assert_eq!(models.stats().requests, 0);
}

#[test]
fn a_repository_can_name_no_endpoint_and_no_key() {
    let models = FakeModels::start([]).unwrap();
    let repo = Repo::with_base();
    let url = models.url();
    repo.write(
        "council.toml",
        format!("[agents.x]\ndriver = 'http'\napi = 'chat'\nurl = '{url}'\nkey = 'HOME'\n"),
    );
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    repo.commit("Steal");
    repo.council(["review", "HEAD", "--agents", "x"]).ends(2);
    assert_eq!(models.stats().requests, 0);
}

#[test]
fn fresh_requests_carry_the_conversation_too() {
    let models = FakeModels::start([]).unwrap();
    let repo = repo(&models, "");
    let (_, report) = review(&repo, &["--debate", "--backend", "subagents"]);
    assert_eq!(report["rounds"], 2);
    let last = &models.records()[3];
    assert!(
        last.body.contains("Round 1: review the change"),
        "what was said before is sent again"
    );
}

#[test]
fn ctrl_c_drops_the_calls() {
    let models = FakeModels::start([Rule::on(Reply::fault(Fault::Hang))]).unwrap();
    let repo = repo(&models, "");
    let mut command = repo.program(&repo.path());
    command.args(["review", "HEAD", "--deep"]).env(KEY.0, KEY.1);
    command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    assert!(models.wait(Duration::from_secs(60), |stats| stats.max_in_flight == 3));
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(models.wait(Duration::from_secs(10), |stats| stats.aborted == 3));
}

#[test]
fn a_dry_run_says_what_goes_where_and_the_first_run_says_it_once() {
    let models = FakeModels::start([]).unwrap();
    let repo = repo(&models, "[prices.fake-anthropic]\ninput = 3\noutput = 15\n");
    let run = repo
        .council_with(&[KEY], &["review", "HEAD", "--deep", "--dry-run"])
        .ends(0);
    for words in [
        "to anthropic at http://127.0.0.1",
        "model fake-gemini",
        "cost unknown",
        "$0.0",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert_eq!(models.stats().requests, 0);
    let args = ["review", "HEAD", "--deep"];
    repo.council_with(&[KEY], &args)
        .ends(0)
        .tells("replaced) will be sent:");
    let again = repo.council_with(&[KEY], &args).ends(0);
    assert!(
        !again.stderr.contains("replaced) will be sent:"),
        "{}",
        again.stderr
    );
}

#[test]
fn what_leaves_the_machine_for_a_document_is_told_once_too() {
    let models = FakeModels::start([]).unwrap();
    let repo = repo(&models, "");
    let args = ["brainstorm", "How could it be shorter?"];
    repo.council_with(&[KEY], &args)
        .tells("replaced) will be sent:");
    let again = repo.council_with(&[KEY], &args);
    assert!(
        !again.stderr.contains("replaced) will be sent:"),
        "{}",
        again.stderr
    );
}

#[test]
fn a_run_stays_within_its_bound_and_writes_down_its_calls() {
    let models = FakeModels::start([]).unwrap();
    let prices: String = ["anthropic", "gemini", "responses"]
        .map(|api| format!("[prices.fake-{api}]\ninput = 3\noutput = 15\n"))
        .concat();
    let repo = repo(&models, &prices);
    // One call is laid aside with 1,500 tokens out: more than two cents.
    let (run, report) = review(&repo, &["--deep", "--max-cost", "0.03"]);
    run.ends(3);
    assert_eq!(models.stats().requests, 1);
    let kinds: Vec<&Value> = (0..3)
        .map(|at| &report["judges"][at]["failures"][0]["failure"]["kind"])
        .collect();
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "quota").count(),
        2,
        "{report}"
    );
    let cost = report["receipt"]["usage"]["cost_usd"].as_f64().unwrap();
    assert!(cost > 0.0 && cost < 0.03, "{cost}");
    let name = report["receipt"]["run"]["name"].as_str().unwrap();
    let calls = repo
        .path()
        .join(".git/council/runs")
        .join(name)
        .join("calls.jsonl");
    let calls = std::fs::read_to_string(calls).unwrap();
    let call: Value = serde_json::from_str(calls.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&call["outcome"], &call["task"]),
        (&"answered".into(), &"review".into()),
        "{call}"
    );
    assert!(!calls.contains("sk-test"));
}

/// Whoever watches a run of another process is shown its cap.
#[test]
fn the_cap_of_a_run_in_the_background_is_seen() {
    let models = FakeModels::start([Rule::on(Reply::fault(Fault::Hang))]).unwrap();
    let prices = ["anthropic", "gemini", "responses"]
        .map(|api| format!("[prices.fake-{api}]\ninput = 3\noutput = 15\n"))
        .concat();
    let repo = repo(&models, &prices);
    let review = [
        "review",
        "HEAD",
        "--deep",
        "--max-cost",
        "2",
        "--timeout",
        "20s",
        "--detach",
    ];
    repo.council_with(&[KEY], &review).ends(0);
    let is_seen = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        repo.council(["status"]).stdout.contains(" of $2.00")
    });
    assert!(is_seen, "{}", repo.council(["status"]).stdout);
    let json = repo.council(["status", "--json"]).ends(0).stdout;
    assert!(json.contains("\"max_usd\": 2"), "{json}");
    repo.council(["wait"]).ends(3);
}

#[test]
fn a_change_larger_than_a_brief_is_judged_in_parts_and_nothing_is_left_out() {
    let models = FakeModels::start([]).unwrap();
    let more = "[limits]\nbrief = '16K'\nagents = 40\n";
    let repo = repo(&models, more);
    for file in 0..6 {
        let text = "// A line of a file that is reviewed in a part.\n".repeat(120);
        repo.write(&format!("src/part_{file}.rs"), text);
    }
    repo.commit("Much");
    let (_, ranked) = review(&repo, &[]);
    assert_eq!(ranked["reason"], "incomplete-coverage", "{ranked}");
    repo.write_home(
        ".config/git-council/config.toml",
        &format!(
            "{}[review]\nlarge = 'shard'\n",
            std::fs::read_to_string(repo.in_home(".config/git-council/config.toml")).unwrap()
        ),
    );
    let (_, report) = review(&repo, &[]);
    assert_eq!(report["verdict"], "PASS", "{report}");
    let judges = report["judges"].as_array().unwrap().len();
    assert!(judges >= 4 && judges % 2 == 0, "{judges}");
    assert!(
        report["notes"]
            .to_string()
            .contains("the same judges reviewed it in"),
        "{}",
        report["notes"]
    );
}
