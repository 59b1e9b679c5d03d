//! What the backend says.

use council_protocol::message::Ending;
use council_protocol::{Event, Failure, FailureKind, JudgeId, TurnId};

use super::{CallLedger, ENVELOPE, LOOSE, LedgerJudge, LedgerPhase, STRAY};
use crate::head::EventHead;

impl CallLedger {
    /// The most bytes that any event may have and be read whole.
    pub(crate) fn max_event_bytes(&self) -> u64 {
        self.judges
            .values()
            .map(LedgerJudge::byte_allowance)
            .max()
            .unwrap_or(ENVELOPE)
    }

    /// Whether the program has not opened it yet.
    pub(crate) fn fresh_line(&self) -> bool {
        self.phase == LedgerPhase::Fresh
    }

    /// Whether nothing that it says matters any more.
    pub(crate) fn is_deaf(&self) -> bool {
        matches!(
            self.phase,
            LedgerPhase::Fresh | LedgerPhase::Dead(_) | LedgerPhase::Closed
        )
    }

    /// Whether everything from this judge is dropped until its next turn; the bytes are counted.
    pub(crate) fn drops_event(&mut self, head: &EventHead, bytes: u64) -> bool {
        let muted = |id| self.judges.get(id).is_some_and(|j: &LedgerJudge| j.muted);
        let dropped = head.judge.as_ref().is_some_and(muted);
        if dropped {
            self.on_stray(bytes);
        }
        dropped
    }

    /// An event of `bytes` bytes on the wire.
    pub(crate) fn on_event(&mut self, event: Event, bytes: u64) {
        if self.is_deaf() {
            return;
        }
        if matches!(self.phase, LedgerPhase::Opening { .. }) {
            return self.on_first_event(event);
        }
        if self.spend_bytes(judge_of(&event), bytes) || matches!(event, Event::Ended { .. }) {
            self.accept_event(event);
        }
    }

    /// What a carrier itself has to say about a call that was refused.
    pub(crate) fn on_refused(&mut self, event: Event) {
        if !self.is_deaf() {
            self.accept_event(event);
        }
    }

    fn accept_event(&mut self, event: Event) {
        match event {
            Event::Opened { .. } => self.log_note("said `opened` twice".into()),
            Event::Probed { ref judge, .. } if self.probes.remove(judge) => self.pass_event(event),
            Event::Probed { judge, .. } => self.log_note(format!("probed {judge} unasked")),
            Event::Started { ref judge, .. } => {
                let seat = self.judges.get_mut(judge).filter(|j| !j.started);
                match seat.map(|j| j.started = true) {
                    Some(()) => self.pass_event(event),
                    None => self.log_oddity("started", judge.clone()),
                }
            }
            Event::Answered {
                judge,
                turn,
                raw,
                usage,
            } => match self.take_effects(&judge, turn) {
                Some(limit) if raw.len() as u64 > limit => {
                    self.fail_turn(
                        judge,
                        Some(turn),
                        oversized_failure(raw.len() as u64, limit),
                    );
                }
                Some(_) => self.pass_event(Event::Answered {
                    judge,
                    turn,
                    raw,
                    usage,
                }),
                None => {}
            },
            Event::Failed {
                judge,
                turn,
                failure,
            } => self.on_failed(judge, turn, failure),
            Event::Ended { judge, ending } => self.on_ended(&judge, ending),
            Event::Closed if self.phase == LedgerPhase::Closing => {}
            Event::Closed => self.on_death("it closed itself"),
            Event::Error { .. } => self.pass_event(event),
            Event::Unknown => {}
        }
    }

    /// An event of `bytes` bytes that was not read, because it is longer than any judge may send.
    pub(crate) fn on_flood(&mut self, head: &EventHead, bytes: u64) {
        if self.is_deaf() {
            return;
        }
        if let Some(judge) = head
            .judge
            .as_ref()
            .filter(|id| self.judges.contains_key(*id))
        {
            // It is more than its allowance, so there is nothing more to do than to book it.
            self.spend_bytes(Some(judge), bytes);
        } else {
            self.on_stray(bytes);
            self.log_note(format!("sent an event of {bytes} bytes, which was dropped"));
        }
    }

    /// An event that is not one.
    pub(crate) fn on_garbled(&mut self, head: EventHead, why: &str, bytes: u64) {
        if self.is_deaf() || !self.spend_bytes(head.judge.as_ref(), bytes) {
            return;
        }
        let Some(judge) = head.judge.filter(|id| self.judges.contains_key(id)) else {
            return self.log_note(format!("sent an event that cannot be read: {why}"));
        };
        let detail = format!("the backend's event about it cannot be read: {why}");
        self.fail_turns(
            &judge,
            head.turn,
            &Failure::new(FailureKind::Malformed, detail),
        );
    }

