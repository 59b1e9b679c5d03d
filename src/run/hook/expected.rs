//! A review of the pushed commit that is under way: what it comes to is about to be known.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::config::HookMode;
use crate::git;
use crate::run::context::RunContext;

use super::background::{BackgroundQueue, BackgroundState, background_queue};

/// How often it is looked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits until the background has reviewed the commit that is checked out, where that one is pushed; a gate as long as it may,
/// an advice not at all. What is still not known then, in words.
pub(super) fn await_review(
    tip: Option<&str>,
    mode: HookMode,
    until: Instant,
    start: &RunContext,
) -> Option<String> {
    let queue = background_queue(start).ok().flatten()?;
    if !is_busy(&queue) || !is_checked_out(tip, start) {
        return None;
    }
    queue.stop_waiting();
    while mode == HookMode::Gate && is_busy(&queue) && Instant::now() < until {
        sleep(POLL_INTERVAL);
    }
    is_busy(&queue).then(|| {
        "a review of what is pushed is still running and not heard here: git council wait"
            .to_owned()
    })
}

fn is_busy(queue: &BackgroundQueue) -> bool {
    let state = queue.current_state();
    matches!(
        state,
        BackgroundState::Working | BackgroundState::Waiting(_)
    )
}

fn is_checked_out(tip: Option<&str>, start: &RunContext) -> bool {
    let head = git::commit_at(&start.dir, &start.git_environment(), "HEAD").ok();
    head.is_some() && head.as_deref() == tip
}
