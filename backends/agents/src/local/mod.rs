//! Judges held in this process: the backends `teams` and `inline` are two styles of it.

mod grace_watchdog;
mod judge_events;
#[cfg(test)]
mod tests;
mod worker_thread;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use council_protocol::message::{Hello, Manifest};
use council_protocol::seat::AgentKind;
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, Event, Failure, FailureKind, JudgeId,
    JudgeSpec, Limits, Message, PROTOCOL_VERSION, Seat, Sink, Turn,
};

use self::grace_watchdog::GraceWatchdog;
use self::judge_events::JudgeEvents;
use self::worker_thread::{WorkerJob, WorkerThread};
use crate::{AgentTable, EventOutlet, JudgeMemory, SeatProbe};

/// How long `close` waits for judges that are asked to stop, before their threads are left behind.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How judges share threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadSharing {
    /// Each judge has its own: they think at the same time.
    PerJudge,
    /// All judges share one: they think one after another.
    One,
}

/// What makes one in-process backend differ from another.
#[derive(Debug, Clone)]
pub struct LocalStyle {
    /// The backend's name.
    pub name: &'static str,
    /// The backend's version.
    pub version: &'static str,
    /// What it can do at best.
    pub capabilities: CapabilitySet,
    /// The drivers of agents that it can hold.
    pub drivers: &'static [&'static str],
    /// How judges share threads.
    pub lanes: ThreadSharing,
    /// Whether judges keep their context here from turn to turn.
    pub memory: JudgeMemory,
}

/// A backend that holds its judges on threads of this process.
pub struct LocalBackend {
    style: LocalStyle,
    agents: AgentTable,
    open: Option<OpenBackend>,
}

/// What there is between open and close.
struct OpenBackend {
    outlet: EventOutlet,
    seats: BTreeMap<JudgeId, JudgeSlot>,
    shared: Option<WorkerThread>,
    undertaker: GraceWatchdog,
    /// Held by every thread; when the last one lets go, `gone` is disconnected.
    alive: Sender<Infallible>,
    gone: Receiver<Infallible>,
}

/// A judge's events and the thread that it works on; none: it was asked to end.
struct JudgeSlot {
    judge_events: Arc<JudgeEvents>,
    lane: Option<WorkerThread>,
}

impl LocalBackend {
    /// A backend of this style over these agents; nothing runs before it is opened.
    pub fn new(style: LocalStyle, agents: AgentTable) -> Self {
        Self {
            style,
            agents,
            open: None,
        }
    }

    fn open_backend(&mut self) -> Result<&mut OpenBackend, BackendError> {
        self.open.as_mut().ok_or(BackendError::Closed)
    }

    /// Asks the agent, on a thread of its own where it may block: rules answer at once.
    fn probe_seat(&mut self, seat: Seat) -> Result<(), BackendError> {
        let (style, agents) = (self.style.clone(), self.agents.clone());
        let open = self.open_backend()?;
        let (outlet, alive) = (open.outlet.clone(), open.alive.clone());
        if matches!(seat.agent.kind, AgentKind::Builtin { .. }) {
            outlet.emit(probe_event(&style, &agents, seat));
            return Ok(());
        }
        worker_thread::spawn_thread("probe", move || {
            outlet.emit(probe_event(&style, &agents, seat));
            drop(alive);
        })
    }

    fn send_turn(&mut self, judge: &JudgeId, turn: Turn) -> Result<(), BackendError> {
        let place = self.open_backend()?.slot_of(judge)?;
        let Some(stop) = place.judge_events.begin_turn(turn.id) else {
            return Ok(());
        };
        let (judge, id) = (judge.clone(), turn.id);
        // A judge that was asked to end has no thread to take the turn: its events answer for it.
        let lane = place.lane.as_ref();
        if !lane.is_some_and(|lane| lane.send_job(WorkerJob::Turn { judge, turn, stop })) {
            place
                .judge_events
                .settle_turn(id, Err(judge_events::judge_ended()));
        }
        Ok(())
    }
}

impl OpenBackend {
    fn new(outlet: EventOutlet) -> Self {
        let (alive, gone) = channel();
        Self {
            outlet,
            seats: BTreeMap::new(),
            shared: None,
            undertaker: GraceWatchdog::default(),
            alive,
            gone,
        }
    }

