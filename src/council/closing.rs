//! The end: shutdown to each judge, a grace, then force. It always runs.

use council_protocol::message::Ending;
use council_protocol::{Failure, FailureKind, JudgeId, Millis};

use super::engine::{Council, CouncilPhase};
use super::exchange::Action;
use super::judges::{JudgeState, SeatPresence};
use super::proof;
use super::state::TimerKind;

/// What a backend has beyond the grace to end a judge by force and say so, in milliseconds.
const FORCE_MS: u64 = 5_000;

/// Whether a judge has still to be ended.
fn is_left(judge: &JudgeState) -> bool {
    judge.ending.is_none() && judge.presence != SeatPresence::Absent
}

impl Council {
    /// The rounds are over: everybody who was asked for is ended.
    pub(super) fn begin_closing(&mut self, now: Millis) {
        self.phase = CouncilPhase::Closing;
        let grace_ms = self.state.plan.timeouts.shutdown_ms;
        for judge in self.state.judges.iter_mut() {
            judge.queue.clear();
            judge.exploring = None;
            judge.checking = None;
            if is_left(judge) {
                self.state.out.push(Action::Shutdown {
                    judge: judge.id().clone(),
                    grace_ms,
                });
            }
        }
        if let Some(open_ms) = proof::open_ms(&self.state) {
            self.set_timer(TimerKind::Reproductions, now.saturating_add(open_ms));
        }
        if !self.everybody_ended() {
            self.set_timer(
                TimerKind::Shutdown,
                now.saturating_add(grace_ms).saturating_add(FORCE_MS),
            );
        }
    }

    /// Whether nothing is waited for any more: every judge has ended, and every test has run.
    pub(super) fn is_closed(&self) -> bool {
        self.everybody_ended() && proof::is_settled(&self.state)
    }

    fn everybody_ended(&self) -> bool {
        !self.state.judges.iter().any(is_left)
    }

    /// A judge has ended: as it was asked to, or by itself.
    pub(super) fn on_ended(&mut self, judge: &JudgeId, ending: Ending, now: Millis) {
        let Some(seat) = self.seat_of(judge) else {
            return;
        };
        if !is_left(&self.state.judges[seat]) {
            return;
        }
        self.state.judges[seat].ending = Some(ending);
        let id = judge.clone();
        if !matches!(self.phase, CouncilPhase::Closing) {
            self.accept_unchecked(seat, now);
            self.settle_seat(seat);
        }
        let busy = self.state.judges[seat].is_left_to_answer();
        if busy && !matches!(self.phase, CouncilPhase::Closing) {
            self.on_judge_lost(
                &id,
                Failure::new(FailureKind::Died, "ended before answering"),
            );
        }
        let judge = &mut self.state.judges[seat];
        judge.presence = if judge.started {
            SeatPresence::Gone
        } else {
            SeatPresence::Absent
        };
        judge.open = None;
    }

    /// Nobody waits any longer: whoever has not ended by now is taken as ended by force.
    pub(super) fn force_endings(&mut self) {
        if !matches!(self.phase, CouncilPhase::Closing) {
            return;
        }
        let mut forced = Vec::new();
        for judge in self.state.judges.iter_mut().filter(|j| is_left(j)) {
            judge.ending = Some(Ending::Forced);
            forced.push(judge.id().clone());
        }
        for judge in forced {
            let line =
                format!("{judge} did not confirm its end within the grace and was ended by force");
            self.state.add_note(line.clone());
            self.state.add_log(line);
        }
    }
}
