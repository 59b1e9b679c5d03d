//! The background backend: each turn is a worker process — the program itself, `git council judge` — joined by the
//! run's files alone.
//!
//! A worker has no memory, and files carry no conversation: there is no `message`, so a debate here is one round.

mod files;
mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use council_protocol::message::{Ending, Hello, Manifest, Usage};
use council_protocol::worker::WorkerReply;
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, Event, Failure, FailureKind, JudgeId,
    JudgeSpec, Limits, Message, PROTOCOL_VERSION, Sink, Turn,
};

use self::worker::WorkerProcess;

/// How long the worker of a cancelled turn has to write down what was said in it.
const CANCEL_GRACE: Duration = Duration::from_secs(3);

/// How a worker is started; handed in by the program.
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// The program's own executable.
    pub exe: PathBuf,
    /// The whole environment of a worker; it hands on to agents only what each is allowed.
    pub env: BTreeMap<String, OsString>,
}

/// Worker processes of this program.
pub fn background_backend(office: Option<WorkerCommand>) -> Box<dyn Backend> {
    Box::new(BackgroundBackend { office, open: None })
}

struct BackgroundBackend {
    office: Option<WorkerCommand>,
    open: Option<OpenCouncil>,
}

struct OpenCouncil {
    shared: Arc<SharedSeats>,
    folder: PathBuf,
    threads: Vec<JoinHandle<()>>,
}

/// What the waiting threads and the calls both see.
struct SharedSeats {
    sink: Sink,
    seats: Mutex<BTreeMap<JudgeId, WorkerSeat>>,
}

/// One judge between its turns.
#[derive(Default)]
struct WorkerSeat {
    worker: Option<Arc<WorkerProcess>>,
    /// Whether it was asked to end, and so answers no more turns.
    ending: bool,
}

impl SharedSeats {
    fn lock_seats(&self) -> MutexGuard<'_, BTreeMap<JudgeId, WorkerSeat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit_event(&self, event: Event) {
        (self.sink)(event);
    }
}

impl BackgroundBackend {
    fn open_council(&mut self) -> Result<&mut OpenCouncil, BackendError> {
        self.open.as_mut().ok_or(BackendError::Closed)
    }

    /// Files and processes are all there is to find out about a worker; its agent is asked when it starts.
    fn probe_seat(&mut self, judge: JudgeId) -> Result<(), BackendError> {
        let exe = self.office.as_ref().map(|office| office.exe.clone());
        let open = self.open_council()?;
        open.shared.emit_event(match exe {
            Some(exe) if exe.is_file() => Event::Probed {
                judge,
                capabilities: capabilities(),
                note: String::new(),
            },
            _ => Event::Failed {
                judge,
                turn: None,
                failure: no_program(),
            },
        });
        Ok(())
    }

    fn start_turn(&mut self, judge: JudgeId, turn: Turn) -> Result<(), BackendError> {
        let office = self.office.clone();
        let open = self.open_council()?;
        {
            let seats = open.shared.lock_seats();
            let seat = seats
                .get(&judge)
                .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))?;
            if seat.worker.is_some() {
                return Err(BackendError::Other(format!("{judge} has a turn already")));
            }
            if seat.ending {
                let failure = Failure::new(FailureKind::Died, "the judge has ended");
                drop(seats);
                open.shared.emit_event(Event::Failed {
                    judge,
                    turn: Some(turn.id),
                    failure,
                });
                return Ok(());
            }
        }
        let started = office
            .ok_or_else(no_program)
            .and_then(|office| WorkerProcess::start(&office, &open.folder, &judge, &turn));
        match started {
            Ok(worker) => open.wait_for(judge, turn, Arc::new(worker)),
            Err(failure) => open.shared.emit_event(Event::Failed {
                judge,
                turn: Some(turn.id),
                failure,
            }),
        }
        Ok(())
    }
}

impl OpenCouncil {
    /// A thread that wakes when the worker has ended, and reads what it left.
    fn wait_for(&mut self, judge: JudgeId, turn: Turn, worker: Arc<WorkerProcess>) {
        if let Some(seat) = self.shared.lock_seats().get_mut(&judge) {
            seat.worker = Some(Arc::clone(&worker));
        }
        let (shared, folder) = (Arc::clone(&self.shared), self.folder.clone());
        self.threads.push(thread::spawn(move || {
            worker.wait_for_end();
            let reply = files::read_reply(&folder, &judge, turn.id);
            if let Some(seat) = shared.lock_seats().get_mut(&judge) {
                seat.worker = None;
            }
            shared.emit_event(event_of(judge, &turn, reply, &worker));
            worker.mark_told();
        }));
    }
}

