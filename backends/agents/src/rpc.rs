//! JSON-RPC with a program, one object a line: what Codex's app-server and every ACP agent speak.
//!
//! One reading thread hands every message to the conversation that it is for. What the program asks of us is answered
//! at once by the dialect, which refuses whatever a judge must not do.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use council_protocol::{Failure, FailureKind};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::StopSignal;
use crate::client::{parse_event, shorten_message};
use crate::guard::GuardedProgram;
use crate::process::{LineProcess, ProgramOutput, StdinWriter, cancelled_failure};

/// How two programs differ in the same protocol.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RpcDialect {
    /// The program's name in failures.
    pub(crate) name: &'static str,
    /// Whether messages carry `"jsonrpc":"2.0"`.
    pub(crate) is_versioned: bool,
    /// The parameter by which a message is told to a conversation.
    pub(crate) topic: &'static str,
    /// The answer to what the program asks of us, which works in that folder; none: there is no such method.
    pub(crate) answer: fn(&str, &Value, &Path) -> Option<Value>,
}

/// An error that the program answers with.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

/// What a conversation hears.
#[derive(Debug)]
pub(crate) enum RpcNotice {
    /// The answer to what it asked.
    Replied(u64, Result<Value, RpcError>),
    /// A message for it.
    Told(String, Value),
    /// A stop was raised.
    Woken,
    /// The program is gone: how that is to be told, and why.
    Gone(FailureKind, String),
}

/// The receiving end of one conversation.
pub(crate) struct NoticeReceiver {
    tell: Sender<RpcNotice>,
    heard: Receiver<RpcNotice>,
}

impl NoticeReceiver {
    pub(crate) fn new() -> Self {
        let (tell, heard) = channel();
        Self { tell, heard }
    }

    /// Wakes it when `stop` is raised.
    pub(crate) fn wake_on(&self, stop: &StopSignal) {
        let tell = self.tell.clone();
        stop.on_raise(move || drop(tell.send(RpcNotice::Woken)));
    }

    /// The next notice.
    ///
    /// # Errors
    /// `cancelled` when `stop` is raised, `timeout` when there is none by then, `died` when the program is gone.
    pub(crate) fn next_notice(
        &self,
        name: &str,
        until: Instant,
        stop: &StopSignal,
    ) -> Result<RpcNotice, Failure> {
        loop {
            let patience = until.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(patience) {
                Ok(RpcNotice::Woken) if stop.is_raised() => return Err(cancelled_failure()),
                // A wake of an earlier turn is none.
                Ok(RpcNotice::Woken) => {}
                Ok(RpcNotice::Gone(kind, why)) => {
                    return Err(Failure::new(kind, format!("{name} ended: {why}")));
                }
                Ok(notice) => return Ok(notice),
                Err(RecvTimeoutError::Timeout) => {
                    let detail = format!("{name} did not answer in time");
                    return Err(Failure::new(FailureKind::Timeout, detail));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::new(FailureKind::Died, format!("{name} has ended")));
                }
            }
        }
    }
}

/// A program that speaks JSON-RPC.
pub(crate) struct RpcPeer {
    dialect: RpcDialect,
    lines: Mutex<LineProcess>,
    stdin: StdinWriter,
    pid: u32,
    next: AtomicU64,
    routes: Arc<Mutex<NoticeRoutes>>,
}

#[derive(Default)]
struct NoticeRoutes {
    asked: HashMap<u64, Sender<RpcNotice>>,
    listeners: HashMap<String, Sender<RpcNotice>>,
    is_over: bool,
}

impl RpcPeer {
    /// Starts the program.
    pub(crate) fn start(
        exe: &Path,
        program: &GuardedProgram<'_>,
        dialect: RpcDialect,
    ) -> Result<Self, Failure> {
        let routes = Arc::new(Mutex::new(NoticeRoutes::default()));
        let heard_by = Arc::clone(&routes);
        let dir = program.dir.to_path_buf();
        let lines = LineProcess::start(exe, program, move |heard, stdin| match heard {
            ProgramOutput::Line(line) => {
                // Whatever is no JSON is noise.
                if let Some(message) = parse_event(&line) {
                    on_message(dialect, &dir, &heard_by, stdin, message);
                }
            }
            ProgramOutput::Flood => {
                let why = "it wrote a line that is too long to be read";
                lock_routes(&heard_by).end_all(FailureKind::Oversized, why);
            }
            ProgramOutput::End => {
                lock_routes(&heard_by).end_all(FailureKind::Died, "it closed its output")
            }
        })?;
        Ok(Self {
            dialect,
            stdin: lines.stdin_writer().clone(),
            pid: lines.pid(),
            lines: Mutex::new(lines),
            next: AtomicU64::new(1),
            routes,
        })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether the program can still be spoken with.
    pub(crate) fn is_over(&self) -> bool {
        lock_routes(&self.routes).is_over
    }

    /// What is told about `topic` goes to `receiver` from now on.
    pub(crate) fn subscribe(&self, topic: &str, receiver: &NoticeReceiver) {
        let mut routes = lock_routes(&self.routes);
        routes
            .listeners
            .insert(topic.to_owned(), receiver.tell.clone());
    }

    /// Nobody hears of `topic` any more.
    pub(crate) fn unsubscribe(&self, topic: &str) {
        lock_routes(&self.routes).listeners.remove(topic);
    }

    /// Asks; the answer comes to `receiver` under the number that is returned.
    pub(crate) fn send_request(
        &self,
        receiver: &NoticeReceiver,
        method: &str,
        params: &Value,
    ) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut routes = lock_routes(&self.routes);
        if routes.is_over {
            let why = "it closed its output".to_owned();
            let _ = receiver.tell.send(RpcNotice::Gone(FailureKind::Died, why));
        }
        routes.asked.insert(id, receiver.tell.clone());
        drop(routes);
        let message = json!({ "id": id, "method": method, "params": params });
        self.stdin.write_line(&with_version(self.dialect, message));
        id
    }

