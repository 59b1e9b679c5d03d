//! A council goes on where another process left it: what was heard is heard again by a new engine, what the engine still
//! waits for is done again, and nothing that was answered is asked twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use council_protocol::message::Usage;
use council_protocol::{Capability, FailureKind, JudgeId, Millis, RoundNumber, Turn, TurnId};

use super::drive::SessionState;
use super::error::SessionError;
use super::journal::{JournalEntry, RunJournal};
use super::purse::{CALLS_FILE, sum_of_calls};
use crate::council::outcome::is_lost;
use crate::council::reproduction::ReproductionId;
use crate::council::{Action, ClaimId, Council, Input, Outcome, Plan, TimerId, says_objection};

/// What an engine still waits for after it has heard everything that was written down.
#[derive(Default)]
pub(super) struct PendingWork {
    /// Judges that nothing was heard of.
    expected: BTreeMap<JudgeId, Millis>,
    /// Judges that sat and have not ended: they must sit again.
    pub(super) seated: BTreeSet<JudgeId>,
    /// Turns that were not answered, with the moment at which they were sent.
    turns: BTreeMap<TurnId, (Millis, JudgeId, Action)>,
    proofs: BTreeMap<ClaimId, Action>,
    explorers: BTreeMap<JudgeId, Action>,
    reproductions: BTreeMap<ReproductionId, Action>,
    ends: BTreeMap<JudgeId, Action>,
    timers: BTreeMap<TimerId, Millis>,
    /// Files: whoever made them may have died before.
    files: Vec<Action>,
    log: Vec<String>,
    outcome: Option<Box<Outcome>>,
    /// What each judge has said so far, in order.
    said: BTreeMap<JudgeId, Vec<Arc<str>>>,
    /// When the last thing was heard.
    last: Millis,
}

impl PendingWork {
    /// A new engine that has heard these entries, and what it waits for.
    pub(super) fn after_entries(plan: Plan, entries: &[JournalEntry]) -> (Council, Self) {
        let (mut council, actions) = Council::convene(plan);
        let mut owed = Self::default();
        owed.on_actions(actions, 0);
        for JournalEntry { at, input } in entries {
            owed.last = *at;
            owed.on_input(input);
            owed.on_actions(council.handle(input.clone(), *at), *at);
        }
        (council, owed)
    }

    fn on_actions(&mut self, actions: Vec<Action>, at: Millis) {
        for action in actions {
            match &action {
                Action::Spawn { judge } => drop(self.expected.insert(judge.clone(), at)),
                Action::Send { judge, turn, .. } => {
                    let (turn, judge) = (*turn, judge.clone());
                    self.turns.insert(turn, (at, judge, action));
                }
                Action::CancelTurn { judge } => self.turns.retain(|_, (_, of, _)| of != judge),
                Action::Prove { claim, .. } => drop(self.proofs.insert(*claim, action)),
                Action::Explore { judge, .. } => {
                    drop(self.explorers.insert(judge.clone(), action));
                }
                Action::Reproduce { id, .. } => drop(self.reproductions.insert(*id, action)),
                Action::SetDeadline { timer, at } => drop(self.timers.insert(*timer, *at)),
                Action::Shutdown { judge, .. } => drop(self.ends.insert(judge.clone(), action)),
                Action::Share { .. } | Action::Record { .. } | Action::Minutes { .. } => {
                    self.files.push(action);
                }
                Action::Log { line } => self.log.push(line.clone()),
                Action::Conclude { outcome } => self.outcome = Some(outcome.clone()),
            }
        }
    }

    fn on_input(&mut self, input: &Input) {
        match input {
            Input::Started { judge } => {
                self.expected.remove(judge);
                self.seated.insert(judge.clone());
            }
            Input::Answered {
                judge, turn, raw, ..
            } => {
                self.turns.remove(turn);
                let said = self.said.entry(judge.clone()).or_default();
                said.push(Arc::clone(raw));
            }
            Input::Failed {
                turn: Some(turn), ..
            } => drop(self.turns.remove(turn)),
            Input::Failed { judge, .. } | Input::Ended { judge, .. } => {
                self.expected.remove(judge);
                self.seated.remove(judge);
                self.turns.retain(|_, (_, of, _)| of != judge);
                if matches!(input, Input::Ended { .. }) {
                    self.ends.remove(judge);
                }
            }
            Input::Proved { claim, .. } => drop(self.proofs.remove(claim)),
            Input::Explored { judge, .. } => drop(self.explorers.remove(judge)),
            Input::Reproduced { id, .. } => drop(self.reproductions.remove(id)),
            Input::Deadline { timer } => drop(self.timers.remove(timer)),
            Input::Cancel { .. } | Input::Recalled { .. } => {}
        }
    }

