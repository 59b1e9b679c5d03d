//! Turns: one at a time for each judge; what comes back is accepted, sent back once, or an abstention.

use council_protocol::message::Usage;
use council_protocol::task::Form;
use council_protocol::{
    Answer, Failure, FailureKind, JudgeId, Millis, RoundNumber, Task, TurnId, Vote,
};

use super::engine::{Council, CouncilPhase};
use super::exchange::Action;
use super::extract::{self, ExpectedEcho, ReadReply};
use super::judges::{JudgeState, LookedUpFiles, OpenTurn, QueuedTask, SeatIndex, SeatPresence};
use super::keys::turn_key;
use super::ledger::Synthesis;
use super::lost_answer::{LostAnswer, read_lost_answer};
use super::meant_ids::stray_words;
use super::merge::{merge_answers, raise_findings};
use super::plan::Procedure;
use super::position::position_before;
use super::told_fields::read_unasked_document;
use super::unclear_reply::read_unclear_reply;
use super::unseen_words::Speaker;

/// The longest restatement that is kept, in characters: two or three sentences are asked for.
const MAX_RESTATEMENT_CHARS: usize = 2_000;

impl Council {
    /// A judge is seated: it is sent its first question.
    pub(super) fn on_started(&mut self, judge: &JudgeId, now: Millis) {
        let Some(seat) = self.seat_of(judge) else {
            return;
        };
        let judge = &mut self.state.judges[seat];
        if judge.presence != SeatPresence::Asked {
            return;
        }
        judge.presence = SeatPresence::Seated;
        judge.started = true;
        self.dispatch_turn(seat, now);
    }

    /// Sends a judge its next question, when it is seated and has no turn open.
    pub(super) fn dispatch_turn(&mut self, seat: SeatIndex, now: Millis) {
        let Some((round, ends)) = self.current_round().map(|r| (r.number, r.ends)) else {
            return;
        };
        let judge = &mut self.state.judges[seat];
        if judge.presence != SeatPresence::Seated
            || judge.open.is_some()
            || judge.exploring.is_some()
            || judge.checking.is_some()
        {
            return;
        }
        let Some(ask) = judge.queue.pop_front() else {
            return self.settle_seat(seat);
        };
        let id = self.next_turn();
        let judge = &mut self.state.judges[seat];
        let key = turn_key(&self.state.plan.seed, judge.id(), round, id);
        let timeout_ms = ends.saturating_sub(now);
        self.state.out.push(Action::Send {
            judge: judge.id().clone(),
            turn: id,
            round,
            key: key.clone(),
            task: ask.task.clone(),
            timeout_ms,
        });
        self.keys.insert(key.clone(), seat);
        judge.open = Some(OpenTurn {
            id,
            round,
            key,
            ask,
            cancelled: false,
        });
    }

    /// Takes a judge out of the round's waiting when it has nothing left to do, and records what it answered.
    pub(super) fn settle_seat(&mut self, seat: SeatIndex) {
        if !self.state.judges[seat].is_idle() {
            return;
        }
        let CouncilPhase::Round(round) = &mut self.phase else {
            return;
        };
        let before = round.waiting.len();
        round.waiting.retain(|&other| other != seat);
        let (number, was_waiting) = (round.number, round.waiting.len() < before);
        if was_waiting {
            self.record_answer(seat, number);
        }
    }

    fn record_answer(&mut self, seat: SeatIndex, round: RoundNumber) {
        let judge = &self.state.judges[seat];
        if let Some(answer) = judge.answers.get(&round) {
            let (judge, answer) = (judge.id().clone(), Box::new(answer.clone()));
            self.state.out.push(Action::Record {
                judge,
                round,
                answer,
            });
        }
    }

    /// A judge is done with a round for good, `how` being why it did not get to the end of it.
    pub(super) fn finish_seat(&mut self, seat: SeatIndex, round: RoundNumber, how: FailureKind) {
        self.drop_provisional_pass(seat);
        let judge = &self.state.judges[seat];
        let id = judge.id().clone();
        let failed = match how {
            FailureKind::Timeout => how.to_string(),
            _ => format!("failed ({how})"),
        };
        match judge.answers.range(..=round).next_back() {
            Some((&last, _)) if last == round => self.record_answer(seat, round),
            Some((last, _)) => {
                // Scripts look for the line of the log; the note is for people.
                let line = format!("Judge {id} R{round} {failed} -- using R{last} verdict.");
                self.state.add_note(format!(
                    "{id} gave no usable answer in round {round} ({}); its answer of round {last} counts",
                    how.in_words()
                ));
                self.state.add_log(line);
            }
            None => self.state.add_log(format!(
                "Judge {id} R{round} {failed} -- proceeding without it."
            )),
        }
    }

