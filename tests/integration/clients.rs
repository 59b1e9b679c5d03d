//! Clients of models as judges, with programs that speak their wire (`fake_client.py`): what a whole council makes of each,
//! and that nothing of them is left. The real clients are in `tests/real-clients`.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Repo, Run};

/// Every client, with the backend that holds it live and the one that starts it for each turn.
pub(crate) const HELD: [(&str, &str); 5] = [
    ("claude", "teams"),
    ("claude", "subagents"),
    ("codex", "teams"),
    ("codex", "subagents"),
    ("acp", "teams"),
];

const LIVE: [&str; 3] = ["claude", "codex", "acp"];

/// A repository whose change tries to steer agents, and two judges of a client that behaves so.
pub(crate) fn with_client(client: &str, behaviour: &str, more: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    for steering in [
        "CLAUDE.md",
        "AGENTS.md",
        "GEMINI.md",
        ".mcp.json",
        ".claude/settings.json",
    ] {
        repo.write(steering, "{}\n");
    }
    repo.commit("More");
    std::fs::create_dir(repo.in_home("marks")).unwrap();
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/integration/fake_client.py");
    let command = [
        "python3".to_owned(),
        script.display().to_string(),
        client.to_owned(),
        behaviour.to_owned(),
        marks(&repo),
    ];
    let config = format!("[agents.helper]\ndriver = '{client}'\ncommand = {command:?}\n{more}");
    repo.write_home(".config/git-council/config.toml", &config);
    repo
}

fn marks(repo: &Repo) -> String {
    repo.in_home("marks").display().to_string()
}

