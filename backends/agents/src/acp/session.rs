//! One judge: a session of its own process, kept from turn to turn.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    CancelNotification, ContentBlock, Implementation, InitializeRequest, InitializeResponse,
    McpServer, McpServerStdio, NewSessionRequest, NewSessionResponse, PromptRequest,
    SessionConfigOption, SessionId, SessionNotification, SessionUpdate,
    SetSessionConfigOptionRequest, SetSessionModeRequest, StopReason,
};
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use serde_json::Value;

use super::clock::TurnClock;
use super::messages::{
    call_agent, ended_turn, find_offered, is_running, parse_response, parse_usage, refusal_failure,
    to_json,
};
use super::permission;
use super::quirks::{AgentQuirks, ReadOnlyMode};
use crate::client::{AgentEnv, compose_message, kind_of_message, shorten_message};
use crate::command::is_whole_answer;
use crate::linger::SubmissionWatch;
use crate::mailbox::{self, JudgeMailbox};
use crate::process::oversized_failure;
use crate::rpc::{NoticeReceiver, RpcDialect, RpcError, RpcNotice, RpcPeer};
use crate::thoughts::TurnThoughts;
use crate::{AgentReply, Conversation, StopSignal};

/// How long the process has to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// No answer has it.
const NO_KEY: &str = "";

pub(crate) const DIALECT: RpcDialect = RpcDialect {
    name: "the agent",
    is_versioned: true,
    topic: "sessionId",
    answer: permission::answer_request,
};

/// Why an agent that is not known to take our server has no tools of ours.
const NO_MAILBOX: &str = "this agent takes no mailbox, in which they would be";

/// How the wait for the end of a prompt ended.
enum PromptEnd {
    Replied(Result<Value, RpcError>),
    /// The whole answer was heard, and then nothing more.
    Lingered,
}

pub(super) struct AcpSession {
    peer: RpcPeer,
    receiver: NoticeReceiver,
    id: SessionId,
    quirks: &'static AgentQuirks,
    /// Where it may submit its verdicts instead of writing them down.
    mailbox: Option<JudgeMailbox>,
    /// Whether it was to look things up, and has no mailbox to do so.
    without_tools: bool,
    /// The mode that it was switched to.
    mode: Option<String>,
    /// What it has said in the turn since a verdict lay in its mailbox.
    afterwords: RefCell<String>,
    /// What it thinks in the turn.
    thoughts: RefCell<TurnThoughts>,
    /// Whether a tool of its own runs, which says nothing meanwhile.
    runs_tool: Cell<bool>,
    brief: Arc<str>,
    is_first: bool,
    /// It did not end a cancelled turn: it cannot be used any more.
    is_stuck: bool,
    most: u64,
    _agent_env: AgentEnv,
}

