//! What a judge has handed in outlives this process: whoever goes on with the run is told of it, where the same turn
//! is asked again and the answer is milder.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use council_protocol::{JudgeId, Turn};
use serde_json::Value;

use crate::tools::CodeTools;

/// Keeps the verdicts of one judge among the steps of its turns.
#[derive(Clone)]
pub(super) struct SubmissionKeeper {
    runner: Arc<dyn CodeTools>,
    judge: JudgeId,
    state: Arc<Mutex<KeeperState>>,
}

#[derive(Default)]
struct KeeperState {
    /// What the turn under way is kept under.
    turn: String,
    /// What an earlier process kept of it.
    earlier: Vec<String>,
    /// What this process has kept of it.
    kept: Vec<String>,
}

impl SubmissionKeeper {
    pub(super) fn new(runner: Arc<dyn CodeTools>, judge: JudgeId) -> Self {
        let state = Arc::default();
        Self {
            runner,
            judge,
            state,
        }
    }

    /// A turn begins: what an earlier process kept of it is remembered.
    pub(super) fn begin_turn(&self, turn: &Turn) {
        // Calls of models have names of their own (`http/steps.rs`).
        let name = format!("{}/{}/{}/handed-in", self.judge, turn.id.0, turn.key);
        let kept = self.runner.steps().map(|store| store.kept(&name));
        let kept = kept.unwrap_or_default().into_iter();
        let text = |step: Value| step.as_str().map(str::to_owned);
        *self.lock() = KeeperState {
            earlier: kept.filter_map(text).collect(),
            turn: name,
            kept: Vec::new(),
        };
    }

    /// Keeps each text that is new.
    pub(super) fn keep(&self, texts: &[String]) {
        let mut state = self.lock();
        for text in texts {
            if state.kept.contains(text) || state.earlier.contains(text) {
                continue;
            }
            if let Some(store) = self.runner.steps() {
                store.keep(&state.turn, text.as_str().into());
            }
            state.kept.push(text.clone());
        }
    }

    /// What an earlier process was handed in this turn, once.
    pub(super) fn take_earlier(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().earlier)
    }

    fn lock(&self) -> MutexGuard<'_, KeeperState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
