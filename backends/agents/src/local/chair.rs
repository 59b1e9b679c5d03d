//! What the world hears of one judge: every turn settled once, every judge ended once, in order.

use std::sync::{Mutex, MutexGuard, PoisonError};

use council_protocol::message::Ending;
use council_protocol::{Event, Failure, FailureKind, JudgeId, TurnId};

use crate::{Outlet, Reply, Stop};

/// A judge as its events show it, shared by the thread that works for it and the calls that end it.
pub(super) struct Chair {
    judge: JudgeId,
    outlet: Outlet,
    state: Mutex<State>,
}

struct State {
    life: Life,
    /// Turns without an answer yet, oldest first.
    open: Vec<(TurnId, Stop)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Opening,
    Seated,
    Over,
}

impl Chair {
    pub(super) fn new(judge: JudgeId, outlet: Outlet) -> Self {
        let state = State {
            life: Life::Opening,
            open: Vec::new(),
        };
        Self {
            judge,
            outlet,
            state: Mutex::new(state),
        }
    }

    pub(super) fn judge(&self) -> &JudgeId {
        &self.judge
    }

    /// Whether nothing more is to be said.
    pub(super) fn is_over(&self) -> bool {
        self.lock().life == Life::Over
    }

    /// The judge is seated. False when nobody waits for it any more.
    pub(super) fn started(&self, pid: Option<u32>) -> bool {
        let mut state = self.lock();
        if state.life != Life::Opening {
            return false;
        }
        state.life = Life::Seated;
        self.outlet.emit(Event::Started {
            judge: self.judge.clone(),
            pid,
        });
        true
    }

    /// A turn is on its way to the judge. None when the judge has ended: the turn has failed.
    pub(super) fn expect(&self, turn: TurnId) -> Option<Stop> {
        let mut state = self.lock();
        if state.life == Life::Over {
            self.say(turn, Err(has_ended()));
            return None;
        }
        let stop = Stop::default();
        state.open.push((turn, stop.clone()));
        Some(stop)
    }

    /// A turn came back. Nothing is said when it was settled before.
    pub(super) fn settle(&self, turn: TurnId, result: Result<Reply, Failure>) {
        let mut state = self.lock();
        let Some(at) = state.open.iter().position(|(id, _)| *id == turn) else {
            return;
        };
        state.open.remove(at);
        self.say(turn, result);
    }

    /// Settles every open turn as cancelled, whether or not the judge obeys.
    pub(super) fn cancel(&self, why: &str) {
        let stops = self.settle_all(&mut self.lock(), &Failure::new(FailureKind::Cancelled, why));
        // A hook may take long or come back here: not under the lock.
        stops.iter().for_each(Stop::raise);
    }

    /// The judge is no more. A judge that never sat has no ending: it failed.
    pub(super) fn over(&self, ending: Ending, failure: &Failure) {
        let stops = {
            let mut state = self.lock();
            let stops = self.settle_all(&mut state, failure);
            let judge = self.judge.clone();
            match std::mem::replace(&mut state.life, Life::Over) {
                Life::Opening => {
                    let failure = failure.clone();
                    self.outlet.emit(Event::Failed {
                        judge,
                        turn: None,
                        failure,
                    });
                }
                Life::Seated => self.outlet.emit(Event::Ended { judge, ending }),
                Life::Over => {}
            }
            stops
        };
        stops.iter().for_each(Stop::raise);
    }

    /// The judge did not end in time: its thread is left behind, and what it still says is not heard.
    pub(super) fn force(&self) {
        self.over(
            Ending::Forced,
            &Failure::new(FailureKind::Cancelled, "did not end in its grace"),
        );
    }

    fn settle_all(&self, state: &mut State, failure: &Failure) -> Vec<Stop> {
        let open = std::mem::take(&mut state.open);
        let settle = |(turn, stop)| {
            self.say(turn, Err(failure.clone()));
            stop
        };
        open.into_iter().map(settle).collect()
    }

    fn say(&self, turn: TurnId, result: Result<Reply, Failure>) {
        let judge = self.judge.clone();
        self.outlet.emit(match result {
            Ok(Reply { raw, usage }) => Event::Answered {
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a judge that is gone does not answer.
pub(super) fn has_ended() -> Failure {
    Failure::new(FailureKind::Died, "the judge has ended")
}
