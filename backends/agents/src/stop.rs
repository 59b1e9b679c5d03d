//! Asking a turn to stop.

use std::sync::{Arc, Mutex, PoisonError};

type StopHook = Box<dyn FnOnce() + Send>;

/// Raised once, seen by every clone: the turn that it belongs to should end soon.
#[derive(Clone)]
pub struct StopSignal(Arc<Mutex<StopState>>);

enum StopState {
    Quiet(Vec<StopHook>),
    Raised,
}

impl Default for StopSignal {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(StopState::Quiet(Vec::new()))))
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
