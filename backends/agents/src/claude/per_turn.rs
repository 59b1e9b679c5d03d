//! One process per turn, held to the answer's schema; the conversation is taken up again by its id (clients.md 3.2).

use std::sync::Arc;

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};

use super::outcome::Outcome;
use crate::client::{Desk, event, message, said};
use crate::process::{Finished, once, oversized};
use crate::{Conversation, Reply, Stop, schema};

pub(super) struct PerTurn {
    desk: Desk,
    argv: Vec<String>,
    brief: Arc<str>,
    most: u64,
    /// Of a turn that was answered; the next one resumes it.
    session: Option<String>,
}

impl PerTurn {
    pub(super) fn new(spec: &JudgeSpec, client: &Client, desk: Desk) -> Result<Self, Failure> {
        let mut argv = super::arguments(spec, client);
        argv.extend(["--output-format", "json"].map(str::to_owned));
        Ok(Self {
            desk,
            argv,
            brief: Arc::clone(&spec.brief),
            most: spec.max_answer_bytes,
            session: None,
        })
    }

    fn outcome(&self, finished: &Finished) -> Result<Outcome, Failure> {
        if !finished.whole {
            return Err(oversized(self.most));
        }
        // One object on a line of its own; what else there is, is noise.
        let lines = finished.stdout.split(|&b| b == b'\n').rev();
        let mut objects = lines.filter(|line| line.starts_with(b"{"));
        let outcome = objects.find_map(|line| serde_json::from_value(event(line)?).ok());
        outcome.ok_or_else(|| {
            let (ending, noise) = (finished.ending(), said(&finished.noise));
            Failure::new(
                FailureKind::Empty,
                format!("claude ended ({ending}) without a result: {noise}"),
            )
        })
    }
}

impl Conversation for PerTurn {
    fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        let mut argv = self.argv.clone();
        if let Some(session) = &self.session {
            argv.extend(["--resume".to_owned(), session.clone()]);
        }
        if let Some(schema) = schema::tool(turn.task.form()) {
            argv.extend(["--json-schema".to_owned(), schema.to_string()]);
        }
        let text = message(&self.brief, &turn.prompt, self.session.is_none());
        let program = self.desk.program(&argv);
        // The result carries the answer twice, escaped.
        let most = self.most.saturating_mul(4).saturating_add(1 << 20);
        let finished = once(&self.desk.exe, &program, text.into_bytes(), most, stop)?;
        let outcome = self.outcome(&finished)?;
        if let Some(session) = outcome.session_id.clone() {
            self.session = Some(session);
        }
        outcome.reply(&mut 0.0)
    }
}
