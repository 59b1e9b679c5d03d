//! A thread on which judges take their turns.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use council_protocol::message::Ending;
use council_protocol::{BackendError, FailureKind, JudgeId, JudgeSpec, Turn};

use super::chair::{Chair, has_ended};
use crate::{Agents, Memory, Sitting, Stop};

/// What a lane is given to do, in order.
pub(super) enum Job {
    /// Seat a judge.
    Open {
        /// Its chair.
        chair: Arc<Chair>,
        /// Its seat.
        spec: JudgeSpec,
        /// Whether it keeps its context here.
        memory: Memory,
    },
    /// Answer a turn.
    Turn {
        /// Who.
        judge: JudgeId,
        /// What.
        turn: Turn,
        /// Raised when nobody waits for the answer any more.
        stop: Stop,
    },
    /// End a judge in good order.
    End {
        /// Who.
        judge: JudgeId,
    },
}

/// The giving end of a lane. Its thread ends when every giving end is gone, and ends the judges that still sit.
#[derive(Clone)]
pub(super) struct Lane(Sender<Job>);

impl Lane {
    /// A lane with its thread; `alive` is let go when the thread ends.
    pub(super) fn start(
        name: &str,
        agents: Agents,
        alive: Sender<Infallible>,
    ) -> Result<Self, BackendError> {
        let (giving, taking) = channel();
        thread(name, move || {
            Bench::default().work(&taking, &agents);
            drop(alive);
        })?;
        Ok(Self(giving))
    }

    /// Whether the thread will see the job.
    pub(super) fn give(&self, job: Job) -> bool {
        self.0.send(job).is_ok()
    }
}

/// A named thread, or the reason why there is none.
pub(super) fn thread(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), BackendError> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(body);
    started
        .map(drop)
        .map_err(|e| BackendError::Other(format!("cannot start a thread: {e}")))
}

/// The judges that sit on a lane.
#[derive(Default)]
struct Bench(BTreeMap<JudgeId, (Arc<Chair>, Sitting)>);

impl Bench {
    fn work(mut self, jobs: &Receiver<Job>, agents: &Agents) {
        for job in jobs {
            match job {
                Job::Open {
                    chair,
                    spec,
                    memory,
                } => self.open(chair, spec, memory, agents),
                Job::Turn { judge, turn, stop } => self.turn(&judge, &turn, &stop),
                Job::End { judge } => self.end(&judge),
            }
        }
        let left: Vec<JudgeId> = self.0.keys().cloned().collect();
        left.iter().for_each(|judge| self.end(judge));
    }

    fn open(&mut self, chair: Arc<Chair>, spec: JudgeSpec, memory: Memory, agents: &Agents) {
        let agent = agents.find(&spec.seat.agent.kind);
        match agent.and_then(|agent| Sitting::open(agent, spec, memory)) {
            Ok(sitting) if chair.started(sitting.pid()) => {
                self.0.insert(chair.judge().clone(), (chair, sitting));
            }
            Ok(late) => late.end(),
            Err(failure) => chair.over(Ending::Died, &failure),
        }
    }

    fn turn(&mut self, judge: &JudgeId, turn: &Turn, stop: &Stop) {
        let Some((chair, sitting)) = self.0.get_mut(judge) else {
            return;
        };
        if stop.is_raised() {
            return;
        }
        let result = sitting.turn(turn, stop);
        let death = result
            .as_ref()
            .err()
            .filter(|f| f.kind == FailureKind::Died)
            .cloned();
        chair.settle(turn.id, result);
        if let Some(failure) = death {
            chair.over(Ending::Died, &failure);
            self.0.remove(judge);
        }
    }

    fn end(&mut self, judge: &JudgeId) {
        if let Some((chair, sitting)) = self.0.remove(judge) {
            sitting.end();
            chair.over(Ending::Graceful, &has_ended());
        }
    }
}
