//! Explorers: one-shot helpers that answer a judge's questions in R1; never in R2 (seed 000, `--explorers`).

use council_protocol::message::Usage;
use council_protocol::task::{Explored, Task};
use council_protocol::{Answer, Failure, FailureKind, JudgeId, Millis};

use super::bench::{Ask, Chair};
use super::engine::{Council, Phase};
use super::exchange::Action;
use super::floor::Alarm;

impl Council {
    /// Has a judge's questions answered by explorers, as far as the plan allows (R1 only; seed 000).
    pub(super) fn explore(&mut self, chair: Chair, round: u8, answer: &Answer, now: Millis) {
        let most = usize::from(self.floor.plan.options.explorers);
        let judge = &mut self.floor.bench.judges[chair];
        if round != 1
            || most == 0
            || judge.explored
            || answer.explore.is_empty()
            || !judge.can_be_messaged()
        {
            return;
        }
        judge.explored = true;
        let timeout_ms = self.floor.plan.timeouts.explorer_ms;
        let questions = answer.explore.iter().take(most).cloned().collect();
        let id = judge.id().clone();
        self.floor.out.push(Action::Explore {
            judge: id,
            questions,
            timeout_ms,
        });
        let timer = self.alarm(Alarm::Explorers(chair), now.saturating_add(timeout_ms));
        self.floor.bench.judges[chair].exploring = Some(timer);
        self.extend(
            now.saturating_add(timeout_ms)
                .saturating_add(self.floor.plan.timeouts.r1_ms),
        );
    }

    /// Moves the round's deadline, later only: a judge's clock starts after its explorers (councils.md 1.4).
    fn extend(&mut self, at: Millis) {
        let Phase::Round(round) = &mut self.phase else {
            return;
        };
        if at > round.ends {
            round.ends = at;
            self.floor.out.push(Action::SetDeadline {
                timer: round.timer,
                at,
            });
        }
    }

    /// The explorers are back: the judge goes on with what they found. What they cost is its cost, also when it is late.
    pub(super) fn explored(
        &mut self,
        judge: &JudgeId,
        results: Vec<Explored>,
        usage: Option<Usage>,
        now: Millis,
    ) {
        let Some(chair) = self.chair(judge) else {
            return;
        };
        let judge = &mut self.floor.bench.judges[chair];
        judge.pay(1, usage);
        if judge.exploring.take().is_some() {
            judge.queue.push_back(Ask::new(Task::Explored { results }));
            self.dispatch(chair, now);
        }
    }

    /// The explorers are too late: the judge's first answer of the round stands.
    pub(super) fn explorers_over(&mut self, chair: Chair, now: Millis) {
        let judge = &mut self.floor.bench.judges[chair];
        if judge.exploring.take().is_some() {
            judge.failed(
                1,
                Failure::new(FailureKind::Timeout, "the explorers were too late"),
            );
            self.dispatch(chair, now);
        }
    }
}