/// What the clients left under that name, a line each.
fn marked(repo: &Repo, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(repo.in_home("marks").join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn review(repo: &Repo, backend: &str, more: &[&str]) -> Run {
    let keys = [
        ("ANTHROPIC_API_KEY", "sk-ant-fake"),
        ("OPENAI_API_KEY", "sk-fake"),
        ("GITHUB_TOKEN", "ghs_token"),
        ("AWS_SECRET_ACCESS_KEY", "aws"),
    ];
    let args = [&["review", "HEAD", "--json", "--backend", backend], more].concat();
    repo.council_with(&keys, &args)
}

pub(crate) fn report(run: &Run) -> Value {
    serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", run.stdout, run.stderr))
}

/// The kinds of the failures of the first judge.
pub(crate) fn failures(report: &Value) -> Vec<String> {
    let failures = report["judges"][0]["failures"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    failures
        .iter()
        .map(|failure| failure["failure"]["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_client_sits_and_its_answer_counts() {
    for (client, backend) in HELD {
        let repo = with_client(client, "votes", "");
        let report = report(&review(&repo, backend, &[]).ends(0));
        assert_eq!(
            report["receipt"]["participation"]["counted"], 2,
            "{client} in {backend}"
        );
        let usage = &report["judges"][0]["usage"];
        assert!(
            !usage.is_null(),
            "{client} in {backend}: {}",
            report["judges"][0]
        );
    }
}

#[test]
fn a_debate_is_with_the_same_live_process_and_session() {
    for client in LIVE {
        let repo = with_client(client, "votes", "");
        let report = report(&review(&repo, "teams", &["--debate"]).ends(0));
        assert_eq!(report["receipt"]["participation"]["counted"], 2, "{client}");
        let turns = marked(&repo, "turns");
        let mut seen: Vec<(&str, &str)> = turns
            .iter()
            .map(|turn| turn.rsplit_once(' ').unwrap())
            .collect();
        seen.sort_unstable();
        // Two judges; each has R1 and R2, all in one process and one session.
        assert_eq!(seen.len(), 4, "{client}: {turns:?}");
        for judge in seen.chunks(2) {
            assert!(
                judge.iter().all(|(who, _)| *who == judge[0].0),
                "{client}: {turns:?}"
            );
            let rounds: Vec<&str> = judge.iter().map(|(_, round)| *round).collect();
            assert_eq!(rounds, ["1", "2"], "{client}");
        }
        assert!(
            seen[0].0 != seen[2].0,
            "{client}: each judge has its own session"
        );
    }
}

#[test]
fn one_process_per_turn_takes_its_session_up_again() {
    for client in ["claude", "codex"] {
        let repo = with_client(client, "votes", "");
        review(&repo, "subagents", &["--debate"]).ends(0);
        let turns = marked(&repo, "turns");
        let sessions: std::collections::BTreeSet<&str> = turns
            .iter()
            .map(|turn| turn.split(' ').nth(1).unwrap())
            .collect();
        let processes: std::collections::BTreeSet<&str> = turns
            .iter()
            .map(|turn| turn.split(' ').next().unwrap())
            .collect();
        assert_eq!(
            (sessions.len(), processes.len()),
            (2, 4),
            "{client}: {turns:?}"
        );
    }
}

#[test]
fn codex_serves_all_judges_from_one_process() {
    let repo = with_client("codex", "votes", "");
    review(&repo, "teams", &["--config", "review.judges=3"]).ends(0);
    let turns = marked(&repo, "turns");
    let processes: std::collections::BTreeSet<&str> = turns
        .iter()
        .map(|turn| turn.split(' ').next().unwrap())
        .collect();
    assert_eq!((turns.len(), processes.len()), (3, 1), "{turns:?}");
}

/// One process serves all judges, and each asks in its own name.
#[test]
fn each_judge_of_a_running_codex_has_its_own_server_to_look_things_up() {
    let repo = with_client("codex", "votes", "");
    review(&repo, "teams", &["--config", "review.judges=3"]).ends(0);
    let threads = marked(&repo, "threads");
    let servers: std::collections::BTreeSet<String> = threads
        .iter()
        .map(|settings| {
            let settings: Value = serde_json::from_str(settings).unwrap();
            let mode = "mcp_servers.council.default_tools_approval_mode";
            assert_eq!(settings[mode], "approve", "{settings}");
            assert!(settings["mcp_servers.council.command"].is_string());
            let arguments = &settings["mcp_servers.council.args"];
            assert_eq!(arguments[1], "--mailbox", "{settings}");
            arguments[2].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!((threads.len(), servers.len()), (3, 3), "{servers:?}");
    // Its own models call tools from code, and are not shown which a server has.
    let told = |words: &[String]| {
        words
            .iter()
            .filter(|w| w.contains("mcp__council__"))
            .count()
    };
    assert_eq!(told(&marked(&repo, "words")), 3);
    review(
        &repo,
        "subagents",
        &["--config", "review.judges=1", "--fresh"],
    )
    .ends(0);
    assert_eq!(told(&marked(&repo, "arguments")[1..]), 1);
    // Nobody may look anything up: nothing is started for it.
    let repo = with_client("codex", "votes", "tools = false\n");
    review(&repo, "teams", &["--config", "review.judges=1"]).ends(0);
    assert_eq!(marked(&repo, "threads"), ["null"]);
    assert_eq!(told(&marked(&repo, "words")), 0);
}

#[test]
fn an_agent_without_a_mailbox_has_no_tools_and_the_receipt_says_so() {
    let without = |more: &str| {
        let repo = with_client("acp", "votes", more);
        let report = report(&review(&repo, "teams", &["--config", "review.judges=1"]).ends(0));
        report["judges"][0]["usage"]["without_tools"].clone()
    };
    let why = "this agent takes no mailbox, in which they would be";
    assert_eq!(without(""), why);
    assert_eq!(without("tools = false\n"), Value::Null);
}

#[test]
fn codex_is_read_only_with_the_flags_in_their_order() {
    let repo = with_client("codex", "votes", "model = 'gpt-x'\n");
    review(&repo, "subagents", &[]).ends(0);
    let arguments: Vec<String> = serde_json::from_str(&marked(&repo, "arguments")[0]).unwrap();
    let place = |flag: &str| {
        arguments
            .iter()
            .position(|a| a == flag)
            .unwrap_or_else(|| panic!("no {flag}"))
    };
    let order = ["exec", "-s", "-m", "-C", "--output-schema", "-o"].map(place);
    assert!(order.is_sorted(), "{arguments:?}");
    assert_eq!(arguments[place("-s") + 1], "read-only");
    assert!(
        !arguments
            .iter()
            .any(|a| a.contains("full-auto") || a.contains("danger"))
    );
}

#[test]
fn codex_is_told_a_model_only_where_one_was_named() {
    let repo = with_client("codex", "votes", "");
    review(&repo, "subagents", &[]).ends(0);
    let arguments: Vec<String> = serde_json::from_str(&marked(&repo, "arguments")[0]).unwrap();
    assert!(!arguments.iter().any(|a| a == "-m"), "{arguments:?}");
}

#[test]
fn each_way_of_failing_has_its_own_reason() {
    for (client, backend) in HELD {
        for (behaviour, kind) in [
            ("prose", "prose"),
            ("empty", "empty"),
            ("invalid", "malformed"),
            ("broken-off", "truncated"),
            ("wrong-key", "wrong-key"),
            ("401", "quota"),
            ("429", "quota"),
            ("529", "provider"),
            ("flood", "oversized"),
        ] {
            // One judge each: what is looked at is the reason.
            let repo = with_client(client, behaviour, "");
            let run = review(&repo, backend, &["--config", "review.judges=1"]).ends(3);
            let kinds = failures(&report(&run));
            assert_eq!(
                kinds.first().map(String::as_str),
                Some(kind),
                "{client} in {backend}: {behaviour}: {kinds:?}"
            );
            // What a second try can mend is asked for once more, and no more than once.
            let asked = marked(&repo, "turns").len();
            let again =
                ["prose", "empty", "invalid", "broken-off", "wrong-key"].contains(&behaviour);
            assert_eq!(
                asked,
                if again { 2 } else { 1 },
                "{client} in {backend}: {behaviour}"
            );
        }
    }
}

#[test]
fn a_refusal_is_one() {
    for client in LIVE {
        let repo = with_client(client, "refusal", "");
        let run = review(&repo, "teams", &["--config", "review.judges=1"]).ends(3);
        assert_eq!(failures(&report(&run)), ["refused"], "{client}");
    }
}

#[test]
fn a_second_try_with_the_error_can_mend_an_answer() {
    for client in LIVE {
        let repo = with_client(client, "mended", "");
        let run = review(&repo, "teams", &["--config", "review.judges=1"]).ends(0);
        assert_eq!(failures(&report(&run)), ["malformed"], "{client}");
    }
}

#[test]
fn a_client_that_dies_is_told_with_its_last_words() {
    for client in LIVE {
        let repo = with_client(client, "dies", "");
        let run = review(&repo, "teams", &["--config", "review.judges=1"]).ends(3);
        let report = report(&run);
        assert_eq!(failures(&report), ["died"], "{client}");
        let detail = report["judges"][0]["failures"][0]["failure"]["detail"].to_string();
        assert!(detail.contains("out of memory"), "{client}: {detail}");
    }
}

#[test]
fn a_client_that_could_write_is_not_heard() {
    for client in LIVE {
        let repo = with_client(client, "armed", "");
        let run = review(&repo, "teams", &["--config", "review.judges=1"]);
        assert_eq!(run.code, 3, "{client}: {}", run.stdout);
    }
    let repo = with_client("acp", "writes", "");
    review(&repo, "teams", &["--config", "review.judges=1"]).ends(0);
    let allowed = marked(&repo, "allowed");
    let allowed: Vec<serde_json::Value> = allowed
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        allowed,
        [serde_json::json!({"outcome": {"optionId": "no", "outcome": "selected"}})]
    );
    assert_eq!(
        marked(&repo, "modes"),
        ["plan"],
        "it is switched to what cannot write"
    );
}

#[test]
fn a_judge_sees_the_tree_without_what_steers_and_the_environment_without_tokens() {
    for (client, backend) in HELD {
        let repo = with_client(client, "votes", "");
        review(&repo, backend, &["--config", "review.judges=1"]).ends(0);
        let (rooms, environment) = (
            marked(&repo, "rooms").concat(),
            marked(&repo, "environment").concat(),
        );
        assert!(rooms.contains("src/more.rs"), "{client}: {rooms}");
        for hidden in [
            "CLAUDE.md",
            "AGENTS.md",
            "GEMINI.md",
            ".mcp.json",
            ".claude",
            ".git/",
        ] {
            assert!(!rooms.contains(hidden), "{client}: {hidden}");
        }
        for hidden in ["ghs_token", "AWS_SECRET_ACCESS_KEY"] {
            assert!(!environment.contains(hidden), "{client}: {hidden}");
        }
        let own = format!("{:?}", repo.in_home(""));
        assert!(
            !environment.contains(&format!("\"HOME\": {own}")) || client == "acp",
            "{client} has the user's home"
        );
    }
}

/// Each waits for its limits: the clients do so side by side.
#[test]
fn a_turn_that_takes_too_long_is_interrupted_and_nothing_is_left() {
    std::thread::scope(|all| {
        for client in LIVE {
            all.spawn(move || {
                for behaviour in ["child", "stubborn"] {
                    takes_too_long(client, behaviour);
                }
            });
        }
    });
}

fn takes_too_long(client: &str, behaviour: &str) {
    let limits = "[timeouts]\nr1 = '4s'\nshutdown = '3s'\n";
    let repo = with_client(client, behaviour, limits);
    let began = Instant::now();
    let run = review(&repo, "teams", &["--config", "review.judges=1"]).ends(3);
    let took = began.elapsed();
    let who = format!("{client}: {behaviour}");
    let kinds = failures(&report(&run));
    assert_eq!(kinds.first().map(String::as_str), Some("timeout"), "{who}");
    assert!(took < Duration::from_secs(40), "{who}: {took:?}");
    if behaviour != "stubborn" {
        assert_eq!(marked(&repo, "interrupts").len(), 1, "{who}");
    }
    nothing_is_left(&repo);
}

#[test]
fn nothing_is_left_when_the_program_is_ended() {
    for client in LIVE {
        for signal in ["-TERM", "-KILL"] {
            let repo = with_client(client, "child", "[timeouts]\nshutdown = '1s'\n");
            let mut command = repo.program(&repo.path());
            let mut child = command
                .args([
                    "review",
                    "HEAD",
                    "--backend",
                    "teams",
                    "--config",
                    "review.judges=1",
                ])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let until = Instant::now() + Duration::from_secs(60);
            while marked(&repo, "children").is_empty() {
                assert!(Instant::now() < until, "{client} did not start");
                std::thread::sleep(Duration::from_millis(20));
            }
            let id = child.id().to_string();
            assert!(
                std::process::Command::new("kill")
                    .args([signal, &id])
                    .status()
                    .unwrap()
                    .success()
            );
            child.wait().unwrap();
            nothing_is_left(&repo);
        }
    }
}

/// Waits until no process that left a mark runs any more.
fn nothing_is_left(repo: &Repo) {
    let turns = marked(repo, "turns");
    let pids: Vec<String> = turns
        .iter()
        .map(|turn| turn.split(' ').next().unwrap().to_owned())
        .chain(marked(repo, "children"))
        .collect();
    assert!(!pids.is_empty());
    let until = Instant::now() + Duration::from_secs(20);
    while pids.iter().any(|pid| is_running(pid)) {
        assert!(Instant::now() < until, "one of {pids:?} is left");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether a process runs; one that only waits to be reaped does not.
fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.is_empty())
}