/// The event that a worker's end amounts to. What it said in vain goes with it, whoever ended it.
fn event_of(
    judge: JudgeId,
    turn: &Turn,
    reply: Option<WorkerReply>,
    worker: &WorkerProcess,
) -> Event {
    let turn = turn.id;
    let failure = match reply {
        Some(WorkerReply::Answered { raw, usage }) if !worker.was_ended() => {
            let usage = with_earlier(usage, &worker.earlier);
            return Event::Answered {
                judge,
                turn,
                raw,
                usage,
            };
        }
        Some(WorkerReply::Answered { raw, usage }) => {
            cancelled_failure().with_usage(usage).with_drafts([raw])
        }
        Some(WorkerReply::Failed { failure }) if worker.was_ended() => {
            cancelled_failure().with_usage(failure.usage.map(|usage| *usage))
        }
        Some(WorkerReply::Failed { failure }) => failure,
        None if worker.was_ended() => cancelled_failure(),
        None => worker.death_failure(),
    };
    Event::Failed {
        judge,
        turn: Some(turn),
        failure: failure.with_drafts(worker.earlier.iter().cloned()),
    }
}

/// Adds what an earlier worker said in the same turn: it does not count, and an objection in it is told.
fn with_earlier(usage: Option<Usage>, earlier: &[String]) -> Option<Usage> {
    if earlier.is_empty() {
        return usage;
    }
    let mut usage = usage.unwrap_or_default();
    usage.unread.extend_from_slice(earlier);
    Some(usage)
}

fn cancelled_failure() -> Failure {
    Failure::new(FailureKind::Cancelled, "the turn was cancelled")
}

fn no_program() -> Failure {
    Failure::new(
        FailureKind::Unsupported,
        "the program does not know its own executable",
    )
}

fn capabilities() -> CapabilitySet {
    CapabilitySet::from([
        Capability::Spawn,
        Capability::Shutdown,
        Capability::SharedFs,
        Capability::StructuredOutput,
        Capability::ReadOnly,
        Capability::Cost,
    ])
}

impl Backend for BackgroundBackend {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "background".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: capabilities(),
            limits: Limits::default(),
        }
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        if !hello.protocols.contains(&PROTOCOL_VERSION) {
            return Err(BackendError::Other(format!(
                "background speaks protocol {PROTOCOL_VERSION} only"
            )));
        }
        if self.open.is_some() {
            return Err(BackendError::Other("background is open already".into()));
        }
        let folder = hello
            .folder
            .ok_or(BackendError::Unsupported(Capability::SharedFs))?;
        let shared = Arc::new(SharedSeats {
            sink,
            seats: Mutex::default(),
        });
        shared.emit_event(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        self.open = Some(OpenCouncil {
            shared,
            folder,
            threads: Vec::new(),
        });
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let open = self.open_council()?;
        let judge = spec.seat.judge.clone();
        if open.shared.lock_seats().contains_key(&judge) {
            return Err(BackendError::Other(format!("{judge} sits already")));
        }
        match files::write_seat(&open.folder, &spec) {
            Ok(()) => {
                open.shared
                    .lock_seats()
                    .insert(judge.clone(), WorkerSeat::default());
                open.shared.emit_event(Event::Started { judge, pid: None });
            }
            Err(error) => {
                let detail = format!("cannot write the judge's files: {error}");
                let failure = Failure::new(FailureKind::Spawn, detail);
                open.shared.emit_event(Event::Failed {
                    judge,
                    turn: None,
                    failure,
                });
            }
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        match message {
            Message::Probe { seat } => self.probe_seat(seat.judge),
            Message::Turn { judge, turn } => self.start_turn(judge, turn),
        }
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        let open = self.open_council()?;
        let worker = {
            let seats = open.shared.lock_seats();
            let seat = seats
                .get(judge)
                .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))?;
            seat.worker.clone()
        };
        if let Some(worker) = worker {
            open.threads.push(thread::spawn(move || {
                worker.end_within(CANCEL_GRACE);
            }));
        }
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        let open = self.open_council()?;
        let shared = Arc::clone(&open.shared);
        let worker = {
            let mut seats = shared.lock_seats();
            let seat = seats
                .get_mut(judge)
                .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))?;
            if std::mem::replace(&mut seat.ending, true) {
                return Ok(());
            }
            seat.worker.clone()
        };
        let judge = judge.clone();
        open.threads.push(thread::spawn(move || {
            let ending = worker.map_or(Ending::Graceful, |worker| {
                worker.end_within(Duration::from_millis(grace_ms))
            });
            shared.emit_event(Event::Ended { judge, ending });
        }));
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let mut left = Vec::new();
        for (judge, seat) in open.shared.lock_seats().iter_mut() {
            if !std::mem::replace(&mut seat.ending, true) {
                left.push((judge.clone(), seat.worker.clone()));
            }
        }
        // A shutdown that still waits for its grace is over now.
        open.shared
            .lock_seats()
            .values()
            .filter_map(|s| s.worker.clone())
            .for_each(|w| w.kill_now());
        for (judge, worker) in left {
            let ending =
                worker.map_or(Ending::Graceful, |worker| worker.end_within(Duration::ZERO));
            open.shared.emit_event(Event::Ended { judge, ending });
        }
        open.threads
            .into_iter()
            .for_each(|thread| drop(thread.join()));
        open.shared.emit_event(Event::Closed);
        Ok(())
    }
}

impl Drop for BackgroundBackend {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            open.shared
                .lock_seats()
                .values()
                .filter_map(|s| s.worker.clone())
                .for_each(|w| w.kill_now());
        }
    }
}

#[cfg(test)]
mod tests;