    /// The open turn that an input is about; none when there is no such turn, or no longer.
    fn open_turn(&mut self, judge: &JudgeId, turn: TurnId) -> Option<(SeatIndex, OpenTurn)> {
        let seat = self.seat_of(judge)?;
        let open = &mut self.state.judges[seat].open;
        if open.as_ref().is_some_and(|o| o.id == turn) {
            open.take().map(|turn| (seat, turn))
        } else {
            None
        }
    }

    pub(super) fn on_answered(
        &mut self,
        judge: &JudgeId,
        turn: TurnId,
        raw: &str,
        mut usage: Option<Usage>,
        now: Millis,
    ) {
        let Some((seat, mut turn)) = self.open_turn(judge, turn) else {
            return;
        };
        let judge = &mut self.state.judges[seat];
        keep_unread(judge, &turn, usage.as_mut());
        let looked_up = usage.as_ref().map(LookedUpFiles::of);
        judge.add_usage(turn.round, usage);
        if turn.cancelled || matches!(self.phase, CouncilPhase::Closing) {
            self.note_late(seat, &turn);
            let lost = read_lost_answer(raw, &turn.key, turn.round);
            self.state.judges[seat].keep_lost(lost);
        } else {
            match self.read_answer(seat, &turn, raw) {
                Ok(reply) => {
                    let judge = &mut self.state.judges[seat];
                    judge.count_seen(looked_up.unwrap_or_default());
                    judge.keep_beside(reply.beside);
                    turn.ask.unread = reply.dropped;
                    self.weigh_answer(seat, turn, reply.answer, now);
                }
                Err(failure) => {
                    // What it said stays known, even where the answer cannot count.
                    let lost = read_lost_answer(raw, &turn.key, turn.round);
                    let objects = lost.as_ref().is_some_and(|lost| lost.weight > Vote::Pass);
                    self.state.judges[seat].keep_lost(lost);
                    if !objects {
                        let unclear = read_unclear_reply(raw, failure.kind, turn.round);
                        self.state.judges[seat].keep_lost(unclear);
                    }
                    self.state.judges[seat].remember_seen(looked_up.unwrap_or_default());
                    // What a judge says of its context it may take back; what a server counts is no matter of words.
                    let mends =
                        is_mendable(failure.kind) || failure.kind == FailureKind::ContextCut;
                    self.reject_answer(seat, turn, failure, mends, now);
                }
            }
        }
        self.dispatch_all(now);
    }

    /// What was said in a turn that is forgotten: an objection in it stays known, until the judge says it again.
    pub(super) fn on_recalled(
        &mut self,
        judge: &JudgeId,
        round: RoundNumber,
        key: &str,
        (said, usage): (&[String], Option<Usage>),
    ) {
        let Some(seat) = self.seat_of(judge) else {
            return;
        };
        self.state.judges[seat].add_usage(round, usage);
        for raw in said {
            let lost = read_lost_answer(raw, key, round);
            self.state.judges[seat].keep_lost(lost);
        }
    }

    /// Everybody who became free, or was given something to do, goes on.
    pub(super) fn dispatch_all(&mut self, now: Millis) {
        let waiting = self
            .current_round()
            .map(|r| r.waiting.clone())
            .unwrap_or_default();
        for seat in waiting {
            self.dispatch_turn(seat, now);
        }
    }

    /// An answer after its deadline is noted and not counted; an objection in it is told.
    fn note_late(&mut self, seat: SeatIndex, turn: &OpenTurn) {
        let judge = &mut self.state.judges[seat];
        let detail = "answered after its time was over; the answer does not count";
        judge.record_failure(turn.round, Failure::new(FailureKind::Timeout, detail));
    }

    fn read_answer(
        &self,
        seat: SeatIndex,
        turn: &OpenTurn,
        raw: &str,
    ) -> Result<ReadReply, Failure> {
        let judges = &self.state.judges;
        let others = judges
            .iter()
            .map(|j| j.id().as_str())
            .filter(|id| *id != judges[seat].id().as_str());
        let others: Vec<&str> = others.collect();
        let is_foreign = |key: &str| self.keys.get(key).is_some_and(|&owner| owner != seat);
        let expected = ExpectedEcho {
            round: turn.round,
            key: &turn.key,
            judge: judges[seat].id().as_str(),
            others: &others,
            is_foreign: &is_foreign,
        };
        let speaker = match judges[seat].is_deterministic() {
            true => Speaker::Rules,
            false => Speaker::Model,
        };
        let mut reply = extract::read_reply(raw, expected, speaker)?;
        // Only stages ask for documents, which may be about anything.
        if self.state.plan.procedure != Procedure::Staged {
            let told = read_unasked_document(&reply.answer).map_err(extract::malformed_failure)?;
            reply.beside.extend(told);
        }
        self.state.check_voice(seat, &reply.answer)?;
        let sent = &judges[seat].planned.coverage;
        match &reply.unseen {
            Some(words) if words.contradict(sent) => Err(words.failure()),
            _ => Ok(reply),
        }
    }

