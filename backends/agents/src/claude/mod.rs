//! The driver for Claude Code: a live process over `stream-json`, or one process per turn that resumes.
//!
//! It is started so that nothing of the reviewed tree or of the user's settings reaches it: no setting sources, no MCP
//! servers but ours, a system prompt of our own, and no tool that writes or runs anything. Its exit code is no verdict.

mod breaths;
mod live;
mod outcome;
mod per_turn;

use std::sync::Arc;

use council_protocol::seat::Client;
use council_protocol::{CapabilitySet, Failure, JudgeSpec, Seat, Turn};
use serde_json::{Value, json};

use crate::agent::full_capabilities;
use crate::client::{self, AgentEnv, ClientLogin, SYSTEM_PROMPT};
use crate::meant_answer::is_meant_as_answer;
use crate::tools::CodeTools;
use crate::{Agent, AgentContext, AgentReply, Conversation, SeatProbe};

/// The tools that a judge has in its workspace.
const TOOLS: &str = "Read,Grep,Glob";

/// The tool by which the client holds its model to a schema.
const FORM_TOOL: &str = "StructuredOutput";

/// Requests that are tried again: more would outlive a judge's time.
const RETRIES: &str = "2";

/// What a message of the client's comes to, for the fuzz targets.
pub(crate) fn decode_message(message: serde_json::Value) {
    if let Ok(outcome) = serde_json::from_value::<outcome::ClaudeResult>(message) {
        let _ = outcome.into_reply(&mut 0.0);
    }
}

const LOGIN: ClientLogin = ClientLogin {
    variables: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ],
    keys: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ],
};

pub(crate) struct ClaudeAgent(pub(crate) Arc<AgentContext>);

impl Agent for ClaudeAgent {
    fn driver_name(&self) -> &'static str {
        "claude"
    }

    fn code_tools(&self) -> Option<Arc<dyn CodeTools>> {
        self.0.tools.clone()
    }

    fn capabilities(&self) -> CapabilitySet {
        full_capabilities()
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        let client = client::client_of(seat, self.driver_name())?;
        client::find_installed(&self.0, seat, client)?;
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note: client::login_note(&self.0, &LOGIN).to_owned(),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        let client = client::client_of(&spec.seat, self.driver_name())?;
        client::find_installed(&self.0, &spec.seat, client)?;
        let agent_env = self.prepare_env(spec, client)?;
        Ok(Box::new(live::LiveSession::start(spec, client, agent_env)?))
    }

    fn open_per_turn_conversation(
        &self,
        spec: &JudgeSpec,
    ) -> Option<Result<Box<dyn Conversation>, Failure>> {
        let open = || {
            let client = client::client_of(&spec.seat, self.driver_name())?;
            client::find_installed(&self.0, &spec.seat, client)?;
            let agent_env = self.prepare_env(spec, client)?;
            let per_turn = per_turn::PerTurnSession::new(spec, client, agent_env)?;
            Ok(Box::new(per_turn) as Box<dyn Conversation>)
        };
        Some(open())
    }
}