impl AcpSession {
    pub(super) fn start(
        spec: &JudgeSpec,
        argv: &[String],
        quirks: &'static AgentQuirks,
        agent_env: AgentEnv,
    ) -> Result<Self, Failure> {
        let peer = RpcPeer::start(&agent_env.exe, &agent_env.guarded_program(argv), DIALECT)?;
        let receiver = NoticeReceiver::new();
        let version = env!("CARGO_PKG_VERSION");
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(Implementation::new("git-council", version));
        let met = call_agent(&peer, &receiver, "initialize", &hello)?;
        let met: InitializeResponse = parse_response("initialize", met)?;
        if met.protocol_version != ProtocolVersion::V1 {
            let detail = "the agent speaks another version of the protocol than 1";
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        let mailbox = quirks
            .takes_mailbox
            .then(|| agent_env.create_mailbox(spec))
            .flatten();
        let servers = mailbox.iter().map(|(_, server)| {
            let ours = McpServerStdio::new("council", &server[0]).args(server[1..].to_vec());
            McpServer::Stdio(ours)
        });
        let new = NewSessionRequest::new(&agent_env.dir).mcp_servers(servers.collect());
        let opened = call_agent(&peer, &receiver, "session/new", &new)?;
        let opened: NewSessionResponse = parse_response("session/new", opened)?;
        peer.subscribe(&opened.session_id.to_string(), &receiver);
        let mut session = Self {
            peer,
            receiver,
            id: opened.session_id.clone(),
            quirks,
            without_tools: agent_env.offers_tools() && mailbox.is_none(),
            mailbox: mailbox.map(|(mailbox, _)| mailbox),
            mode: None,
            afterwords: RefCell::default(),
            thoughts: RefCell::default(),
            runs_tool: Cell::default(),
            brief: Arc::clone(&spec.brief),
            is_first: true,
            is_stuck: false,
            most: spec.max_answer_bytes,
            _agent_env: agent_env,
        };
        session.make_read_only(&opened)?;
        Ok(session)
    }

    /// Switches it to a mode that cannot write. An agent that says it has none, or does not take it, seats nobody where
    /// its row promises one.
    fn make_read_only(&mut self, opened: &NewSessionResponse) -> Result<(), Failure> {
        match self.quirks.read_only {
            ReadOnlyMode::Configured => Ok(()),
            // What it offers is taken; nothing is promised.
            ReadOnlyMode::No => self
                .switch_mode(opened, &["read-only", "plan"], "mode")
                .or_else(|failure| match failure.kind {
                    FailureKind::Unsupported => Ok(()),
                    _ => Err(failure),
                }),
            ReadOnlyMode::Mode(wanted) => self.switch_mode(opened, wanted, "mode"),
            ReadOnlyMode::Choice(option, wanted) => self.choose_read_only(opened, option, wanted),
        }
    }

    /// Switches to the first of these modes that it offers, else to such a value of the option.
    fn switch_mode(
        &mut self,
        opened: &NewSessionResponse,
        wanted: &[&str],
        option: &str,
    ) -> Result<(), Failure> {
        let modes = opened.modes.as_ref();
        let offers = |mode: &str| {
            let mut all = modes.into_iter().flat_map(|modes| &modes.available_modes);
            all.any(|offered| offered.id.to_string() == mode)
        };
        let Some(mode) = wanted.iter().copied().find(|mode| offers(mode)) else {
            return self.choose_read_only(opened, option, wanted);
        };
        self.mode = Some(mode.to_owned());
        if modes.is_some_and(|modes| modes.current_mode_id.to_string() == mode) {
            return Ok(());
        }
        let switch = SetSessionModeRequest::new(self.id.clone(), mode.to_owned());
        call_agent(&self.peer, &self.receiver, "session/set_mode", &switch).map(drop)
    }

    /// The same by an option of the session; what it answers is looked at.
    fn choose_read_only(
        &self,
        opened: &NewSessionResponse,
        option: &str,
        wanted: &[&str],
    ) -> Result<(), Failure> {
        let options = opened.config_options.as_deref().unwrap_or_default();
        let Some((value, current)) = find_offered(options, option, wanted) else {
            let wanted = wanted.join("` or `");
            let detail =
                format!("the agent offers no mode `{wanted}`: it cannot be kept from writing");
            return Err(Failure::new(FailureKind::Unsupported, detail));
        };
        if current == value {
            return Ok(());
        }
        let switch = SetSessionConfigOptionRequest::new(
            self.id.clone(),
            option.to_owned(),
            agent_client_protocol_schema::v1::SessionConfigOptionValue::value_id(value.clone()),
        );
        let mut taken = call_agent(
            &self.peer,
            &self.receiver,
            "session/set_config_option",
            &switch,
        )?;
        let options: Vec<SessionConfigOption> =
            parse_response("session/set_config_option", taken["configOptions"].take())?;
        match find_offered(&options, option, wanted) {
            Some((_, current)) if current == value => Ok(()),
            _ => {
                let detail = format!("the agent did not take the mode `{value}`");
                Err(Failure::new(FailureKind::Unsupported, detail))
            }
        }
    }

    /// Waits for the end of the prompt that was asked as `id`, or until the agent has given its whole answer to the turn of that
    /// key and lingers: a hook or a tool of it may hang, and its answer counts all the same.
    fn wait_for_reply(
        &self,
        id: u64,
        key: &str,
        text: &mut String,
        clock: &TurnClock,
        stop: &StopSignal,
    ) -> Result<PromptEnd, Failure> {
        loop {
            let patience = match is_whole_answer(key, text.as_bytes()) {
                true if self.runs_tool.get() => clock.ready_by,
                true => clock.ready_by.min(Instant::now() + clock.quiet),
                false => clock.until,
            };
            let notice = match self.receiver.next_notice(DIALECT.name, patience, stop) {
                Err(failure) if failure.kind == FailureKind::Timeout && patience < clock.until => {
                    return Ok(PromptEnd::Lingered);
                }
                notice => notice?,
            };
            match notice {
                RpcNotice::Replied(replied, result) if replied == id => {
                    return Ok(PromptEnd::Replied(result));
                }
                RpcNotice::Told(method, params) if method == "session/update" => {
                    // An update of a later version of the protocol is none for us.
                    if let Ok(told) = serde_json::from_value::<SessionNotification>(params) {
                        self.on_update(told.update, text, stop)?;
                    }
                    if text.len() as u64 > self.most {
                        return Err(oversized_failure(self.most));
                    }
                }
                _ => {}
            }
        }
    }

    /// What the agent says aloud is its answer; what it does is not, nor what it thinks unless no answer follows. One that leaves its mode is not heard.
    fn on_update(
        &self,
        update: SessionUpdate,
        text: &mut String,
        stop: &StopSignal,
    ) -> Result<(), Failure> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                if let ContentBlock::Text(said) = chunk.content {
                    stop.draft().push(said.text.as_bytes());
                    text.push_str(&said.text);
                    if self.mailbox.as_ref().is_some_and(JudgeMailbox::has_verdict) {
                        self.afterwords.borrow_mut().push_str(&said.text);
                    }
                }
                Ok(())
            }
            SessionUpdate::AgentThoughtChunk(chunk) => {
                if let ContentBlock::Text(thought) = chunk.content {
                    self.thoughts.borrow_mut().hear(&thought.text, stop.draft());
                }
                Ok(())
            }
            SessionUpdate::ToolCall(call) => {
                self.runs_tool.set(is_running(call.status));
                Ok(())
            }
            SessionUpdate::ToolCallUpdate(call) => {
                let status = call.fields.status.map(is_running);
                self.runs_tool.set(status.unwrap_or(self.runs_tool.get()));
                Ok(())
            }
            SessionUpdate::CurrentModeUpdate(now) => match &self.mode {
                Some(mode) if *mode != now.current_mode_id.to_string() => {
                    let detail =
                        format!("the agent left the mode `{mode}`, in which it cannot write");
                    Err(Failure::new(FailureKind::Violation, detail))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Cancels the turn; the session goes on, unless it does not answer.
    fn cancel_turn(&mut self, id: u64) {
        let cancel = CancelNotification::new(self.id.clone());
        self.peer
            .send_notification("session/cancel", &to_json(&cancel));
        let clock = TurnClock::of_cancelled();
        let stop = StopSignal::default();
        // What it still says is not kept, however much it is.
        loop {
            match self.wait_for_reply(id, NO_KEY, &mut String::new(), &clock, &stop) {
                Ok(_) => return,
                Err(failure) if failure.kind == FailureKind::Oversized => {}
                Err(_) => break,
            }
        }
        self.is_stuck = true;
    }

    fn build_reply(&self, text: String, mut done: Value) -> Result<AgentReply, Failure> {
        let stopped = parse_response::<StopReason>("session/prompt", done["stopReason"].take())?;
        let kind = match stopped {
            StopReason::MaxTokens | StopReason::MaxTurnRequests => FailureKind::Truncated,
            StopReason::Refusal => FailureKind::Refused,
            StopReason::Cancelled => FailureKind::Cancelled,
            _ => {
                let own = self.quirks.own_words;
                let raw = own.map_or(Ok(text.as_str()), |own| own.split_notices(&text));
                let raw = raw.map_err(|error| {
                    Failure::new(kind_of_message(error), shorten_message(error))
                        .with_usage(parse_usage(&done))
                })?;
                return Ok(AgentReply {
                    raw: raw.to_owned(),
                    usage: parse_usage(&done),
                });
            }
        };
        let why = match kind {
            FailureKind::Truncated => "the agent came to a limit of its own",
            FailureKind::Refused => "the agent declined",
            _ => "the agent cancelled the turn",
        };
        Err(Failure::new(kind, why).with_usage(parse_usage(&done)))
    }
}

impl Conversation for AcpSession {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        if self.is_stuck {
            let detail = "the agent did not end a cancelled turn";
            return Err(Failure::new(FailureKind::Died, detail));
        }
        mailbox::begin_turn(self.mailbox.as_ref(), turn, stop)?;
        self.afterwords.take();
        self.thoughts.replace(TurnThoughts::of_turn(&turn.key));
        let watch = SubmissionWatch::start(self.mailbox.as_ref(), stop);
        self.receiver.wake_on(&watch.ended);
        let words = compose_message(
            &self.brief,
            &turn.prompt,
            std::mem::take(&mut self.is_first),
        );
        let prompt = PromptRequest::new(self.id.clone(), vec![ContentBlock::from(words)]);
        let clock = TurnClock::of_turn(turn);
        self.runs_tool.set(false);
        let id = self
            .peer
            .send_request(&self.receiver, "session/prompt", &to_json(&prompt));
        let mut text = String::new();
        let result = match self.wait_for_reply(id, &turn.key, &mut text, &clock, &watch.ended) {
            Ok(PromptEnd::Replied(Ok(done))) => self.build_reply(text, done),
            Ok(PromptEnd::Replied(Err(error))) => Err(refusal_failure("session/prompt", &error)),
            Ok(PromptEnd::Lingered) => {
                self.cancel_turn(id);
                self.build_reply(text, ended_turn())
            }
            // What it said to the end counts, also where it did not wait for its turn to end.
            Err(failure)
                if failure.kind == FailureKind::Died
                    && is_whole_answer(&turn.key, text.as_bytes()) =>
            {
                self.build_reply(text, ended_turn())
            }
            Err(failure) if failure.kind == FailureKind::Died => {
                Err(self.peer.with_stderr(failure))
            }
            Err(failure) => {
                self.cancel_turn(id);
                Err(failure)
            }
        };
        let mut result = result;
        mailbox::tell_drafts(&mut result, vec![self.afterwords.take()]);
        let result = self.thoughts.take().settle(self.mailbox.as_ref(), result);
        mailbox::tell_lack(result, self.without_tools.then_some(NO_MAILBOX))
    }

    fn pid(&self) -> Option<u32> {
        Some(self.peer.pid())
    }

    fn end(&mut self) {
        self.peer.finish(EXIT_TIMEOUT);
    }
}

impl Drop for AcpSession {
    fn drop(&mut self) {
        self.peer.finish(Duration::ZERO);
    }
}
