//! One process per turn, held to the answer's schema; the conversation is taken up again by its id.

use std::sync::Arc;

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use serde_json::Value;

use super::breaths::TurnMessages;
use super::outcome::ClaudeResult;
use crate::client::{AgentEnv, parse_event, shorten_message};
use crate::mailbox::{self, JudgeMailbox};
use crate::process::{FinishedProgram, oversized_failure, run_once};
use crate::thoughts::TurnThoughts;
use crate::{AgentReply, Conversation, StopSignal, schema};

pub(super) struct PerTurnSession {
    /// Where it looks things up. It stands in the home of the environment, and so ends before it.
    mailbox: Option<JudgeMailbox>,
    agent_env: AgentEnv,
    argv: Vec<String>,
    brief: Arc<str>,
    most: u64,
    proves: bool,
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
            proves: spec.proves,
            session: None,
        })
    }

    fn parse_result(&self, finished: &FinishedProgram) -> Result<ClaudeResult, Failure> {
        if !finished.whole {
            return Err(oversized_failure(self.most));
        }
        let result = find_result(&finished.stdout);
        let outcome = result.and_then(|result| serde_json::from_value(result).ok());
        outcome.ok_or_else(|| {
            let (ending, noise) = (finished.describe_ending(), shorten_message(&finished.noise));
            Failure::new(
                FailureKind::Empty,
                format!("claude ended ({ending}) without a result: {noise}"),
            )
        })
    }
}

/// The `result` object on a line of its own: the last thing that is said; what else there is, is noise.
fn find_result(stdout: &[u8]) -> Option<Value> {
    let lines = stdout.split(|&b| b == b'\n').rev();
    let mut events = lines
        .filter(|line| line.starts_with(b"{"))
        .filter_map(parse_event);
    events.find(|event| event["type"] == "result")
}

impl Conversation for PerTurnSession {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        mailbox::begin_turn(self.mailbox.as_ref(), turn, stop)?;
        let mut thoughts = TurnThoughts::of_turn(&turn.key);
        let reply = self.run_turn(turn, stop, &mut thoughts);
        thoughts.settle(self.mailbox.as_ref(), reply)
    }
}

impl PerTurnSession {
    fn run_turn(
        &mut self,
        turn: &Turn,
        stop: &StopSignal,
        thoughts: &mut TurnThoughts,
    ) -> Result<AgentReply, Failure> {
        let mut argv = self.argv.clone();
        if let Some(session) = &self.session {
            argv.extend(["--resume".to_owned(), session.clone()]);
        }
        let form = schema::held_form(turn.task.form(), self.proves);
        if let Some(schema) = schema::tool_schema(form) {
            argv.extend(["--json-schema".to_owned(), schema.text().to_owned()]);
        }
        let message = super::user_message(&self.brief, &turn.prompt, self.session.is_none());
        let program = self.agent_env.guarded_program(&argv);
        // The result carries the answer twice, escaped.
        let most = self.most.saturating_mul(4).saturating_add(1 << 20);
        let is_whole = |stdout: &[u8]| find_result(stdout).is_some();
        // The stream has more than the answer in it.
        stop.draft().decode_with(super::spoken_in_stream);
        let finished = run_once(
            &self.agent_env.exe,
            &program,
            format!("{message}\n").into_bytes(),
            most,
            stop,
            &is_whole,
        )?;
        for thought in super::thoughts_in_stream(&finished.stdout) {
            thoughts.hear_whole(&thought, stop.draft());
        }
        TurnMessages::of_stream(&finished.stdout, turn).mark_blind(self.mailbox.as_ref());
        let outcome = self.parse_result(&finished)?;
        if let Some(session) = outcome.session_id.clone() {
            self.session = Some(session);
        }
        let mut reply = outcome.into_reply(&mut 0.0);
        // Answers behind which another one came: that one counts, and what these object to is told.
        let mut drafts = super::spoken_in_stream(&finished.stdout);
        super::keep_replaced(&mut drafts, turn, &reply);
        mailbox::tell_drafts(&mut reply, drafts);
        reply
    }
}
