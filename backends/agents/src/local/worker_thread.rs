//! A thread on which judges take their turns.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use council_protocol::message::Ending;
use council_protocol::{BackendError, FailureKind, JudgeId, JudgeSpec, Turn};

use super::judge_events::{JudgeEvents, judge_ended};
use crate::{AgentTable, JudgeMemory, SeatedJudge, StopSignal};

/// What a thread is given to do, in order.
pub(super) enum WorkerJob {
    /// Seat a judge.
    Open {
        judge_events: Arc<JudgeEvents>,
        spec: JudgeSpec,
        /// Whether it keeps its context here.
        memory: JudgeMemory,
    },
    /// Answer a turn.
    Turn {
        judge: JudgeId,
        turn: Turn,
        /// Raised when nobody waits for the answer any more.
        stop: StopSignal,
    },
    /// End a judge in good order.
    End { judge: JudgeId },
}

/// The giving end of a thread. Its thread ends when every giving end is gone, and ends the judges that still sit.
#[derive(Clone)]
pub(super) struct WorkerThread(Sender<WorkerJob>);

impl WorkerThread {
    /// A thread with its queue; `alive` is let go when the thread ends.
    pub(super) fn start(
        name: &str,
        agents: AgentTable,
        alive: Sender<Infallible>,
    ) -> Result<Self, BackendError> {
        let (giving, taking) = channel();
        spawn_thread(name, move || {
            SeatedJudges::default().run_jobs(&taking, &agents);
            drop(alive);
        })?;
        Ok(Self(giving))
    }

    /// Whether the thread will see the job.
    pub(super) fn send_job(&self, job: WorkerJob) -> bool {
        self.0.send(job).is_ok()
    }
}

/// A named thread, or the reason why there is none.
pub(super) fn spawn_thread(
    name: &str,
    body: impl FnOnce() + Send + 'static,
) -> Result<(), BackendError> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(body);
    started
        .map(drop)
        .map_err(|e| BackendError::Other(format!("cannot start a thread: {e}")))
}

/// The judges that sit on a thread.
#[derive(Default)]
struct SeatedJudges(BTreeMap<JudgeId, (Arc<JudgeEvents>, SeatedJudge)>);

impl SeatedJudges {
    fn run_jobs(mut self, jobs: &Receiver<WorkerJob>, agents: &AgentTable) {
        for job in jobs {
            match job {
                WorkerJob::Open {
                    judge_events,
                    spec,
                    memory,
                } => self.open_judge(judge_events, spec, memory, agents),
                WorkerJob::Turn { judge, turn, stop } => self.take_turn(&judge, &turn, &stop),
                WorkerJob::End { judge } => self.end_judge(&judge),
            }
        }
        let left: Vec<JudgeId> = self.0.keys().cloned().collect();
        left.iter().for_each(|judge| self.end_judge(judge));
    }

    fn open_judge(
        &mut self,
        judge_events: Arc<JudgeEvents>,
        spec: JudgeSpec,
        memory: JudgeMemory,
        agents: &AgentTable,
    ) {
        let agent = agents.find_agent(&spec.seat.agent.kind);
        match agent.and_then(|agent| SeatedJudge::open(agent, spec, memory)) {
            Ok(sitting) if judge_events.mark_started(sitting.pid()) => {
                self.0
                    .insert(judge_events.judge_id().clone(), (judge_events, sitting));
            }
            Ok(late) => late.end(),
            Err(failure) => judge_events.end_judge(Ending::Died, &failure),
        }
    }

    fn take_turn(&mut self, judge: &JudgeId, turn: &Turn, stop: &StopSignal) {
        let Some((judge_events, sitting)) = self.0.get_mut(judge) else {
            return;
        };
        if stop.is_raised() {
            return;
        }
        let result = sitting.take_turn(turn, stop);
        let death = result
            .as_ref()
            .err()
            .filter(|f| f.kind == FailureKind::Died)
            .cloned();
        judge_events.settle_turn(turn.id, result);
        if let Some(failure) = death {
            judge_events.end_judge(Ending::Died, &failure);
            self.0.remove(judge);
        }
    }

    fn end_judge(&mut self, judge: &JudgeId) {
        if let Some((judge_events, sitting)) = self.0.remove(judge) {
            sitting.end();
            judge_events.end_judge(Ending::Graceful, &judge_ended());
        }
    }
}
