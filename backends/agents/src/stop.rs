//! Asking a turn to stop.

use std::sync::{Arc, Mutex, PoisonError};

use council_protocol::message::Usage;

type StopHook = Box<dyn FnOnce() + Send>;

/// Raised once, seen by every clone: the turn that it belongs to should end soon.
#[derive(Clone, Default)]
pub struct StopSignal {
    state: Arc<Mutex<StopState>>,
    draft: TurnDraft,
}

/// The most bytes of a turn's unfinished words that are kept. A client's stream has much beside its answer.
const MAX_DRAFT_BYTES: usize = 8 << 20;

/// Finds what a judge says in the stream of a program that also writes other things.
pub(crate) type DraftDecoder = fn(&[u8]) -> Vec<String>;

/// What a judge has handed in elsewhere.
type HandedIn = Box<dyn Fn() -> Vec<String> + Send>;

/// What a judge has said so far in a turn: if the turn fails, or its time ends there, an objection in it is told.
#[derive(Clone, Default)]
pub(crate) struct TurnDraft(Arc<Mutex<DraftState>>);

#[derive(Default)]
struct DraftState {
    said: Vec<u8>,
    /// What was said in calls of the turn that are over, and elsewhere than in an answer's text.
    asides: Vec<String>,
    /// What the turn has cost so far.
    spent: Option<Usage>,
    decoder: Option<DraftDecoder>,
    handed_in: Option<HandedIn>,
}

impl TurnDraft {
    pub(crate) fn push(&self, said: &[u8]) {
        let mut draft = self.lock();
        let room = MAX_DRAFT_BYTES.saturating_sub(draft.said.len());
        draft.said.extend_from_slice(&said[..said.len().min(room)]);
    }

    /// What is pushed is a stream in which the judge's words have to be found.
    pub(crate) fn decode_with(&self, decoder: DraftDecoder) {
        self.lock().decoder = Some(decoder);
    }

    /// What the judge hands in elsewhere is a part of what it has said.
    pub(crate) fn add_handed_in(&self, handed_in: impl Fn() -> Vec<String> + Send + 'static) {
        self.lock().handed_in = Some(Box::new(handed_in));
    }

    /// How many bytes were said so far.
    pub(crate) fn len(&self) -> usize {
        self.lock().said.len()
    }

    /// Where the last text that holds `key` begins; none: there is no such text.
    pub(crate) fn find_answer(&self, key: &str) -> Option<usize> {
        let draft = self.lock();
        let Some(decoder) = draft.decoder else {
            let key = Some(key.as_bytes()).filter(|key| !key.is_empty())?;
            return draft.said.windows(key.len()).rposition(|part| part == key);
        };
        let mut begins = 0;
        let mut found = None;
        for line in draft.said.split_inclusive(|&b| b == b'\n') {
            let says = |text: &String| !key.is_empty() && text.contains(key);
            if decoder(line).iter().any(says) {
                found = Some(begins);
            }
            begins += line.len();
        }
        found
    }

    /// Replaces it: what came before is kept elsewhere, or taken back.
    pub(crate) fn set(&self, said: &str) {
        self.lock().said.clear();
        self.push(said.as_bytes());
    }

    /// Replaces what was said beside the answer under way.
    pub(crate) fn set_asides(&self, asides: Vec<String>) {
        self.lock().asides = asides;
    }

    /// The turn is over, and these are all of its words: whoever ends it from outside before anybody heard of its end tells
    /// them. What the judge has handed in elsewhere is among them, since its mailbox may be gone by then.
    pub(crate) fn settle(&self, said: Vec<String>, spent: Option<Usage>) {
        *self.lock() = DraftState {
            asides: said,
            spent,
            ..DraftState::default()
        };
    }

    /// What the turn has cost so far: whoever ends it from outside tells that.
    pub(crate) fn set_spent(&self, spent: Option<Usage>) {
        self.lock().spent = spent;
    }

    /// Takes what the turn has cost; none: nobody counts it.
    pub(crate) fn take_spent(&self) -> Option<Usage> {
        self.lock().spent.take()
    }

    /// Takes it, text by text; empty: nothing was said.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut kept = self.lock();
        let spent = kept.spent.take();
        let state = std::mem::replace(
            &mut *kept,
            DraftState {
                spent,
                ..DraftState::default()
            },
        );
        drop(kept);
        state.texts()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, DraftState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DraftState {
    fn texts(&self) -> Vec<String> {
        let mut texts = match self.decoder {
            Some(decoder) => decoder(&self.said),
            None => vec![String::from_utf8_lossy(&self.said).into_owned()],
        };
        texts.extend(self.asides.iter().cloned());
        texts.extend(self.handed_in.iter().flat_map(|handed_in| handed_in()));
        texts.retain(|text| !text.trim().is_empty());
        texts
    }
}

enum StopState {
    Quiet(Vec<StopHook>),
    Raised,
}

impl Default for StopState {
    fn default() -> Self {
        Self::Quiet(Vec::new())
    }
}

impl StopSignal {
    /// Raises it and runs what was hung on it; raising twice is fine.
    pub fn raise(&self) {
        let state = std::mem::replace(&mut *self.lock(), StopState::Raised);
        if let StopState::Quiet(hooks) = state {
            hooks.into_iter().for_each(|hook| hook());
        }
    }

    /// What the judge has said or handed in so far, and what that has cost as far as it is known. All of it stays where it is.
    pub fn said_so_far(&self) -> (Vec<String>, Option<Usage>) {
        let draft = self.draft.lock();
        (draft.texts(), draft.spent.clone())
    }

    /// Where the words of its turn are kept while they come.
    pub(crate) fn draft(&self) -> &TurnDraft {
        &self.draft
    }

    /// Another signal for the same turn, whose words are kept in the same place.
    pub(crate) fn sharing_draft_of(stop: &Self) -> Self {
        Self {
            state: Arc::default(),
            draft: stop.draft.clone(),
        }
    }

    /// The same for a program that writes no answer: nothing of it is an objection of the judge's.
    pub(crate) fn without_draft(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
            draft: TurnDraft::default(),
        }
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        matches!(*self.lock(), StopState::Raised)
    }

    /// Runs `hook` when it is raised, on the raising thread; at once when it was raised already. This is how a wait
    /// for a process or a connection is ended without polling.
    pub fn on_raise(&self, hook: impl FnOnce() + Send + 'static) {
        let mut state = self.lock();
        match &mut *state {
            StopState::Quiet(hooks) => hooks.push(Box::new(hook)),
            StopState::Raised => {
                drop(state);
                hook();
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, StopState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn hooks_run_once_whether_hung_before_or_after() {
        let (stop, count) = (StopSignal::default(), Arc::new(AtomicU32::new(0)));
        let hook = || {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(1, Ordering::Relaxed);
            }
        };
        stop.on_raise(hook());
        assert!(!stop.is_raised());
        stop.clone().raise();
        stop.raise();
        stop.on_raise(hook());
        assert!(stop.is_raised());
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }
}
