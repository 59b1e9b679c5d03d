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

use self::chair::Chair;
use self::lane::{Job, Lane};
use self::undertaker::Undertaker;
use crate::{Agents, Memory, Outlet, Probe};

/// How long `close` waits for judges that are asked to stop, before their threads are left behind.
const PATIENCE: Duration = Duration::from_secs(1);

/// How judges share threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// Each judge has its own: they think at the same time.
    PerJudge,
    /// All judges share one: they think one after another.
    One,
}

/// What makes one in-process backend differ from another.
#[derive(Debug, Clone)]
pub struct Style {
    /// The backend's name.
    pub name: &'static str,
    /// The backend's version.
    pub version: &'static str,
    /// What it can do at best.
    pub capabilities: CapabilitySet,
    /// The drivers of agents that it can hold (2-architecture.md, backend × agent).
    pub drivers: &'static [&'static str],
    /// How judges share threads.
    pub lanes: Lanes,
    /// Whether judges keep their context here from turn to turn.
    pub memory: Memory,
}

/// A backend that holds its judges on threads of this process.
pub struct Local {
    style: Style,
    agents: Agents,
    house: Option<House>,
}

/// What there is between open and close.
struct House {
    outlet: Outlet,
    seats: BTreeMap<JudgeId, Place>,
    shared: Option<Lane>,
    undertaker: Undertaker,
    /// Held by every thread; when the last one lets go, `gone` is disconnected.
    alive: Sender<Infallible>,
    gone: Receiver<Infallible>,
}

/// A judge's chair and the lane that it works on; none: it was asked to end.
struct Place {
    chair: Arc<Chair>,
    lane: Option<Lane>,
}

impl Local {
    /// A backend of this style over these agents; nothing runs before it is opened.
    pub fn new(style: Style, agents: Agents) -> Self {
        Self {
            style,
            agents,
            house: None,
        }
    }

    fn house(&mut self) -> Result<&mut House, BackendError> {
        self.house.as_mut().ok_or(BackendError::Closed)
    }

    /// Asks the agent on a thread of its own, since it may block.
    fn probe(&mut self, seat: Seat) -> Result<(), BackendError> {
        let (style, agents) = (self.style.clone(), self.agents.clone());
        let house = self.house()?;
        let (outlet, alive) = (house.outlet.clone(), house.alive.clone());
        lane::thread("probe", move || {
            outlet.emit(probed(&style, &agents, seat));
            drop(alive);
        })
    }

    fn turn(&mut self, judge: &JudgeId, turn: Turn) -> Result<(), BackendError> {
        let place = self.house()?.place(judge)?;
        let Some(stop) = place.chair.expect(turn.id) else {
            return Ok(());
        };
        let (judge, id) = (judge.clone(), turn.id);
        // A judge that was asked to end has no lane to take the turn: its chair answers for it.
        let lane = place.lane.as_ref();
        if !lane.is_some_and(|lane| lane.give(Job::Turn { judge, turn, stop })) {
            place.chair.settle(id, Err(chair::has_ended()));
        }
        Ok(())
    }
}

impl House {
    fn new(outlet: Outlet) -> Self {
        let (alive, gone) = channel();
        Self {
            outlet,
            seats: BTreeMap::new(),
            shared: None,
            undertaker: Undertaker::default(),
            alive,
            gone,
        }
    }

    fn place(&mut self, judge: &JudgeId) -> Result<&mut Place, BackendError> {
        self.seats
            .get_mut(judge)
            .ok_or_else(|| BackendError::UnknownJudge(judge.clone()))
    }

    fn lane(
        &mut self,
        judge: &JudgeId,
        lanes: Lanes,
        agents: &Agents,
    ) -> Result<Lane, BackendError> {
        match (lanes, &self.shared) {
            (Lanes::One, Some(lane)) => Ok(lane.clone()),
            (Lanes::One, None) => {
                let lane = Lane::start("judges", agents.clone(), self.alive.clone())?;
                Ok(self.shared.insert(lane).clone())
            }
            (Lanes::PerJudge, _) => Lane::start(judge.as_str(), agents.clone(), self.alive.clone()),
        }
    }

    /// Asks everybody to stop and lets go of every lane, so that their threads end.
    fn dismiss(&mut self) {
        self.shared = None;
        for (judge, place) in &mut self.seats {
            place.ask_to_end(judge);
        }
    }

    /// Waits for the threads, at most [`PATIENCE`]; whoever is left then is left behind.
    fn close(mut self) {
        self.dismiss();
        drop(self.alive);
        self.undertaker = Undertaker::default();
        let _ = self.gone.recv_timeout(PATIENCE);
        self.seats.values().for_each(|place| place.chair.force());
        self.outlet.close();
    }
}

impl Place {
    fn ask_to_end(&mut self, judge: &JudgeId) {
        self.chair.cancel("the judge was asked to end");
        if let Some(lane) = self.lane.take() {
            lane.give(Job::End {
                judge: judge.clone(),
            });
        }
    }
}

impl Backend for Local {
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
        let outlet = Outlet::new(sink);
        outlet.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        self.house = Some(House::new(outlet));
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let (lanes, memory, agents) = (self.style.lanes, self.style.memory, self.agents.clone());
        let house = self.house()?;
        let judge = spec.seat.judge.clone();
        if house.seats.contains_key(&judge) {
            return Err(BackendError::Other(format!("{judge} sits already")));
        }
        let lane = house.lane(&judge, lanes, &agents)?;
        let chair = Arc::new(Chair::new(judge.clone(), house.outlet.clone()));
        lane.give(Job::Open {
            chair: Arc::clone(&chair),
            spec,
            memory,
        });
        house.seats.insert(
            judge,
            Place {
                chair,
                lane: Some(lane),
            },
        );
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        match message {
            Message::Probe { seat } => self.probe(seat),
            Message::Turn { judge, turn } => self.turn(&judge, turn),
        }
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.house()?
            .place(judge)?
            .chair
            .cancel("the turn was cancelled");
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        let house = self.house()?;
        let place = house.place(judge)?;
        place.ask_to_end(judge);
        let chair = Arc::clone(&place.chair);
        house
            .undertaker
            .watch(chair, Duration::from_millis(grace_ms));
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        if let Some(house) = self.house.take() {
            house.close();
        }
        Ok(())
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if let Some(mut house) = self.house.take() {
            house.dismiss();
        }
    }
}

fn probed(style: &Style, agents: &Agents, seat: Seat) -> Event {
    let driver = seat.agent.kind.driver();
    let found = if style.drivers.contains(&driver) {
        agents
            .find(&seat.agent.kind)
            .and_then(|agent| agent.probe(&seat))
    } else {
        let detail = format!("{} cannot hold agents of the kind `{driver}`", style.name);
        Err(Failure::new(FailureKind::Unsupported, detail))
    };
    match found {
        Ok(Probe { capabilities, note }) => {
            let mut capabilities = style.capabilities.intersection(&capabilities);
            // Without memory here, what the agent cannot take up again by itself is lost between turns.
            if style.memory == Memory::Fresh && !capabilities.has(&Capability::Resume) {
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
