//! What a model asks for in one breath: the look-ups in the message that votes, and behind it, are none that it has
//! read when it votes.

use council_protocol::Turn;
use serde_json::Value;

use super::{FORM_TOOL, spoken_texts};
use crate::client::parse_event;
use crate::mailbox::JudgeMailbox;
use crate::tools::tool_declarations;

/// How our tools are named in the client.
const OURS: &str = "mcp__council__";

/// The messages of a turn, as far as they look things up or vote.
#[derive(Default)]
pub(super) struct TurnMessages(Vec<ModelMessage>);

#[derive(Default)]
struct ModelMessage {
    /// Parts of one message come one by one, under its id.
    id: Option<String>,
    look_ups: usize,
    submits: bool,
    answers: bool,
}

impl TurnMessages {
    /// Of a whole stream.
    pub(super) fn of_stream(stream: &[u8], turn: &Turn) -> Self {
        let lines = stream.split(|&b| b == b'\n');
        let events = lines.filter(|line| line.starts_with(b"{"));
        let mut messages = Self::default();
        events
            .filter_map(parse_event)
            .for_each(|event| messages.hear(&event, &turn.key));
        messages
    }

    /// An event of the stream; only what the model says is of interest.
    pub(super) fn hear(&mut self, event: &Value, key: &str) {
        if event["type"] != "assistant" {
            return;
        }
        let id = event["message"]["id"].as_str().map(str::to_owned);
        let goes_on = |last: &ModelMessage| id.is_some() && last.id == id;
        if !self.0.last().is_some_and(goes_on) {
            self.0.push(ModelMessage {
                id,
                ..ModelMessage::default()
            });
        }
        let Some(message) = self.0.last_mut() else {
            return;
        };
        let parts = event["message"]["content"].as_array();
        for part in parts.into_iter().flatten() {
            let name = part["name"].as_str().filter(|_| part["type"] == "tool_use");
            let name = name.unwrap_or_default();
            let ours = name.strip_prefix(OURS).unwrap_or_default();
            let mut tools = tool_declarations().iter();
            message.look_ups += usize::from(tools.any(|tool| tool.name == ours));
            message.submits |= ours == "submit_verdict";
            message.answers |= name == FORM_TOOL;
        }
        let says = |text: &String| !key.is_empty() && text.contains(key);
        message.answers |= spoken_texts(event).iter().any(says);
    }

    /// Tells the mailbox of a judge what it cannot have read before it voted.
    pub(super) fn mark_blind(&self, mailbox: Option<&JudgeMailbox>) {
        if let Some(mailbox) = mailbox {
            mailbox.mark_blind(self.blind(mailbox.has_verdict()));
        }
    }

    /// Of each look-up whether it was asked for in a message that votes, or behind the one whose vote counts.
    fn blind(&self, is_submitted: bool) -> Vec<bool> {
        let votes = |message: &ModelMessage| match is_submitted {
            true => message.submits,
            false => message.answers,
        };
        let counted = self.0.iter().rposition(votes).unwrap_or(self.0.len());
        let messages = self.0.iter().enumerate();
        let flags = messages.flat_map(|(at, message)| {
            let is_blind = at >= counted || votes(message);
            std::iter::repeat_n(is_blind, message.look_ups)
        });
        flags.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn event(id: &str, part: Value) -> Value {
        json!({ "type": "assistant", "message": { "id": id, "content": [part] } })
    }

    fn tool(name: &str) -> Value {
        json!({ "type": "tool_use", "name": name, "input": { "key": "k1" } })
    }

    proptest! {
        /// However many messages come, and in whatever parts: what is asked for before the message with the vote is
        /// read, and what is asked for in it, or behind it, is not.
        #[test]
        fn what_is_asked_for_with_the_vote_is_not_read(
            before in proptest::collection::vec(0_usize..4, 0..4), beside in 0_usize..4, after in 0_usize..3,
            vote in 0_u8..3, first: bool,
        ) {
            let vote_part = match vote {
                0 => tool("mcp__council__submit_verdict"),
                1 => tool(FORM_TOOL),
                _ => json!({ "type": "text", "text": "{\"key\": \"k1\"}" }),
            };
            let mut messages = TurnMessages::default();
            let mut expected = Vec::new();
            let look = |messages: &mut TurnMessages, id: &str, many: usize| {
                (0..many).for_each(|_| messages.hear(&event(id, tool("mcp__council__read_file")), "k1"));
            };
            for (at, many) in before.iter().enumerate() {
                messages.hear(&event(&format!("m{at}"), json!({ "type": "text", "text": "I look." })), "k1");
                look(&mut messages, &format!("m{at}"), *many);
                expected.extend(vec![false; *many]);
            }
            if first {
                messages.hear(&event("vote", vote_part.clone()), "k1");
            }
            look(&mut messages, "vote", beside);
            if !first {
                messages.hear(&event("vote", vote_part), "k1");
            }
            look(&mut messages, "late", after);
            expected.extend(vec![true; beside + after]);
            prop_assert_eq!(messages.blind(vote == 0), expected);
        }
    }
}
