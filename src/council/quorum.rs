//! Whether enough of those that were asked gave an answer that counts. Rules cost nothing and always answer: a quorum
//! of theirs says nothing of the models that were asked and are lost, so rules stand in for none of them.

use super::judges::{JudgeState, Judges};
use super::outcome::JudgeRecord;

/// Who was asked and who counts, of everybody and of the models alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attendance {
    /// Judges that count.
    pub counted: usize,
    /// Models that were asked.
    pub models: usize,
    /// Models that count.
    pub counted_models: usize,
    /// Rules that sat on no seat and were heard all the same: each raised the quorum by itself.
    heard: usize,
}

impl Attendance {
    /// Of judges that were seated: whether each is a rule, and whether it counts.
    pub fn of_seats(seats: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut all = Self::default();
        for (is_rule, is_counted) in seats {
            all.counted += usize::from(is_counted);
            all.models += usize::from(!is_rule);
            all.counted_models += usize::from(!is_rule && is_counted);
        }
        all
    }

    pub(super) fn of_judges(judges: &Judges) -> Self {
        let attends = |judge: &JudgeState| (judge.is_deterministic(), judge.is_counted());
        Self::of_seats(judges.iter().map(attends))
    }

    /// Of the judges of a report.
    pub fn of_records(judges: &[JudgeRecord]) -> Self {
        let attends =
            |judge: &JudgeRecord| (judge.seat.agent.deterministic, judge.counted.is_some());
        Self {
            heard: judges.iter().filter(|judge| judge.is_heard_rules()).count(),
            ..Self::of_seats(judges.iter().map(attends))
        }
    }

    /// How many models have to count.
    pub fn needed_models(&self, quorum: usize) -> usize {
        self.models.min(quorum.saturating_sub(self.heard).max(1))
    }

    /// Whether models that were asked are lost, and too few are left.
    pub fn lacks_models(&self, quorum: usize) -> bool {
        self.counted_models < self.needed_models(quorum)
    }

    /// How many count towards the quorum: where too many models are lost, the models that are left.
    pub fn towards_quorum(&self, quorum: usize) -> usize {
        if self.lacks_models(quorum) {
            self.counted_models
        } else {
            self.counted
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seats() -> impl Strategy<Value = Vec<(bool, bool)>> {
        prop::collection::vec(any::<(bool, bool)>(), 0..8)
    }

    proptest! {
        /// Whatever rules sit beside them, lost models leave the quorum unmet; and rules alone are counted as ever.
        #[test]
        fn rules_stand_in_for_no_model(seats in seats(), rules in 0..4_usize, quorum in 1..6_usize) {
            let models: Vec<_> = seats.iter().copied().filter(|(is_rule, _)| !is_rule).collect();
            let alone = Attendance::of_seats(models);
            let more = seats.into_iter().chain(vec![(true, true); rules]);
            let all = Attendance::of_seats(more);
            prop_assert!(all.counted_models == alone.counted_models && all.models == alone.models);
            prop_assert_eq!(all.lacks_models(quorum), alone.lacks_models(quorum));
            if alone.lacks_models(quorum) {
                prop_assert!(all.towards_quorum(quorum) < quorum);
            } else {
                prop_assert_eq!(all.towards_quorum(quorum), all.counted);
            }
            if alone.models == 0 {
                prop_assert!(!all.lacks_models(quorum));
            }
        }

        /// Losing a judge never meets a quorum.
        #[test]
        fn losing_a_judge_meets_no_quorum(seats in seats(), lost in 0..8_usize, quorum in 1..6_usize) {
            let met = |seats: &[(bool, bool)]| {
                Attendance::of_seats(seats.iter().copied()).towards_quorum(quorum) >= quorum
            };
            let mut fewer = seats.clone();
            if let Some(seat) = fewer.get_mut(lost) {
                seat.1 = false;
            }
            prop_assert!(met(&seats) || !met(&fewer));
        }
    }
}
