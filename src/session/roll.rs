//! Who is there, and who owes an answer: what a backend may still say.

use std::collections::BTreeMap;

use council_protocol::{JudgeId, TurnId};

use crate::council::{Input, Plan};

/// The judges of a council as their backend has shown them. Whatever a backend says twice, or of somebody else, is not
/// heard: so a flood costs nothing.
#[derive(Debug, Default)]
pub(super) struct JudgeRoster {
    judges: BTreeMap<JudgeId, JudgeLifecycle>,
    /// Turns that were sent and not answered.
    open: BTreeMap<TurnId, JudgeId>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum JudgeLifecycle {
    #[default]
    Expected,
    Seated,
    /// It cannot be seated, or is gone; its ending may still come.
    Lost,
    Ended,
}

impl JudgeRoster {
    /// The judges of a plan, none of them there yet.
    pub(super) fn of_plan(plan: &Plan) -> Self {
        let judges = plan.seats.iter().map(|planned| planned.seat.judge.clone());
        Self {
            judges: judges
                .map(|judge| (judge, JudgeLifecycle::Expected))
                .collect(),
            open: BTreeMap::new(),
        }
    }

    /// A turn was sent.
    pub(super) fn on_sent(&mut self, judge: JudgeId, turn: TurnId) {
        self.open.insert(turn, judge);
    }

    /// Whether this answer is owed; it is owed once.
    pub(super) fn on_answered(&mut self, judge: &JudgeId, turn: TurnId) -> bool {
        let owed = self.open.get(&turn) == Some(judge);
        if owed {
            self.open.remove(&turn);
        }
        owed
    }

    /// What an earlier process heard.
    pub(super) fn replay_input(&mut self, input: &Input) {
        match input {
            Input::Started { judge } => drop(self.on_started(judge)),
            Input::Failed {
                judge, turn: None, ..
            } => drop(self.on_lost(judge)),
            Input::Ended { judge, .. } => drop(self.on_ended(judge)),
            _ => {}
        }
    }

    /// Whether it is news that the judge sits.
    pub(super) fn on_started(&mut self, judge: &JudgeId) -> bool {
        self.advance_presence(judge, &[JudgeLifecycle::Expected], JudgeLifecycle::Seated)
    }

    /// Whether it is news that the judge is lost.
    pub(super) fn on_lost(&mut self, judge: &JudgeId) -> bool {
        self.advance_presence(
            judge,
            &[JudgeLifecycle::Expected, JudgeLifecycle::Seated],
            JudgeLifecycle::Lost,
        )
    }

    /// Whether it is news that the judge has ended.
    pub(super) fn on_ended(&mut self, judge: &JudgeId) -> bool {
        let before = [
            JudgeLifecycle::Expected,
            JudgeLifecycle::Seated,
            JudgeLifecycle::Lost,
        ];
        self.advance_presence(judge, &before, JudgeLifecycle::Ended)
    }

    /// Whether nothing was heard of the judge yet.
    pub(super) fn is_expected(&self, judge: &JudgeId) -> bool {
        self.judges.get(judge) == Some(&JudgeLifecycle::Expected)
    }

    /// Whether the judge was ever seated and has not ended.
    pub(super) fn is_seated(&self, judge: &JudgeId) -> bool {
        self.judges.get(judge) == Some(&JudgeLifecycle::Seated)
    }

    /// Whether anybody is there.
    pub(super) fn has_seated(&self) -> bool {
        self.judges
            .values()
            .any(|presence| *presence == JudgeLifecycle::Seated)
    }

    /// Everybody who has not ended.
    pub(super) fn not_ended(&self) -> Vec<JudgeId> {
        let left = self
            .judges
            .iter()
            .filter(|(_, presence)| **presence != JudgeLifecycle::Ended);
        left.map(|(judge, _)| judge.clone()).collect()
    }

    fn advance_presence(
        &mut self,
        judge: &JudgeId,
        from: &[JudgeLifecycle],
        to: JudgeLifecycle,
    ) -> bool {
        match self.judges.get_mut(judge) {
            Some(presence) if from.contains(presence) => {
                *presence = to;
                true
            }
            _ => false,
        }
    }
}
