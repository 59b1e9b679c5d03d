//! The mailbox of a judge, as its client speaks with it: `git council mcp` over standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::harness::Repo;

/// A mailbox with a turn of round 1, and a client that has said hello to its server.
struct Client {
    repo: Repo,
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Client {
    fn start() -> Self {
        let repo = Repo::with_base();
        let peer = json!({ "to": "you, from B", "text": "Have you seen the test?" });
        let turn = json!({ "round": 1, "key": "k1", "form": "review", "messages": [peer], "max_bytes": 1 << 20 });
        repo.write_home("mailbox/turn.json", &turn.to_string());
        repo.write_home("mailbox/brief.md", "one\ntwo\nthree\n");
        let mut command = repo.program(&repo.path());
        command
            .args(["mcp", "--mailbox"])
            .arg(repo.in_home("mailbox"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take(), server.stdout.take().unwrap());
        let mut client = Self {
            repo,
            server,
            to,
            from: BufReader::new(from),
            asked: 0,
        };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "a client", "version": "1" } });
        let heard = client.ask("initialize", &hello);
        assert_eq!(heard["serverInfo"]["name"], "git-council");
        client.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn tell(&mut self, message: &Value) {
        let to = self.to.as_mut().unwrap();
        writeln!(to, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let mut heard: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(heard["id"], id, "{heard}");
        heard["result"].take()
    }

    /// What a tool says, and whether it says that something is wrong.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": tool, "arguments": arguments });
        let heard = self.ask("tools/call", &params);
        let text = heard["content"][0]["text"].as_str().unwrap().to_owned();
        (text, heard["isError"] == true)
    }

    fn submitted(&self) -> Option<Value> {
        let text = std::fs::read(self.repo.in_home("mailbox/verdict.json")).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }
}

fn verdict(key: &str) -> Value {
    json!({ "schema_version": 1, "round": 1, "key": key, "verdict": "PASS", "confidence": "HIGH", "key_insight": "It holds." })
}

#[test]
fn a_verdict_that_does_not_fit_goes_back_to_the_model_and_a_fitting_one_is_kept() {
    let mut client = Client::start();
    let (said, is_wrong) = client.call("submit_verdict", verdict("another's"));
    assert!(is_wrong && said.starts_with("key: "), "{said}");
    let mut odd = verdict("k1");
    odd["verdict"] = json!("SKIPPED");
    let (said, is_wrong) = client.call("submit_verdict", odd);
    assert!(
        is_wrong && said.starts_with("verdict: unknown variant"),
        "{said}"
    );
    assert_eq!(client.submitted(), None);
    let (_, is_wrong) = client.call("submit_verdict", verdict("k1"));
    assert!(!is_wrong);
    assert_eq!(client.submitted().unwrap()["verdict"], "PASS");
}

#[test]
fn its_tools_change_nothing_outside_and_serve_packet_and_messages() {
    let mut client = Client::start();
    let tools = client.ask("tools/list", &json!({}));
    let tools = tools["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "submit_verdict",
            "read_packet",
            "send_message",
            "read_messages"
        ]
    );
    for tool in tools {
        // Else a client in its read-only mode keeps them from the model.
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let part = json!({ "first_line": 2, "lines": 1 });
    let (text, _) = client.call("read_packet", part);
    assert_eq!(text, "two\n[3 lines in all]");
    let (text, _) = client.call("read_messages", json!({}));
    assert!(text.contains("Have you seen the test?"), "{text}");
    let (_, is_wrong) = client.call("send_message", json!({ "to": "B", "text": "Yes." }));
    assert!(!is_wrong);
    let (said, is_wrong) = client.call("delete_everything", json!({}));
    assert!(is_wrong && said == "there is no tool delete_everything");
}

#[test]
fn it_ends_with_its_client_and_names_a_mailbox_that_is_not_there() {
    let mut client = Client::start();
    drop(client.to.take());
    assert!(client.server.wait().unwrap().success());
    let run = client.repo.council(["mcp", "--mailbox", "nowhere"]);
    run.ends(2).tells("there is no mailbox");
}

#[test]
fn a_judge_looks_things_up_over_the_socket_of_its_mailbox() {
    let mut client = Client::start();
    let listed = |client: &mut Client| client.ask("tools/list", &json!({})).to_string();
    assert!(!listed(&mut client).contains("read_file"), "nobody answers");
    let desk = UnixListener::bind(client.repo.in_home("mailbox/lookup")).unwrap();
    let answer = std::thread::spawn(move || {
        let (mut caller, _) = desk.accept().unwrap();
        let mut call = String::new();
        BufReader::new(&caller).read_line(&mut call).unwrap();
        writeln!(
            caller,
            "{}",
            json!({ "text": "1  fn a() {}", "failed": false })
        )
        .unwrap();
        serde_json::from_str::<Value>(&call).unwrap()
    });
    let tools = listed(&mut client);
    for tool in ["read_file", "search", "symbol", "history", "\"list\""] {
        assert!(tools.contains(tool), "{tool}: {tools}");
    }
    let told = client.call("read_file", json!({ "path": "a.rs" }));
    assert_eq!(told, ("1  fn a() {}".to_owned(), false));
    let call = answer.join().unwrap();
    assert_eq!(
        call,
        json!({ "tool": "read_file", "arguments": { "path": "a.rs" } })
    );
    // A judge that answers in another way has nothing else here.
    let turn = json!({ "round": 1, "key": "k1", "form": "review", "messages": [], "max_bytes": 1 << 20, "only_look_ups": true });
    client
        .repo
        .write_home("mailbox/turn.json", &turn.to_string());
    assert!(!listed(&mut client).contains("submit_verdict"));
}

/// What reads a message in another way than we do must not decide what a judge said.
#[test]
fn a_message_with_two_equal_keys_or_that_is_cut_off_is_refused_and_nothing_of_it_is_kept() {
    let mut client = Client::start();
    let whole = verdict("k1").to_string();
    let twice = whole.replacen("{", "{\"verdict\":\"FAIL\",", 1);
    let call = |id: u64, arguments: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"submit_verdict\",\
             \"arguments\":{arguments}}}}}"
        )
    };
    for (line, id) in [
        (call(40, &twice), json!(40)),
        (call(41, &whole[..whole.len() - 1]), Value::Null),
        ("no JSON".to_owned(), Value::Null),
    ] {
        writeln!(client.to.as_mut().unwrap(), "{line}").unwrap();
        let mut told = String::new();
        client.from.read_line(&mut told).unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told.get("id").unwrap_or(&Value::Null), &id, "{told}");
        assert_eq!(told["error"]["code"], -32700, "{told}");
    }
    assert_eq!(client.submitted(), None);
    let (_, is_wrong) = client.call("submit_verdict", verdict("k1"));
    assert!(!is_wrong, "it goes on");
}
