//! The council inside of a coding agent: `git council mcp` as its client speaks with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::rc::Rc;

use serde_json::{Value, json};

use crate::harness::Repo;
use crate::memory::suggested;
use crate::programs::{answer, scripted_agent};

/// A coding agent that has said hello to the council.
pub(crate) struct Agent {
    pub(crate) repo: Rc<Repo>,
    /// The folders that it says it works in, where it says so.
    roots: Vec<PathBuf>,
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
    /// What was told while the last call went on, and how far it was.
    pub(crate) progress: Vec<(f64, String)>,
    /// Calls that were given up, and may be answered all the same.
    pub(crate) given_up: Vec<u64>,
    hello: Value,
}

impl Agent {
    pub(crate) fn start(repo: Repo) -> Self {
        Self::start_with(repo, &[])
    }

    pub(crate) fn start_with(repo: Repo, vars: &[(&str, &str)]) -> Self {
        let dir = repo.path();
        Self::start_at(repo, &dir, Vec::new(), vars)
    }

    /// With a server that is started in `dir` by a client that names these folders as its workspace.
    pub(crate) fn start_at(
        repo: impl Into<Rc<Repo>>,
        dir: &Path,
        roots: Vec<PathBuf>,
        vars: &[(&str, &str)],
    ) -> Self {
        let repo = repo.into();
        let mut command = repo.program(dir);
        command
            .arg("mcp")
            .envs(vars.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take(), server.stdout.take().unwrap());
        let mut agent = Self {
            repo,
            roots,
            server,
            to,
            from: BufReader::new(from),
            asked: 0,
            progress: Vec::new(),
            given_up: Vec::new(),
            hello: Value::Null,
        };
        let capabilities = match agent.roots.is_empty() {
            true => json!({}),
            false => json!({ "roots": {} }),
        };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": { "name": "a coder", "version": "7" } });
        agent.hello = agent.ask("initialize", &hello);
        agent.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    pub(crate) fn tell(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Asks, and waits for nothing.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Waits for an answer.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.progress.clear();
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            let mut heard: Value = serde_json::from_str(&line).unwrap();
            if heard["method"] == "roots/list" {
                let roots = self.roots.iter();
                let roots =
                    roots.map(|root| json!({ "uri": format!("file://{}", root.display()) }));
                let roots: Vec<Value> = roots.collect();
                self.tell(
                    &json!({ "jsonrpc": "2.0", "id": heard["id"], "result": { "roots": roots } }),
                );
                continue;
            }
            if heard["method"] == "notifications/progress" {
                let message = heard["params"]["message"].as_str().unwrap();
                assert_eq!(heard["params"]["progressToken"], "p", "{heard}");
                let step = heard["params"]["progress"].as_f64().unwrap();
                self.progress.push((step, message.to_owned()));
                continue;
            }
            if self.given_up.iter().any(|id| heard["id"] == *id) {
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
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> String {
        let params =
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } });
        let heard = self.ask("tools/call", &params);
        let text = heard["content"][0]["text"].as_str().unwrap();
        assert_ne!(heard["isError"], true, "{text}");
        text.to_owned()
    }

