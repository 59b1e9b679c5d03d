//! Asking a turn to stop.

use std::sync::{Arc, Mutex, PoisonError};

type StopHook = Box<dyn FnOnce() + Send>;

/// Raised once, seen by every clone: the turn that it belongs to should end soon.
#[derive(Clone, Default)]
pub struct StopSignal {
    state: Arc<Mutex<StopState>>,
    draft: TurnDraft,
}

/// The most bytes of a turn's unfinished words that are kept.
const MAX_DRAFT_BYTES: usize = 1 << 20;

/// What a judge has said so far in a turn: if its time ends there, an objection in it is told.
#[derive(Clone, Default)]
pub(crate) struct TurnDraft(Arc<Mutex<Vec<u8>>>);

impl TurnDraft {
    pub(crate) fn push(&self, said: &[u8]) {
        let mut draft = self.lock();
        let room = MAX_DRAFT_BYTES.saturating_sub(draft.len());
        draft.extend_from_slice(&said[..said.len().min(room)]);
    }

    /// Replaces it: what came before is kept elsewhere, or taken back.
    pub(crate) fn set(&self, said: &str) {
        self.lock().clear();
        self.push(said.as_bytes());
    }

    /// Takes it; none: nothing was said.
    pub(crate) fn take(&self) -> Option<String> {
        let said = std::mem::take(&mut *self.lock());
        let text = String::from_utf8_lossy(&said).into_owned();
        (!text.trim().is_empty()).then_some(text)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Where the words of its turn are kept while they come.
    pub(crate) fn draft(&self) -> &TurnDraft {
        &self.draft
    }

    /// The same for a program that writes more than its answer, which is no objection of its judge's.
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
