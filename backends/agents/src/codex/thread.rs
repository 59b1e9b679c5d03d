//! One judge: a thread of the app-server, kept from turn to turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use serde_json::{Value, json};

use super::server::{AppServer, DIALECT};
use crate::client::{compose_message, kind_of_message, kind_of_status, shorten_message};
use crate::mailbox::{self, JudgeMailbox};
use crate::meant_answer::is_meant_as_answer;
use crate::rpc::{NoticeReceiver, RpcNotice};
use crate::stop::TurnDraft;
use crate::thoughts::TurnThoughts;
use crate::{AgentReply, Conversation, StopSignal, schema};

/// How long an interrupted turn has to end.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(3);

/// Beyond the time of a turn, in case nobody cancels it.
const TURN_SLACK: Duration = Duration::from_secs(10);

pub(super) struct CodexThread {
    /// Where it looks things up. It stands in the server's home, and so ends before it.
    mailbox: Option<JudgeMailbox>,
    server: Arc<AppServer>,
    receiver: NoticeReceiver,
    id: String,
    brief: Arc<str>,
    proves: bool,
    is_first: bool,
    /// A turn did not end when it was interrupted: the thread cannot be used any more.
    is_stuck: bool,
    /// Tokens of the thread when the last turn ended: input, of it cached, output.
    counted: [u64; 3],
}

/// What is heard of a turn while it goes on.
#[derive(Default)]
struct TurnProgress {
    /// The turn's id, once it has one.
    turn: Option<String>,
    /// The last message of the agent.
    text: String,
    /// Tokens of the thread so far.
    total: Option<[u64; 3]>,
    /// What an answer must hold.
    key: String,
    /// Answers before the last message: none of them counts, and what they object to is told.
    unread: Vec<String>,
    /// Messages that are still being written: the item, and what it says so far.
    unfinished: Vec<(String, String)>,
    thoughts: TurnThoughts,
}

impl TurnProgress {
    /// A part of a message: the turn may end before the message does.
    fn take_part(&mut self, params: &Value, draft: &TurnDraft) {
        let item = params["itemId"].as_str().unwrap_or_default();
        let part = params["delta"].as_str().unwrap_or_default();
        draft.push(part.as_bytes());
        match self.unfinished.iter_mut().find(|(id, _)| id == item) {
            Some((_, said)) => said.push_str(part),
            None => self.unfinished.push((item.to_owned(), part.to_owned())),
        }
    }

    /// A whole message, whose parts may have been heard before.
    fn take_item(&mut self, item: &Value, draft: &TurnDraft) {
        let text = item["text"].as_str().unwrap_or_default();
        let id = item["id"].as_str().unwrap_or_default();
        let parts = self.unfinished.extract_if(.., |(of, _)| of == id);
        let is_heard = parts.fold(false, |heard, (_, said)| heard || said == text);
        draft.push(if is_heard { "" } else { text }.as_bytes());
        draft.push(b"\n");
        self.take_message(text);
    }

    /// All that does not count: what was replaced, and what was begun and never finished.
    fn take_unread(&mut self) -> Vec<String> {
        let unfinished = std::mem::take(&mut self.unfinished).into_iter();
        let mut unread = std::mem::take(&mut self.unread);
        unread.extend(unfinished.map(|(_, said)| said));
        unread
    }

    fn take_message(&mut self, text: &str) {
        let earlier = std::mem::replace(&mut self.text, text.to_owned());
        if is_meant_as_answer(&earlier, &self.key) && earlier != text {
            self.unread.push(earlier);
        }
    }
}

impl CodexThread {
    pub(super) fn start(server: Arc<AppServer>, spec: &JudgeSpec) -> Result<Self, Failure> {
        let receiver = NoticeReceiver::new();
        let mut params = json!({
            "cwd": server.agent_env.dir,
            "sandbox": "read-only",
            "approvalPolicy": "never",
            "ephemeral": true,
        });
        let (mailbox, argv) = server.agent_env.create_look_ups(spec).unzip();
        params["developerInstructions"] = super::instructions(mailbox.is_some()).into();
        if let Some(argv) = argv {
            let settings = super::server_settings(&argv).into_iter();
            let settings = settings.map(|(key, value)| (key.to_owned(), value));
            params["config"] = Value::Object(settings.collect());
        }
        if let Some(model) = &spec.seat.agent.model {
            params["model"] = model.as_str().into();
        }
        let started = server.call_server(&receiver, "thread/start", &params)?;
        check_sandbox(&started)?;
        let Some(id) = started["thread"]["id"].as_str().map(str::to_owned) else {
            let detail = "codex started a thread without an id";
            return Err(Failure::new(FailureKind::Spawn, detail));
        };
        server.peer.subscribe(&id, &receiver);
        Ok(Self {
            server,
            mailbox,
            receiver,
            id,
            brief: Arc::clone(&spec.brief),
            proves: spec.proves,
            is_first: true,
            is_stuck: false,
            counted: [0; 3],
        })
    }