    /// Tells without an answer.
    pub(crate) fn send_notification(&self, method: &str, params: &Value) {
        let message = json!({ "method": method, "params": params });
        self.stdin.write_line(&with_version(self.dialect, message));
    }

    /// Asks and waits for the answer; what is told meanwhile is dropped.
    pub(crate) fn call_method(
        &self,
        receiver: &NoticeReceiver,
        method: &str,
        params: &Value,
        patience: Duration,
    ) -> Result<Result<Value, RpcError>, Failure> {
        let (id, until) = (
            self.send_request(receiver, method, params),
            Instant::now() + patience,
        );
        loop {
            match receiver.next_notice(self.dialect.name, until, &StopSignal::default()) {
                Ok(RpcNotice::Replied(replied, result)) if replied == id => return Ok(result),
                Ok(_) => {}
                Err(failure) => return Err(self.with_stderr(failure)),
            }
        }
    }

    /// A failure with what the program wrote to its standard error.
    pub(crate) fn with_stderr(&self, failure: Failure) -> Failure {
        let noise = shorten_message(
            &self
                .lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .stderr_tail(),
        );
        match (failure.kind, noise.is_empty()) {
            (FailureKind::Died, false) => {
                Failure::new(FailureKind::Died, format!("{}: {noise}", failure.detail))
            }
            _ => failure,
        }
    }

    /// Closes its standard input and waits for its end, at most `patience`; then the tree is ended.
    pub(crate) fn finish(&self, patience: Duration) {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .finish(patience);
    }
}

impl NoticeRoutes {
    fn end_all(&mut self, kind: FailureKind, why: &str) {
        self.is_over = true;
        let everybody = self.asked.drain().map(|(_, tell)| tell);
        for tell in everybody.chain(self.listeners.drain().map(|(_, tell)| tell)) {
            let _ = tell.send(RpcNotice::Gone(kind, why.to_owned()));
        }
    }
}

/// What a conversation is told of a message, for the fuzz targets: everything is for it.
pub(crate) fn decode_message(dialect: RpcDialect, dir: &Path, message: Value) -> Vec<Value> {
    let (routes, receiver) = (Mutex::new(NoticeRoutes::default()), NoticeReceiver::new());
    if let Some(topic) = message["params"][dialect.topic].as_str() {
        let mut routes = lock_routes(&routes);
        routes
            .listeners
            .insert(topic.to_owned(), receiver.tell.clone());
    }
    if let Some(id) = message["id"].as_u64() {
        lock_routes(&routes).asked.insert(id, receiver.tell.clone());
    }
    on_message(dialect, dir, &routes, &StdinWriter::disconnected(), message);
    let told = receiver.heard.try_iter().filter_map(|notice| match notice {
        RpcNotice::Told(_, params) | RpcNotice::Replied(_, Ok(params)) => Some(params),
        _ => None,
    });
    told.collect()
}

fn lock_routes(routes: &Mutex<NoticeRoutes>) -> MutexGuard<'_, NoticeRoutes> {
    routes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_version(dialect: RpcDialect, mut message: Value) -> Value {
    if dialect.is_versioned {
        message["jsonrpc"] = "2.0".into();
    }
    message
}

/// Hands a message on: an answer, a request of the program's own, or something told.
fn on_message(
    dialect: RpcDialect,
    dir: &Path,
    routes: &Mutex<NoticeRoutes>,
    stdin: &StdinWriter,
    mut message: Value,
) {
    let method = message["method"].as_str().map(str::to_owned);
    let id = message.get("id").filter(|id| !id.is_null()).cloned();
    match (method, id) {
        (Some(method), Some(id)) => {
            let reply = match (dialect.answer)(&method, &message["params"], dir) {
                Some(result) => json!({ "id": id, "result": result }),
                None => {
                    let error = json!({ "code": -32601, "message": "a judge cannot do this" });
                    json!({ "id": id, "error": error })
                }
            };
            stdin.write_line(&with_version(dialect, reply));
        }
        (Some(method), None) => {
            let topic = message["params"][dialect.topic].as_str().map(str::to_owned);
            let routes = lock_routes(routes);
            if let Some(tell) = topic.and_then(|topic| routes.listeners.get(&topic)) {
                let _ = tell.send(RpcNotice::Told(method, message["params"].take()));
            }
        }
        (None, Some(id)) => {
            let Some((id, tell)) = id
                .as_u64()
                .and_then(|id| Some((id, lock_routes(routes).asked.remove(&id)?)))
            else {
                return;
            };
            let result = match message.get_mut("error").filter(|error| !error.is_null()) {
                Some(error) => Err(serde_json::from_value(error.take()).unwrap_or_default()),
                None => Ok(message["result"].take()),
            };
            let _ = tell.send(RpcNotice::Replied(id, result));
        }
        (None, None) => {}
    }
}
