//! What the world hears of one judge: every turn settled once, every judge ended once, in order.

use std::sync::{Mutex, MutexGuard, PoisonError};

use council_protocol::message::Ending;
use council_protocol::{Event, Failure, FailureKind, JudgeId, TurnId};

use crate::{AgentReply, EventOutlet, StopSignal};

/// A judge as its events show it, shared by the thread that works for it and the calls that end it.
pub(super) struct JudgeEvents {
    judge: JudgeId,
    outlet: EventOutlet,
    state: Mutex<TurnState>,
}

struct TurnState {
    life: JudgeLife,
    /// Turns without an answer yet, oldest first.
    open: Vec<(TurnId, StopSignal)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JudgeLife {
    Opening,
    Seated,
    Over,
}

impl JudgeEvents {
    pub(super) fn new(judge: JudgeId, outlet: EventOutlet) -> Self {
        let state = TurnState {
            life: JudgeLife::Opening,
            open: Vec::new(),
        };
        Self {
            judge,
            outlet,
            state: Mutex::new(state),
        }
    }

    pub(super) fn judge_id(&self) -> &JudgeId {
        &self.judge
    }

    /// Whether nothing more is to be said.
    pub(super) fn is_over(&self) -> bool {
        self.lock().life == JudgeLife::Over
    }

    /// The judge is seated. False when nobody waits for it any more.
    pub(super) fn mark_started(&self, pid: Option<u32>) -> bool {
        let mut state = self.lock();
        if state.life != JudgeLife::Opening {
            return false;
        }
        state.life = JudgeLife::Seated;
        self.outlet.emit(Event::Started {
            judge: self.judge.clone(),
            pid,
        });
        true
    }

    /// A turn is on its way to the judge. None when the judge has ended: the turn has failed.
    pub(super) fn begin_turn(&self, turn: TurnId) -> Option<StopSignal> {
        let mut state = self.lock();
        if state.life == JudgeLife::Over {
            self.emit_result(turn, Err(judge_ended()));
            return None;
        }
        let stop = StopSignal::default();
        state.open.push((turn, stop.clone()));
        Some(stop)
    }

    /// A turn came back. Nothing is said when it was settled before.
    pub(super) fn settle_turn(&self, turn: TurnId, result: Result<AgentReply, Failure>) {
        let mut state = self.lock();
        let Some(at) = state.open.iter().position(|(id, _)| *id == turn) else {
            return;
        };
        state.open.remove(at);
        self.emit_result(turn, result);
    }

    /// Settles every open turn as cancelled, whether or not the judge obeys.
    pub(super) fn cancel_turns(&self, why: &str) {
        let stops = self.settle_all(&mut self.lock(), &Failure::new(FailureKind::Cancelled, why));
        // A hook may take long or come back here: not under the lock.
        stops.iter().for_each(StopSignal::raise);
    }

    /// The judge is no more. A judge that never sat has no ending: it failed.
    pub(super) fn end_judge(&self, ending: Ending, failure: &Failure) {
        let stops = {
            let mut state = self.lock();
            let stops = self.settle_all(&mut state, failure);
            let judge = self.judge.clone();
            match std::mem::replace(&mut state.life, JudgeLife::Over) {
                JudgeLife::Opening => {
                    let failure = failure.clone();
                    self.outlet.emit(Event::Failed {
                        judge,
                        turn: None,
                        failure,
                    });
                }
                JudgeLife::Seated => self.outlet.emit(Event::Ended { judge, ending }),
                JudgeLife::Over => {}
            }
            stops
        };
        stops.iter().for_each(StopSignal::raise);
    }

    /// The judge did not end in time: its thread is left behind, and what it still says is not heard.
    pub(super) fn force_end(&self) {
        self.end_judge(
            Ending::Forced,
            &Failure::new(FailureKind::Cancelled, "did not end in its grace"),
        );
    }

    fn settle_all(&self, state: &mut TurnState, failure: &Failure) -> Vec<StopSignal> {
        let open = std::mem::take(&mut state.open);
        let settle = |(turn, stop): (TurnId, StopSignal)| {
            let failure = failure.clone().with_usage(stop.draft().take_spent());
            let failure = failure.with_drafts(stop.draft().take());
            self.emit_result(turn, Err(failure));
            stop
        };
        open.into_iter().map(settle).collect()
    }

    fn emit_result(&self, turn: TurnId, result: Result<AgentReply, Failure>) {
        let judge = self.judge.clone();
        self.outlet.emit(match result {
            Ok(AgentReply { raw, usage }) => Event::Answered {
                judge,
                turn,
                raw,
                usage,
            },
            Err(failure) => Event::Failed {
                judge,
                turn: Some(turn),
                failure,
            },
        });
    }

    fn lock(&self) -> MutexGuard<'_, TurnState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a judge that is gone does not answer.
pub(super) fn judge_ended() -> Failure {
    Failure::new(FailureKind::Died, "the judge has ended")
}