    /// How long the oldest thing that is still waited for was waited for in vain: that time is given again.
    fn lost_ms(&self) -> Millis {
        let turns = self.turns.values().map(|(at, ..)| *at);
        let oldest = turns.chain(self.expected.values().copied()).min();
        self.last.saturating_sub(oldest.unwrap_or(self.last))
    }
}

/// Judges that sat in another process, and answers that another process paid for.
#[derive(Default)]
pub(super) struct RunHistory {
    /// Judges that are being seated again, with what is to be done as soon as they sit.
    pub(super) returning: BTreeMap<JudgeId, Vec<Action>>,
    /// What returning judges had said: they no longer know it.
    pub(super) said: BTreeMap<JudgeId, Vec<Arc<str>>>,
    /// What judges without memory were asked last, mending aside.
    pub(super) asked: BTreeMap<JudgeId, Turn>,
    /// Answers to turns that may be asked again: the same judge, the same key, the same question.
    answers: Vec<(Action, Input)>,
}

impl RunHistory {
    /// What came of exactly this question, once.
    pub(super) fn answer_to(&mut self, question: &Action) -> Option<Input> {
        let at = self
            .answers
            .iter()
            .position(|(asked, _)| is_same_question(asked, question))?;
        let (_, mut answer) = self.answers.remove(at);
        readdress_input(&mut answer, question);
        if let Input::Answered { judge, raw, .. } = &answer {
            // Whoever sits there now has not said it.
            let said = self.said.entry(judge.clone()).or_default();
            said.push(Arc::clone(raw));
        }
        Some(answer)
    }
}

/// How many entries of a journal stand before the first judge that was lost to what it did not do wrong itself.
///
/// None: no judge was. What judges said, and what they did wrong themselves, is never forgotten.
pub(crate) fn before_losses(plan: Plan, entries: &[JournalEntry]) -> Option<usize> {
    let (mut council, actions) = Council::convene(plan);
    let mut owed = PendingWork::default();
    owed.on_actions(actions, 0);
    entries.iter().position(|JournalEntry { at, input }| {
        let waited_for = owed.turns.len();
        owed.on_input(input);
        owed.on_actions(council.handle(input.clone(), *at), *at);
        match input {
            Input::Failed { failure, .. } => is_lost(failure.kind),
            // It takes the turn from whoever had not answered.
            Input::Deadline { .. } => {
                // So it does from a test that had not run when the run's own time was over,
                let cut_test = owed.outcome.is_some() && !owed.reproductions.is_empty();
                // and from whoever is asked to end then.
                let is_sent_home = |judge: &JudgeId| owed.ends.contains_key(judge);
                let cut_judge = owed.turns.values().any(|(_, judge, _)| is_sent_home(judge));
                let took_turn = !owed.expected.is_empty() || owed.turns.len() < waited_for;
                cut_test || cut_judge || took_turn
            }
            Input::Cancel { .. } => true,
            _ => false,
        }
    })
}

/// Whether a judge is asked the same. How much of its round's time is left plays no part, and neither does the turn's
/// number: whoever is asked a second time is asked later than the first time, and perhaps after others.
fn is_same_question(asked: &Action, question: &Action) -> bool {
    match (asked, question) {
        (
            Action::Send {
                judge: first,
                round: own_round,
                key: own_key,
                task: own_task,
                ..
            },
            Action::Send {
                judge,
                round,
                key,
                task,
                ..
            },
        ) => (first, own_round, own_key, own_task) == (judge, round, key, task),
        _ => false,
    }
}