impl ClaudeAgent {
    /// Its home is its own where a key signs it in; else the user's, where its login is.
    fn prepare_env(&self, spec: &JudgeSpec, client: &Client) -> Result<AgentEnv, Failure> {
        let mut agent_env = AgentEnv::prepare(&self.0, spec, client, &LOGIN)?;
        if client::has_key(&self.0, &LOGIN) {
            let config = agent_env.home.path().join("claude");
            agent_env.set_variable("CLAUDE_CONFIG_DIR", config);
        } else {
            for name in ["HOME", "CLAUDE_CONFIG_DIR"] {
                if let Some(own) = self.0.env.get(name) {
                    agent_env.set_variable(name, own.clone());
                }
            }
            for path in [".claude", ".claude.json"] {
                if let Some(path) = client::in_users_home(&self.0, path) {
                    agent_env.allow_path(path);
                }
            }
        }
        for (name, value) in [
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            // A line about the client, first of all and different for each prompt: nothing behind it could be read from a cache.
            ("CLAUDE_CODE_ATTRIBUTION_HEADER", "0"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", RETRIES),
        ] {
            agent_env.set_variable(name, value);
        }
        Ok(agent_env)
    }
}

/// Arguments with which it starts our server.
fn server_flags(server: &[String]) -> [String; 4] {
    let council = json!({ "type": "stdio", "command": server[0], "args": server[1..] });
    let servers = json!({ "mcpServers": { "council": council } });
    // Without the second flag its tools are offered and refused.
    [
        "--mcp-config".to_owned(),
        servers.to_string(),
        "--allowedTools".to_owned(),
        "mcp__council".to_owned(),
    ]
}

/// A turn as a line of `stream-json`. The brief is a block of its own with a marker behind it: without one the provider keeps
/// brief and task together, and no other judge could read the brief from its cache.
fn user_message(brief: &str, prompt: &str, is_first: bool) -> Value {
    let mut content = Vec::new();
    if is_first && !brief.is_empty() {
        let marker = json!({ "type": "ephemeral" });
        content.push(json!({ "type": "text", "text": brief, "cache_control": marker }));
    }
    content.push(json!({ "type": "text", "text": prompt }));
    json!({ "type": "user", "message": { "role": "user", "content": content } })
}

/// What the model says in a message: its words, and an answer in the form that it is held to. Calls of other tools are
/// none.
fn spoken_texts(message: &Value) -> Vec<String> {
    let parts = message["message"]["content"].as_array();
    let parts = || parts.into_iter().flatten();
    let texts = parts().filter(|part| part["type"] == "text");
    let text: String = texts.filter_map(|part| part["text"].as_str()).collect();
    let forms = parts().filter(|part| part["type"] == "tool_use" && part["name"] == FORM_TOOL);
    let mut spoken: Vec<String> = forms.map(|part| part["input"].to_string()).collect();
    spoken.push(text);
    spoken.retain(|text| !text.trim().is_empty());
    spoken
}

/// The same for a stream of messages, with what results say.
fn spoken_in_stream(stream: &[u8]) -> Vec<String> {
    let lines = stream.split(|&b| b == b'\n');
    let events = lines
        .filter(|line| line.starts_with(b"{"))
        .filter_map(client::parse_event);
    let texts = events.flat_map(|event| match event["type"].as_str() {
        Some("assistant") => spoken_texts(&event),
        Some("result") => outcome::answers_in_result(&event),
        _ => Vec::new(),
    });
    texts.collect()
}

/// What the model thinks in a message.
fn thought_texts(message: &Value) -> Vec<String> {
    let parts = message["message"]["content"].as_array();
    let thoughts = parts
        .into_iter()
        .flatten()
        .filter(|part| part["type"] == "thinking");
    thoughts
        .filter_map(|part| part["thinking"].as_str().map(str::to_owned))
        .collect()
}

/// The same for a stream of messages.
fn thoughts_in_stream(stream: &[u8]) -> Vec<String> {
    let lines = stream.split(|&b| b == b'\n');
    let events = lines
        .filter(|line| line.starts_with(b"{"))
        .filter_map(client::parse_event);
    let said = events.filter(|event| event["type"] == "assistant");
    said.flat_map(|event| thought_texts(&event)).collect()
}

/// The verdicts that a message hands in through the mailbox: the client may end before the mailbox gets them.
fn submitted_texts(message: &Value) -> Vec<String> {
    let parts = message["message"]["content"]
        .as_array()
        .into_iter()
        .flatten();
    let is_one = |part: &&Value| {
        let name = part["name"].as_str().unwrap_or_default();
        part["type"] == "tool_use" && name.ends_with("__submit_verdict")
    };
    parts
        .filter(is_one)
        .map(|part| part["input"].to_string())
        .collect()
}

/// Of all that was said in a turn, the answers to it that another one replaced.
fn keep_replaced(said: &mut Vec<String>, turn: &Turn, reply: &Result<AgentReply, Failure>) {
    let counts = |text: &str| {
        let counted = reply.as_ref();
        counted.is_ok_and(|counted| is_same_answer(&counted.raw, text))
    };
    said.retain(|text| is_meant_as_answer(text, &turn.key) && !counts(text));
}

/// Whether two texts are the same answer, whatever blanks stand between its fields.
fn is_same_answer(one: &str, other: &str) -> bool {
    let json = |text: &str| client::parse_event(text.as_bytes());
    one.trim() == other.trim() || json(one).is_some_and(|one| json(other) == Some(one))
}

/// Arguments that both ways of holding it have.
fn build_arguments(spec: &JudgeSpec, client: &Client) -> Vec<String> {
    let tools = if spec.room.is_some() { TOOLS } else { "" };
    let mut argv = client.argv.clone();
    argv.extend(
        [
            "-p",
            "--system-prompt",
            SYSTEM_PROMPT,
            "--tools",
            tools,
            "--permission-mode",
            "dontAsk",
            "--setting-sources",
            "",
            "--strict-mcp-config",
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
        ]
        .map(str::to_owned),
    );
    if let Some(model) = &spec.seat.agent.model {
        argv.extend(["--model".to_owned(), model.clone()]);
    }
    argv
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer is found in the client's stream in each of its forms, and nothing that it says of itself is one.
    #[test]
    fn an_answer_is_heard_in_each_form_of_the_stream() {
        let answer = json!({ "key": "k", "verdict": "FAIL" });
        let text = answer.to_string();
        let part = |part: Value| json!({ "type": "assistant", "message": { "content": [part] } });
        for event in [
            part(json!({ "type": "text", "text": text })),
            part(json!({ "type": "tool_use", "name": FORM_TOOL, "input": answer })),
            json!({ "type": "result", "is_error": true, "result": text }),
            json!({ "type": "result", "structured_output": answer }),
        ] {
            let stream = format!("noise\n{event}\n{{\"type\":\"assis");
            assert_eq!(
                spoken_in_stream(stream.as_bytes()),
                std::slice::from_ref(&text),
                "{event}"
            );
        }
        for event in [
            part(json!({ "type": "tool_use", "name": "Read", "input": answer })),
            part(json!({ "type": "thinking", "thinking": text })),
            json!({ "type": "user", "message": { "content": [{ "type": "text", "text": text }] } }),
            json!({ "type": "result", "is_error": true, "result": "API Error: 529 cannot be reached" }),
        ] {
            assert!(
                spoken_in_stream(event.to_string().as_bytes()).is_empty(),
                "{event}"
            );
        }
        let thought = part(json!({ "type": "thinking", "thinking": text }));
        let heard = thoughts_in_stream(thought.to_string().as_bytes());
        assert_eq!(heard, std::slice::from_ref(&text));
        let call = |name: &str| {
            submitted_texts(&part(
                json!({ "type": "tool_use", "name": name, "input": answer }),
            ))
        };
        assert_eq!(
            call("mcp__council__submit_verdict"),
            std::slice::from_ref(&text)
        );
        assert!(call("mcp__council__read_file").is_empty());
        assert!(is_same_answer(
            &text,
            "{\"verdict\": \"FAIL\", \"key\": \"k\"}"
        ));
        assert!(!is_same_answer(&text, "{}"));
    }
}
