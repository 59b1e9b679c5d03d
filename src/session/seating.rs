//! The first moments of a run: has the backend seated anybody?

use std::collections::BTreeSet;

use council_protocol::JudgeId;

use crate::council::Input;

/// Holds back the judges that could not be seated until one is, so that a backend that seats nobody can give way to the
/// next one before the council has heard of it.
#[derive(Debug, Default)]
pub(super) struct Seating {
    /// Asked for and not heard of yet.
    awaited: BTreeSet<JudgeId>,
    held: Vec<Input>,
    /// Somebody sits, or nobody waits for it any more.
    over: bool,
}

/// What to do with an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seated {
    /// Nothing yet.
    Wait,
    /// Hand these to the council, in order.
    Pass(Vec<Input>),
    /// The backend has seated nobody: give way, or hand these to the council.
    Nobody(Vec<Input>),
}

impl Seating {
    /// A judge was asked for.
    pub(super) fn asked(&mut self, judge: JudgeId) {
        self.awaited.insert(judge);
    }

    /// Takes an input on its way to the council.
    pub(super) fn take(&mut self, input: Input) -> Seated {
        if self.over {
            return Seated::Pass(vec![input]);
        }
        let failed = match &input {
            Input::Failed {
                judge, turn: None, ..
            } => self.awaited.remove(judge),
            _ => false,
        };
        self.held.push(input);
        if failed && !self.awaited.is_empty() {
            return Seated::Wait;
        }
        self.over = true;
        let held = std::mem::take(&mut self.held);
        if failed {
            Seated::Nobody(held)
        } else {
            Seated::Pass(held)
        }
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::{Failure, FailureKind};

    use super::*;

    fn seating() -> Seating {
        let mut seating = Seating::default();
        seating.asked("a".into());
        seating.asked("b".into());
        seating
    }

    fn failed(judge: &str) -> Input {
        Input::Failed {
            judge: judge.into(),
            turn: None,
            failure: Failure::new(FailureKind::Spawn, "no"),
        }
    }

    fn started(judge: &str) -> Input {
        Input::Started {
            judge: judge.into(),
        }
    }

    #[test]
    fn a_backend_that_seats_nobody_is_told_apart() {
        let mut seating = seating();
        assert_eq!(seating.take(failed("b")), Seated::Wait);
        let held = vec![failed("b"), failed("a")];
        assert_eq!(seating.take(failed("a")), Seated::Nobody(held));
    }

    #[test]
    fn one_judge_that_sits_is_enough_and_the_order_is_kept() {
        let mut seating = seating();
        assert_eq!(seating.take(failed("a")), Seated::Wait);
        let held = vec![failed("a"), started("b")];
        assert_eq!(seating.take(started("b")), Seated::Pass(held));
        assert_eq!(
            seating.take(failed("b")),
            Seated::Pass(vec![failed("b")]),
            "not asked any more"
        );
    }

    #[test]
    fn whatever_else_happens_ends_the_waiting() {
        let mut seating = seating();
        assert_eq!(seating.take(failed("a")), Seated::Wait);
        let deadline = Input::Deadline {
            timer: crate::council::TimerId(1),
        };
        let both = vec![failed("a"), deadline.clone()];
        assert_eq!(seating.take(deadline), Seated::Pass(both));
    }
}