/// Gives what came of an earlier turn the number of the turn in which the same is asked now.
fn readdress_input(input: &mut Input, question: &Action) {
    let Action::Send { turn: now, .. } = question else {
        return;
    };
    match input {
        Input::Answered { turn, .. } => *turn = *now,
        Input::Failed { turn, .. } => *turn = Some(*now),
        _ => {}
    }
}

/// The turn that ended so, unless its judge was lost by no fault of its own: then it is asked again. What a judge did wrong
/// itself is kept like an answer, for it may have mended it since.
pub(super) fn settled_turn(input: &Input) -> Option<TurnId> {
    match input {
        Input::Answered { turn, .. } => Some(*turn),
        Input::Failed { turn, failure, .. } => {
            let is_asked_again = is_lost(failure.kind) || failure.kind == FailureKind::Cancelled;
            turn.filter(|_| !is_asked_again)
        }
        _ => None,
    }
}

/// What came of the turns of the forgotten part of a journal, each with its question.
fn collect_answers(plan: &Plan, journal: &RunJournal) -> Vec<(Action, Input)> {
    let (mut council, mut actions) = Council::convene(plan.clone());
    let mut asked = BTreeMap::new();
    let mut found = Vec::new();
    for JournalEntry { at, input } in &journal.forgotten {
        for action in actions {
            if let Action::Send { turn, .. } = action {
                asked.insert(turn, action);
            }
        }
        if let Some(question) = settled_turn(input).and_then(|turn| asked.remove(&turn)) {
            found.push((question, input.clone()));
        }
        actions = council.handle(input.clone(), *at);
    }
    found
}

/// What was objected to in the forgotten part of a journal, and what its failed turns cost: they are asked again, and a milder
/// answer does not make it unsaid.
fn collect_objections(plan: &Plan, journal: &RunJournal) -> Vec<Input> {
    let (mut council, mut actions) = Council::convene(plan.clone());
    let mut asked = BTreeMap::new();
    let mut found = Vec::new();
    for (number, JournalEntry { at, input }) in journal.forgotten.iter().enumerate() {
        for action in actions {
            if let Action::Send {
                turn, round, key, ..
            } = action
            {
                asked.insert(turn, (round, key));
            }
        }
        if number >= journal.entries.len() {
            found.extend(recall_objection(input, &asked));
        }
        actions = council.handle(input.clone(), *at);
    }
    // What an earlier process has recalled is known already.
    found.retain(|recalled| !journal.entries.iter().any(|entry| entry.input == *recalled));
    found
}

/// What one input of a turn objects to.
fn recall_objection(
    input: &Input,
    asked: &BTreeMap<TurnId, (RoundNumber, String)>,
) -> Option<Input> {
    let (judge, turn, raw, usage) = match input {
        Input::Answered {
            judge,
            turn,
            raw,
            usage,
        } => (judge, turn, Some(raw.to_string()), usage.as_ref()),
        Input::Failed {
            judge,
            turn: Some(turn),
            failure,
        } => (judge, turn, None, failure.usage.as_deref()),
        Input::Recalled { .. } => return Some(input.clone()),
        _ => return None,
    };
    let (round, key) = asked.get(turn)?.clone();
    let is_asked_again = settled_turn(input).is_none();
    let unread = usage.into_iter().flat_map(|usage| usage.unread.clone());
    let said = unread.chain(raw);
    let said: Vec<String> = said.filter(|raw| says_objection(raw, &key)).collect();
    // An answer is taken again with its cost; a turn that was lost is asked again, and was paid for.
    let usage = usage.filter(|_| is_asked_again).and_then(Usage::paid);
    let judge = judge.clone();
    (!said.is_empty() || usage.is_some()).then_some(Input::Recalled {
        judge,
        round,
        key,
        said,
        usage,
    })
}

