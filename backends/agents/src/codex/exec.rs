//! One `codex exec` per turn; `exec resume` takes the thread up again.

use std::sync::Arc;

use council_protocol::message::Usage;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};

use crate::client::{AgentEnv, compose_message, kind_of_message, parse_event, shorten_message};
use crate::mailbox::{self, JudgeMailbox};
use crate::meant_answer::is_meant_as_answer;
use crate::process::{FinishedProgram, oversized_failure, run_once, spawn_failure};
use crate::thoughts::TurnThoughts;
use crate::{AgentReply, Conversation, StopSignal, schema};

/// Where the answer and the schema lie, below the home.
const LAST_MESSAGE_FILE: &str = "last.txt";
const SCHEMA_FILE: &str = "schema.json";

pub(super) struct ExecSession {
    /// Where it looks things up, and the settings by which it starts our server for that. It stands in the home of the
    /// environment, and so ends before it.
    mailbox: Option<JudgeMailbox>,
    server: Vec<String>,
    agent_env: AgentEnv,
    /// The program with what stands before its subcommand.
    argv: Vec<String>,
    model: Option<String>,
    brief: Arc<str>,
    most: u64,
    proves: bool,
    /// Of a turn that was answered; the next one resumes it.
    thread: Option<String>,
    /// Tokens of the thread when the last turn ended: they accumulate.
    counted: [u64; 3],
}

/// What its events told.
#[derive(Default)]
pub(super) struct ExecEvents {
    thread: Option<String>,
    failed: Option<String>,
    total: Option<[u64; 3]>,
}

impl ExecSession {
    pub(super) fn new(spec: &JudgeSpec, argv: Vec<String>, agent_env: AgentEnv) -> Self {
        let (mailbox, server) = agent_env.create_look_ups(spec).unzip();
        Self {
            mailbox,
            server: server.as_deref().map(written_settings).unwrap_or_default(),
            agent_env,
            argv,
            model: spec.seat.agent.model.clone(),
            brief: Arc::clone(&spec.brief),
            most: spec.max_answer_bytes,
            proves: spec.proves,
            thread: None,
            counted: [0; 3],
        }
    }

    /// `exec -s read-only -m MODEL -C DIR … -`: the prompt goes over standard input, which no length of argument limits.
    fn build_arguments(&self, has_schema: bool) -> Vec<String> {
        let mut argv = self.argv.clone();
        let home = |name: &str| {
            self.agent_env
                .home
                .path()
                .join(name)
                .to_string_lossy()
                .into_owned()
        };
        let dir = self.agent_env.dir.to_string_lossy().into_owned();
        let mut add = |words: &[&str]| argv.extend(words.iter().map(|&word| word.to_owned()));
        let instructions = super::instructions(self.mailbox.is_some());
        // A Rust text of plain letters is a TOML text.
        let instructions = format!("developer_instructions={instructions:?}");
        add(&["exec", "-c", &instructions, "-s", "read-only"]);
        for setting in &self.server {
            add(&["-c", setting]);
        }
        // Without `-m` Codex takes the model of its own configuration.
        if let Some(model) = &self.model {
            add(&["-m", model]);
        }
        add(&["-C", &dir]);
        if has_schema {
            add(&["--output-schema", &home(SCHEMA_FILE)]);
        }
        add(&[
            "-o",
            &home(LAST_MESSAGE_FILE),
            "--json",
            "--ignore-user-config",
            "--skip-git-repo-check",
        ]);
        if let Some(thread) = &self.thread {
            add(&["resume", thread]);
        }
        add(&["-"]);
        argv
    }

    fn build_reply(&mut self, finished: &FinishedProgram) -> Result<AgentReply, Failure> {
        if !finished.whole {
            return Err(oversized_failure(self.most));
        }
        let told = parse_events(&finished.stdout);
        let usage = told.total.map(|total| self.turn_usage(total));
        if let Some(why) = told.failed {
            let detail = format!("codex: {}", shorten_message(&why));
            return Err(Failure::new(kind_of_message(&why), detail).with_usage(usage));
        }
        if told.thread.is_some() {
            self.thread = told.thread;
        }
        let raw = self.read_last_message()?;
        if raw.trim().is_empty() {
            let (ending, noise) = (finished.describe_ending(), shorten_message(&finished.noise));
            let detail = format!("codex ended ({ending}) without an answer: {noise}");
            return Err(Failure::new(FailureKind::Empty, detail).with_usage(usage));
        }
        Ok(AgentReply { raw, usage })
    }

    /// The last message, as `-o` left it.
    fn read_last_message(&self) -> Result<String, Failure> {
        let path = self.agent_env.home.path().join(LAST_MESSAGE_FILE);
        match std::fs::metadata(&path).map(|file| file.len()) {
            Ok(size) if size > self.most => Err(oversized_failure(self.most)),
            Ok(_) => std::fs::read_to_string(&path).map_err(|error| {
                Failure::new(
                    FailureKind::Malformed,
                    format!("codex left an answer that cannot be read: {error}"),
                )
            }),
            Err(_) => Ok(String::new()),
        }
    }

    fn turn_usage(&mut self, total: [u64; 3]) -> Usage {
        let turn = [0, 1, 2].map(|i| total[i].saturating_sub(self.counted[i]));
        self.counted = total;
        Usage {
            input_tokens: Some(turn[0].saturating_sub(turn[1])),
            cached_tokens: Some(turn[1]),
            output_tokens: Some(turn[2]),
            cost_usd: None,
            ..Usage::default()
        }
    }
}

