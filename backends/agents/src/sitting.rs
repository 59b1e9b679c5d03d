//! One judge at work: a conversation whose panics are caught and whose answers are measured.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use council_protocol::message::Usage;
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
        let mut reply = reply.map_err(|failure| failure.with_drafts(stop.said_so_far().0));
        mailbox::tell_drafts(&mut reply, kept.map(KeptTurn::end).unwrap_or_default());
        // Whoever ends the turn between here and the moment when its end is heard of knows as much as this thread.
        let (said, spent) = words_of(&reply);
        stop.draft().settle(said, spent);
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

/// All that was said in a turn, and what it cost.
fn words_of(reply: &Result<AgentReply, Failure>) -> (Vec<String>, Option<Usage>) {
    let (answer, usage) = match reply {
        Ok(reply) => (Some(reply.raw.clone()), reply.usage.clone()),
        Err(failure) => (None, failure.usage.as_deref().cloned()),
    };
    let unread = usage.iter().flat_map(|usage| usage.unread.iter().cloned());
    (unread.chain(answer).collect(), usage)
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

#[cfg(test)]
mod tests {
    use council_protocol::message::TurnId;
    use council_protocol::seat::{AgentKind, AgentSpec};
    use council_protocol::{CapabilitySet, RoundNumber, Seat, Task};

    use super::*;
    use crate::SeatProbe;

    /// Says something, hands something in, and ends as it is told to.
    #[derive(Clone)]
    struct Finishing(Result<AgentReply, Failure>);

    impl Agent for Finishing {
        fn driver_name(&self) -> &'static str {
            "finishing"
        }

        fn capabilities(&self) -> CapabilitySet {
            CapabilitySet::default()
        }

        fn probe_seat(&self, _: &Seat) -> Result<SeatProbe, Failure> {
            unreachable!("nobody asks")
        }

        fn open_conversation(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
            Ok(Box::new(self.clone()))
        }
    }

    impl Conversation for Finishing {
        fn take_turn(&mut self, _: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
            stop.draft().push(b"written");
            stop.draft().add_handed_in(|| vec!["handed in".to_owned()]);
            self.0.clone()
        }
    }

    /// Law: between the end of a turn and the moment when it is heard of, whoever ends it from outside tells all that its judge
    /// has said: the two may come in any order.
    #[test]
    fn who_ends_a_turn_that_is_over_knows_all_that_was_said() {
        let usage = Usage {
            unread: vec!["objected".to_owned()],
            output_tokens: Some(7),
            ..Usage::default()
        };
        let answered = AgentReply {
            raw: "answered".to_owned(),
            usage: Some(usage.clone()),
        };
        let failed = Failure::new(FailureKind::Timeout, "late").with_usage(Some(usage));
        for (ends, told) in [
            (Ok(answered), ["objected", "answered"].as_slice()),
            (Err(failed), &["objected", "written", "handed in"]),
        ] {
            let spec = JudgeSpec {
                seat: Seat {
                    judge: "judge-1".into(),
                    perspective: Default::default(),
                    agent: AgentSpec {
                        name: "finishing".to_owned(),
                        kind: AgentKind::Backend {},
                        vendor: "test".to_owned(),
                        model: None,
                        deterministic: false,
                    },
                },
                brief: "".into(),
                room: None,
                max_answer_bytes: 1_000,
                proves: false,
            };
            let turn = Turn {
                id: TurnId(1),
                round: RoundNumber::FIRST,
                key: "k".into(),
                task: Task::Review,
                prompt: String::new(),
                timeout_ms: 1_000,
                spend: None,
            };
            let agent: Arc<dyn Agent> = Arc::new(Finishing(ends));
            let mut judge = SeatedJudge::open(&agent, spec, JudgeMemory::Fresh).unwrap();
            let stop = StopSignal::default();
            let _ = judge.take_turn(&turn, &stop);
            let spent = stop.draft().take_spent().unwrap();
            assert_eq!(spent.output_tokens, Some(7));
            assert_eq!(stop.draft().take(), told);
        }
    }
}
