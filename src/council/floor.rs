//! The floor: everything that the rules of a procedure see and may write to.

use council_protocol::{Coverage, Millis, TurnId};

use super::bench::{Ask, Bench, Chair};
use super::disposition::{self, Cluster};
use super::evidence::Claims;
use super::exchange::{Action, TimerId};
use super::ledger::Ledger;
use super::outcome::ChallengeRecord;
use super::plan::Plan;
use council_protocol::task::Branch;

/// The state of the debate, apart from what waits for what.
#[derive(Debug, Clone)]
pub(super) struct Floor {
    /// What the council was convened with.
    pub(super) plan: Plan,
    /// The judges.
    pub(super) bench: Bench,
    /// What was and is to be proven.
    pub(super) claims: Claims,
    /// What passed between judges.
    pub(super) ledger: Ledger,
    /// Challenges of all rounds.
    pub(super) challenges: Vec<ChallengeRecord>,
    /// Degradations and fallbacks in words.
    pub(super) notes: Vec<String>,
    /// Which branch R2 took.
    pub(super) branch: Option<Branch>,
    /// Rounds that began.
    pub(super) begun: u8,
    /// Rounds that ended with every quote searched.
    pub(super) completed: u8,
    /// What the session is to do next.
    pub(super) out: Vec<Action>,
}

impl Floor {
    /// Before the first round.
    pub(super) fn new(plan: Plan) -> Self {
        Self {
            bench: Bench::new(&plan.seats),
            claims: Claims::default(),
            ledger: Ledger::default(),
            challenges: Vec::new(),
            notes: plan.notes.clone(),
            branch: None,
            begun: 0,
            completed: 0,
            out: Vec::new(),
            plan,
        }
    }

    /// Says something in the report; the same words once.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Says something in the run's log.
    pub(super) fn log(&mut self, line: impl Into<String>) {
        self.out.push(Action::Log { line: line.into() });
    }

    /// The findings so far, grouped.
    pub(super) fn clusters(&self) -> Vec<Cluster> {
        disposition::clusters(&self.bench, &self.claims)
    }

    /// What a quorum of the judges that count saw.
    pub(super) fn coverage(&self) -> Coverage {
        let counted = self.bench.counted();
        let seen: Vec<&Coverage> = counted
            .iter()
            .map(|&chair| &*self.bench.judges[chair].planned.coverage)
            .collect();
        Coverage::of_quorum(&seen, self.plan.quorum.max(1) as usize)
    }
}

/// What the rules want next: everybody who takes part, with what each is asked in turn.
#[derive(Debug)]
pub(super) struct RoundPlan {
    /// Chair → its questions in order.
    pub(super) asks: Vec<(Chair, Vec<Ask>)>,
    /// How long the round may take, in milliseconds.
    pub(super) timeout_ms: u64,
}

/// The round that runs.
#[derive(Debug, Clone)]
pub(super) struct Round {
    /// Its number, from 1.
    pub(super) number: u8,
    /// How often the rules have added questions after everybody was done.
    pub(super) pass: u8,
    /// The current deadline.
    pub(super) timer: TimerId,
    /// When it strikes.
    pub(super) ends: Millis,
    /// How long a pass may take, in milliseconds.
    pub(super) timeout_ms: u64,
    /// Who is not done.
    pub(super) waiting: Vec<Chair>,
}

/// What a deadline means when it strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alarm {
    /// The run's own time is over.
    Run,
    /// The pass of the round is over.
    Round,
    /// One turn had less time than its round.
    Turn(TurnId),
    /// Explorers of a judge.
    Explorers(Chair),
    /// Quotes must be searched by now.
    Proofs,
    /// Judges must have ended by now.
    Shutdown,
}
