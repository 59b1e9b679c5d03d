//! The engine: inputs in, actions out. Rounds follow each other here; turns are in `turns`, the end is in `closing`.

use std::collections::{BTreeMap, VecDeque};

use council_protocol::answer::Finding;
use council_protocol::{
    Answer, Capability, Failure, FailureKind, JudgeId, Millis, RoundNumber, Task, TurnId,
};

use super::anonymity;
use super::evidence::ClaimResult;
use super::exchange::{Action, CancelCause, Input, TimerId};
use super::in_place::proven_place;
use super::judges::{QueuedTask, SeatIndex, SeatPresence};
use super::outcome::Outcome;
use super::plan::{DebateSubject, Plan};
use super::procedure::{ProcedureRules, rules_of};
use super::proof;
use super::state::{DebateState, RoundPlan, RoundState, TimerKind};
use super::verdict;

/// How long quotes may be searched after a round, in milliseconds. Reading objects is quick; this is for a session that
/// has lost its repository.
pub(super) const PROOF_MS: u64 = 60_000;

/// How often the rules may add questions to a round after everybody is done.
const MAX_PASSES: u8 = 4;

/// Where the council is.
#[derive(Debug)]
pub(super) enum CouncilPhase {
    /// Turns are open.
    Round(RoundState),
    /// The round is over; quotes are being searched.
    Proving,
    /// The rounds are over; judges are being ended.
    Closing,
    Over,
}

/// A council: a state machine from a plan to an outcome.
///
/// Every input is answered with actions at once; nothing is read from a clock, and the same inputs give the same actions,
/// byte for byte. Inputs that fit nothing (an unknown judge, a second answer, a stale deadline) change nothing.
pub struct Council {
    pub(super) state: DebateState,
    rules: &'static dyn ProcedureRules,
    pub(super) phase: CouncilPhase,
    pub(super) cut: Option<CancelCause>,
    alarms: BTreeMap<TimerId, TimerKind>,
    timers: u32,
    pub(super) turns: u32,
    /// Every key that was given out, with the judge who got it.
    pub(super) keys: BTreeMap<String, SeatIndex>,
}

impl Council {
    /// Convenes a council at moment 0: every judge is asked for at once, and R1's clock starts.
    pub fn convene(plan: Plan) -> (Self, Vec<Action>) {
        let mut council = Self {
            rules: rules_of(plan.procedure),
            state: DebateState::new(plan),
            phase: CouncilPhase::Proving,
            cut: None,
            alarms: BTreeMap::new(),
            timers: 0,
            turns: 0,
            keys: BTreeMap::new(),
        };
        council.spawn_judges();
        let actions = std::mem::take(&mut council.state.out);
        (council, actions)
    }

    /// Takes in one thing that happened at `now` and says what is to be done.
    pub fn handle(&mut self, input: Input, now: Millis) -> Vec<Action> {
        if matches!(self.phase, CouncilPhase::Over) {
            return Vec::new();
        }
        self.apply_input(input, now);
        self.advance(now);
        std::mem::take(&mut self.state.out)
    }

    /// The finding that a judge means by an id which it was shown in a round, and who reported it.
    pub fn finding_meant(
        &self,
        judge: &JudgeId,
        round: RoundNumber,
        id: &str,
    ) -> Option<(&JudgeId, Finding)> {
        let judges = &self.state.judges;
        let order = judges[judges.seat_of(judge)?].peers.get(&round)?;
        let (seat, number) = anonymity::parse_finding_id(order, id)?;
        let meant = judges[seat].raised.get(number.checked_sub(1)?)?;
        Some((judges[seat].id(), self.in_place(&meant.finding)))
    }

    /// Whom a judge means by the name under which it was shown another: a label (`A`), or a role.
    pub fn peer_meant(&self, judge: &JudgeId, name: &str) -> Option<&JudgeId> {
        let judges = &self.state.judges;
        let meant = self.state.find_addressee(judges.seat_of(judge)?, name)?;
        Some(judges[meant].id())
    }

    /// A judge's own finding by its number, from 1.
    pub fn own_finding(&self, judge: &JudgeId, number: u32) -> Option<Finding> {
        let judges = &self.state.judges;
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let own = judges[judges.seat_of(judge)?].raised.get(at)?;
        Some(self.in_place(&own.finding))
    }

