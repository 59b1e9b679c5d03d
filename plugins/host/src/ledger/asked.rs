//! What the program asks for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use council_protocol::message::{Hello, Message};
use council_protocol::{BackendError, JudgeId, JudgeSpec};

use super::{Judge, Ledger, Phase};

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
