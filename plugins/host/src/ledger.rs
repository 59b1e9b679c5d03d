//! Who was asked what, what each judge may still send, and until when: the rules that hold for every carrier, as plain
//! functions over time that is handed in.
//!
//! Whatever a plugin does, the program sees one outcome for each turn, one end for each judge, and nothing after
//! `closed`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use council_protocol::message::{Ending, Hello, Message};
use council_protocol::{BackendError, Event, Failure, FailureKind, JudgeId, JudgeSpec, TurnId};

use crate::Patience;
use crate::head::Head;

/// What an event may have beside the answer in it.
const ENVELOPE: u64 = 64 * 1024;
/// Bytes that one byte of an answer may take as JSON (`\u0000`).
const ESCAPED: u64 = 6;
/// Bytes beyond every budget after which a session is given up altogether.
const STRAY: u64 = 256 * 1024 * 1024;
/// Complaints about one plugin that are passed on.
const NOTES: u32 = 32;

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// Not opened by the program yet.
    Fresh,
    /// Waiting for `opened`.
    Opening {
        until: Instant,
        offered: Vec<u32>,
    },
    Open,
    /// The program has asked it to close.
    Closing,
    /// It is gone, and why.
    Dead(String),
    Closed,
}

#[derive(Debug)]
struct Judge {
    /// The most bytes that an answer may have.
    limit: u64,
    /// Bytes of events since the last turn was sent.
    spent: u64,
    /// It has spent more than it may; nothing is taken from it until its next turn.
    muted: bool,
    started: bool,
    /// Turns without an outcome, and when they time out.
    turns: BTreeMap<TurnId, (Instant, u64)>,
    /// When its end is declared if it does not come.
    end_by: Option<Instant>,
}

impl Judge {
    fn allowance(&self) -> u64 {
        self.limit.saturating_mul(ESCAPED).saturating_add(ENVELOPE)
    }
}

/// What the rules have led to and is still to be handed on.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) events: Vec<Event>,
    /// Judges whom the backend is to be asked to cancel.
    pub(crate) cancels: Vec<JudgeId>,
}

#[derive(Debug)]
pub(crate) struct Ledger {
    patience: Patience,
    phase: Phase,
    judges: BTreeMap<JudgeId, Judge>,
    gone: BTreeSet<JudgeId>,
    probes: BTreeSet<JudgeId>,
    stray: u64,
    notes: u32,
    pub(crate) effects: Effects,
}

impl Ledger {
    pub(crate) fn new(patience: Patience) -> Self {
        Self {
            patience,
            phase: Phase::Fresh,
            judges: BTreeMap::new(),
            gone: BTreeSet::new(),
            probes: BTreeSet::new(),
            stray: 0,
            notes: 0,
            effects: Effects::default(),
        }
    }
}

/// What the program asks for.
impl Ledger {
    pub(crate) fn open(&mut self, hello: &Hello, now: Instant) -> Result<(), BackendError> {
        if self.phase != Phase::Fresh {
            return Err(self
                .refusal()
                .unwrap_or(BackendError::Other("it was opened already".into())));
        }
        let until = now + self.patience.start;
        self.phase = Phase::Opening {
            until,
            offered: hello.protocols.clone(),
        };
        Ok(())
    }

    pub(crate) fn spawn(&mut self, spec: &JudgeSpec) -> Result<(), BackendError> {
        self.usable()?;
        let id = &spec.seat.judge;
        if self.judges.contains_key(id) || self.gone.contains(id) {
            return Err(BackendError::Other(format!(
                "the name {id} was given away before"
            )));
        }
        let judge = Judge {
            limit: spec.max_answer_bytes,
            spent: 0,
            muted: false,
            started: false,
            turns: BTreeMap::new(),
            end_by: None,
        };
        self.judges.insert(id.clone(), judge);
        Ok(())
    }