    /// A judge whose better answer never came: the one that was sent back counts.
    pub(super) fn keep_draft(&mut self, seat: SeatIndex) {
        let round = self.state.begun;
        let judge = &mut self.state.judges[seat];
        let open = judge.open.as_mut().map(|turn| &mut turn.ask);
        let asked = open.into_iter().chain(judge.queue.iter_mut());
        let mut unread = Vec::new();
        let drafts = asked.filter_map(|ask| {
            let draft = ask.draft.take()?;
            unread.append(&mut ask.unread);
            Some(*draft)
        });
        let mut drafts: Vec<Answer> = drafts.collect();
        drafts.extend(judge.checking.take().map(|checked| checked.1));
        self.note_unread(seat, unread);
        for draft in drafts {
            self.take_in(seat, round, draft);
        }
    }

    pub(super) fn accept_answer(
        &mut self,
        seat: SeatIndex,
        round: RoundNumber,
        form: Form,
        answer: Answer,
        now: Millis,
    ) {
        self.state.judges[seat].answered_ms = Some(now);
        if form == Form::Synthesis {
            return self.take_synthesis(seat, round, answer);
        }
        self.start_explorers(seat, round, &answer, now);
        self.take_in(seat, round, answer.clone());
        self.react_to_answer(seat, &answer);
    }

    /// The synthesis is an artefact: no vote, no finding of it counts.
    fn take_synthesis(&mut self, seat: SeatIndex, round: RoundNumber, answer: Answer) {
        let judge = self.state.judges[seat].id().clone();
        self.state.ledger.synthesis = Some(Synthesis {
            judge: judge.clone(),
            document: answer.document.clone().unwrap_or_default(),
            contention: answer.contention,
        });
        let answer = Box::new(answer);
        self.state.out.push(Action::Record {
            judge,
            round,
            answer,
        });
    }

    /// An answer becomes part of what a judge holds, and its quotes are searched.
    fn take_in(&mut self, seat: SeatIndex, round: RoundNumber, mut answer: Answer) {
        let said = answer.verdict;
        if let Some(ballot) = &answer.ballot {
            answer.verdict = ballot.counted();
        }
        self.request_proofs(&answer);
        let unheard = self.unheard_vote(seat, round, said, &answer);
        let stray = stray_words(&self.state, seat, round, &answer);
        stray
            .notes
            .into_iter()
            .for_each(|note| self.state.add_note(note));
        let judge = &mut self.state.judges[seat];
        judge.owes_answer = false;
        if let Some(before) = judge.answers.get(&round).filter(|_| round == 1) {
            // Also what it said before its explorers came back.
            let before = LostAnswer::given_before(round, before);
            judge.keep_lost(before);
        }
        judge.find_again(round, &answer);
        judge.keep_lost(unheard);
        judge.keep_lost(stray.objection);
        if round == 1 {
            // The answer after the explorers replaces the one before them.
            judge.raised.clear();
            judge.answers.clear();
        }
        raise_findings(&mut judge.raised, round, &answer);
        // What was written before the others were heard stands; a later one only fills its place.
        if round == 1 || judge.restatement.is_none() {
            let restated = answer.restatement.as_deref().and_then(bound_restatement);
            judge.restatement = restated.or(judge.restatement.take());
        }
        let merged = match judge.answers.remove(&round) {
            Some(earlier) => merge_answers(earlier, answer),
            None => answer,
        };
        judge.answers.insert(round, merged);
    }

    /// A final vote that is stricter than what counts of it: one beside a milder ballot, or one without a ballot.
    fn unheard_vote(
        &self,
        seat: SeatIndex,
        round: RoundNumber,
        said: Vote,
        answer: &Answer,
    ) -> Option<LostAnswer> {
        if !self.state.ending || self.state.judges[seat].is_deterministic() {
            return None;
        }
        let counted = match &answer.ballot {
            Some(_) => Some(answer.verdict),
            None => position_before(&self.state, seat, round).counted,
        };
        LostAnswer::unheard(round, said).filter(|_| counted.is_some_and(|vote| said > vote))
    }

