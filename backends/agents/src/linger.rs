//! A judge that has said everything is not waited for: its answer counts when it is whole, not when its process ends.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::StopSignal;
use crate::mailbox::JudgeMailbox;
use crate::process::TreeKiller;

/// How long a program may still live once its answer is whole: time to end by itself, or to write a better one.
pub(crate) const LINGER: Duration = Duration::from_secs(1);

/// How long a session may go on after its judge has submitted a verdict: time for messages to the others.
const SUBMITTED_LINGER: Duration = Duration::from_secs(10);

/// How long a session whose whole answer was heard may say and do nothing, in a turn of `time`.
pub(crate) fn quiet_time(time: Duration) -> Duration {
    (time / 4).clamp(LINGER, SUBMITTED_LINGER)
}

/// How often a mailbox is looked into.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// Ends a program's tree once it has lingered, unless it is dropped before.
pub(crate) struct LingerTimer(#[expect(dead_code, reason = "its end is what counts")] Sender<()>);

impl LingerTimer {
    pub(crate) fn start(ender: TreeKiller) -> Self {
        let (alive, ended) = channel();
        thread::spawn(move || {
            if ended.recv_timeout(LINGER) == Err(RecvTimeoutError::Timeout) {
                ender.kill_tree();
            }
        });
        Self(alive)
    }
}

/// Wakes a turn of a session whose judge has submitted a verdict and does not end.
pub(crate) struct SubmissionWatch {
    /// Raised when the turn is to end: it was stopped, or has lingered.
    pub(crate) ended: StopSignal,
    _alive: Sender<()>,
}

impl SubmissionWatch {
    /// Watches one turn; `stop` ends it as before.
    pub(crate) fn start(mailbox: Option<&JudgeMailbox>, stop: &StopSignal) -> Self {
        let ended = StopSignal::sharing_draft_of(stop);
        let raised = ended.clone();
        stop.on_raise(move || raised.raise());
        let (alive, over) = channel();
        if let Some(mailbox) = mailbox.cloned() {
            let lingered = ended.clone();
            thread::spawn(move || {
                let mut submitted = None;
                while over.recv_timeout(LOOK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    if submitted.is_none() && mailbox.has_verdict() {
                        submitted = Some(Instant::now());
                    }
                    if submitted.is_some_and(|since: Instant| since.elapsed() >= SUBMITTED_LINGER) {
                        return lingered.raise();
                    }
                }
            });
        }
        Self {
            ended,
            _alive: alive,
        }
    }
}
