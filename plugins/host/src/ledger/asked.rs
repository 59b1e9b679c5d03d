//! What the program asks for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use council_protocol::message::{Hello, Message};
use council_protocol::{BackendError, JudgeId, JudgeSpec};

use super::{CallLedger, LedgerJudge, LedgerPhase};

impl CallLedger {
    pub(crate) fn open(&mut self, hello: &Hello, now: Instant) -> Result<(), BackendError> {
        if self.phase != LedgerPhase::Fresh {
            return Err(self
                .refusal_reason()
                .unwrap_or(BackendError::Other("it was opened already".into())));
        }
        let until = now + self.patience.start;
        self.phase = LedgerPhase::Opening {
            until,
            offered: hello.protocols.clone(),
        };
        Ok(())
    }

    pub(crate) fn spawn(&mut self, spec: &JudgeSpec) -> Result<(), BackendError> {
        self.check_usable()?;
        let id = &spec.seat.judge;
        if self.judges.contains_key(id) || self.gone.contains(id) {
            return Err(BackendError::Other(format!(
                "the name {id} was given away before"
            )));
        }
        let judge = LedgerJudge {
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
        self.check_usable()?;
        match message {
            Message::Probe { seat } => {
                self.probes.insert(seat.judge.clone());
            }
            Message::Turn { judge, turn } => {
                let seated = self.check_seated(judge)?;
                let until = now + Duration::from_millis(turn.timeout_ms);
                seated.turns.insert(turn.id, (until, turn.timeout_ms));
                (seated.spent, seated.muted) = (0, false);
            }
        }
        Ok(())
    }

    pub(crate) fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.check_usable()?;
        self.check_seated(judge).map(|_| ())
    }

    pub(crate) fn shutdown(
        &mut self,
        id: &JudgeId,
        grace_ms: u64,
        now: Instant,
    ) -> Result<(), BackendError> {
        self.check_usable()?;
        let end_by = now + Duration::from_millis(grace_ms) + self.patience.margin;
        self.check_seated(id)?.end_by = Some(end_by);
        Ok(())
    }

    /// The backend is about to be closed; says how long to wait for it.
    pub(crate) fn begin_close(&mut self, now: Instant) -> Duration {
        if !matches!(self.phase, LedgerPhase::Dead(_) | LedgerPhase::Closed) {
            self.phase = LedgerPhase::Closing;
        }
        let last_end = self.judges.values().filter_map(|j| j.end_by).max();
        let left = last_end
            .map(|by| by.saturating_duration_since(now))
            .unwrap_or_default();
        left.max(self.patience.margin)
    }

    fn check_usable(&self) -> Result<(), BackendError> {
        self.refusal_reason().map_or(Ok(()), Err)
    }

    fn refusal_reason(&self) -> Option<BackendError> {
        match &self.phase {
            LedgerPhase::Opening { .. } | LedgerPhase::Open => None,
            LedgerPhase::Dead(why) => Some(BackendError::Other(why.clone())),
            LedgerPhase::Fresh | LedgerPhase::Closing | LedgerPhase::Closed => {
                Some(BackendError::Closed)
            }
        }
    }

    fn check_seated(&mut self, id: &JudgeId) -> Result<&mut LedgerJudge, BackendError> {
        self.judges
            .get_mut(id)
            .ok_or_else(|| BackendError::UnknownJudge(id.clone()))
    }
}
