//! Steps of turns that are not answered yet: what a model asked to look up was paid for, and is not asked again by
//! whoever goes on with the run. The journal learns of it only with the answer.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use council_agents::tools::StepStore;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::safe_file;
use crate::session::RunRef;

/// Its name in the run's folder.
const FILE: &str = "steps.json";

/// What is kept at most, so that no file grows without end.
const MAX_STEPS: usize = 5_000;

/// A finished call of a turn, as it is kept on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptStep {
    turn: String,
    step: Value,
}

/// The steps of a run, in a file of its folder.
pub(crate) struct StepFile {
    path: PathBuf,
    steps: Mutex<Vec<KeptStep>>,
}

impl StepFile {
    /// For a run, with what an earlier process kept; none where it has no folder.
    pub(crate) fn of_run(run: &RunRef) -> Option<Box<dyn StepStore>> {
        let path = run.file_path(FILE)?;
        let bytes = safe_file::read(&path).unwrap_or_default();
        // A file that cannot be read keeps nothing: its steps are paid for again.
        let steps = serde_json::from_slice(&bytes).unwrap_or_default();
        let steps = Mutex::new(steps);
        Some(Box::new(Self { path, steps }))
    }
}

impl StepStore for StepFile {
    fn keep(&self, turn: &str, step: Value) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() >= MAX_STEPS {
            return;
        }
        let turn = turn.to_owned();
        steps.push(KeptStep { turn, step });
        if let Ok(json) = serde_json::to_vec(&*steps) {
            let _ = safe_file::write_file(&self.path, json);
        }
    }

    fn kept(&self, turn: &str) -> Vec<Value> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = steps.iter().filter(|kept| kept.turn == turn);
        steps.map(|kept| kept.step.clone()).collect()
    }
}
