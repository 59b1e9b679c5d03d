//! Explorers: one-shot helpers that answer a judge's questions in R1; never in R2 (`--explorers`).

use council_protocol::message::Usage;
use council_protocol::task::{Explored, Task};
use council_protocol::{Answer, Failure, FailureKind, JudgeId, Millis, RoundNumber, Vote};

use super::engine::{Council, CouncilPhase};
use super::exchange::Action;
use super::judges::{QueuedTask, SeatIndex};
use super::lost_answer::LostAnswer;
use super::state::TimerKind;

impl Council {
    /// Has a judge's questions answered by explorers, as far as the plan allows (R1 only).
    pub(super) fn start_explorers(
        &mut self,
        seat: SeatIndex,
        round: RoundNumber,
        answer: &Answer,
        now: Millis,
    ) {
        let most = usize::from(self.state.plan.options.explorers);
        let judge = &mut self.state.judges[seat];
        if round != 1
            || most == 0
            || judge.explored
            || answer.explore.is_empty()
            || !judge.can_be_messaged()
        {
            return;
        }
        judge.explored = true;
        let timeout_ms = self.state.plan.timeouts.explorer_ms;
        let questions = answer.explore.iter().take(most).cloned().collect();
        let id = judge.id().clone();
        self.state.out.push(Action::Explore {
            judge: id,
            questions,
            timeout_ms,
        });
        let timer = self.set_timer(TimerKind::Explorers(seat), now.saturating_add(timeout_ms));
        self.state.judges[seat].exploring = Some(timer);
        self.extend_round(
            now.saturating_add(timeout_ms)
                .saturating_add(self.state.plan.timeouts.r1_ms),
        );
    }

    /// Moves the round's deadline, later only: a judge's clock starts after its explorers.
    fn extend_round(&mut self, at: Millis) {
        let CouncilPhase::Round(round) = &mut self.phase else {
            return;
        };
        if at > round.ends {
            round.ends = at;
            self.state.out.push(Action::SetDeadline {
                timer: round.timer,
                at,
            });
        }
    }

    /// The explorers are back: the judge goes on with what they found. What they cost is its cost, also when it is late.
    pub(super) fn on_explored(
        &mut self,
        judge: &JudgeId,
        results: Vec<Explored>,
        usage: Option<Usage>,
        now: Millis,
    ) {
        let Some(seat) = self.seat_of(judge) else {
            return;
        };
        let judge = &mut self.state.judges[seat];
        judge.add_usage(RoundNumber::FIRST, usage);
        if judge.exploring.take().is_some() {
            judge.owes_answer = true;
            judge
                .queue
                .push_back(QueuedTask::new(Task::Explored { results }));
            self.dispatch_turn(seat, now);
        }
    }

    /// A judge that asked helpers, heard them and then gave no answer has not passed the change by what it said before: that
    /// was to hold until they were back.
    pub(super) fn drop_provisional_pass(&mut self, seat: SeatIndex) {
        let judge = &mut self.state.judges[seat];
        let is_pass = judge.first_vote() == Some(Vote::Pass);
        if !std::mem::take(&mut judge.owes_answer) || !is_pass {
            return;
        }
        let before = judge.answers.remove(&RoundNumber::FIRST);
        let before = before.and_then(|a| LostAnswer::given_before(RoundNumber::FIRST, &a));
        judge.keep_lost(before);
        judge.raised.clear();
        let note = format!(
            "{} voted PASS beside a question to helpers, and gave no usable answer to what they found: that PASS does not count",
            judge.id()
        );
        self.state.add_note(note);
    }

    /// The explorers are too late: the judge's first answer of the round stands.
    pub(super) fn explorers_over(&mut self, seat: SeatIndex, now: Millis) {
        let judge = &mut self.state.judges[seat];
        if judge.exploring.take().is_some() {
            judge.record_failure(
                RoundNumber::FIRST,
                Failure::new(FailureKind::Timeout, "the explorers were too late"),
            );
            self.dispatch_turn(seat, now);
        }
    }
}
