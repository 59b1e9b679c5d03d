//! One live process for all turns of a judge, over `stream-json`.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use serde_json::{Value, json};

use super::breaths::TurnMessages;
use super::outcome::ClaudeResult;
use crate::client::{AgentEnv, parse_event, shorten_message};
use crate::linger::SubmissionWatch;
use crate::mailbox::{self, JudgeMailbox};
use crate::process::{LineProcess, ProgramOutput, cancelled_failure, oversized_failure};
use crate::thoughts::TurnThoughts;
use crate::{AgentReply, Conversation, StopSignal};

/// How long a turn has to end once it was interrupted.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long the process has to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Beyond the time of a turn, in case nobody cancels it.
const TURN_SLACK: Duration = Duration::from_secs(10);

/// What the reading thread and a raised stop tell.
enum LiveEvent {
    Message(Value),
    Woken,
    Flood,
    End,
}

pub(super) struct LiveSession {
    lines: LineProcess,
    news: Receiver<LiveEvent>,
    tell: Sender<LiveEvent>,
    /// Where it may submit its verdicts instead of writing them down.
    mailbox: Option<JudgeMailbox>,
    brief: Arc<str>,
    is_first: bool,
    has_ended: bool,
    spent: f64,
    /// What was said in the turn under way, message by message.
    drafts: Vec<String>,
    /// The same since a verdict lay in its mailbox.
    afterwords: Vec<String>,
    /// The messages of the turn, and the key of its answer.
    messages: TurnMessages,
    thoughts: TurnThoughts,
    key: String,
    most: u64,
    _agent_env: AgentEnv,
}

impl LiveSession {
    pub(super) fn start(
        spec: &JudgeSpec,
        client: &Client,
        agent_env: AgentEnv,
    ) -> Result<Self, Failure> {
        let mut argv = super::build_arguments(spec, client);
        argv.push("--no-session-persistence".to_owned());
        let mailbox = agent_env.create_mailbox(spec).map(|(mailbox, server)| {
            argv.extend(super::server_flags(&server));
            mailbox
        });
        let (tell, news) = channel();
        let heard = tell.clone();
        let lines = LineProcess::start(
            &agent_env.exe,
            &agent_env.guarded_program(&argv),
            move |line, _| {
                let news = match line {
                    // Whatever is no JSON is noise.
                    ProgramOutput::Line(line) => match parse_event(&line) {
                        Some(message) => LiveEvent::Message(message),
                        None => return,
                    },
                    ProgramOutput::Flood => LiveEvent::Flood,
                    ProgramOutput::End => LiveEvent::End,
                };
                let _ = heard.send(news);
            },
        )?;
        Ok(Self {
            lines,
            news,
            tell,
            mailbox,
            brief: Arc::clone(&spec.brief),
            is_first: true,
            has_ended: false,
            spent: 0.0,
            drafts: Vec::new(),
            afterwords: Vec::new(),
            messages: TurnMessages::default(),
            thoughts: TurnThoughts::default(),
            key: String::new(),
            most: spec.max_answer_bytes,
            _agent_env: agent_env,
        })
    }

