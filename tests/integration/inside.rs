//! The council inside of a coding agent: `git council mcp` as its client speaks with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::harness::Repo;

/// A coding agent that has said hello to the council.
struct Agent {
    repo: Repo,
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
    /// What was told while the last call went on.
    progress: Vec<String>,
    hello: Value,
}

impl Agent {
    fn start(repo: Repo) -> Self {
        let mut command = repo.program(&repo.path());
        command
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take(), server.stdout.take().unwrap());
        let mut agent = Self {
            repo,
            server,
            to,
            from: BufReader::new(from),
            asked: 0,
            progress: Vec::new(),
            hello: Value::Null,
        };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "a coder", "version": "7" } });
        agent.hello = agent.ask("initialize", &hello);
        agent.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn tell(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.progress.clear();
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            let mut heard: Value = serde_json::from_str(&line).unwrap();
            if heard["method"] == "notifications/progress" {
                let message = heard["params"]["message"].as_str().unwrap();
                self.progress.push(message.to_owned());
                continue;
            }
            assert_eq!(heard["id"], id, "{heard}");
            return if heard["error"].is_null() {
                heard["result"].take()
            } else {
                heard
            };
        }
    }

    /// What a tool says.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let params =
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } });
        let heard = self.ask("tools/call", &params);
        let text = heard["content"][0]["text"].as_str().unwrap();
        assert_ne!(heard["isError"], true, "{text}");
        text.to_owned()
    }

    /// What a tool says is wrong.
    #[track_caller]
    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let heard = self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        assert_eq!(heard["isError"], true, "{heard}");
        heard["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.server.wait();
    }
}

/// A repository in whose worktree a conflict is left.
fn unmended() -> Repo {
    let repo = Repo::with_base();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo
}

