//! Tests of judges run beside the session: on a thread of their own, one after another.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use council_protocol::Location;
use council_protocol::reproduction::Reproduction;
use tokio::sync::mpsc::UnboundedSender;

use super::setting::ReproductionRunner;
use crate::council::Input;
use crate::council::reproduction::{ReproductionId, Suggestion};

/// A test that waits, what its finding suggests, and the lines that it must not pass without.
pub(super) type ReproductionTask = (
    ReproductionId,
    Reproduction,
    Option<Suggestion>,
    Option<Location>,
);

/// Where tests wait until they are run. What runs is ended with it.
pub(super) struct TrialDesk {
    runner: Option<Arc<dyn ReproductionRunner>>,
    reports: UnboundedSender<Input>,
    /// Where tests wait, and who runs them.
    worker: Option<(Sender<ReproductionTask>, JoinHandle<()>)>,
}

impl TrialDesk {
    pub(super) fn new(
        runner: Option<Arc<dyn ReproductionRunner>>,
        reports: UnboundedSender<Input>,
    ) -> Self {
        Self {
            runner,
            reports,
            worker: None,
        }
    }

    /// Has a test run; none: there is nothing that could run it.
    pub(super) fn enqueue(&mut self, task: ReproductionTask) -> Option<()> {
        let runner = Arc::clone(self.runner.as_ref()?);
        let reports = self.reports.clone();
        let (queue, _) = self.worker.get_or_insert_with(|| {
            let (queue, tasks) = channel::<ReproductionTask>();
            let worker = thread::spawn(move || {
                for (id, reproduction, suggestion, place) in tasks {
                    let (suggestion, place) = (suggestion.as_ref(), place.as_ref());
                    let result = runner.run_reproduction(&reproduction, suggestion, place);
                    // Whoever does not listen any more has its outcome.
                    let _ = reports.send(Input::Reproduced { id, result });
                }
            });
            (queue, worker)
        });
        queue.send(task).ok()
    }
}

impl Drop for TrialDesk {
    fn drop(&mut self) {
        if let (Some(runner), Some((queue, worker))) = (&self.runner, self.worker.take()) {
            drop(queue);
            runner.stop();
            // It ends what runs at once, and removes its folder.
            let _ = worker.join();
        }
    }
}