    /// What a tool says is wrong.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let heard = self.ask(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        assert_eq!(heard["isError"], true, "{heard}");
        heard["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Closes the pipe and waits until the server has ended.
    pub(crate) fn leave(mut self) -> Rc<Repo> {
        drop(self.to.take());
        self.server.wait().unwrap();
        Rc::clone(&self.repo)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.server.wait();
    }
}

/// A repository in whose worktree a conflict is left.
pub(crate) fn unmended() -> Repo {
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

/// The usual way to a partial commit: review, stage, go on, review what is staged.
#[test]
fn what_is_staged_of_a_reviewed_worktree_is_what_was_reviewed() {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    let mut agent = Agent::start(repo);
    agent.call("review", json!({}));
    agent.repo.git(["add", "."]);
    agent
        .repo
        .write("src/other.rs", "/// Other.\npub const OTHER: u32 = 1;\n");
    for _ in 0..2 {
        let told = agent.call("review", json!({ "target": "staged" }));
        assert!(told.contains("Nothing blocks this change."), "{told}");
        assert!(!told.contains("is not about"), "{told}");
    }
    agent.repo.git(["add", "."]);
    let told = agent.call("show", json!({}));
    assert!(told.contains("not about what is staged now"), "{told}");
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

/// What is wrong with a call repeats what it was given, and a model may have read a secret elsewhere.
#[test]
fn no_error_repeats_a_secret() {
    let token = concat!("hf_", "aB3dE6gH9kaB3dE6gH9kaB3dE6gH9kaB3d");
    let mut agent = Agent::start(Repo::with_base());
    for (tool, arguments) in [
        ("explain", json!({ "id": token })),
        ("apply", json!({ "id": token })),
        ("show", json!({ "run": token })),
        ("dismiss", json!({ "id": token, "reason": "no" })),
        ("review", json!({ "target": token })),
        ("review", json!({ "focus": [token] })),
        (token, json!({})),
    ] {
        let said = agent.refused(tool, arguments);
        assert!(!said.contains(&token[3..12]), "{tool}: {said}");
    }
    let place = json!({ "uri": format!("council://report/{token}") });
    let heard = agent.ask("resources/read", &place).to_string();
    assert!(
        heard.contains("there is no resource") && !heard.contains(&token[3..12]),
        "{heard}"
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

/// Whoever asked first: a reused verdict says who asked now, and beside it who asked then.
#[test]
fn a_reused_verdict_names_who_asked_for_it_now() {
    let agents: [(&[(&str, &str)], Value); 3] = [
        (&[], Value::Null),
        (&[("GEMINI_CLI", "1")], "Gemini CLI".into()),
        (&[("CLAUDECODE", "1")], "Claude Code".into()),
    ];
    for (first, then) in &agents {
        let repo = unmended();
        repo.commit("Conflict");
        repo.council_with(first, &["review", "HEAD", "--json"])
            .ends(1);
        for (again, now) in &agents {
            let run = repo
                .council_with(again, &["review", "HEAD", "--json"])
                .ends(1);
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            let run = &report["receipt"]["run"];
            assert!(run["recognised"].is_object(), "{run}");
            assert_eq!(
                (&run["started_by"], &run["recognised"]["started_by"]),
                (now, then)
            );
        }
    }
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

/// What an agent has committed to its branch is no more trusted than what lies in the worktree: the default branch judges.
#[test]
fn a_configuration_that_an_agent_commits_weakens_no_review_of_it() {
    for target in ["worktree", "staged"] {
        let repo = unmended();
        repo.git(["checkout", "--quiet", "-b", "feat"]);
        let mild = "[review]\nignore = ['notes.md']\n[rules]\nmerge-conflict = 'off'\n";
        repo.write("council.toml", mild);
        repo.git(["add", "council.toml"]);
        repo.git(["commit", "--quiet", "-m", "Be mild"]);
        repo.git(["add", "notes.md"]);
        let mut agent = Agent::start(repo);
        let said = agent.call("review", json!({ "target": target }));
        assert!(said.starts_with("FAIL"), "{target}: {said}");
    }
}

/// Whoever gives a file another name has changed no line of it: what models objected to there stands.
#[test]
fn a_new_name_takes_back_no_objection_for_an_agent() {
    const CODE: &str = "def f(items):\n    total = 0\n    for i in range(len(items) + 1):\n        total += items[i]\n    return total\n";
    for is_copied in [false, true] {
        let repo = Repo::with_base();
        repo.git(["checkout", "--quiet", "-b", "feat"]);
        let finding = json!({ "severity": "critical", "category": "correctness",
            "description": "The loop reads one past the end.", "location": { "path": "a.py", "line": 3 },
            "quote": "    for i in range(len(items) + 1):", "why": "w", "fix": "f" });
        let fails = answer("FAIL", &finding.to_string());
        let agents = ["ash", "elm"].map(|name| scripted_agent(&repo, name, &fails));
        repo.write_home(".config/git-council/config.toml", &agents.concat());
        repo.write("a.py", CODE);
        let mut agent = Agent::start(repo);
        assert!(agent.call("review", json!({})).starts_with("FAIL"));
        for name in ["ash", "elm"] {
            scripted_agent(&agent.repo, name, &answer("PASS", ""));
        }
        agent.repo.commit("Change");
        if is_copied {
            agent.repo.write("b.py", CODE);
            agent.repo.git(["rm", "--quiet", "a.py"]);
        } else {
            agent.repo.git(["mv", "a.py", "b.py"]);
        }
        agent.repo.commit("Rename");
        for fresh in [false, true] {
            let said = agent.call("review", json!({ "target": "branch", "fresh": fresh }));
            assert!(said.starts_with("FAIL"), "{is_copied} {fresh}: {said}");
        }
        // A person has it judged anew.
        let repo = agent.leave();
        repo.council_with(&[], &["review", "--fresh"]).ends(0);
    }
}

/// An objection that still holds is told over what lies here now, and an agent need not ask again.
#[test]
fn an_objection_that_holds_is_about_what_lies_here() {
    let repo = Repo::with_base();
    let finding = json!({ "severity": "critical", "category": "correctness", "description": "One past the end.",
        "location": { "path": "a.py", "line": 1 }, "quote": "total = sum(items[i] for i in range(len(items) + 1))",
        "why": "w", "fix": "f" });
    let fails = answer("FAIL", &finding.to_string());
    let agents = ["ash", "elm"].map(|name| scripted_agent(&repo, name, &fails));
    repo.write_home(".config/git-council/config.toml", &agents.concat());
    repo.write(
        "a.py",
        "total = sum(items[i] for i in range(len(items) + 1))\n",
    );
    let mut agent = Agent::start(repo);
    assert!(agent.call("review", json!({})).starts_with("FAIL"));
    agent
        .repo
        .write("test_a.py", "def test_a():\n    assert total\n");
    for fresh in [false, true, false] {
        let said = agent.call("review", json!({ "fresh": fresh }));
        assert!(said.starts_with("FAIL"), "{said}");
        assert!(!said.contains("files changed since"), "{said}");
    }
    agent
        .repo
        .write("test_a.py", "def test_a():\n    assert not total\n");
    let said = agent.call("show", json!({}));
    assert!(said.contains("files changed since"), "{said}");
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

#[test]
fn an_agent_applies_a_suggestion_where_its_lines_are_now_unless_they_changed() {
    let (repo, source) = suggested();
    let before = std::fs::read_to_string(&source).unwrap();
    let mut agent = Agent::start(repo);
    std::fs::write(&source, before.replace("* 2", "* 3")).unwrap();
    let said = agent.refused("apply", json!({ "id": "F1" }));
    assert!(said.contains("changed since they were reviewed"), "{said}");
    let moved = format!("// new\n{before}");
    std::fs::write(&source, &moved).unwrap();
    let said = agent.call("apply", json!({ "id": "F1" }));
    assert!(said.contains("applied at line 4"), "{said}");
    let after = std::fs::read_to_string(&source).unwrap();
    assert_eq!(after.lines().nth(3), Some("    n.saturating_mul(2)"));
    assert_eq!(after.lines().count(), moved.lines().count());
}

/// Law: what is wrong with parameters is told as that. That a method is unknown would be said of one that the server has.
#[test]
fn parameters_of_another_form_are_told_as_such() {
    let mut agent = Agent::start(unmended());
    for (method, params, told) in [
        (
            "tools/call",
            json!({ "name": "status", "arguments": [] }),
            "expected a map",
        ),
        ("tools/call", json!({}), "`name`"),
        ("tools/call", json!({ "name": 3 }), "expected"),
        ("resources/read", json!({}), "`uri`"),
    ] {
        let heard = agent.ask(method, &params);
        assert_eq!(heard["error"]["code"], -32602, "{heard}");
        let message = heard["error"]["message"].as_str().unwrap();
        assert!(
            message.contains(method) && message.contains(told),
            "{message}"
        );
    }
    let heard = agent.ask("tools/burn", &json!({}));
    assert_eq!(heard["error"]["code"], -32601, "{heard}");
}

/// Law: no hint names an option of the command line, which no tool takes.
#[test]
fn hints_name_what_a_tool_takes() {
    let mut empty = Agent::start(Repo::new());
    let mut agent = Agent::start(unmended());
    let targets = [
        "branch",
        "HEAD",
        "HEAD~5",
        "src/lib.rs",
        "nowhere",
        "main...nowhere",
        "HEAD:src",
    ];
    for agent in [&mut empty, &mut agent] {
        for target in targets {
            let heard = agent.ask(
                "tools/call",
                &json!({ "name": "review", "arguments": { "target": target } }),
            );
            let said = heard["content"][0]["text"].as_str().unwrap();
            let hints = said.lines().filter(|line| line.starts_with("hint: "));
            for hint in hints {
                let own = hint.split("git ").next().unwrap();
                assert!(!own.contains("--"), "{target}: {hint}");
            }
        }
    }
}

/// Law: what the annotations say of a tool is what it does to the files of the worktree. A client asks nobody before it
/// calls a tool that is said to read, and may ask for one that is said to destroy.
#[test]
fn the_annotations_of_the_tools_say_what_they_do() {
    let (repo, source) = suggested();
    let mut agent = Agent::start(repo);
    let listed = agent.ask("tools/list", &json!({}));
    let listed = listed["tools"].as_array().unwrap().clone();
    let hint = |tool: &str, name: &str| {
        let tool = listed.iter().find(|listed| listed["name"] == tool).unwrap();
        tool["annotations"][name].as_bool().unwrap()
    };
    let calls = [
        ("show", json!({})),
        ("explain", json!({ "id": "F1" })),
        ("status", json!({})),
        (
            "dismiss",
            json!({ "id": "F1", "reason": "it cannot overflow" }),
        ),
        ("apply", json!({ "id": "F1" })),
        ("review", json!({ "target": "HEAD" })),
    ];
    assert_eq!(calls.len(), listed.len(), "{listed:?}");
    for (tool, arguments) in calls {
        let before = std::fs::read(&source).unwrap();
        let told = agent.call("status", json!({}));
        agent.call(tool, arguments);
        let is_changed = std::fs::read(&source).unwrap() != before;
        assert_eq!(hint(tool, "destructiveHint"), is_changed, "{tool}");
        if hint(tool, "readOnlyHint") {
            assert!(!is_changed, "{tool}");
            assert_eq!(agent.call("status", json!({})), told, "{tool}");
        }
    }
    for tool in ["review", "dismiss", "apply"] {
        assert!(!hint(tool, "readOnlyHint"), "{tool}");
    }
}

/// A client looks for the plugin where the marketplace file says, and offers an update by its version.
#[test]
fn the_plugin_for_claude_code_is_where_it_is_named_and_of_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let market = read(&root.join(".claude-plugin/marketplace.json"));
    for listed in market["plugins"].as_array().unwrap() {
        let folder = root.join(listed["source"].as_str().unwrap());
        let plugin = read(&folder.join(".claude-plugin/plugin.json"));
        assert_eq!(plugin["name"], listed["name"]);
        assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
        assert!(folder.join("skills/git-council/SKILL.md").is_file());
    }
}
