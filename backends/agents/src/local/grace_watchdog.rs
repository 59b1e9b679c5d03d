//! Sees to it that a grace ends.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::judge_events::JudgeEvents;
use super::worker_thread::spawn_thread;

/// Forces judges that have not ended in their grace: one thread for all of them, started with the first, ended with
/// this value.
#[derive(Default)]
pub(super) struct GraceWatchdog(Option<Sender<GracePeriod>>);

struct GracePeriod {
    until: Instant,
    judge_events: Arc<JudgeEvents>,
}

impl GraceWatchdog {
    /// Forces the judge when `grace` has passed, unless it has ended by then. Without a thread to watch
    /// over it, it has no grace at all.
    pub(super) fn watch_judge(&mut self, judge_events: Arc<JudgeEvents>, grace: Duration) {
        if judge_events.is_over() {
            return;
        }
        let grace = GracePeriod {
            until: Instant::now() + grace,
            judge_events,
        };
        let unwatched = match self.grace_sender() {
            Some(giving) => giving.send(grace).err().map(|error| error.0),
            None => Some(grace),
        };
        if let Some(grace) = unwatched {
            grace.judge_events.force_end();
        }
    }

    fn grace_sender(&mut self) -> Option<&Sender<GracePeriod>> {
        if self.0.is_none() {
            let (giving, taking) = channel();
            self.0 = spawn_thread("graces", move || run_watchdog(&taking))
                .ok()
                .map(|()| giving);
        }
        self.0.as_ref()
    }
}

fn run_watchdog(taking: &Receiver<GracePeriod>) {
    let mut graces: Vec<GracePeriod> = Vec::new();
    loop {
        let next = match graces.iter().map(|grace| grace.until).min() {
            Some(until) => taking.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => taking.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(grace) => graces.push(grace),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        let passed = graces.extract_if(.., |grace| grace.until <= now);
        passed.for_each(|grace| grace.judge_events.force_end());
    }
}