    /// Sends an unusable answer back once with what is wrong with it; then the judge abstains.
    fn reject_answer(
        &mut self,
        seat: SeatIndex,
        mut turn: OpenTurn,
        failure: Failure,
        mends: bool,
        now: Millis,
    ) {
        if let Some(draft) = turn.ask.draft.take() {
            // Who cannot be given its answer back has not failed.
            if failure.kind != FailureKind::Unsupported {
                self.state.judges[seat].record_failure(turn.round, failure);
            }
            self.note_unread(seat, std::mem::take(&mut turn.ask.unread));
            return self.accept_answer(seat, turn.round, turn.ask.task.form(), *draft, now);
        }
        let judge = &mut self.state.judges[seat];
        judge.record_failure(turn.round, failure.clone());
        if mends && !turn.ask.mended {
            let task = Task::Mend {
                error: format!("{}: {}", failure.kind, failure.detail),
                form: turn.ask.task.form(),
            };
            judge.queue.push_front(QueuedTask {
                task,
                mended: true,
                ..turn.ask
            });
            return;
        }
        self.give_up(seat, turn.round, &failure);
    }

    /// Tells what could not be read in an answer that counts.
    pub(super) fn note_unread(&mut self, seat: SeatIndex, unread: Vec<String>) {
        let judge = self.state.judges[seat].id().clone();
        for entry in unread {
            self.state
                .add_note(format!("{judge}: {entry}; the rest of its answer counts"));
        }
    }

    /// The rest of the round is lost for this judge.
    fn give_up(&mut self, seat: SeatIndex, round: RoundNumber, failure: &Failure) {
        self.state.judges[seat].queue.clear();
        let CouncilPhase::Round(current) = &mut self.phase else {
            return;
        };
        if current.waiting.contains(&seat) {
            current.waiting.retain(|&other| other != seat);
            self.finish_seat(seat, round, failure.kind);
        }
    }

    pub(super) fn turn_failed(
        &mut self,
        judge: &JudgeId,
        turn: TurnId,
        mut failure: Failure,
        now: Millis,
    ) {
        let Some((seat, turn)) = self.open_turn(judge, turn) else {
            return;
        };
        let mut usage = failure.usage.take().map(|usage| *usage);
        keep_unread(&mut self.state.judges[seat], &turn, usage.as_mut());
        self.state.judges[seat].add_usage(turn.round, usage);
        self.state.judges[seat].forget_unvoted();
        if turn.cancelled || matches!(self.phase, CouncilPhase::Closing) {
            // Its failure was recorded when its time was over.
        } else {
            let mends = is_mendable(failure.kind);
            self.reject_answer(seat, turn, failure, mends, now);
        }
        self.dispatch_all(now);
    }

    /// A judge is gone, or was never seated.
    pub(super) fn on_judge_lost(&mut self, judge: &JudgeId, mut failure: Failure) {
        let Some(seat) = self.seat_of(judge) else {
            return;
        };
        let round = self.current_round().map_or(self.state.begun, |r| r.number);
        let judge = &mut self.state.judges[seat];
        let unread = failure.usage.as_mut();
        let unread = unread.map(|usage| std::mem::take(&mut usage.unread));
        let key = judge.open.as_ref().map(|turn| turn.key.clone());
        let key = key.unwrap_or_default();
        for raw in unread.unwrap_or_default() {
            judge.keep_lost(read_lost_answer(&raw, &key, round));
        }
        let (at, presence) = match judge.presence {
            SeatPresence::Asked => (RoundNumber::NONE, SeatPresence::Absent),
            SeatPresence::Seated => (round, SeatPresence::Gone),
            SeatPresence::Gone | SeatPresence::Absent => return,
        };
        judge.presence = presence;
        self.keep_draft(seat);
        let judge = &mut self.state.judges[seat];
        judge.open = None;
        judge.exploring = None;
        judge.checking = None;
        judge.record_failure(at, failure.clone());
        self.give_up(seat, round, &failure);
    }
}

fn bound_restatement(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(MAX_RESTATEMENT_CHARS).collect();
    Some(text).filter(|text| !text.is_empty())
}

/// Failures that a second try can mend. An oversized answer would come again; a violation is not asked for twice.
fn is_mendable(kind: FailureKind) -> bool {
    use FailureKind as K;
    matches!(
        kind,
        K::Empty | K::Prose | K::Malformed | K::Truncated | K::WrongRound | K::WrongKey
    )
}

/// What a judge said in answers that were cut off or replaced by another model's stays known.
fn keep_unread(judge: &mut JudgeState, turn: &OpenTurn, usage: Option<&mut Usage>) {
    let unread = usage.map(|usage| std::mem::take(&mut usage.unread));
    for raw in unread.unwrap_or_default() {
        judge.keep_lost(read_lost_answer(&raw, &turn.key, turn.round));
    }
}
