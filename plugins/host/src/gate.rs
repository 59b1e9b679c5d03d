//! The gate between a plugin and the program: both directions pass it, under one lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use council_protocol::message::{Hello, Message};
use council_protocol::{BackendError, Event, JudgeId, JudgeSpec, Request, Sink};
use serde::Serialize;

use crate::HostTimeouts;
use crate::head::EventHead;
use crate::ledger::CallLedger;

/// From this size on an event's head is read first: what comes from a judge that may send nothing is not parsed.
const LARGE: usize = 16 * 1024;

pub(crate) struct EventGate {
    state: Mutex<GateState>,
    wake: Condvar,
    /// To the thread that makes the calls.
    requests: Sender<Request>,
    /// The largest message that the backend takes.
    limit: AtomicU64,
}

struct GateState {
    ledger: CallLedger,
    sink: Option<Sink>,
    /// What [`Gate::keep`] waits for.
    planned: Option<Instant>,
    /// Errors that come up during a call, on its thread: they are its reasons.
    call: Option<(ThreadId, Vec<String>)>,
}

impl EventGate {
    pub(crate) fn new(patience: HostTimeouts, requests: Sender<Request>) -> Arc<Self> {
        let ledger = CallLedger::new(patience);
        let state = GateState {
            ledger,
            sink: None,
            planned: None,
            call: None,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            wake: Condvar::new(),
            requests,
            limit: AtomicU64::new(u64::MAX),
        })
    }

    pub(crate) fn open(&self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        let mut state = self.lock();
        state.ledger.open(&hello, Instant::now())?;
        state.sink = Some(sink);
        self.post_event(Request::Open { hello });
        self.apply_effects(state);
        Ok(())
    }

    pub(crate) fn spawn(&self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.with_ledger(|ledger| ledger.spawn(&spec))?;
        self.post_event(Request::Spawn { spec });
        Ok(())
    }

    pub(crate) fn send(&self, message: Message) -> Result<(), BackendError> {
        self.with_ledger(|ledger| ledger.send(&message, Instant::now()))?;
        self.post_event(Request::Send { message });
        Ok(())
    }

    pub(crate) fn cancel(&self, judge: &JudgeId) -> Result<(), BackendError> {
        self.with_ledger(|ledger| ledger.cancel(judge))?;
        self.post_event(Request::Cancel {
            judge: judge.clone(),
        });
        Ok(())
    }

    pub(crate) fn shutdown(&self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        self.with_ledger(|ledger| ledger.shutdown(judge, grace_ms, Instant::now()))?;
        self.post_event(Request::Shutdown {
            judge: judge.clone(),
            grace_ms,
        });
        Ok(())
    }

    /// Hands a request to the thread that makes the calls; where that is gone, the ledger knows already.
    pub(crate) fn post_event(&self, request: Request) {
        let _ = self.requests.send(request);
    }

    /// The largest message that the backend takes, as its manifest says.
    pub(crate) fn message_limit(&self, bytes: Option<u64>) {
        self.limit
            .store(bytes.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// What `request` sends, as JSON. None: it is larger than the backend takes, and has been refused.
    pub(crate) fn receive_line(
        &self,
        request: &Request,
        content: &impl Serialize,
    ) -> Option<Vec<u8>> {
        // The protocol's types always serialise.
        let json = serde_json::to_vec(content).unwrap_or_default();
        let limit = self.limit.load(Ordering::Relaxed);
        if json.len() as u64 <= limit {
            return Some(json);
        }
        let text = format!(
            "the message has {} bytes and the backend takes {limit}",
            json.len()
        );
        self.with_ledger(|ledger| {
            ledger.on_refused(request.refusal_event(&BackendError::Other(text)))
        });
        None
    }

    /// One event, as it came.
    pub(crate) fn receive_event(&self, bytes: &[u8]) {
        let size = bytes.len() as u64;
        if bytes.len() > LARGE {
            let head = EventHead::from_bytes(bytes);
            let mut state = self.lock();
            if size > state.ledger.max_event_bytes() {
                state.ledger.on_flood(&head, size);
                return self.apply_effects(state);
            }
            if state.ledger.drops_event(&head, size) {
                return self.apply_effects(state);
            }
        }
        let parsed = serde_json::from_slice::<Event>(bytes);
        let mut state = self.lock();
        match parsed {
            Ok(Event::Error { message }) if state.is_reason(&message) => return,
            Ok(Event::Unknown) => state.ledger.on_unknown(&EventHead::from_bytes(bytes), size),
            Ok(event) => state.ledger.on_event(event, size),
            Err(error) => {
                state
                    .ledger
                    .on_garbled(EventHead::from_bytes(bytes), &error.to_string(), size)
            }
        }
        self.apply_effects(state);
    }

    /// An event that was not kept, because it has more than [`Self::longest`] bytes.
    pub(crate) fn reject_overlong(&self, prefix: &[u8], bytes: u64) {
        self.with_ledger(|ledger| ledger.on_flood(&EventHead::from_bytes(prefix), bytes));
    }

    /// The most bytes that an event may have and be read whole.
    pub(crate) fn max_event_bytes(&self) -> u64 {
        self.lock().ledger.max_event_bytes()
    }

    /// Makes a call on this thread; gives what it returned and the errors that were emitted meanwhile.
    pub(crate) fn during_call<R>(&self, call: impl FnOnce() -> R) -> (R, Vec<String>) {
        self.lock().call = Some((thread::current().id(), Vec::new()));
        let returned = call();
        let reasons = self
            .lock()
            .call
            .take()
            .map(|(_, reasons)| reasons)
            .unwrap_or_default();
        (returned, reasons)
    }

    /// Runs `f` over the ledger and hands on what it led to.
    pub(crate) fn with_ledger<R>(&self, f: impl FnOnce(&mut CallLedger) -> R) -> R {
        let mut state = self.lock();
        let result = f(&mut state.ledger);
        self.apply_effects(state);
        result
    }

    /// Declares what is over time, as long as the session lasts: the body of a thread of its own, so that a call that
    /// hangs cannot keep time from passing.
    pub(crate) fn keep_time(&self) {
        let mut state = self.lock();
        while !state.ledger.is_finished() {
            let now = Instant::now();
            state.planned = state.ledger.next_due();
            state = match state.planned {
                Some(due) if due <= now => {
                    state.ledger.expire_due(now);
                    self.apply_effects(state);
                    self.lock()
                }
                Some(due) => {
                    self.wake
                        .wait_timeout(state, due - now)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
                None => self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Hands on what is to be handed on, still under the lock, so that no two threads' events change places. A sink
    /// never blocks and never calls back (`council_protocol::Sink`).
    fn apply_effects(&self, mut state: MutexGuard<'_, GateState>) {
        let effects = std::mem::take(&mut state.ledger.effects);
        for judge in effects.cancels {
            self.post_event(Request::Cancel { judge });
        }
        if let Some(sink) = &state.sink {
            effects.events.into_iter().for_each(|event| sink(event));
        }
        let due = state.ledger.next_due();
        let earlier = due.is_some_and(|due| state.planned.is_none_or(|planned| due < planned));
        if earlier || state.ledger.is_finished() {
            state.planned = due;
            self.wake.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GateState {
    /// Keeps an error as the reason of the call that is being made, if it comes from its thread.
    fn is_reason(&mut self, message: &str) -> bool {
        match &mut self.call {
            Some((thread, reasons)) if *thread == thread::current().id() && reasons.len() < 8 => {
                reasons.push(message.chars().take(2_000).collect());
                true
            }
            _ => false,
        }
    }
}