fn latest(agent: &mut Agent) -> Value {
    let read = json!({ "uri": "council://report/latest.json" });
    let heard = agent.ask("resources/read", &read);
    serde_json::from_str(heard["contents"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn an_agent_reviews_mends_and_reviews_again() {
    let mut agent = Agent::start(unmended());
    assert!(
        agent.hello["instructions"]
            .as_str()
            .unwrap()
            .contains("review")
    );
    let tools = agent.ask("tools/list", &json!({}));
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["review", "show", "explain", "apply", "dismiss", "status"]
    );

    let said = agent.call("review", json!({}));
    assert!(said.starts_with("FAIL (rules only): "), "{said}");
    assert!(
        said.contains("notes.md") && said.contains("call `review` again"),
        "{said}"
    );
    assert!(
        agent
            .call("explain", json!({ "id": "F1" }))
            .contains("notes.md")
    );
    let report = latest(&mut agent);
    assert_eq!(report["receipt"]["run"]["started_by"], "a coder 7");
    assert!(
        agent.call("show", json!({})).contains("Started by"),
        "the receipt names the agent"
    );

    agent.repo.write("notes.md", "ours and theirs\n");
    let said = agent.call("review", json!({}));
    assert!(said.starts_with("PASS (rules only): "), "{said}");
    assert_eq!(latest(&mut agent)["verdict"], "PASS");
}

#[test]
fn with_nothing_uncommitted_the_branch_is_reviewed() {
    let repo = Repo::with_base();
    repo.git(["checkout", "--quiet", "-b", "topic"]);
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.git(["add", "."]);
    repo.git(["commit", "--quiet", "-m", "Notes"]);
    let mut agent = Agent::start(repo);
    let said = agent.call("review", json!({}));
    assert!(said.starts_with("FAIL"), "{said}");
    assert!(
        agent
            .refused("review", json!({ "target": "--worktree" }))
            .contains("no target")
    );
    assert!(
        agent
            .refused("review", json!({ "target": "nowhere" }))
            .contains("nowhere")
    );
}

#[test]
fn what_an_agent_dismisses_counts_until_a_person_confirms_it() {
    let mut agent = Agent::start(unmended());
    agent.call("review", json!({}));
    let asked = json!({ "id": "F1", "reason": "it is\u{1b}[2J an example" });
    let said = agent.call("dismiss", asked);
    assert!(
        said.contains("still counts") && said.contains("--accept"),
        "{said}"
    );
    assert!(
        agent
            .call("review", json!({ "fresh": true }))
            .starts_with("FAIL")
    );
    assert!(
        !agent
            .repo
            .path()
            .join(".git/council/dismissals.jsonl")
            .exists()
    );
    assert!(
        agent
            .call("status", json!({}))
            .contains("1 dismissal proposed")
    );

    // In the shell of an agent it is no other.
    let shell = [("CLAUDECODE", "1")];
    let repo = &agent.repo;
    repo.council_with(&shell, &["dismiss", "F1", "--accept"])
        .ends(2)
        .tells("Claude Code is a coding agent");
    repo.council_with(&shell, &["dismiss", "F2", "--because", "as well"])
        .ends(0)
        .prints("still counts");

    let listed = repo.council(["dismiss", "--proposed"]).ends(0);
    assert!(!listed.stdout.contains('\u{1b}'), "{}", listed.stdout);
    listed
        .prints("a coder 7: it is")
        .prints("Claude Code: as well");
    repo.council(["dismiss", "F1", "--accept"])
        .ends(0)
        .prints("is dismissed until its code changes");
    repo.council(["dismiss", "F1", "--accept"])
        .ends(2)
        .tells("no agent has proposed");
    repo.council(["review", "--worktree"])
        .prints("dismissed: F1");
}

#[test]
fn a_council_in_the_shell_of_an_agent_says_so() {
    let repo = unmended();
    let run = repo.council_with(&[("GEMINI_CLI", "1")], &["review", "--worktree", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["receipt"]["run"]["started_by"], "Gemini CLI");
    let run = repo.council(["review", "--worktree", "--fresh", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(report["receipt"]["run"]["started_by"].is_null());
}

/// Claude Code's Stop hook as the plugin ships it: what it prints when the agent says that it is done.
fn stop_hook(repo: &Repo, told: &str) -> Option<Value> {
    let hooks = include_str!("../../clients/claude/hooks/hooks.json");
    let hooks: Value = serde_json::from_str(hooks).unwrap();
    let command = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str();
    let mut words = command.unwrap().split(' ');
    assert_eq!(words.next(), Some("git-council"));
    let words: Vec<&str> = words.collect();
    let said = repo.council_reading(told.as_bytes(), &words);
    assert_eq!((said.code, &*said.stderr), (0, ""), "it is in the way");
    (!said.stdout.is_empty()).then(|| serde_json::from_str(&said.stdout).unwrap())
}

#[test]
fn the_stop_hook_offers_a_review_of_a_change_without_a_verdict() {
    let done = r#"{"session_id": "1", "hook_event_name": "Stop", "stop_hook_active": false}"#;
    let repo = unmended();
    let said = stop_hook(&repo, done).unwrap();
    let words = said["systemMessage"].as_str().unwrap();
    assert!(
        words.contains("no verdict") && words.contains("/council"),
        "{said}"
    );
    // It offers, and neither keeps the agent from ending nor decides for it.
    assert_eq!(said.as_object().unwrap().len(), 1, "{said}");
    // The agent goes on because of a hook: it has been offered already.
    let active = done.replace("false", "true");
    assert_eq!(stop_hook(&repo, &active), None);
    repo.council(["review", "--worktree"]).ends(1);
    assert_eq!(
        stop_hook(&repo, done),
        None,
        "it has a verdict, and that is FAIL"
    );
    repo.write("notes.md", "ours and theirs\n");
    assert!(stop_hook(&repo, done).is_some(), "it was changed since");
    repo.council(["review", "--worktree"]).ends(0);
    assert_eq!(stop_hook(&repo, done), None);
}

/// A hook that fails would be in the way of the work.
#[test]
fn the_stop_hook_is_silent_where_there_is_nothing_to_offer() {
    let unchanged = Repo::with_base();
    for told in ["{}", "", "no JSON", "[1]"] {
        assert_eq!(stop_hook(&unchanged, told), None, "{told}");
        assert!(stop_hook(&unmended(), told).is_some(), "{told}");
    }
    let nowhere = Repo::home();
    assert_eq!(stop_hook(&nowhere, "{}"), None);
    let broken = unmended();
    broken.write_home(".config/git-council/config.toml", "no [toml");
    assert_eq!(stop_hook(&broken, "{}"), None);
}

#[test]
fn the_checkout_s_configuration_weakens_no_review_of_an_agent() {
    let repo = unmended();
    repo.write(
        "council.toml",
        "[review]\nignore = ['notes.md']\n[rules]\nmerge-conflict = 'off'\n",
    );
    let trusting = format!("[trust]\nworktrees = [{:?}]\n", repo.path());
    repo.write_home(".config/git-council/config.toml", &trusting);
    let mut agent = Agent::start(repo);
    assert!(agent.call("review", json!({})).starts_with("FAIL"));
}

#[test]
fn a_review_without_a_repository_is_an_answer_and_the_server_lives_on() {
    let repo = Repo::with_base();
    std::fs::remove_dir_all(repo.path().join(".git")).unwrap();
    let mut agent = Agent::start(repo);
    let said = agent.refused("review", json!({}));
    assert!(said.contains("git"), "{said}");
    assert!(agent.refused("push", json!({})).contains("no tool push"));
    let heard = agent.ask(
        "resources/read",
        &json!({ "uri": "council://report/latest.md" }),
    );
    assert!(heard["error"]["message"].is_string(), "{heard}");
}