/// The settings of [`server_settings`] as arguments: a JSON text is a TOML text, and a list of them a list.
fn written_settings(server: &[String]) -> Vec<String> {
    let settings = super::server_settings(server).into_iter();
    settings
        .map(|(key, value)| format!("{key}={value}"))
        .collect()
}

impl Conversation for ExecSession {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        mailbox::begin_turn(self.mailbox.as_ref(), turn, stop)?;
        let mut thoughts = TurnThoughts::of_turn(&turn.key);
        let reply = self.run_turn(turn, stop, &mut thoughts);
        thoughts.settle(self.mailbox.as_ref(), reply)
    }
}

impl ExecSession {
    fn run_turn(
        &mut self,
        turn: &Turn,
        stop: &StopSignal,
        thoughts: &mut TurnThoughts,
    ) -> Result<AgentReply, Failure> {
        let form = schema::held_form(turn.task.form(), self.proves);
        let schema = schema::answer_schema(form);
        let cannot = |error| spawn_failure(&self.argv[0], &error);
        if let Some(schema) = schema {
            self.agent_env
                .write_file(SCHEMA_FILE, schema.text())
                .map_err(cannot)?;
        }
        // An answer of an earlier turn is none of this one.
        self.agent_env
            .write_file(LAST_MESSAGE_FILE, "")
            .map_err(cannot)?;
        let argv = self.build_arguments(schema.is_some());
        let text = compose_message(&self.brief, &turn.prompt, self.thread.is_none());
        let program = self.agent_env.guarded_program(&argv);
        let most = self.most.saturating_mul(4).saturating_add(16 << 20);
        let is_whole = |stdout: &[u8]| {
            let events = parse_events(stdout);
            events.failed.is_some()
                || (events.total.is_some()
                    && self.read_last_message().is_ok_and(|text| !text.is_empty()))
        };
        // The stream has more than the answer in it.
        stop.draft().decode_with(spoken_in_stream);
        let finished = run_once(
            &self.agent_env.exe,
            &program,
            text.into_bytes(),
            most,
            stop,
            &is_whole,
        )?;
        for thought in thoughts_in_stream(&finished.stdout) {
            thoughts.hear_whole(&thought, stop.draft());
        }
        let mut reply = self.build_reply(&finished);
        // Answers behind which another one came: that one counts, and what these object to is told.
        let mut drafts = spoken_in_stream(&finished.stdout);
        let counts = |text: &String| reply.as_ref().is_ok_and(|r| r.raw.trim() == text.trim());
        drafts.retain(|text| is_meant_as_answer(text, &turn.key) && !counts(text));
        mailbox::tell_drafts(&mut reply, drafts);
        reply
    }
}

/// What the model says in a stream of events.
fn spoken_in_stream(stream: &[u8]) -> Vec<String> {
    let lines = stream.split(|&b| b == b'\n');
    let events = lines.filter_map(parse_event);
    let spoken = events.filter(|event| {
        event["type"] == "item.completed" && event["item"]["type"] == "agent_message"
    });
    let text = |event: serde_json::Value| event["item"]["text"].as_str().map(str::to_owned);
    spoken.filter_map(text).collect()
}

/// What the model thinks in it.
fn thoughts_in_stream(stream: &[u8]) -> Vec<String> {
    let events = stream.split(|&b| b == b'\n').filter_map(parse_event);
    let thought = events
        .filter(|event| event["type"] == "item.completed" && event["item"]["type"] == "reasoning");
    thought
        .flat_map(|event| super::thoughts_of_item(&event["item"]))
        .collect()
}

/// Reads the events; an item of the type `error` is a warning.
pub(super) fn parse_events(stdout: &[u8]) -> ExecEvents {
    let mut told = ExecEvents::default();
    for line in stdout.split(|&b| b == b'\n') {
        let Some(event) = parse_event(line) else {
            continue;
        };
        match event["type"].as_str() {
            Some("thread.started") => {
                told.thread = event["thread_id"].as_str().map(str::to_owned);
            }
            Some("turn.failed") => {
                let why = event["error"]["message"].as_str();
                told.failed = Some(why.unwrap_or("the turn failed without a reason").to_owned());
            }
            Some("turn.completed") => {
                let count = |name: &str| event["usage"][name].as_u64().unwrap_or(0);
                let counts = ["input_tokens", "cached_input_tokens", "output_tokens"];
                told.total = Some(counts.map(count));
            }
            _ => {}
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_of_the_model_is_heard_and_nothing_else() {
        let stream = br#"{"type":"item.completed","item":{"type":"agent_message","text":"one"}}
noise
{"type":"item.started","item":{"type":"agent_message","text":"half"}}
{"type":"item.completed","item":{"type":"reasoning","text":"thought"}}
{"type":"item.completed","item":{"type":"agent_message","text":"two"}}
{"type":"error","message":"overloaded"}
{"type":"item.comp"#;
        assert_eq!(spoken_in_stream(stream), ["one", "two"]);
        assert_eq!(thoughts_in_stream(stream), ["thought"]);
    }

    #[test]
    fn a_warning_is_no_failure_and_a_failed_turn_is_one() {
        let warned = br#"{"type":"thread.started","thread_id":"t1"}
noise
{"type":"item.completed","item":{"type":"error","message":"Model metadata for x not found"}}
{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":3}}"#;
        let told_warned = parse_events(warned);
        assert_eq!(told_warned.thread.as_deref(), Some("t1"));
        assert_eq!(
            (told_warned.failed, told_warned.total),
            (None, Some([10, 4, 3]))
        );
        let failed =
            br#"{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}"#;
        assert!(parse_events(failed).failed.is_some());
    }
}