    /// Waits until the turn is over: its status with its error.
    fn wait_for_end(
        &self,
        asked: u64,
        heard: &mut TurnProgress,
        until: Instant,
        stop: &StopSignal,
    ) -> Result<Value, Failure> {
        loop {
            match self.receiver.next_notice(DIALECT.name, until, stop)? {
                RpcNotice::Replied(id, Ok(result)) if id == asked => {
                    heard.turn = result["turn"]["id"].as_str().map(str::to_owned);
                }
                RpcNotice::Replied(id, Err(error)) if id == asked => {
                    let detail = format!("codex: {}", shorten_message(&error.message));
                    return Err(Failure::new(kind_of_message(&error.message), detail));
                }
                RpcNotice::Told(method, mut params) => match method.as_str() {
                    "turn/completed" => return Ok(params["turn"].take()),
                    "item/agentMessage/delta" => heard.take_part(&params, stop.draft()),
                    "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                        let part = params["delta"].as_str().unwrap_or_default();
                        heard.thoughts.hear(part, stop.draft());
                    }
                    "item/completed" if params["item"]["type"] == "reasoning" => {
                        for thought in super::thoughts_of_item(&params["item"]) {
                            heard.thoughts.hear_whole(&thought, stop.draft());
                        }
                    }
                    "item/completed" if params["item"]["type"] == "agentMessage" => {
                        heard.take_item(&params["item"], stop.draft());
                    }
                    "thread/tokenUsage/updated" => heard.total = parse_total(&params["tokenUsage"]),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Interrupts the turn; the thread goes on, unless the server does not answer.
    fn interrupt_turn(&mut self, asked: u64, heard: &mut TurnProgress) {
        let stop = StopSignal::default();
        let until = Instant::now() + INTERRUPT_TIMEOUT;
        // Cancelled before the server has named the turn: it is named first.
        while heard.turn.is_none() {
            match self.receiver.next_notice(DIALECT.name, until, &stop) {
                Ok(RpcNotice::Replied(id, Ok(result))) if id == asked => {
                    heard.turn = result["turn"]["id"].as_str().map(str::to_owned);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let params = json!({ "threadId": self.id, "turnId": heard.turn });
        self.server
            .peer
            .send_request(&self.receiver, "turn/interrupt", &params);
        self.is_stuck = self.wait_for_end(asked, heard, until, &stop).is_err();
    }

    fn turn_usage(&mut self, total: Option<[u64; 3]>) -> Option<Usage> {
        let total = total?;
        let turn = [0, 1, 2].map(|i| total[i].saturating_sub(self.counted[i]));
        self.counted = total;
        Some(Usage {
            input_tokens: Some(turn[0].saturating_sub(turn[1])),
            cached_tokens: Some(turn[1]),
            output_tokens: Some(turn[2]),
            cost_usd: None,
            ..Usage::default()
        })
    }
}

impl Conversation for CodexThread {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        mailbox::begin_turn(self.mailbox.as_ref(), turn, stop)?;
        let mut heard = TurnProgress {
            key: turn.key.clone(),
            thoughts: TurnThoughts::of_turn(&turn.key),
            ..TurnProgress::default()
        };
        let reply = self.run_turn(turn, stop, &mut heard);
        heard.thoughts.settle(self.mailbox.as_ref(), reply)
    }

    fn pid(&self) -> Option<u32> {
        Some(self.server.peer.pid())
    }

    fn end(&mut self) {
        self.server.peer.unsubscribe(&self.id);
    }
}

impl CodexThread {
    fn run_turn(
        &mut self,
        turn: &Turn,
        stop: &StopSignal,
        heard: &mut TurnProgress,
    ) -> Result<AgentReply, Failure> {
        if self.is_stuck {
            let detail = "codex did not end an interrupted turn";
            return Err(Failure::new(FailureKind::Died, detail));
        }
        self.receiver.wake_on(stop);
        let text = compose_message(
            &self.brief,
            &turn.prompt,
            std::mem::take(&mut self.is_first),
        );
        let mut params = json!({
            "threadId": self.id,
            "input": [{ "type": "text", "text": text }],
        });
        let form = schema::held_form(turn.task.form(), self.proves);
        if let Some(schema) = schema::answer_schema(form) {
            params["outputSchema"] = schema.value().clone();
        }
        let until = Instant::now() + Duration::from_millis(turn.timeout_ms) + TURN_SLACK;
        let asked = self
            .server
            .peer
            .send_request(&self.receiver, "turn/start", &params);
        let over = self.wait_for_end(asked, heard, until, stop);
        let over = match over {
            Err(failure)
                if matches!(failure.kind, FailureKind::Cancelled | FailureKind::Timeout) =>
            {
                self.interrupt_turn(asked, heard);
                return Err(failure.with_usage(self.turn_usage(heard.total)));
            }
            Err(failure) => return Err(self.server.peer.with_stderr(failure)),
            Ok(over) => over,
        };
        let mut usage = self.turn_usage(heard.total);
        let unread = heard.take_unread();
        if !unread.is_empty() {
            usage.get_or_insert_default().unread = unread;
        }
        match over["status"].as_str() {
            Some("completed") => Ok(AgentReply {
                raw: std::mem::take(&mut heard.text),
                usage,
            }),
            _ => Err(turn_failure(&over["error"]).with_usage(usage)),
        }
    }
}

/// That the thread is read-only is not believed, but looked at.
fn check_sandbox(started: &Value) -> Result<(), Failure> {
    let sandbox = &started["sandbox"];
    let kind = sandbox.as_str().or_else(|| sandbox["type"].as_str());
    match kind {
        Some("read-only" | "readOnly") => Ok(()),
        other => {
            let other = other.unwrap_or("none");
            let detail = format!("codex did not take the read-only sandbox: it has {other}");
            Err(Failure::new(FailureKind::Unsupported, detail))
        }
    }
}

fn parse_total(usage: &Value) -> Option<[u64; 3]> {
    let count = |name: &str| usage["total"][name].as_u64();
    Some([
        count("inputTokens")?,
        count("cachedInputTokens")?,
        count("outputTokens")?,
    ])
}

/// Everything that is read of what the server tells.
pub(super) fn decode_params(params: &Value) {
    let _ = parse_total(&params["tokenUsage"]);
    let _ = check_sandbox(params);
    let _ = turn_failure(&params["turn"]["error"]);
}

/// Why a turn failed: typed where Codex types it.
fn turn_failure(error: &Value) -> Failure {
    let words = error["message"]
        .as_str()
        .unwrap_or("the turn failed without a reason");
    let info = &error["codexErrorInfo"];
    let status = info
        .as_object()
        .and_then(|info| info.values().next()?["httpStatusCode"].as_u64());
    let kind = match (info.as_str(), status) {
        (
            Some(
                "unauthorized"
                | "usageLimitExceeded"
                | "rateLimitExceeded"
                | "sessionBudgetExceeded",
            ),
            _,
        ) => FailureKind::Quota,
        (Some("cyberPolicy" | "misalignmentPolicyViolation" | "inferenceHookDenied"), _) => {
            FailureKind::Refused
        }
        (Some("contextWindowExceeded"), _) => FailureKind::Oversized,
        (_, Some(status)) => kind_of_status(status),
        _ => kind_of_message(words),
    };
    Failure::new(kind, format!("codex: {}", shorten_message(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_its_kind() {
        let kind =
            |info: Value| turn_failure(&json!({ "message": "m", "codexErrorInfo": info })).kind;
        assert_eq!(kind(json!("unauthorized")), FailureKind::Quota);
        assert_eq!(kind(json!("cyberPolicy")), FailureKind::Refused);
        assert_eq!(kind(json!("serverOverloaded")), FailureKind::Provider);
        let disconnected = |status: Value| json!({ "responseTooManyFailedAttempts": { "httpStatusCode": status } });
        assert_eq!(kind(disconnected(429.into())), FailureKind::Quota);
        assert_eq!(kind(disconnected(500.into())), FailureKind::Provider);
        assert_eq!(kind(disconnected(Value::Null)), FailureKind::Provider);
    }

    #[test]
    fn a_thread_that_is_not_read_only_seats_nobody() {
        assert!(check_sandbox(&json!({ "sandbox": { "type": "readOnly" } })).is_ok());
        for odd in [
            json!({}),
            json!({ "sandbox": { "type": "workspaceWrite" } }),
        ] {
            assert_eq!(
                check_sandbox(&odd).unwrap_err().kind,
                FailureKind::Unsupported
            );
        }
    }
}
