//! One judge: a session of its own process, kept from turn to turn.

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
use super::quirks::{Quirks, ReadOnly};
use crate::client::{Desk, by_status, by_words, message, said};
use crate::mailbox::{self, Mailbox};
use crate::process::oversized;
use crate::rpc::{Dialect, Ear, Notice, Peer, RpcError};
use crate::{Conversation, Reply, Stop};

/// How long it has to start: the slowest takes several seconds on an idle machine (clients.md 8.3).
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a cancelled turn has to end.
const CANCELLED: Duration = Duration::from_secs(3);

/// How long the process has to end by itself.
const GOODBYE: Duration = Duration::from_secs(2);

/// Beyond the time of a turn, in case nobody cancels it.
const SLACK: Duration = Duration::from_secs(10);

/// "Authentication required" in the protocol's numbers.
const NOT_SIGNED_IN: i64 = -32000;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "the agent",
    is_versioned: true,
    topic: "sessionId",
    answer: permission::answer,
};

pub(super) struct Session {
    peer: Peer,
    ear: Ear,
    id: SessionId,
    quirks: &'static Quirks,
    /// Where it may submit its verdicts instead of writing them down.
    mailbox: Option<Mailbox>,
    /// The mode that it was switched to.
    mode: Option<String>,
    brief: Arc<str>,
    is_first: bool,
    /// It did not end a cancelled turn: it cannot be used any more.
    is_stuck: bool,
    most: u64,
    _desk: Desk,
}