    pub(crate) fn send(&mut self, message: &Message, now: Instant) -> Result<(), BackendError> {
        self.usable()?;
        match message {
            Message::Probe { seat } => {
                self.probes.insert(seat.judge.clone());
            }
            Message::Turn { judge, turn } => {
                let seated = self.seated(judge)?;
                let until = now + Duration::from_millis(turn.timeout_ms);
                seated.turns.insert(turn.id, (until, turn.timeout_ms));
                (seated.spent, seated.muted) = (0, false);
            }
        }
        Ok(())
    }

    pub(crate) fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.usable()?;
        self.seated(judge).map(|_| ())
    }

    pub(crate) fn shutdown(
        &mut self,
        id: &JudgeId,
        grace_ms: u64,
        now: Instant,
    ) -> Result<(), BackendError> {
        self.usable()?;
        let end_by = now + Duration::from_millis(grace_ms) + self.patience.margin;
        self.seated(id)?.end_by = Some(end_by);
        Ok(())
    }

    /// The backend is about to be closed; says how long to wait for it.
    pub(crate) fn closing(&mut self, now: Instant) -> Duration {
        if !matches!(self.phase, Phase::Dead(_) | Phase::Closed) {
            self.phase = Phase::Closing;
        }
        let last_end = self.judges.values().filter_map(|j| j.end_by).max();
        let left = last_end
            .map(|by| by.saturating_duration_since(now))
            .unwrap_or_default();
        left.max(self.patience.margin)
    }

    fn usable(&self) -> Result<(), BackendError> {
        self.refusal().map_or(Ok(()), Err)
    }

    fn refusal(&self) -> Option<BackendError> {
        match &self.phase {
            Phase::Opening { .. } | Phase::Open => None,
            Phase::Dead(why) => Some(BackendError::Other(why.clone())),
            Phase::Fresh | Phase::Closing | Phase::Closed => Some(BackendError::Closed),
        }
    }

    fn seated(&mut self, id: &JudgeId) -> Result<&mut Judge, BackendError> {
        self.judges
            .get_mut(id)
            .ok_or_else(|| BackendError::UnknownJudge(id.clone()))
    }
}

/// What the backend says.
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
            Event::Error { .. } | Event::Unknown => self.pass(event),
        }
    }

    /// An event of `bytes` bytes that was not read, because it is longer than any judge may send.
    pub(crate) fn flood(&mut self, head: &Head, bytes: u64) {
        if !self.deaf() && self.afford(head.judge.as_ref(), bytes) {
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
            None => self.odd("failed", judge),
        }
    }

    fn ended(&mut self, id: &JudgeId, ending: Ending) {
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
        let Some((id, judge)) = id.and_then(|id| self.judges.get_mut(id).map(|j| (id.clone(), j)))
        else {
            self.strayed(bytes.saturating_sub(ENVELOPE / 64));
            return !self.deaf();
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

    fn strayed(&mut self, bytes: u64) {
        self.stray = self.stray.saturating_add(bytes);
        if self.stray > STRAY {
            self.dead("it does not stop sending more than it may");
        }
    }
}

/// Time, and ends that nobody reports.
impl Ledger {
    /// When [`Self::expire`] has something to do next.
    pub(crate) fn due(&self) -> Option<Instant> {
        let opening = match &self.phase {
            Phase::Opening { until, .. } => Some(*until),
            _ => None,
        };
        let judges = self.judges.values();
        let turns = judges
            .flat_map(|j| j.turns.values().map(|t| t.0).chain(j.end_by))
            .min();
        opening.into_iter().chain(turns).min()
    }

    /// Whether nothing will ever be due again.
    pub(crate) fn finished(&self) -> bool {
        matches!(self.phase, Phase::Dead(_) | Phase::Closed)
    }

    /// Declares what is over time.
    pub(crate) fn expire(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Opening { until, .. } if until <= now) {
            return self.dead("it did not open in time");
        }
        let ids: Vec<JudgeId> = self.judges.keys().cloned().collect();
        for id in ids {
            self.expire_judge(&id, now);
        }
    }

    fn expire_judge(&mut self, id: &JudgeId, now: Instant) {
        let Some(judge) = self.judges.get_mut(id) else {
            return;
        };
        let late = judge
            .turns
            .extract_if(.., |_, (until, _)| *until <= now)
            .collect::<Vec<_>>();
        let overdue = judge.end_by.is_some_and(|by| by <= now);
        for (turn, (_, timeout_ms)) in late {
            let detail = format!(
                "no answer within {} s",
                Duration::from_millis(timeout_ms).as_secs_f32()
            );
            self.fail(
                id.clone(),
                Some(turn),
                Failure::new(FailureKind::Timeout, detail),
            );
            self.effects.cancels.push(id.clone());
        }
        if overdue {
            self.note(format!(
                "did not end {id} after its grace; it is left to the backend's close"
            ));
            self.ended(id, Ending::Forced);
        }
    }

    /// The backend is gone: every turn has died and every judge with it.
    pub(crate) fn dead(&mut self, why: &str) {
        if matches!(self.phase, Phase::Closing | Phase::Dead(_) | Phase::Closed) {
            return;
        }
        self.end_all(FailureKind::Died, Ending::Died, why);
        self.phase = Phase::Dead(format!("the backend is gone: {why}"));
        self.pass(Event::Error {
            message: format!("the backend is gone: {why}"),
        });
    }

    /// The backend has been closed, or has been given up.
    pub(crate) fn closed(&mut self) {
        if self.phase == Phase::Closed {
            return;
        }
        self.end_all(
            FailureKind::Cancelled,
            Ending::Forced,
            "the backend was closed",
        );
        self.phase = Phase::Closed;
        self.pass(Event::Closed);
    }

    fn end_all(&mut self, kind: FailureKind, ending: Ending, why: &str) {
        let failure = Failure::new(kind, why);
        let ids: Vec<JudgeId> = self.judges.keys().cloned().collect();
        for id in ids {
            self.fail_turns(&id, None, &failure);
            let started = self.judges.get(&id).is_some_and(|j| j.started);
            self.forget(&id);
            if started {
                self.pass(Event::Ended { judge: id, ending });
            } else {
                self.fail(id, None, Failure::new(FailureKind::Spawn, why));
            }
        }
    }
}

