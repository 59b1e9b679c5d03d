//! One judge: a session of its own process, kept from turn to turn.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    CancelNotification, ContentBlock, Implementation, InitializeRequest, InitializeResponse,
    McpServer, McpServerStdio, NewSessionRequest, NewSessionResponse, PromptRequest,
    SessionConfigKind, SessionConfigOption, SessionId, SessionNotification, SessionUpdate,
    SetSessionConfigOptionRequest, SetSessionModeRequest, StopReason,
};
use council_protocol::message::Usage;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use serde::Serialize;
use serde_json::Value;

use super::permission;
use super::quirks::{AgentQuirks, ReadOnlyMode};
use crate::client::{AgentEnv, compose_message, kind_of_message, kind_of_status, shorten_message};
use crate::linger::SubmissionWatch;
use crate::mailbox::{self, JudgeMailbox};
use crate::process::oversized_failure;
use crate::rpc::{NoticeReceiver, RpcDialect, RpcError, RpcNotice, RpcPeer};
use crate::thoughts::TurnThoughts;
use crate::{AgentReply, Conversation, StopSignal};

/// How long it has to start: the slowest takes several seconds on an idle machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a cancelled turn has to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(3);

/// How long the process has to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Beyond the time of a turn, in case nobody cancels it.
const TURN_SLACK: Duration = Duration::from_secs(10);

/// "Authentication required" in the protocol's numbers.
const AUTH_REQUIRED: i64 = -32000;

pub(crate) const DIALECT: RpcDialect = RpcDialect {
    name: "the agent",
    is_versioned: true,
    topic: "sessionId",
    answer: permission::answer_request,
};

/// Why an agent that is not known to take our server has no tools of ours.
const NO_MAILBOX: &str = "this agent takes no mailbox, in which they would be";

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

    /// Waits for the end of the prompt that was asked as `id`.
    fn wait_for_reply(
        &self,
        id: u64,
        text: &mut String,
        until: Instant,
        stop: &StopSignal,
    ) -> Result<Result<Value, RpcError>, Failure> {
        loop {
            match self.receiver.next_notice(DIALECT.name, until, stop)? {
                RpcNotice::Replied(replied, result) if replied == id => return Ok(result),
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
        let until = Instant::now() + CANCEL_TIMEOUT;
        let stop = StopSignal::default();
        // What it still says is not kept, however much it is.
        loop {
            match self.wait_for_reply(id, &mut String::new(), until, &stop) {
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
        let until = Instant::now() + Duration::from_millis(turn.timeout_ms) + TURN_SLACK;
        let id = self
            .peer
            .send_request(&self.receiver, "session/prompt", &to_json(&prompt));
        let mut text = String::new();
        let result = match self.wait_for_reply(id, &mut text, until, &watch.ended) {
            Ok(Ok(done)) => self.build_reply(text, done),
            Ok(Err(error)) => Err(refusal_failure("session/prompt", &error)),
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

/// Everything that is read of what an agent tells, for the fuzz targets.
pub(crate) fn decode_params(params: Value) {
    let _ = parse_usage(&params);
    let _ = full_value(&params["options"], "plan");
    let _ = parse_response::<StopReason>("session/prompt", params["stopReason"].clone());
    let _ = serde_json::from_value::<SessionNotification>(params);
}

fn to_json(message: &impl Serialize) -> Value {
    serde_json::to_value(message).unwrap_or_default()
}

fn parse_response<T: serde::de::DeserializeOwned>(what: &str, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| {
        let detail = format!("the agent's answer to {what} cannot be read: {error}");
        Failure::new(FailureKind::Spawn, detail)
    })
}

/// Asks before the first turn; an error is a judge that cannot sit.
fn call_agent(
    peer: &RpcPeer,
    receiver: &NoticeReceiver,
    method: &str,
    params: &impl Serialize,
) -> Result<Value, Failure> {
    peer.call_method(receiver, method, &to_json(params), START_TIMEOUT)?
        .map_err(|error| refusal_failure(method, &error))
}

fn refusal_failure(method: &str, error: &RpcError) -> Failure {
    let more = error.data["details"]
        .as_str()
        .or_else(|| error.data.as_str());
    let words = [error.message.as_str(), more.unwrap_or_default()].join(" ");
    let kind = match u64::try_from(error.code) {
        Ok(status @ 100..600) => kind_of_status(status),
        _ if error.code == AUTH_REQUIRED => FailureKind::Quota,
        _ => kind_of_message(&words),
    };
    Failure::new(
        kind,
        format!("the agent refused {method}: {}", shorten_message(&words)),
    )
}

/// The first value that is wanted and offered, and the one that holds.
fn find_offered(
    options: &[SessionConfigOption],
    id: &str,
    wanted: &[&str],
) -> Option<(String, String)> {
    let option = options.iter().find(|option| option.id.to_string() == id)?;
    let SessionConfigKind::Select(select) = &option.kind else {
        return None;
    };
    let options = to_json(&select.options);
    let value = wanted
        .iter()
        .find_map(|value| full_value(&options, value))?;
    Some((value, select.current_value.to_string()))
}

/// The value of an option that is `name`, or ends with `#name`.
fn full_value(options: &Value, name: &str) -> Option<String> {
    match options {
        Value::Array(items) => items.iter().find_map(|item| full_value(item, name)),
        Value::Object(fields) => match fields.get("value").and_then(Value::as_str) {
            Some(value) if value == name || value.ends_with(&format!("#{name}")) => {
                Some(value.to_owned())
            }
            _ => fields
                .get("options")
                .and_then(|inner| full_value(inner, name)),
        },
        _ => None,
    }
}

/// Tokens, wherever an agent puts them.
fn parse_usage(done: &Value) -> Option<Usage> {
    let places = [&done["usage"], &done["_meta"]["quota"]["token_count"]];
    let counts = places.into_iter().find(|counts| counts.is_object())?;
    let count = |names: [&str; 2]| names.iter().find_map(|name| counts[*name].as_u64());
    Some(Usage {
        input_tokens: count(["inputTokens", "input_tokens"]),
        cached_tokens: count(["cachedReadTokens", "cached_tokens"]),
        output_tokens: count(["outputTokens", "output_tokens"]),
        cost_usd: None,
        ..Usage::default()
    })
}
