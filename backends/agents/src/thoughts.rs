//! What a model thinks, as far as its client tells: behind an answer it means nothing, and where none follows it is heard.

use council_protocol::Failure;

use crate::AgentReply;
use crate::mailbox::{JudgeMailbox, prefer_submitted, tell_drafts};
use crate::meant_answer::is_meant_since;
use crate::stop::TurnDraft;

/// The most bytes of thought that are kept of a turn.
const MAX_THOUGHT_BYTES: usize = 1 << 20;

/// What is thought in a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnThoughts {
    /// What an answer must hold, so that thoughts which hold it were meant as one.
    key: String,
    text: String,
    /// Whether they were meant as an answer, or come to a vote against the change.
    is_meant: bool,
}

impl TurnThoughts {
    pub(crate) fn of_turn(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            ..Self::default()
        }
    }

    /// A part of a thought, which is told by whoever ends the turn from outside.
    pub(crate) fn hear(&mut self, part: &str, draft: &TurnDraft) {
        if self.text.len() + part.len() > MAX_THOUGHT_BYTES {
            return;
        }
        let begin = self.text.len();
        self.text.push_str(part);
        self.is_meant |= is_meant_since(&self.text, begin, &self.key);
        if self.is_meant {
            draft.set_asides(vec![self.text.clone()]);
        }
    }

    /// A whole thought, whose parts may have been heard before.
    pub(crate) fn hear_whole(&mut self, thought: &str, draft: &TurnDraft) {
        if !self.text.contains(thought) {
            self.hear("\n", draft);
            self.hear(thought, draft);
        }
    }

    /// What a turn came to: the verdict that was submitted in it, else what was said. Thoughts are told where neither is an
    /// answer.
    pub(crate) fn settle(
        &mut self,
        mailbox: Option<&JudgeMailbox>,
        reply: Result<AgentReply, Failure>,
    ) -> Result<AgentReply, Failure> {
        let mut reply = prefer_submitted(mailbox, reply);
        self.tell(&mut reply);
        reply
    }

    /// Tells them where the turn has come to nothing that was meant as its answer.
    fn tell(&mut self, reply: &mut Result<AgentReply, Failure>) {
        let thought = std::mem::take(self);
        let is_answered = |reply: &AgentReply| reply.raw.contains(&thought.key);
        if thought.is_meant && !reply.as_ref().is_ok_and(is_answered) {
            tell_drafts(reply, vec![thought.text]);
        }
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::FailureKind;
    use proptest::prelude::*;

    use super::*;

    fn unread(reply: &Result<AgentReply, Failure>) -> Vec<String> {
        let usage = match reply {
            Ok(reply) => reply.usage.as_ref(),
            Err(failure) => failure.usage.as_deref(),
        };
        usage.map(|usage| usage.unread.clone()).unwrap_or_default()
    }

    proptest! {
        /// Law: in whatever parts an answer is thought, it is told where no answer follows, and nowhere else; so is it while
        /// the turn goes on.
        #[test]
        fn a_thought_is_told_where_no_answer_follows(
            cuts in proptest::collection::vec(0_usize..40, 0..6), holds_key: bool, ends in 0_u8..3, again: bool,
        ) {
            let key = if holds_key { "k-17" } else { "other" };
            let thought = format!("I see: {{\"key\": \"{key}\", \"verdict\": \"PASS\"}}");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(thought.len())).collect();
            cuts.extend([0, thought.len()]);
            cuts.sort_unstable();
            let draft = TurnDraft::default();
            let mut thoughts = TurnThoughts::of_turn("k-17");
            for pair in cuts.windows(2) {
                thoughts.hear(&thought[pair[0]..pair[1]], &draft);
            }
            if again {
                thoughts.hear_whole(&thought, &draft);
            }
            let told: Vec<String> = holds_key.then_some(thought).into_iter().collect();
            prop_assert_eq!(&draft.take(), &told);
            let mut reply = match ends {
                0 => Err(Failure::new(FailureKind::Died, "it ended")),
                1 => Ok(AgentReply { raw: "Done.".to_owned(), usage: None }),
                _ => Ok(AgentReply { raw: "{\"key\": \"k-17\", \"verdict\": \"PASS\"}".to_owned(), usage: None }),
            };
            thoughts.tell(&mut reply);
            let expected = if ends == 2 { Vec::new() } else { told };
            prop_assert_eq!(unread(&reply), expected);
        }
    }
}
