//! Judges held in this process: the backends `teams` and `inline` are two styles of it.

mod chair;
mod lane;
#[cfg(test)]
mod tests;
mod undertaker;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use council_protocol::message::{Hello, Manifest};
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, Event, Failure, FailureKind, JudgeId,
    JudgeSpec, Limits, Message, PROTOCOL_VERSION, Seat, Sink, Turn,
};

use self::chair::JudgeEvents;
use self::lane::{WorkerJob, WorkerThread};
use self::undertaker::GraceWatchdog;
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
    /// The drivers of agents that it can hold (2-architecture.md, backend × agent).
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
    house: Option<OpenBackend>,
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

/// A judge's chair and the lane that it works on; none: it was asked to end.
struct JudgeSlot {
    chair: Arc<JudgeEvents>,
    lane: Option<WorkerThread>,
}

impl LocalBackend {
    /// A backend of this style over these agents; nothing runs before it is opened.
    pub fn new(style: LocalStyle, agents: AgentTable) -> Self {
        Self {
            style,
            agents,
            house: None,
        }
    }

    fn open_backend(&mut self) -> Result<&mut OpenBackend, BackendError> {
        self.house.as_mut().ok_or(BackendError::Closed)
    }

    /// Asks the agent on a thread of its own, since it may block.
    fn probe_seat(&mut self, seat: Seat) -> Result<(), BackendError> {
        let (style, agents) = (self.style.clone(), self.agents.clone());
        let house = self.open_backend()?;
        let (outlet, alive) = (house.outlet.clone(), house.alive.clone());
        lane::spawn_thread("probe", move || {
            outlet.emit(probe_event(&style, &agents, seat));
            drop(alive);
        })
    }

    fn send_turn(&mut self, judge: &JudgeId, turn: Turn) -> Result<(), BackendError> {
        let place = self.open_backend()?.slot_of(judge)?;
        let Some(stop) = place.chair.begin_turn(turn.id) else {
            return Ok(());
        };
        let (judge, id) = (judge.clone(), turn.id);
        // A judge that was asked to end has no lane to take the turn: its chair answers for it.
        let lane = place.lane.as_ref();
        if !lane.is_some_and(|lane| lane.send_job(WorkerJob::Turn { judge, turn, stop })) {
            place.chair.settle_turn(id, Err(chair::judge_ended()));
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

    /// Asks everybody to stop and lets go of every lane, so that their threads end.
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
            .for_each(|place| place.chair.force_end());
        self.outlet.close();
    }
}

impl JudgeSlot {
    fn ask_to_end(&mut self, judge: &JudgeId) {
        self.chair.cancel_turns("the judge was asked to end");
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
        if self.house.is_some() {
            return Err(BackendError::Other(format!(
                "{} is open already",
                self.style.name
            )));
        }
        let outlet = EventOutlet::new(sink);
        outlet.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        self.house = Some(OpenBackend::new(outlet));
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let (lanes, memory, agents) = (self.style.lanes, self.style.memory, self.agents.clone());
        let house = self.open_backend()?;
        let judge = spec.seat.judge.clone();
        if house.seats.contains_key(&judge) {
            return Err(BackendError::Other(format!("{judge} sits already")));
        }
        let lane = house.thread_for(&judge, lanes, &agents)?;
        let chair = Arc::new(JudgeEvents::new(judge.clone(), house.outlet.clone()));
        lane.send_job(WorkerJob::Open {
            chair: Arc::clone(&chair),
            spec,
            memory,
        });
        house.seats.insert(
            judge,
            JudgeSlot {
                chair,
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
            .chair
            .cancel_turns("the turn was cancelled");
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        let house = self.open_backend()?;
        let place = house.slot_of(judge)?;
        place.ask_to_end(judge);
        let chair = Arc::clone(&place.chair);
        house
            .undertaker
            .watch_judge(chair, Duration::from_millis(grace_ms));
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        if let Some(house) = self.house.take() {
            house.close_threads();
        }
        Ok(())
    }
}

impl Drop for LocalBackend {
    fn drop(&mut self) {
        if let Some(mut house) = self.house.take() {
            house.dismiss_judges();
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
        let detail = format!("{} cannot hold agents of the kind `{driver}`", style.name);
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
