//! The first moments of a run: has the backend seated anybody?

use std::collections::BTreeSet;

use council_protocol::JudgeId;

use crate::council::Input;

/// Holds back the judges that could not be seated until one is, so that a backend that seats nobody can give way to the
/// next one before the council has heard of it.
#[derive(Debug, Default)]
pub(super) struct SeatingGate {
    /// Asked for and not heard of yet.
    awaited: BTreeSet<JudgeId>,
    held: Vec<Input>,
    /// Somebody sits, or nobody waits for it any more.
    over: bool,
}

/// What to do with an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GateDecision {
    Wait,
    /// Hand these to the council, in order.
    Pass(Vec<Input>),
    /// The backend has seated nobody: give way, or hand these to the council.
    Nobody(Vec<Input>),
}

impl SeatingGate {
    /// A judge was asked for.
    pub(super) fn on_asked(&mut self, judge: JudgeId) {
        self.awaited.insert(judge);
    }

    /// Takes an input on its way to the council.
    pub(super) fn filter_input(&mut self, input: Input) -> GateDecision {
        if self.over {
            return GateDecision::Pass(vec![input]);
        }
        let failed = match &input {
            Input::Failed {
                judge, turn: None, ..
            } => self.awaited.remove(judge),
            _ => false,
        };
        self.held.push(input);
        if failed && !self.awaited.is_empty() {
            return GateDecision::Wait;
        }
        self.over = true;
        let held = std::mem::take(&mut self.held);
        if failed {
            GateDecision::Nobody(held)
        } else {
            GateDecision::Pass(held)
        }
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::{Failure, FailureKind};

    use super::*;

    fn seating() -> SeatingGate {
        let mut seating = SeatingGate::default();
        seating.on_asked("a".into());
        seating.on_asked("b".into());
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
        assert_eq!(seating.filter_input(failed("b")), GateDecision::Wait);
        let held = vec![failed("b"), failed("a")];
        assert_eq!(
            seating.filter_input(failed("a")),
            GateDecision::Nobody(held)
        );
    }

    #[test]
    fn one_judge_that_sits_is_enough_and_the_order_is_kept() {
        let mut seating = seating();
        assert_eq!(seating.filter_input(failed("a")), GateDecision::Wait);
        let held = vec![failed("a"), started("b")];
        assert_eq!(seating.filter_input(started("b")), GateDecision::Pass(held));
        assert_eq!(
            seating.filter_input(failed("b")),
            GateDecision::Pass(vec![failed("b")]),
            "not asked any more"
        );
    }

    #[test]
    fn whatever_else_happens_ends_the_waiting() {
        let mut seating = seating();
        assert_eq!(seating.filter_input(failed("a")), GateDecision::Wait);
        let deadline = Input::Deadline {
            timer: crate::council::TimerId(1),
        };
        let both = vec![failed("a"), deadline.clone()];
        assert_eq!(seating.filter_input(deadline), GateDecision::Pass(both));
    }
}
