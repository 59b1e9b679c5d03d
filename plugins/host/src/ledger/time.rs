//! Time, and ends that nobody reports.

use std::time::{Duration, Instant};

use council_protocol::message::Ending;
use council_protocol::{Event, Failure, FailureKind, JudgeId};

use super::{CallLedger, LedgerPhase};

impl CallLedger {
    /// When [`Self::expire`] has something to do next.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let opening = match &self.phase {
            LedgerPhase::Opening { until, .. } => Some(*until),
            _ => None,
        };
        let judges = self.judges.values();
        let turns = judges
            .flat_map(|j| j.turns.values().map(|t| t.0).chain(j.end_by))
            .min();
        opening.into_iter().chain(turns).min()
    }

    /// Whether nothing will ever be due again.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.phase, LedgerPhase::Dead(_) | LedgerPhase::Closed)
    }

    /// Declares what is over time.
    pub(crate) fn expire_due(&mut self, now: Instant) {
        if matches!(self.phase, LedgerPhase::Opening { until, .. } if until <= now) {
            return self.on_death("it did not open in time");
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
            self.fail_turn(
                id.clone(),
                Some(turn),
                Failure::new(FailureKind::Timeout, detail),
            );
            self.effects.cancels.push(id.clone());
        }
        if overdue {
            self.log_note(format!(
                "did not end {id} after its grace; it is left to the backend's close"
            ));
            self.on_ended(id, Ending::Forced);
        }
    }

    /// The backend is gone: every turn has died and every judge with it.
    pub(crate) fn on_death(&mut self, why: &str) {
        if matches!(
            self.phase,
            LedgerPhase::Closing | LedgerPhase::Dead(_) | LedgerPhase::Closed
        ) {
            return;
        }
        self.end_all(FailureKind::Died, Ending::Died, why);
        self.phase = LedgerPhase::Dead(format!("the backend is gone: {why}"));
        self.pass_event(Event::Error {
            message: format!("the backend is gone: {why}"),
        });
    }

    /// The backend has been closed, or has been given up.
    pub(crate) fn on_closed(&mut self) {
        if self.phase == LedgerPhase::Closed {
            return;
        }
        self.end_all(
            FailureKind::Cancelled,
            Ending::Forced,
            "the backend was closed",
        );
        self.phase = LedgerPhase::Closed;
        self.pass_event(Event::Closed);
    }

    fn end_all(&mut self, kind: FailureKind, ending: Ending, why: &str) {
        let failure = Failure::new(kind, why);
        let ids: Vec<JudgeId> = self.judges.keys().cloned().collect();
        for id in ids {
            self.fail_turns(&id, None, &failure);
            let started = self.judges.get(&id).is_some_and(|j| j.started);
            self.forget_judge(&id);
            if started {
                self.pass_event(Event::Ended { judge: id, ending });
            } else {
                self.fail_turn(id, None, Failure::new(FailureKind::Spawn, why));
            }
        }
    }
}
