//! What happens becomes one kind of input.

use council_protocol::message::Ending;
use council_protocol::{Event, Failure, FailureKind, JudgeId, Millis};

use super::drive::{Drive, Tagged};
use crate::council::{CancelCause, Input, TimerId};

impl Drive<'_> {
    /// An event of a backend.
    pub(super) fn hear(&mut self, (generation, mut event): Tagged) {
        if generation != self.generation {
            return;
        }
        if let Some(call) = self.purse.after(&mut event, self.now()) {
            self.write_call(&call);
        }
        let Some(event) = self.hear_explorer(event) else {
            return;
        };
        match event {
            Event::Started { judge, .. } if self.roll.started(&judge) => {
                self.arrive(Input::Started { judge });
            }
            Event::Started { judge, .. } => self.returned(&judge),
            Event::Answered {
                judge,
                turn,
                raw,
                usage,
            } if self.roll.answered(&judge, turn) => {
                let (bytes, most) = (raw.len() as u64, self.setting.max_answer_bytes);
                self.arrive(if bytes > most {
                    let detail = format!("the answer has {bytes} bytes, {most} are allowed");
                    let failure = Failure::new(FailureKind::Oversized, detail);
                    let turn = Some(turn);
                    Input::Failed {
                        judge,
                        turn,
                        failure,
                    }
                } else {
                    let raw = raw.into();
                    Input::Answered {
                        judge,
                        turn,
                        raw,
                        usage,
                    }
                });
            }
            Event::Failed {
                judge,
                turn: Some(turn),
                failure,
            } if self.roll.answered(&judge, turn) => {
                let turn = Some(turn);
                self.arrive(Input::Failed {
                    judge,
                    turn,
                    failure,
                });
            }
            Event::Failed {
                judge,
                turn: None,
                failure,
            } => self.lose(judge, failure),
            Event::Ended { judge, ending } => self.end(judge, ending),
            Event::Error { message } => self.say_of_backend(&message),
            Event::Closed => self.backend_lost(),
            _ => {}
        }
    }

    /// A judge is gone, or was never seated.
    pub(super) fn lose(&mut self, judge: JudgeId, failure: Failure) {
        if self.roll.lost(&judge) {
            let turn = None;
            self.arrive(Input::Failed {
                judge,
                turn,
                failure,
            });
        }
    }

    /// A judge has ended. One that ends before it was seated could not be seated.
    pub(super) fn end(&mut self, judge: JudgeId, ending: Ending) {
        if self.roll.is_expected(&judge) {
            let failure = Failure::new(FailureKind::Spawn, "it ended before it was seated");
            self.lose(judge.clone(), failure);
        }
        if self.roll.ended(&judge) {
            self.arrive(Input::Ended { judge, ending });
        }
    }

    /// The backend is closed, and we did not ask for it. Before anybody sat, the next backend may still take over.
    pub(super) fn backend_lost(&mut self) {
        if std::mem::replace(&mut self.lost, true) {
            return;
        }
        self.say_of_backend("it closed before the council was over");
        let cancel = Input::Cancel {
            cause: CancelCause::BackendLost,
        };
        if self.roll.has_seated() {
            self.arrive(cancel);
            self.abandon(Ending::Died, "the backend closed");
        } else {
            self.abandon(Ending::Died, "the backend closed");
            self.arrive(cancel);
        }
    }

    /// Nobody is there any more.
    pub(super) fn abandon(&mut self, ending: Ending, why: &str) {
        for judge in self.roll.left() {
            if self.roll.is_seated(&judge) {
                self.end(judge, ending);
            } else {
                self.lose(judge, Failure::new(FailureKind::Spawn, why));
            }
        }
    }

    /// Hands over the deadlines that have passed, in their order.
    pub(super) fn ring(&mut self) {
        let now = self.now();
        let mut due: Vec<(Millis, TimerId)> = self
            .timers
            .iter()
            .map(|(timer, at)| (*at, *timer))
            .filter(|(at, _)| *at <= now)
            .collect();
        due.sort_unstable();
        for (_, timer) in due {
            self.timers.remove(&timer);
            match self.explorers.due(timer) {
                Some(judge) => self.recall_explorers(&judge),
                None => self.arrive(Input::Deadline { timer }),
            }
        }
    }

    /// How long nothing can ring, in milliseconds; none: there is no deadline.
    pub(super) fn quiet_ms(&self) -> Option<Millis> {
        let next = self.timers.values().min()?;
        Some(next.saturating_sub(self.now()))
    }
}
