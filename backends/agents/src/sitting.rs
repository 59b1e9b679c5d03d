//! One judge at work: a conversation whose panics are caught and whose answers are measured.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};

use crate::turn_keeper::{KeptTurn, TurnKeeper};
use crate::{Agent, AgentReply, Conversation, StopSignal, mailbox};

/// Whether a judge keeps its context in this process from turn to turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeMemory {
    /// One conversation for all turns.
    Kept,
    /// A conversation of its own for each turn; what it still knows is the agent's own resume.
    Fresh,
}

/// A conversation under the rules that hold for every agent: a panic is a death, too long an answer is none.
pub struct SeatedJudge {
    agent: Arc<dyn Agent>,
    spec: JudgeSpec,
    /// None between two turns of a judge without memory.
    conversation: Option<Box<dyn Conversation>>,
    /// Whether the conversation lasts from turn to turn.
    lasts: bool,
    /// Keeps what is said beyond this process; none: nobody does.
    keeper: Option<TurnKeeper>,
}

impl SeatedJudge {
    /// Takes the seat of `spec` with `agent`.
    pub fn open(
        agent: &Arc<dyn Agent>,
        spec: JudgeSpec,
        memory: JudgeMemory,
    ) -> Result<Self, Failure> {
        let per_turn = match memory {
            JudgeMemory::Kept => None,
            JudgeMemory::Fresh => {
                catch_panic(|| agent.open_per_turn_conversation(&spec).transpose())?
            }
        };
        let lasts = memory == JudgeMemory::Kept || per_turn.is_some();
        let conversation = match per_turn {
            Some(conversation) => conversation,
            None => open_conversation(&**agent, &spec)?,
        };
        let runner = agent.code_tools();
        Ok(Self {
            agent: Arc::clone(agent),
            keeper: runner.map(|runner| TurnKeeper::new(runner, spec.seat.judge.clone())),
            spec,
            conversation: Some(conversation),
            lasts,
        })
    }

    /// The judge's process, when it has one of its own from turn to turn.
    pub fn pid(&self) -> Option<u32> {
        self.conversation.as_ref()?.pid()
    }

    /// Answers one turn. After a failure of the kind `died` the judge is gone.
    pub fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        let mut conversation = match self.conversation.take() {
            Some(conversation) => conversation,
            None => open_conversation(&*self.agent, &self.spec)?,
        };
        let keeper = self.keeper.as_ref();
        let kept = keeper.map(|keeper| keeper.begin_turn(turn, stop));
        let reply = catch_unwind(AssertUnwindSafe(|| conversation.take_turn(turn, stop)))
            .unwrap_or_else(|panic| Err(panic_failure(FailureKind::Died, &*panic)));
        // However the turn ended: what was said or handed in before is not forgotten. The mailbox ends with its conversation.
        let mut reply = reply.map_err(|failure| failure.with_drafts(stop.draft().take()));
        mailbox::tell_drafts(&mut reply, kept.map(KeptTurn::end).unwrap_or_default());
        if self.lasts {
            self.conversation = Some(conversation);
        } else {
            end_conversation(conversation);
        }
        let reply = reply?;
        let (bytes, most) = (reply.raw.len() as u64, self.spec.max_answer_bytes);
        if bytes > most {
            let detail = format!("the answer has {bytes} bytes, {most} are allowed");
            let failure = Failure::new(FailureKind::Oversized, detail).with_usage(reply.usage);
            return Err(failure.with_unread(reply.raw.as_bytes()));
        }
        Ok(reply)
    }

    /// Ends it in good order, or by a panic that nobody hears of.
    pub fn end(mut self) {
        if let Some(conversation) = self.conversation.take() {
            end_conversation(conversation);
        }
    }
}

fn open_conversation(
    agent: &dyn Agent,
    spec: &JudgeSpec,
) -> Result<Box<dyn Conversation>, Failure> {
    catch_panic(|| agent.open_conversation(spec))
}

fn catch_panic<T>(open: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(open))
        .unwrap_or_else(|panic| Err(panic_failure(FailureKind::Spawn, &*panic)))
}

fn end_conversation(mut conversation: Box<dyn Conversation>) {
    let _ = catch_unwind(AssertUnwindSafe(move || conversation.end()));
}

fn panic_failure(kind: FailureKind, panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Failure::new(kind, format!("the judge panicked: {text}"))
}