impl Session {
    pub(super) fn start(
        spec: &JudgeSpec,
        argv: &[String],
        quirks: &'static Quirks,
        desk: Desk,
    ) -> Result<Self, Failure> {
        let peer = Peer::start(&desk.exe, &desk.program(argv), DIALECT)?;
        let ear = Ear::new();
        let version = env!("CARGO_PKG_VERSION");
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(Implementation::new("git-council", version));
        let met = call(&peer, &ear, "initialize", &hello)?;
        let met: InitializeResponse = read("initialize", met)?;
        if met.protocol_version != ProtocolVersion::V1 {
            let detail = "the agent speaks another version of the protocol than 1";
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        let mailbox = desk.mailbox(&spec.brief).filter(|_| quirks.takes_mailbox);
        let servers = mailbox.iter().map(|(_, server)| {
            let ours = McpServerStdio::new("council", &server[0]).args(server[1..].to_vec());
            McpServer::Stdio(ours)
        });
        let new = NewSessionRequest::new(&desk.dir).mcp_servers(servers.collect());
        let opened = call(&peer, &ear, "session/new", &new)?;
        let opened: NewSessionResponse = read("session/new", opened)?;
        peer.listen(&opened.session_id.to_string(), &ear);
        let mut session = Self {
            peer,
            ear,
            id: opened.session_id.clone(),
            quirks,
            mailbox: mailbox.map(|(mailbox, _)| mailbox),
            mode: None,
            brief: Arc::clone(&spec.brief),
            is_first: true,
            is_stuck: false,
            most: spec.max_answer_bytes,
            _desk: desk,
        };
        session.make_read_only(&opened)?;
        Ok(session)
    }

    /// Switches it to a mode that cannot write. An agent that says it has none, or does not take it, seats nobody where
    /// its row promises one.
    fn make_read_only(&mut self, opened: &NewSessionResponse) -> Result<(), Failure> {
        match self.quirks.read_only {
            ReadOnly::Configured => Ok(()),
            // What it offers is taken; nothing is promised.
            ReadOnly::No => {
                self.switch(opened, &["read-only", "plan"], "mode")
                    .or_else(|failure| match failure.kind {
                        FailureKind::Unsupported => Ok(()),
                        _ => Err(failure),
                    })
            }
            ReadOnly::Mode(wanted) => self.switch(opened, wanted, "mode"),
            ReadOnly::Choice(option, wanted) => self.choose_read_only(opened, option, wanted),
        }
    }

    /// Switches to the first of these modes that it offers, else to such a value of the option.
    fn switch(
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
        call(&self.peer, &self.ear, "session/set_mode", &switch).map(drop)
    }

    /// The same by an option of the session; what it answers is looked at.
    fn choose_read_only(
        &self,
        opened: &NewSessionResponse,
        option: &str,
        wanted: &[&str],
    ) -> Result<(), Failure> {
        let options = opened.config_options.as_deref().unwrap_or_default();
        let Some((value, current)) = offered(options, option, wanted) else {
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
        let mut taken = call(&self.peer, &self.ear, "session/set_config_option", &switch)?;
        let options: Vec<SessionConfigOption> =
            read("session/set_config_option", taken["configOptions"].take())?;
        match offered(&options, option, wanted) {
            Some((_, current)) if current == value => Ok(()),
            _ => {
                let detail = format!("the agent did not take the mode `{value}`");
                Err(Failure::new(FailureKind::Unsupported, detail))
            }
        }
    }

    /// Waits for the end of the prompt that was asked as `id`.
    fn wait(
        &self,
        id: u64,
        text: &mut String,
        until: Instant,
        stop: &Stop,
    ) -> Result<Result<Value, RpcError>, Failure> {
        loop {
            match self.ear.next(DIALECT.name, until, stop)? {
                Notice::Replied(replied, result) if replied == id => return Ok(result),
                Notice::Told(method, params) if method == "session/update" => {
                    // An update of a later version of the protocol is none for us.
                    if let Ok(told) = serde_json::from_value::<SessionNotification>(params) {
                        self.hear(told.update, text)?;
                    }
                    if text.len() as u64 > self.most {
                        return Err(oversized(self.most));
                    }
                }
                _ => {}
            }
        }
    }

    /// What the agent says aloud is its answer; what it thinks and does is not. One that leaves its mode is not heard.
    fn hear(&self, update: SessionUpdate, text: &mut String) -> Result<(), Failure> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                if let ContentBlock::Text(said) = chunk.content {
                    text.push_str(&said.text);
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
    fn cancel(&mut self, id: u64) {
        let cancel = CancelNotification::new(self.id.clone());
        self.peer.tell("session/cancel", &json(&cancel));
        let until = Instant::now() + CANCELLED;
        let stop = Stop::default();
        // What it still says is not kept, however much it is.
        loop {
            match self.wait(id, &mut String::new(), until, &stop) {
                Ok(_) => return,
                Err(failure) if failure.kind == FailureKind::Oversized => {}
                Err(_) => break,
            }
        }
        self.is_stuck = true;
    }

    fn reply(&self, text: String, mut done: Value) -> Result<Reply, Failure> {
        let stopped = read::<StopReason>("session/prompt", done["stopReason"].take())?;
        let kind = match stopped {
            StopReason::MaxTokens | StopReason::MaxTurnRequests => FailureKind::Truncated,
            StopReason::Refusal => FailureKind::Refused,
            StopReason::Cancelled => FailureKind::Cancelled,
            _ => {
                let own = self.quirks.own_words;
                let raw = own.map_or(Ok(text.as_str()), |own| own.apart(&text));
                let raw = raw.map_err(|error| Failure::new(by_words(error), said(error)))?;
                return Ok(Reply {
                    raw: raw.to_owned(),
                    usage: usage(&done),
                });
            }
        };
        let why = match kind {
            FailureKind::Truncated => "the agent came to a limit of its own",
            FailureKind::Refused => "the agent declined",
            _ => "the agent cancelled the turn",
        };
        Err(Failure::new(kind, why))
    }
}

impl Conversation for Session {
    fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        if self.is_stuck {
            let detail = "the agent did not end a cancelled turn";
            return Err(Failure::new(FailureKind::Died, detail));
        }
        self.ear.wake_on(stop);
        mailbox::post(self.mailbox.as_ref(), turn)?;
        let words = message(
            &self.brief,
            &turn.prompt,
            std::mem::take(&mut self.is_first),
        );
        let prompt = PromptRequest::new(self.id.clone(), vec![ContentBlock::from(words)]);
        let until = Instant::now() + Duration::from_millis(turn.timeout_ms) + SLACK;
        let id = self.peer.ask(&self.ear, "session/prompt", &json(&prompt));
        let mut text = String::new();
        match self.wait(id, &mut text, until, stop) {
            Ok(Ok(done)) => {
                let reply = self.reply(text, done)?;
                Ok(mailbox::prefer(self.mailbox.as_ref(), reply))
            }
            Ok(Err(error)) => Err(refused("session/prompt", &error)),
            Err(failure) if failure.kind == FailureKind::Died => Err(self.peer.explained(failure)),
            Err(failure) => {
                self.cancel(id);
                Err(failure)
            }
        }
    }

    fn pid(&self) -> Option<u32> {
        Some(self.peer.pid())
    }

    fn end(&mut self) {
        self.peer.finish(GOODBYE);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.peer.finish(Duration::ZERO);
    }
}

/// Everything that is read of what an agent tells, for [`crate::fuzz`].
pub(crate) fn decode(params: Value) {
    let _ = usage(&params);
    let _ = full_value(&params["options"], "plan");
    let _ = read::<StopReason>("session/prompt", params["stopReason"].clone());
    let _ = serde_json::from_value::<SessionNotification>(params);
}

fn json(message: &impl Serialize) -> Value {
    serde_json::to_value(message).unwrap_or_default()
}

fn read<T: serde::de::DeserializeOwned>(what: &str, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| {
        let detail = format!("the agent's answer to {what} cannot be read: {error}");
        Failure::new(FailureKind::Spawn, detail)
    })
}

/// Asks before the first turn; an error is a judge that cannot sit.
fn call(peer: &Peer, ear: &Ear, method: &str, params: &impl Serialize) -> Result<Value, Failure> {
    peer.call(ear, method, &json(params), PATIENCE)?
        .map_err(|error| refused(method, &error))
}

fn refused(method: &str, error: &RpcError) -> Failure {
    let more = error.data["details"]
        .as_str()
        .or_else(|| error.data.as_str());
    let words = [error.message.as_str(), more.unwrap_or_default()].join(" ");
    let kind = match u64::try_from(error.code) {
        Ok(status @ 100..600) => by_status(status),
        _ if error.code == NOT_SIGNED_IN => FailureKind::Quota,
        _ => by_words(&words),
    };
    Failure::new(
        kind,
        format!("the agent refused {method}: {}", said(&words)),
    )
}

/// The first value that is wanted and offered, and the one that holds.
fn offered(options: &[SessionConfigOption], id: &str, wanted: &[&str]) -> Option<(String, String)> {
    let option = options.iter().find(|option| option.id.to_string() == id)?;
    let SessionConfigKind::Select(select) = &option.kind else {
        return None;
    };
    let options = json(&select.options);
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

/// Tokens, wherever an agent puts them (clients.md 8.2).
fn usage(done: &Value) -> Option<Usage> {
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