    fn slot_of(&mut self, judge: &JudgeId) -> Result<&mut JudgeSlot, BackendError> {
        self.seats
            .get_mut(judge)
            .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))
    }

    fn thread_for(
        &mut self,
        judge: &JudgeId,
        lanes: ThreadSharing,
        agents: &AgentTable,
    ) -> Result<WorkerThread, BackendError> {
        match (lanes, &self.shared) {
            (ThreadSharing::One, Some(lane)) => Ok(lane.clone()),
            (ThreadSharing::One, None) => {
                let lane = WorkerThread::start("judges", agents.clone(), self.alive.clone())?;
                Ok(self.shared.insert(lane).clone())
            }
            (ThreadSharing::PerJudge, _) => {
                WorkerThread::start(judge.as_str(), agents.clone(), self.alive.clone())
            }
        }
    }

    /// Asks everybody to stop and lets go of every thread, so that their threads end.
    fn dismiss_judges(&mut self) {
        self.shared = None;
        for (judge, place) in &mut self.seats {
            place.ask_to_end(judge);
        }
    }

    /// Waits for the threads, at most [`PATIENCE`]; whoever is left then is left behind.
    fn close_threads(mut self) {
        self.dismiss_judges();
        drop(self.alive);
        self.undertaker = GraceWatchdog::default();
        let _ = self.gone.recv_timeout(CLOSE_TIMEOUT);
        self.seats
            .values()
            .for_each(|place| place.judge_events.force_end());
        self.outlet.close();
    }
}

impl JudgeSlot {
    fn ask_to_end(&mut self, judge: &JudgeId) {
        self.judge_events.cancel_turns("the judge was asked to end");
        if let Some(lane) = self.lane.take() {
            lane.send_job(WorkerJob::End {
                judge: judge.clone(),
            });
        }
    }
}

impl Backend for LocalBackend {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: self.style.name.to_owned(),
            version: self.style.version.to_owned(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: self.style.capabilities.clone(),
            limits: Limits::default(),
        }
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        if !hello.protocols.contains(&PROTOCOL_VERSION) {
            let text = format!(
                "{} speaks protocol {PROTOCOL_VERSION} only",
                self.style.name
            );
            return Err(BackendError::Other(text));
        }
        if self.open.is_some() {
            return Err(BackendError::Other(format!(
                "{} is open already",
                self.style.name
            )));
        }
        let outlet = EventOutlet::new(sink);
        outlet.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        self.open = Some(OpenBackend::new(outlet));
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let (lanes, memory, agents) = (self.style.lanes, self.style.memory, self.agents.clone());
        let open = self.open_backend()?;
        let judge = spec.seat.judge.clone();
        if open.seats.contains_key(&judge) {
            return Err(BackendError::Other(format!("{judge} sits already")));
        }
        let lane = open.thread_for(&judge, lanes, &agents)?;
        let judge_events = Arc::new(JudgeEvents::new(judge.clone(), open.outlet.clone()));
        lane.send_job(WorkerJob::Open {
            judge_events: Arc::clone(&judge_events),
            spec,
            memory,
        });
        open.seats.insert(
            judge,
            JudgeSlot {
                judge_events,
                lane: Some(lane),
            },
        );
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        match message {
            Message::Probe { seat } => self.probe_seat(seat),
            Message::Turn { judge, turn } => self.send_turn(&judge, turn),
        }
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.open_backend()?
            .slot_of(judge)?
            .judge_events
            .cancel_turns("the turn was cancelled");
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        let open = self.open_backend()?;
        let place = open.slot_of(judge)?;
        place.ask_to_end(judge);
        let judge_events = Arc::clone(&place.judge_events);
        open.undertaker
            .watch_judge(judge_events, Duration::from_millis(grace_ms));
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        if let Some(open) = self.open.take() {
            open.close_threads();
        }
        Ok(())
    }
}

impl Drop for LocalBackend {
    fn drop(&mut self) {
        if let Some(mut open) = self.open.take() {
            open.dismiss_judges();
        }
    }
}

fn probe_event(style: &LocalStyle, agents: &AgentTable, seat: Seat) -> Event {
    let driver = seat.agent.kind.driver();
    let found = if style.drivers.contains(&driver) {
        agents
            .find_agent(&seat.agent.kind)
            .and_then(|agent| agent.probe_seat(&seat))
    } else {
        let detail = format!("{} cannot run agents of the kind `{driver}`", style.name);
        Err(Failure::new(FailureKind::Unsupported, detail))
    };
    match found {
        Ok(SeatProbe { capabilities, note }) => {
            let mut capabilities = style.capabilities.intersection(&capabilities);
            // Without memory here, what the agent cannot take up again by itself is lost between turns.
            if style.memory == JudgeMemory::Fresh && !capabilities.has(&Capability::Resume) {
                capabilities.remove(&Capability::Message);
            }
            Event::Probed {
                judge: seat.judge,
                capabilities,
                note,
            }
        }
        Err(failure) => Event::Failed {
            judge: seat.judge,
            turn: None,
            failure,
        },
    }
}