/// Bookkeeping.
impl Ledger {
    /// Closes a turn; gives the most bytes that its answer may have. None: it has its outcome, or was never asked.
    fn take(&mut self, judge: &JudgeId, turn: TurnId) -> Option<u64> {
        let judge = self.judges.get_mut(judge)?;
        judge.turns.remove(&turn).map(|_| judge.limit)
    }

    /// Fails one open turn of a judge, or all. False: there was none.
    fn fail_turns(&mut self, id: &JudgeId, only: Option<TurnId>, failure: &Failure) -> bool {
        let Some(judge) = self.judges.get_mut(id) else {
            return false;
        };
        let concerned = |turn: &TurnId, _: &mut _| only.is_none_or(|id| id == *turn);
        let turns: Vec<TurnId> = judge
            .turns
            .extract_if(.., concerned)
            .map(|(turn, _)| turn)
            .collect();
        for turn in &turns {
            self.fail(id.clone(), Some(*turn), failure.clone());
        }
        !turns.is_empty()
    }

    fn forget(&mut self, id: &JudgeId) {
        self.judges.remove(id);
        self.gone.insert(id.clone());
    }

    fn fail(&mut self, judge: JudgeId, turn: Option<TurnId>, failure: Failure) {
        self.pass(Event::Failed {
            judge,
            turn,
            failure,
        });
    }

    /// A complaint about an event that came at the wrong time, unless its judge is merely gone.
    fn odd(&mut self, what: &str, judge: JudgeId) {
        if !self.gone.contains(&judge) {
            self.note(format!("sent `{what}` for {judge} out of turn"));
        }
    }

    /// Tells the program what the plugin does wrong, as long as that is news.
    pub(crate) fn note(&mut self, what: String) {
        self.notes += 1;
        if self.notes <= NOTES {
            self.pass(Event::Error {
                message: format!("the backend {what}"),
            });
        }
    }

    fn pass(&mut self, event: Event) {
        self.effects.events.push(event);
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

#[cfg(test)]
mod tests;
