//! The background backend: each turn is a worker process — the program itself, `git council judge` — joined by the
//! run's files alone.
//!
//! A worker has no memory, and files carry no conversation: there is no `message`, so a debate here is one round
//! (3-debate.md: "003 background and `--debate`").

mod files;
mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use council_protocol::message::{Ending, Hello, Manifest};
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, Event, Failure, FailureKind, JudgeId,
    JudgeSpec, Limits, Message, PROTOCOL_VERSION, Sink, Turn,
};

use self::worker::Worker;

/// How a worker is started; handed in by the program.
#[derive(Debug, Clone)]
pub struct Office {
    /// The program's own executable.
    pub exe: PathBuf,
    /// The whole environment of a worker; it hands on to agents only what each is allowed.
    pub env: BTreeMap<String, OsString>,
}

/// Worker processes of this program.
pub fn background(office: Option<Office>) -> Box<dyn Backend> {
    Box::new(Background { office, open: None })
}

struct Background {
    office: Option<Office>,
    open: Option<Open>,
}

struct Open {
    shared: Arc<Shared>,
    folder: PathBuf,
    threads: Vec<JoinHandle<()>>,
}

/// What the waiting threads and the calls both see.
struct Shared {
    sink: Sink,
    seats: Mutex<BTreeMap<JudgeId, Seat>>,
}

/// One judge between its turns.
#[derive(Default)]
struct Seat {
    worker: Option<Arc<Worker>>,
    /// Whether it was asked to end, and so answers no more turns.
    ending: bool,
}

impl Shared {
    fn seats(&self) -> MutexGuard<'_, BTreeMap<JudgeId, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit(&self, event: Event) {
        (self.sink)(event);
    }
}

impl Background {
    fn open(&mut self) -> Result<&mut Open, BackendError> {
        self.open.as_mut().ok_or(BackendError::Closed)
    }

    /// Files and processes are all there is to find out about a worker; its agent is asked when it starts.
    fn probe(&mut self, judge: JudgeId) -> Result<(), BackendError> {
        let exe = self.office.as_ref().map(|office| office.exe.clone());
        let open = self.open()?;
        open.shared.emit(match exe {
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

    fn turn(&mut self, judge: JudgeId, turn: Turn) -> Result<(), BackendError> {
        let office = self.office.clone();
        let open = self.open()?;
        {
            let seats = open.shared.seats();
            let seat = seats
                .get(&judge)
                .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))?;
            if seat.worker.is_some() {
                return Err(BackendError::Other(format!("{judge} has a turn already")));
            }
            if seat.ending {
                let failure = Failure::new(FailureKind::Died, "the judge has ended");
                drop(seats);
                open.shared.emit(Event::Failed {
                    judge,
                    turn: Some(turn.id),
                    failure,
                });
                return Ok(());
            }
        }
        let started = office
            .ok_or_else(no_program)
            .and_then(|office| Worker::start(&office, &open.folder, &judge, &turn));
        match started {
            Ok(worker) => open.wait_for(judge, turn, Arc::new(worker)),
            Err(failure) => open.shared.emit(Event::Failed {
                judge,
                turn: Some(turn.id),
                failure,
            }),
        }
        Ok(())
    }
}

impl Open {
    /// A thread that wakes when the worker has ended, and reads what it left.
    fn wait_for(&mut self, judge: JudgeId, turn: Turn, worker: Arc<Worker>) {
        if let Some(seat) = self.shared.seats().get_mut(&judge) {
            seat.worker = Some(Arc::clone(&worker));
        }
        let (shared, folder) = (Arc::clone(&self.shared), self.folder.clone());
        self.threads.push(thread::spawn(move || {
            worker.wait();
            let reply = files::reply(&folder, &judge, turn.id);
            if let Some(seat) = shared.seats().get_mut(&judge) {
                seat.worker = None;
            }
            shared.emit(event(judge, &turn, reply, &worker));
        }));
    }
}

/// The event that a worker's end amounts to.
fn event(
    judge: JudgeId,
    turn: &Turn,
    reply: Option<council_protocol::worker::Reply>,
    worker: &Worker,
) -> Event {
    use council_protocol::worker::Reply;
    let turn = turn.id;
    match reply {
        _ if worker.was_ended() => {
            let failure = Failure::new(FailureKind::Cancelled, "the turn was cancelled");
            Event::Failed {
                judge,
                turn: Some(turn),
                failure,
            }
        }
        Some(Reply::Answered { raw, usage }) => Event::Answered {
            judge,
            turn,
            raw,
            usage,
        },
        Some(Reply::Failed { failure }) => Event::Failed {
            judge,
            turn: Some(turn),
            failure,
        },
        None => Event::Failed {
            judge,
            turn: Some(turn),
            failure: worker.died(),
        },
    }
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

impl Backend for Background {
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
        let shared = Arc::new(Shared {
            sink,
            seats: Mutex::default(),
        });
        shared.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        self.open = Some(Open {
            shared,
            folder,
            threads: Vec::new(),
        });
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let open = self.open()?;
        let judge = spec.seat.judge.clone();
        if open.shared.seats().contains_key(&judge) {
            return Err(BackendError::Other(format!("{judge} sits already")));
        }
        match files::seat(&open.folder, &spec) {
            Ok(()) => {
                open.shared.seats().insert(judge.clone(), Seat::default());
                open.shared.emit(Event::Started { judge, pid: None });
            }
            Err(error) => {
                let detail = format!("cannot write the judge's files: {error}");
                let failure = Failure::new(FailureKind::Spawn, detail);
                open.shared.emit(Event::Failed {
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
            Message::Probe { seat } => self.probe(seat.judge),
            Message::Turn { judge, turn } => self.turn(judge, turn),
        }
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        let seats = self.open()?.shared.seats();
        let seat = seats
            .get(judge)
            .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))?;
        if let Some(worker) = &seat.worker {
            worker.end(Duration::ZERO);
        }
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        let open = self.open()?;
        let shared = Arc::clone(&open.shared);
        let worker = {
            let mut seats = shared.seats();
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
                worker.end(Duration::from_millis(grace_ms))
            });
            shared.emit(Event::Ended { judge, ending });
        }));
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let mut left = Vec::new();
        for (judge, seat) in open.shared.seats().iter_mut() {
            if !std::mem::replace(&mut seat.ending, true) {
                left.push((judge.clone(), seat.worker.clone()));
            }
        }
        // A shutdown that still waits for its grace is over now.
        open.shared
            .seats()
            .values()
            .filter_map(|s| s.worker.clone())
            .for_each(|w| w.kill());
        for (judge, worker) in left {
            let ending = worker.map_or(Ending::Graceful, |worker| worker.end(Duration::ZERO));
            open.shared.emit(Event::Ended { judge, ending });
        }
        open.threads
            .into_iter()
            .for_each(|thread| drop(thread.join()));
        open.shared.emit(Event::Closed);
        Ok(())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(open) = self.open.take() {
            open.shared
                .seats()
                .values()
                .filter_map(|s| s.worker.clone())
                .for_each(|w| w.kill());
        }
    }
}

#[cfg(test)]
mod tests;