impl SessionState<'_> {
    /// Takes the council over from where its journal ends.
    pub(super) fn resume_journal(&mut self, journal: &RunJournal) -> Result<(), SessionError> {
        self.continue_journal(journal)?;
        let spent = self.spent_before(journal);
        self.purse.count_earlier(spent);
        let (council, owed) = PendingWork::after_entries(self.plan().clone(), &journal.entries);
        self.take_over(council, owed.last);
        self.tell_again(&journal.entries);
        self.past.answers = collect_answers(self.plan(), journal);
        for recalled in collect_objections(self.plan(), journal) {
            self.queue_input(recalled);
        }
        for JournalEntry { input, .. } in &journal.entries {
            self.roll.replay_input(input);
        }
        self.restore_pending(owed);
        Ok(())
    }

    /// What the run has cost so far, in US dollars: the log has every call, the journal only what came of them; and a disk
    /// that was full may have kept either.
    fn spent_before(&self, journal: &RunJournal) -> f64 {
        let usage = |entry: &JournalEntry| match &entry.input {
            Input::Answered { usage, .. } | Input::Explored { usage, .. } => {
                usage.as_ref()?.cost_usd
            }
            Input::Failed { failure, .. } => failure.usage.as_ref()?.cost_usd,
            _ => None,
        };
        // What was forgotten is the journal from its beginning, the entries that were kept included.
        let heard = |entries: &[JournalEntry]| entries.iter().filter_map(usage).sum::<f64>();
        let heard = heard(&journal.entries).max(heard(&journal.forgotten));
        let log = self.setting.run.file_path(CALLS_FILE);
        let log = log.and_then(|path| self.world.disk().read_file(&path).ok());
        heard.max(sum_of_calls(&log.unwrap_or_default()))
    }

    fn restore_pending(&mut self, owed: PendingWork) {
        let lost_ms = owed.lost_ms();
        let later = |(timer, at): (TimerId, Millis)| (timer, at.saturating_add(lost_ms));
        self.timers = owed.timers.into_iter().map(later).collect();
        self.restore_log(owed.log);
        for file in owed.files {
            self.recreate_file(file);
        }
        if owed.outcome.is_some() {
            self.outcome = owed.outcome;
            return;
        }
        self.past.said = owed.said;
        for judge in owed.seated {
            self.past.returning.insert(judge.clone(), Vec::new());
            self.perform_action(Action::Spawn { judge });
        }
        for judge in owed.expected.into_keys() {
            self.perform_action(Action::Spawn { judge });
        }
        let turns = owed.turns.into_values().map(|(_, _, turn)| turn);
        let rest = owed
            .proofs
            .into_values()
            .chain(owed.explorers.into_values())
            .chain(owed.reproductions.into_values());
        for action in turns.chain(rest).chain(owed.ends.into_values()) {
            self.perform_action(action);
        }
    }

    /// What waits until a judge sits again; gives back what need not wait.
    pub(super) fn defer_action(&mut self, action: Action) -> Option<Action> {
        let judge = match &action {
            Action::Send { judge, .. } | Action::Shutdown { judge, .. } => judge,
            Action::CancelTurn { judge } => {
                let waiting = self.past.returning.get_mut(judge);
                if let Some(waiting) = waiting {
                    waiting.retain(|other| !matches!(other, Action::Send { .. }));
                    return None;
                }
                return Some(action);
            }
            _ => return Some(action),
        };
        match self.past.returning.get_mut(judge) {
            Some(waiting) => {
                waiting.push(action);
                None
            }
            None => Some(action),
        }
    }

    /// Whether a judge is another agent at every turn, and must be told what it was asked and what it said: one that cannot be
    /// messaged, or is briefed afresh in each round (`--economy`).
    pub(super) fn is_fresh(&self, judge: &JudgeId) -> bool {
        let economy = self.plan().options.economy;
        self.find_seat(judge).is_some_and(|seat| {
            let emulated = seat.grant.emulated.contains_key(&Capability::Message);
            !seat.grant.granted.has(&Capability::Message) || (economy && emulated)
        })
    }

    /// Keeps what such a judge said.
    pub(super) fn remember_reply(&mut self, input: &Input) {
        let Input::Answered { judge, raw, .. } = input else {
            return;
        };
        if self.is_fresh(judge) {
            let said = self.past.said.entry(judge.clone()).or_default();
            // What an earlier process paid for is remembered already.
            if said.last() != Some(raw) {
                said.push(Arc::clone(raw));
            }
        }
    }

    /// A judge sits again: what waited for it is done.
    pub(super) fn on_returned(&mut self, judge: &JudgeId) {
        for action in self.past.returning.remove(judge).unwrap_or_default() {
            self.perform_action(action);
        }
    }
}
