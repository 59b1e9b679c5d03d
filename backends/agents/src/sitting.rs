//! One judge at work: a conversation whose panics are caught and whose answers are measured.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};

use crate::{Agent, Conversation, Reply, Stop};

/// A conversation under the rules that hold for every agent: a panic is a death, too long an answer is none.
pub struct Sitting {
    conversation: Box<dyn Conversation>,
    max_answer_bytes: u64,
}

impl Sitting {
    /// Takes the seat of `spec` with `agent`.
    pub fn open(agent: &dyn Agent, spec: &JudgeSpec) -> Result<Self, Failure> {
        let conversation = catch_unwind(AssertUnwindSafe(|| agent.open(spec)))
            .unwrap_or_else(|panic| Err(failure(FailureKind::Spawn, &*panic)))?;
        Ok(Self {
            conversation,
            max_answer_bytes: spec.max_answer_bytes,
        })
    }

    /// Answers one turn. After a failure of the kind `died` the judge is gone.
    pub fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        let reply = catch_unwind(AssertUnwindSafe(|| self.conversation.turn(turn, stop)))
            .unwrap_or_else(|panic| Err(failure(FailureKind::Died, &*panic)))?;
        let (bytes, most) = (reply.raw.len() as u64, self.max_answer_bytes);
        if bytes > most {
            let detail = format!("the answer has {bytes} bytes, {most} are allowed");
            return Err(Failure::new(FailureKind::Oversized, detail));
        }
        Ok(reply)
    }

    /// Ends it in good order, or by a panic that nobody hears of.
    pub fn end(mut self) {
        let _ = catch_unwind(AssertUnwindSafe(move || self.conversation.end()));
    }
}

fn failure(kind: FailureKind, panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Failure::new(kind, format!("the judge panicked: {text}"))
}