    /// A finding where its quote stands, as the report will show it.
    fn in_place(&self, finding: &Finding) -> Finding {
        let (proof, _) = self
            .state
            .claims
            .proof_of(&finding.location, &finding.quote);
        Finding {
            location: proven_place(&finding.location, &proof),
            ..finding.clone()
        }
    }

    /// Why a judge's last reply counts for nothing, where it is not asked again.
    pub fn unusable_reply(&self, judge: &JudgeId) -> Option<&Failure> {
        let judge = &self.state.judges[self.state.judges.seat_of(judge)?];
        let is_asked = judge.open.is_some() || judge.checking.is_some() || !judge.queue.is_empty();
        let last = judge.failures.last()?;
        let has_answer = judge.answers.contains_key(&last.round);
        (!is_asked && !has_answer).then_some(&last.failure)
    }

    /// What the council would come to if it broke off now: never green.
    pub fn outcome_so_far(&self) -> Outcome {
        verdict::build_outcome(&self.state, Some(CancelCause::Interrupted))
    }

    /// Whether [`Action::Conclude`] was given out.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, CouncilPhase::Over)
    }

    fn spawn_judges(&mut self) {
        let change = self.state.plan.options.subject == DebateSubject::Change;
        if self.state.judges.is_empty()
            || change && verdict::nothing_to_review(&self.state).is_some()
        {
            return self.conclude();
        }
        for judge in self.state.judges.iter() {
            self.state.out.push(Action::Spawn {
                judge: judge.id().clone(),
            });
        }
        if let Some(run_ms) = self.state.plan.timeouts.run_ms {
            self.set_timer(TimerKind::Run, run_ms);
        }
        self.advance(0);
    }

    fn apply_input(&mut self, input: Input, now: Millis) {
        match input {
            Input::Started { judge } => self.on_started(&judge, now),
            Input::Answered {
                judge,
                turn,
                raw,
                usage,
            } => self.on_answered(&judge, turn, &raw, usage, now),
            Input::Failed {
                judge,
                turn: Some(turn),
                failure,
            } => self.turn_failed(&judge, turn, failure, now),
            Input::Failed {
                judge,
                turn: None,
                failure,
            } => self.on_judge_lost(&judge, failure),
            Input::Ended { judge, ending } => self.on_ended(&judge, ending, now),
            Input::Proved {
                claim,
                proof,
                context,
                nearest,
                function,
                quoted,
            } => {
                let found = ClaimResult {
                    proof: Some(proof),
                    context,
                    nearest,
                    function,
                    quoted,
                };
                self.state.claims.record_result(claim, found);
                self.on_proved(now);
            }
            Input::Explored {
                judge,
                results,
                usage,
            } => self.on_explored(&judge, results, usage, now),
            Input::Reproduced { id, result } => proof::record(&mut self.state, id, result),
            Input::Recalled {
                judge,
                round,
                key,
                said,
                usage,
            } => self.on_recalled(&judge, round, &key, (&said, usage)),
            Input::Deadline { timer } => self.on_timer(timer, now),
            Input::Cancel { cause } => self.cancel_run(cause, now),
        }
    }

    /// Goes on as far as it can without waiting.
    fn advance(&mut self, now: Millis) {
        loop {
            match &self.phase {
                CouncilPhase::Round(round) if round.waiting.is_empty() => self.end_pass(now),
                CouncilPhase::Proving if self.state.claims.is_settled() => self.next_round(now),
                CouncilPhase::Closing if self.is_closed() => return self.conclude(),
                _ => return,
            }
        }
    }

    /// Asks the rules for the next round; none: the council closes.
    fn next_round(&mut self, now: Millis) {
        self.state.completed = self.state.begun.0;
        match self.rules.next_round(&mut self.state) {
            Some(plan) => self.begin_round(plan, now),
            None => {
                proof::take_up(&mut self.state);
                self.begin_closing(now);
            }
        }
    }

    fn begin_round(&mut self, plan: RoundPlan, now: Millis) {
        self.state.begun = self.state.begun.next();
        self.state.pass = 0;
        self.state.asked = u32::try_from(plan.asks.len()).unwrap_or(u32::MAX);
        let round = RoundState {
            number: self.state.begun,
            pass: 0,
            timer: TimerId(0),
            ends: now,
            timeout_ms: plan.timeout_ms,
            waiting: Vec::new(),
            line: VecDeque::new(),
        };
        let (first, line) = if plan.in_turn || self.thinks_in_turn() {
            (Vec::new(), plan.asks.into())
        } else {
            (plan.asks, VecDeque::new())
        };
        self.phase = CouncilPhase::Round(RoundState { line, ..round });
        if !first.is_empty() {
            self.ask_seats(first, plan.timeout_ms, now);
        }
    }

    /// Whether judges think one after another, whatever they are asked: then each has a time of its own, since a slow one
    /// would take that of all behind it.
    fn thinks_in_turn(&self) -> bool {
        let judges = self.state.judges.iter();
        let mut grants = judges.map(|judge| &judge.planned.grant);
        grants.any(|grant| grant.emulated.contains_key(&Capability::Spawn))
    }

    /// Puts questions to judges, with a new deadline for all of them.
    fn ask_seats(&mut self, asks: Vec<(SeatIndex, Vec<QueuedTask>)>, timeout_ms: u64, now: Millis) {
        let ends = now.saturating_add(timeout_ms);
        let timer = self.set_timer(TimerKind::Round, ends);
        let CouncilPhase::Round(round) = &mut self.phase else {
            return;
        };
        (round.timer, round.ends) = (timer, ends);
        for (seat, questions) in asks {
            self.state.judges[seat].queue.extend(questions);
            if !round.waiting.contains(&seat) {
                round.waiting.push(seat);
            }
        }
        for seat in round.waiting.clone() {
            self.dispatch_turn(seat, now);
        }
    }

    /// Everybody is done or out of time: the rules may add questions, else quotes are awaited.
    fn end_pass(&mut self, now: Millis) {
        let CouncilPhase::Round(round) = &mut self.phase else {
            return;
        };
        let (pass, timeout_ms) = (round.pass, round.timeout_ms);
        while let Some(next) = round.line.pop_front() {
            // Whoever has gone while others thought is not waited for.
            let presence = self.state.judges[next.0].presence;
            if matches!(presence, SeatPresence::Asked | SeatPresence::Seated) {
                return self.ask_seats(vec![next], timeout_ms, now);
            }
        }
        round.pass += 1;
        self.state.pass = round.pass;
        let more = if pass < MAX_PASSES {
            self.rules.on_pass_over(&mut self.state, pass)
        } else {
            Vec::new()
        };
        if more.is_empty() {
            self.phase = CouncilPhase::Proving;
            if !self.state.claims.is_settled() {
                self.set_timer(
                    TimerKind::Proofs(self.state.begun),
                    now.saturating_add(PROOF_MS),
                );
            }
            return;
        }
        let asks = more.into_iter().map(|(seat, ask)| (seat, vec![ask]));
        if !self.thinks_in_turn() {
            return self.ask_seats(asks.collect(), timeout_ms, now);
        }
        let mut line: VecDeque<_> = asks.collect();
        let first = line.pop_front();
        if let CouncilPhase::Round(round) = &mut self.phase {
            round.line = line;
        }
        self.ask_seats(first.into_iter().collect(), timeout_ms, now);
    }

    /// Sets a new deadline.
    pub(super) fn set_timer(&mut self, alarm: TimerKind, at: Millis) -> TimerId {
        self.timers += 1;
        let timer = TimerId(self.timers);
        self.alarms.insert(timer, alarm);
        self.state.out.push(Action::SetDeadline { timer, at });
        timer
    }

    fn on_timer(&mut self, timer: TimerId, now: Millis) {
        match self.alarms.remove(&timer) {
            Some(TimerKind::Run) => self.cancel_run(CancelCause::Deadline, now),
            Some(TimerKind::Round) => self.pass_over(timer),
            Some(TimerKind::Explorers(seat)) => self.explorers_over(seat, now),
            Some(TimerKind::Proofs(round)) => self.proofs_over(round),
            Some(TimerKind::Check) => self.checks_over(now),
            Some(TimerKind::Reproductions) => {
                proof::give_up(&mut self.state, "it was not run in time");
            }
            Some(TimerKind::Shutdown) => self.force_endings(),
            None => {}
        }
    }

    /// The time of a pass is over: whoever is not done is too late.
    fn pass_over(&mut self, timer: TimerId) {
        let CouncilPhase::Round(round) = &mut self.phase else {
            return;
        };
        if round.timer != timer {
            return;
        }
        let number = round.number;
        for seat in std::mem::take(&mut round.waiting) {
            self.too_late(seat, number);
        }
    }

    /// The quotes of a round were not all searched in time. A deadline of an earlier round means nothing any more.
    fn proofs_over(&mut self, round: RoundNumber) {
        if matches!(self.phase, CouncilPhase::Proving) && round == self.state.begun {
            self.state.claims.give_up();
        }
    }

    fn too_late(&mut self, seat: SeatIndex, round: RoundNumber) {
        self.keep_draft(seat);
        let judge = &mut self.state.judges[seat];
        judge.queue.clear();
        judge.exploring = None;
        let seated = judge.presence == SeatPresence::Seated;
        if let Some(turn) = judge.open.as_mut().filter(|t| !t.cancelled) {
            turn.cancelled = true;
            self.state.out.push(Action::CancelTurn {
                judge: judge.id().clone(),
            });
        }
        let (at, why) = if seated {
            (round, "no answer in time")
        } else {
            (RoundNumber::NONE, "not seated in time")
        };
        judge.record_failure(at, Failure::new(FailureKind::Timeout, why));
        self.finish_seat(seat, round, FailureKind::Timeout);
    }

    /// The run must end now. What was judged before stays judged; what was not cannot become green.
    fn cancel_run(&mut self, cause: CancelCause, now: Millis) {
        if matches!(self.phase, CouncilPhase::Over) {
            return;
        }
        if matches!(self.phase, CouncilPhase::Closing) {
            // Without open tests everything is judged, and stays so. A test that was cut off might have proved a finding:
            // what would be green without it is not known to be.
            if !proof::is_settled(&self.state) {
                self.cut = Some(cause);
                proof::give_up(
                    &mut self.state,
                    "the run ended, and tests of judges are not run any more",
                );
            }
            return;
        }
        self.cut = Some(cause);
        for seat in self.state.judges.seats_where(|_| true) {
            self.keep_draft(seat);
        }
        self.state.claims.give_up();
        self.begin_closing(now);
    }

    /// The seat of a judge that the session names.
    pub(super) fn seat_of(&self, judge: &JudgeId) -> Option<SeatIndex> {
        self.state.judges.seat_of(judge)
    }

    /// The number of the round that runs.
    pub(super) fn current_round(&self) -> Option<&RoundState> {
        match &self.phase {
            CouncilPhase::Round(round) => Some(round),
            _ => None,
        }
    }

    /// A number for a new turn.
    pub(super) fn next_turn(&mut self) -> TurnId {
        self.turns += 1;
        TurnId(self.turns)
    }

    /// The rules' reaction to an accepted answer.
    pub(super) fn react_to_answer(&mut self, seat: SeatIndex, answer: &Answer) {
        let more = self.rules.on_answer(&mut self.state, seat, answer);
        let CouncilPhase::Round(round) = &mut self.phase else {
            return;
        };
        for (other, ask) in more {
            if self.state.judges[other].presence != SeatPresence::Seated {
                continue;
            }
            self.state.judges[other].queue.push_back(ask);
            if !round.waiting.contains(&other) {
                round.waiting.push(other);
            }
        }
    }

    /// What the rules find wanting in a usable answer.
    pub(super) fn find_objection(
        &self,
        seat: SeatIndex,
        task: &Task,
        answer: &Answer,
    ) -> Option<String> {
        self.rules.find_objection(&self.state, seat, task, answer)
    }

    /// The end: nothing comes after it.
    fn conclude(&mut self) {
        self.phase = CouncilPhase::Over;
        let outcome: Outcome = verdict::build_outcome(&self.state, self.cut);
        self.state.out.push(Action::Conclude {
            outcome: Box::new(outcome),
        });
    }
}
