//! What happens becomes one kind of input.

use std::cell::RefCell;

use council_protocol::message::Ending;
use council_protocol::{Capability, Event, Failure, FailureKind, JudgeId, Location, Millis};

use super::drive::{SessionState, TaggedEvent};
use super::handed::HandedValues;
use crate::council::{CancelCause, Input, TimerId};

impl SessionState<'_> {
    /// Adds to an answer what was looked up for it, with what its judge was shown before.
    fn add_looked_up(&mut self, event: &mut Event) {
        let judge = match event {
            Event::Answered { judge, .. } | Event::Failed { judge, .. } => &*judge,
            _ => return,
        };
        let prompter = self.setting.prompter.as_ref();
        let of_brief = prompter.map_or_else(Vec::new, |prompter| prompter.lines_in_brief(judge));
        let keeps_context = self
            .find_seat(judge)
            .is_some_and(|planned| planned.grant.granted.has(&Capability::Message));
        let packet = &self.setting.packet;
        self.look_ups
            .add_to(packet, &of_brief, keeps_context, event);
    }

    /// An event of a backend.
    pub(super) fn on_event(&mut self, (generation, mut event): TaggedEvent) {
        if generation != self.generation {
            return;
        }
        self.take_out_handed(&mut event);
        if let Some(call) = self.purse.after_event(&mut event, self.council_ms()) {
            self.write_call(&call);
        }
        self.add_looked_up(&mut event);
        let Some(event) = self.on_explorer_event(event) else {
            return;
        };
        match event {
            Event::Started { judge, .. } if self.roll.on_started(&judge) => {
                self.queue_input(Input::Started { judge });
            }
            Event::Started { judge, .. } => self.on_returned(&judge),
            Event::Answered {
                judge,
                turn,
                raw,
                usage,
            } if self.roll.on_answered(&judge, turn) => {
                let (bytes, most) = (raw.len() as u64, self.setting.max_answer_bytes);
                self.queue_input(if bytes > most {
                    let detail = format!("the answer has {bytes} bytes, {most} are allowed");
                    let failure = Failure::new(FailureKind::Oversized, detail).with_usage(usage);
                    let failure = failure.with_unread(raw.as_bytes());
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
            } if self.roll.on_answered(&judge, turn) => {
                let turn = Some(turn);
                self.queue_input(Input::Failed {
                    judge,
                    turn,
                    failure,
                });
            }
            Event::Failed {
                judge,
                turn: None,
                failure,
            } => self.on_judge_lost(judge, failure),
            Event::Ended { judge, ending } => self.on_judge_ended(judge, ending),
            Event::Error { message } => self.log_backend(&message),
            Event::Closed => self.backend_lost(),
            _ => {}
        }
    }

    /// Takes the keys of agents out of what came, before it is written anywhere.
    fn take_out_handed(&mut self, event: &mut Event) {
        let prover = RefCell::new(&mut self.prover);
        let is_reviewed =
            |text: &str, places: &[Location]| prover.borrow_mut().is_reviewed(text, places);
        HandedValues::new(&self.setting.redactor, &is_reviewed).take_out_of_event(event);
    }

    /// A judge is gone, or was never seated.
    pub(super) fn on_judge_lost(&mut self, judge: JudgeId, failure: Failure) {
        if self.roll.on_lost(&judge) {
            let turn = None;
            self.queue_input(Input::Failed {
                judge,
                turn,
                failure,
            });
        }
    }

    /// A judge has ended. One that ends before it was seated could not be seated.
    pub(super) fn on_judge_ended(&mut self, judge: JudgeId, ending: Ending) {
        if self.roll.is_expected(&judge) {
            let failure = Failure::new(FailureKind::Spawn, "it ended before it was seated");
            self.on_judge_lost(judge.clone(), failure);
        }
        if self.roll.on_ended(&judge) {
            self.queue_input(Input::Ended { judge, ending });
        }
    }

    /// The backend is closed, and we did not ask for it. Before anybody sat, the next backend may still take over.
    pub(super) fn backend_lost(&mut self) {
        if std::mem::replace(&mut self.lost, true) {
            return;
        }
        self.log_backend("it closed before the council was over");
        let cancel = Input::Cancel {
            cause: CancelCause::BackendLost,
        };
        if self.roll.has_seated() {
            self.queue_input(cancel);
            self.abandon_judges(Ending::Died, "the backend closed");
        } else {
            self.abandon_judges(Ending::Died, "the backend closed");
            self.queue_input(cancel);
        }
    }

    /// Nobody is there any more.
    pub(super) fn abandon_judges(&mut self, ending: Ending, why: &str) {
        for judge in self.roll.not_ended() {
            if self.roll.is_seated(&judge) {
                self.on_judge_ended(judge, ending);
            } else {
                self.on_judge_lost(judge, Failure::new(FailureKind::Spawn, why));
            }
        }
    }

    /// Hands over the deadlines that have passed, in their order.
    pub(super) fn fire_due_timers(&mut self) {
        let now = self.council_ms();
        let mut due: Vec<(Millis, TimerId)> = self
            .timers
            .iter()
            .map(|(timer, at)| (*at, *timer))
            .filter(|(at, _)| *at <= now)
            .collect();
        due.sort_unstable();
        for (_, timer) in due {
            self.timers.remove(&timer);
            match self.explorers.due_judge(timer) {
                Some(judge) => self.recall_explorers(&judge),
                None => self.queue_input(Input::Deadline { timer }),
            }
        }
    }

    /// How long nothing can ring, in milliseconds; none: there is no deadline.
    pub(super) fn quiet_ms(&self) -> Option<Millis> {
        let next = self.timers.values().min()?;
        Some(next.saturating_sub(self.council_ms()))
    }
}
