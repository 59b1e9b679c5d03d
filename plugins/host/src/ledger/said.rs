//! What the backend says.

use council_protocol::message::Ending;
use council_protocol::{Event, Failure, FailureKind, JudgeId, TurnId};

use super::{ENVELOPE, Judge, LOOSE, Ledger, Phase, STRAY};
use crate::head::Head;

impl Ledger {
    /// The most bytes that any event may have and be read whole.
    pub(crate) fn longest(&self) -> u64 {
        self.judges
            .values()
            .map(Judge::allowance)
            .max()
            .unwrap_or(ENVELOPE)
    }

    /// Whether the program has not opened it yet.
    pub(crate) fn fresh(&self) -> bool {
        self.phase == Phase::Fresh
    }

    /// Whether nothing that it says matters any more.
    pub(crate) fn deaf(&self) -> bool {
        matches!(self.phase, Phase::Fresh | Phase::Dead(_) | Phase::Closed)
    }

    /// Whether everything from this judge is dropped until its next turn; the bytes are counted.
    pub(crate) fn drops(&mut self, head: &Head, bytes: u64) -> bool {
        let muted = |id| self.judges.get(id).is_some_and(|j: &Judge| j.muted);
        let dropped = head.judge.as_ref().is_some_and(muted);
        if dropped {
            self.strayed(bytes);
        }
        dropped
    }

    /// An event of `bytes` bytes on the wire.
    pub(crate) fn event(&mut self, event: Event, bytes: u64) {
        if self.deaf() {
            return;
        }
        if matches!(self.phase, Phase::Opening { .. }) {
            return self.first(event);
        }
        if self.afford(judge_of(&event), bytes) || matches!(event, Event::Ended { .. }) {
            self.accept(event);
        }
    }

    /// What a carrier itself has to say about a call that was refused.
    pub(crate) fn refused(&mut self, event: Event) {
        if !self.deaf() {
            self.accept(event);
        }
    }