    /// An event of a type that this version does not know: passed on, and paid for by the judge that it names.
    pub(crate) fn on_unknown(&mut self, head: &EventHead, bytes: u64) {
        let open = matches!(self.phase, LedgerPhase::Open | LedgerPhase::Closing);
        if open && self.spend_bytes(head.judge.as_ref(), bytes) {
            self.pass_event(Event::Unknown);
        }
    }

    /// Errors that came up during a call that was accepted all the same.
    pub(crate) fn on_errors(&mut self, messages: Vec<String>) {
        if !self.is_deaf() {
            messages
                .into_iter()
                .for_each(|message| self.pass_event(Event::Error { message }));
        }
    }

    fn on_first_event(&mut self, event: Event) {
        let LedgerPhase::Opening { offered, .. } = &self.phase else {
            return;
        };
        match event {
            Event::Opened { protocol } if offered.contains(&protocol) => {
                self.phase = LedgerPhase::Open;
                self.pass_event(event);
            }
            Event::Opened { protocol } => {
                self.on_death(&format!(
                    "it chose protocol {protocol}, which it was not offered"
                ));
            }
            Event::Error { .. } => self.pass_event(event),
            Event::Closed => self.on_death("it closed itself"),
            _ => self.log_note("sent an event before `opened`, which was dropped".into()),
        }
    }

    fn on_failed(&mut self, judge: JudgeId, turn: Option<TurnId>, failure: Failure) {
        match turn {
            Some(id) => {
                if self.take_effects(&judge, id).is_some() {
                    self.fail_turn(judge, turn, failure);
                }
            }
            None if self.judges.contains_key(&judge) => {
                self.fail_turns(&judge, None, &failure);
                // One that was never seated has no end of its own.
                if self.judges.get(&judge).is_some_and(|j| !j.started) {
                    self.forget_judge(&judge);
                }
                self.fail_turn(judge, None, failure);
            }
            None if self.probes.remove(&judge) => self.fail_turn(judge, None, failure),
            None => self.log_oddity("failed", judge),
        }
    }

    pub(super) fn on_ended(&mut self, id: &JudgeId, ending: Ending) {
        let Some(judge) = self.judges.get(id) else {
            return;
        };
        let asked = judge.end_by.is_some() || self.phase == LedgerPhase::Closing;
        let kind = if asked {
            FailureKind::Cancelled
        } else {
            FailureKind::Died
        };
        let started = judge.started;
        self.fail_turns(id, None, &Failure::new(kind, "the judge ended"));
        self.forget_judge(id);
        if started {
            self.pass_event(Event::Ended {
                judge: id.clone(),
                ending,
            });
        } else {
            self.fail_turn(
                id.clone(),
                None,
                Failure::new(FailureKind::Spawn, "the judge ended before it was seated"),
            );
        }
    }

    /// Books `bytes` on a judge's account, or on nobody's. False: it has spent what it may.
    fn spend_bytes(&mut self, id: Option<&JudgeId>, bytes: u64) -> bool {
        let judge = id.and_then(|id| self.judges.get_mut(id).map(|judge| (id.clone(), judge)));
        let Some((id, judge)) = judge else {
            return self.afford_loose(bytes);
        };
        judge.spent = judge.spent.saturating_add(bytes);
        let (limit, was_muted) = (judge.limit, judge.muted);
        judge.muted |= judge.spent > judge.byte_allowance();
        if !judge.muted {
            return true;
        }
        if was_muted {
            self.on_stray(bytes);
        } else {
            let failure = oversized_failure(judge.spent, limit);
            self.effects.cancels.push(id.clone());
            if !self.fail_turns(&id, None, &failure) {
                self.log_note(format!("let {id} send more than it may: {failure}"));
            }
        }
        false
    }

    /// The same for events that belong to no judge.
    fn afford_loose(&mut self, bytes: u64) -> bool {
        self.loose = self.loose.saturating_add(bytes);
        if self.loose > LOOSE {
            self.on_stray(bytes);
        }
        self.loose <= LOOSE
    }

    fn on_stray(&mut self, bytes: u64) {
        self.stray = self.stray.saturating_add(bytes);
        if self.stray > STRAY {
            self.on_death("it does not stop sending more than it may");
        }
    }
}

fn oversized_failure(bytes: u64, limit: u64) -> Failure {
    let detail =
        format!("it has sent {bytes} bytes and an answer may have {limit}; nothing of it is used");
    Failure::new(FailureKind::Oversized, detail)
}

fn judge_of(event: &Event) -> Option<&JudgeId> {
    match event {
        Event::Probed { judge, .. }
        | Event::Started { judge, .. }
        | Event::Answered { judge, .. }
        | Event::Failed { judge, .. }
        | Event::Ended { judge, .. } => Some(judge),
        Event::Opened { .. } | Event::Error { .. } | Event::Closed | Event::Unknown => None,
    }
}
