//! One process per turn, held to the answer's schema; the conversation is taken up again by its id.

use std::sync::Arc;

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};

use super::outcome::ClaudeResult;
use crate::client::{AgentEnv, compose_message, parse_event, shorten_message};
use crate::mailbox::{self, JudgeMailbox};
use crate::process::{FinishedProgram, oversized_failure, run_once};
use crate::{AgentReply, Conversation, StopSignal, schema};

pub(super) struct PerTurnSession {
    agent_env: AgentEnv,
    /// Where it looks things up.
    mailbox: Option<JudgeMailbox>,
    argv: Vec<String>,
    brief: Arc<str>,
    most: u64,
    /// Of a turn that was answered; the next one resumes it.
    session: Option<String>,
}

impl PerTurnSession {
    pub(super) fn new(
        spec: &JudgeSpec,
        client: &Client,
        agent_env: AgentEnv,
    ) -> Result<Self, Failure> {
        let mut argv = super::build_arguments(spec, client);
        argv.extend(["--output-format", "json"].map(str::to_owned));
        let mailbox = agent_env.create_look_ups(spec).map(|(mailbox, server)| {
            argv.extend(super::server_flags(&server));
            mailbox
        });
        Ok(Self {
            mailbox,
            agent_env,
            argv,
            brief: Arc::clone(&spec.brief),
            most: spec.max_answer_bytes,
            session: None,
        })
    }

    fn parse_result(&self, finished: &FinishedProgram) -> Result<ClaudeResult, Failure> {
        if !finished.whole {
            return Err(oversized_failure(self.most));
        }
        // One object on a line of its own; what else there is, is noise.
        let lines = finished.stdout.split(|&b| b == b'\n').rev();
        let mut objects = lines.filter(|line| line.starts_with(b"{"));
        let outcome = objects.find_map(|line| serde_json::from_value(parse_event(line)?).ok());
        outcome.ok_or_else(|| {
            let (ending, noise) = (finished.describe_ending(), shorten_message(&finished.noise));
            Failure::new(
                FailureKind::Empty,
                format!("claude ended ({ending}) without a result: {noise}"),
            )
        })
    }
}

/// Whether the `result` object stands in what was written; it is the last thing that is said.
fn has_result(stdout: &[u8]) -> bool {
    let mut lines = stdout.split(|&b| b == b'\n').rev();
    lines.any(|line| {
        line.starts_with(b"{") && parse_event(line).is_some_and(|event| event["type"] == "result")
    })
}

impl Conversation for PerTurnSession {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        mailbox::begin_turn(self.mailbox.as_ref(), turn)?;
        let reply = self.run_turn(turn, stop);
        mailbox::prefer_submitted(self.mailbox.as_ref(), reply)
    }
}

impl PerTurnSession {
    fn run_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        let mut argv = self.argv.clone();
        if let Some(session) = &self.session {
            argv.extend(["--resume".to_owned(), session.clone()]);
        }
        if let Some(schema) = schema::tool_schema(turn.task.form()) {
            argv.extend(["--json-schema".to_owned(), schema.to_string()]);
        }
        let text = compose_message(&self.brief, &turn.prompt, self.session.is_none());
        let program = self.agent_env.guarded_program(&argv);
        // The result carries the answer twice, escaped.
        let most = self.most.saturating_mul(4).saturating_add(1 << 20);
        let is_whole = |stdout: &[u8]| has_result(stdout);
        let finished = run_once(
            &self.agent_env.exe,
            &program,
            text.into_bytes(),
            most,
            stop,
            &is_whole,
        )?;
        let outcome = self.parse_result(&finished)?;
        if let Some(session) = outcome.session_id.clone() {
            self.session = Some(session);
        }
        outcome.into_reply(&mut 0.0)
    }
}
