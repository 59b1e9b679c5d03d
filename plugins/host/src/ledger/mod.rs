//! Who was asked what, what each judge may still send, and until when: the rules that hold for every carrier, as plain
//! functions over time that is handed in.
//!
//! Whatever a plugin does, the program sees one outcome for each turn, one end for each judge, and nothing after
//! `closed`.

mod asked;
mod said;
mod time;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use council_protocol::{Event, Failure, JudgeId, TurnId};

use crate::HostTimeouts;

/// What an event may have beside the answer in it.
const ENVELOPE: u64 = 64 * 1024;
/// Bytes that one byte of an answer may take as JSON (`\u0000`).
const ESCAPED: u64 = 6;
/// Bytes of events that belong to no judge: errors, and what is not known.
const LOOSE: u64 = 1024 * 1024;
/// Bytes beyond every budget after which a session is given up altogether.
const STRAY: u64 = 256 * 1024 * 1024;
/// Complaints about one plugin that are passed on.
const NOTES: u32 = 32;

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LedgerPhase {
    /// Not opened by the program yet.
    Fresh,
    /// Waiting for `opened`.
    Opening {
        until: Instant,
        offered: Vec<u32>,
    },
    Open,
    /// The program has asked it to close.
    Closing,
    /// It is gone, and why.
    Dead(String),
    Closed,
}

#[derive(Debug)]
struct LedgerJudge {
    /// The most bytes that an answer may have.
    limit: u64,
    /// Bytes of events since the last turn was sent.
    spent: u64,
    /// It has spent more than it may; nothing is taken from it until its next turn.
    muted: bool,
    started: bool,
    /// Turns without an outcome, and when they time out.
    turns: BTreeMap<TurnId, (Instant, u64)>,
    /// When its end is declared if it does not come.
    end_by: Option<Instant>,
}

impl LedgerJudge {
    fn byte_allowance(&self) -> u64 {
        self.limit.saturating_mul(ESCAPED).saturating_add(ENVELOPE)
    }
}

/// What the rules have led to and is still to be handed on.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) events: Vec<Event>,
    /// Judges whom the backend is to be asked to cancel.
    pub(crate) cancels: Vec<JudgeId>,
}

#[derive(Debug)]
pub(crate) struct CallLedger {
    patience: HostTimeouts,
    phase: LedgerPhase,
    judges: BTreeMap<JudgeId, LedgerJudge>,
    gone: BTreeSet<JudgeId>,
    probes: BTreeSet<JudgeId>,
    loose: u64,
    stray: u64,
    notes: u32,
    pub(crate) effects: Effects,
}

impl CallLedger {
    pub(crate) fn new(patience: HostTimeouts) -> Self {
        Self {
            patience,
            phase: LedgerPhase::Fresh,
            judges: BTreeMap::new(),
            gone: BTreeSet::new(),
            probes: BTreeSet::new(),
            loose: 0,
            stray: 0,
            notes: 0,
            effects: Effects::default(),
        }
    }
}

impl CallLedger {
    /// Closes a turn; gives the most bytes that its answer may have. None: it has its outcome, or was never asked.
    fn take_effects(&mut self, judge: &JudgeId, turn: TurnId) -> Option<u64> {
        let judge = self.judges.get_mut(judge)?;
        judge.turns.remove(&turn).map(|_| judge.limit)
    }

    /// Fails one open turn of a judge, or all. False: there was none.
    fn fail_turns(&mut self, id: &JudgeId, only: Option<TurnId>, failure: &Failure) -> bool {
        let Some(judge) = self.judges.get_mut(id) else {
            return false;
        };
        let concerned = |turn: &TurnId, _: &mut _| only.is_none_or(|id| id == *turn);
        let turns: Vec<TurnId> = judge
            .turns
            .extract_if(.., concerned)
            .map(|(turn, _)| turn)
            .collect();
        for turn in &turns {
            self.fail_turn(id.clone(), Some(*turn), failure.clone());
        }
        !turns.is_empty()
    }

    fn forget_judge(&mut self, id: &JudgeId) {
        self.judges.remove(id);
        self.gone.insert(id.clone());
    }

    fn fail_turn(&mut self, judge: JudgeId, turn: Option<TurnId>, failure: Failure) {
        self.pass_event(Event::Failed {
            judge,
            turn,
            failure,
        });
    }

    /// A complaint about an event that came at the wrong time, unless its judge is merely gone.
    fn log_oddity(&mut self, what: &str, judge: JudgeId) {
        if !self.gone.contains(&judge) {
            self.log_note(format!("sent `{what}` for {judge} out of turn"));
        }
    }

    /// Tells the program what the plugin does wrong, as long as that is news.
    pub(crate) fn log_note(&mut self, what: String) {
        self.notes += 1;
        if self.notes <= NOTES {
            self.pass_event(Event::Error {
                message: format!("the backend {what}"),
            });
        }
    }

    fn pass_event(&mut self, event: Event) {
        self.effects.events.push(event);
    }
}

#[cfg(test)]
mod tests;