    /// The `result` of the turn that is under way.
    fn wait_for_result(
        &mut self,
        until: Instant,
        stop: &StopSignal,
    ) -> Result<ClaudeResult, Failure> {
        loop {
            let patience = until.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(patience) {
                Ok(LiveEvent::Message(message)) => match message["type"].as_str() {
                    Some("result") => {
                        for answer in super::outcome::answers_in_result(&message) {
                            self.hear(answer, stop);
                        }
                        return serde_json::from_value(message).map_err(|error| {
                            self.kill_session(&format!("a result that cannot be read: {error}"))
                        });
                    }
                    Some("system") if message["subtype"] == "init" => self.check_tools(&message)?,
                    Some("assistant") => {
                        self.messages.hear(&message, &self.key);
                        for thought in super::thought_texts(&message) {
                            self.thoughts.hear_whole(&thought, stop.draft());
                        }
                        for text in super::submitted_texts(&message) {
                            stop.draft().push(format!("{text}\n").as_bytes());
                        }
                        for text in super::spoken_texts(&message) {
                            self.hear(text, stop);
                        }
                    }
                    _ => {}
                },
                // A wake of an earlier turn is none.
                Ok(LiveEvent::Woken) if !stop.is_raised() => {}
                Ok(LiveEvent::Woken) => return Err(cancelled_failure()),
                Ok(LiveEvent::Flood) => {
                    self.has_ended = true;
                    return Err(oversized_failure(self.most));
                }
                Ok(LiveEvent::End) | Err(RecvTimeoutError::Disconnected) => {
                    let noise = self.lines.stderr_tail();
                    return Err(
                        self.kill_session(&format!("it ended: {}", shorten_message(&noise)))
                    );
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Failure::new(
                        FailureKind::Timeout,
                        "claude gave no result in time",
                    ));
                }
            }
        }
    }

    /// What is said stays known, whatever becomes of the turn.
    fn hear(&mut self, text: String, stop: &StopSignal) {
        stop.draft().push(format!("{text}\n").as_bytes());
        if self.mailbox.as_ref().is_some_and(JudgeMailbox::has_verdict) {
            self.afterwords.push(text.clone());
        }
        self.drafts.push(text);
    }

    /// That it was started read-only is not believed, but looked at.
    fn check_tools(&mut self, init: &Value) -> Result<(), Failure> {
        let tools = init["tools"].as_array().into_iter().flatten();
        let is_ours = |tool: &str| {
            super::TOOLS.split(',').any(|ours| ours == tool) || tool.starts_with("mcp__council__")
        };
        let mut others = tools
            .filter_map(Value::as_str)
            .filter(|tool| !is_ours(tool));
        let Some(other) = others.next() else {
            return Ok(());
        };
        let detail = format!("claude offers the tool {other}, which a judge must not have");
        self.kill_session(&detail);
        // Not as one that died: what such a judge has handed in does not count.
        Err(Failure::new(FailureKind::Violation, detail))
    }

    fn kill_session(&mut self, why: &str) -> Failure {
        self.has_ended = true;
        self.lines.kill();
        Failure::new(FailureKind::Died, format!("claude: {why}"))
    }

    /// Interrupts the turn; the session goes on, unless it does not answer. What it says then of the turn's cost is paid.
    fn interrupt_turn(&mut self) -> Option<Usage> {
        let request = json!({ "subtype": "interrupt" });
        self.lines.stdin_writer().write_line(
            &json!({ "type": "control_request", "request_id": "interrupt", "request": request }),
        );
        let until = Instant::now() + INTERRUPT_TIMEOUT;
        match self.wait_for_result(until, &StopSignal::default()) {
            Ok(result) => Some(result.turn_usage(&mut self.spent)),
            Err(_) => {
                self.kill_session("a turn could not be interrupted");
                None
            }
        }
    }
}

impl Conversation for LiveSession {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        if self.has_ended {
            return Err(Failure::new(FailureKind::Died, "claude has ended"));
        }
        mailbox::begin_turn(self.mailbox.as_ref(), turn, stop)?;
        let watch = SubmissionWatch::start(self.mailbox.as_ref(), stop);
        watch.ended.on_raise({
            let tell = self.tell.clone();
            move || drop(tell.send(LiveEvent::Woken))
        });
        self.drafts.clear();
        self.afterwords.clear();
        self.messages = TurnMessages::default();
        self.thoughts = TurnThoughts::of_turn(&turn.key);
        self.key.clone_from(&turn.key);
        let is_first = std::mem::take(&mut self.is_first);
        let message = super::user_message(&self.brief, &turn.prompt, is_first);
        self.lines.stdin_writer().write_line(&message);
        let until = Instant::now() + Duration::from_millis(turn.timeout_ms) + TURN_SLACK;
        let mut outcome = self.wait_for_result(until, &watch.ended);
        if let Err(failure) = &mut outcome
            && matches!(failure.kind, FailureKind::Cancelled | FailureKind::Timeout)
        {
            failure.usage = self.interrupt_turn().map(Box::new);
        }
        let mut reply = outcome.and_then(|outcome| outcome.into_reply(&mut self.spent));
        let mut drafts = std::mem::take(&mut self.drafts);
        super::keep_replaced(&mut drafts, turn, &reply);
        mailbox::tell_drafts(&mut reply, drafts);
        mailbox::tell_drafts(&mut reply, std::mem::take(&mut self.afterwords));
        self.messages.mark_blind(self.mailbox.as_ref());
        self.thoughts.settle(self.mailbox.as_ref(), reply)
    }

    fn pid(&self) -> Option<u32> {
        Some(self.lines.pid())
    }

    fn end(&mut self) {
        let request = json!({ "subtype": "end_session" });
        self.lines.stdin_writer().write_line(
            &json!({ "type": "control_request", "request_id": "end", "request": request }),
        );
        self.lines.finish(EXIT_TIMEOUT);
    }
}