    fn accept(&mut self, event: Event) {
        match event {
            Event::Opened { .. } => self.note("said `opened` twice".into()),
            Event::Probed { ref judge, .. } if self.probes.remove(judge) => self.pass(event),
            Event::Probed { judge, .. } => self.note(format!("probed {judge} unasked")),
            Event::Started { ref judge, .. } => {
                let seat = self.judges.get_mut(judge).filter(|j| !j.started);
                match seat.map(|j| j.started = true) {
                    Some(()) => self.pass(event),
                    None => self.odd("started", judge.clone()),
                }
            }
            Event::Answered {
                judge,
                turn,
                raw,
                usage,
            } => match self.take(&judge, turn) {
                Some(limit) if raw.len() as u64 > limit => {
                    self.fail(judge, Some(turn), oversized(raw.len() as u64, limit));
                }
                Some(_) => self.pass(Event::Answered {
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
            } => self.failed(judge, turn, failure),
            Event::Ended { judge, ending } => self.ended(&judge, ending),
            Event::Closed if self.phase == Phase::Closing => {}
            Event::Closed => self.dead("it closed itself"),
            Event::Error { .. } => self.pass(event),
            Event::Unknown => {}
        }
    }

    /// An event of `bytes` bytes that was not read, because it is longer than any judge may send.
    pub(crate) fn flood(&mut self, head: &Head, bytes: u64) {
        if self.deaf() {
            return;
        }
        if let Some(judge) = head
            .judge
            .as_ref()
            .filter(|id| self.judges.contains_key(*id))
        {
            // It is more than its allowance, so there is nothing more to do than to book it.
            self.afford(Some(judge), bytes);
        } else {
            self.strayed(bytes);
            self.note(format!("sent an event of {bytes} bytes, which was dropped"));
        }
    }

    /// An event that is not one.
    pub(crate) fn garbled(&mut self, head: Head, why: &str, bytes: u64) {
        if self.deaf() || !self.afford(head.judge.as_ref(), bytes) {
            return;
        }
        let Some(judge) = head.judge.filter(|id| self.judges.contains_key(id)) else {
            return self.note(format!("sent an event that cannot be read: {why}"));
        };
        let detail = format!("the backend's event about it cannot be read: {why}");
        self.fail_turns(
            &judge,
            head.turn,
            &Failure::new(FailureKind::Malformed, detail),
        );
    }

    /// An event of a type that this version does not know: passed on, and paid for by the judge that it names.
    pub(crate) fn unknown(&mut self, head: &Head, bytes: u64) {
        let open = matches!(self.phase, Phase::Open | Phase::Closing);
        if open && self.afford(head.judge.as_ref(), bytes) {
            self.pass(Event::Unknown);
        }
    }

    /// Errors that came up during a call that was accepted all the same.
    pub(crate) fn errors(&mut self, messages: Vec<String>) {
        if !self.deaf() {
            messages
                .into_iter()
                .for_each(|message| self.pass(Event::Error { message }));
        }
    }

    fn first(&mut self, event: Event) {
        let Phase::Opening { offered, .. } = &self.phase else {
            return;
        };
        match event {
            Event::Opened { protocol } if offered.contains(&protocol) => {
                self.phase = Phase::Open;
                self.pass(event);
            }
            Event::Opened { protocol } => {
                self.dead(&format!(
                    "it chose protocol {protocol}, which it was not offered"
                ));
            }
            Event::Error { .. } => self.pass(event),
            Event::Closed => self.dead("it closed itself"),
            _ => self.note("sent an event before `opened`, which was dropped".into()),
        }
    }

    fn failed(&mut self, judge: JudgeId, turn: Option<TurnId>, failure: Failure) {
        match turn {
            Some(id) => {
                if self.take(&judge, id).is_some() {
                    self.fail(judge, turn, failure);
                }
            }
            None if self.judges.contains_key(&judge) => {
                self.fail_turns(&judge, None, &failure);
                // One that was never seated has no end of its own.
                if self.judges.get(&judge).is_some_and(|j| !j.started) {
                    self.forget(&judge);
                }
                self.fail(judge, None, failure);
            }
            None if self.probes.remove(&judge) => self.fail(judge, None, failure),
            None => self.odd("failed", judge),
        }
    }

    pub(super) fn ended(&mut self, id: &JudgeId, ending: Ending) {
        let Some(judge) = self.judges.get(id) else {
            return;
        };
        let asked = judge.end_by.is_some() || self.phase == Phase::Closing;
        let kind = if asked {
            FailureKind::Cancelled
        } else {
            FailureKind::Died
        };
        let started = judge.started;
        self.fail_turns(id, None, &Failure::new(kind, "the judge ended"));
        self.forget(id);
        if started {
            self.pass(Event::Ended {
                judge: id.clone(),
                ending,
            });
        } else {
            self.fail(
                id.clone(),
                None,
                Failure::new(FailureKind::Spawn, "the judge ended before it was seated"),
            );
        }
    }

    /// Books `bytes` on a judge's account, or on nobody's. False: it has spent what it may.
    fn afford(&mut self, id: Option<&JudgeId>, bytes: u64) -> bool {
        let judge = id.and_then(|id| self.judges.get_mut(id).map(|judge| (id.clone(), judge)));
        let Some((id, judge)) = judge else {
            return self.afford_loose(bytes);
        };
        judge.spent = judge.spent.saturating_add(bytes);
        let (limit, was_muted) = (judge.limit, judge.muted);
        judge.muted |= judge.spent > judge.allowance();
        if !judge.muted {
            return true;
        }
        if was_muted {
            self.strayed(bytes);
        } else {
            let failure = oversized(judge.spent, limit);
            self.effects.cancels.push(id.clone());
            if !self.fail_turns(&id, None, &failure) {
                self.note(format!("let {id} send more than it may: {failure}"));
            }
        }
        false
    }

    /// The same for events that belong to no judge.
    fn afford_loose(&mut self, bytes: u64) -> bool {
        self.loose = self.loose.saturating_add(bytes);
        if self.loose > LOOSE {
            self.strayed(bytes);
        }
        self.loose <= LOOSE
    }

    fn strayed(&mut self, bytes: u64) {
        self.stray = self.stray.saturating_add(bytes);
        if self.stray > STRAY {
            self.dead("it does not stop sending more than it may");
        }
    }
}

fn oversized(bytes: u64, limit: u64) -> Failure {
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
