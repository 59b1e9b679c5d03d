//! Ctrl-C, SIGTERM and the death of whoever started a side: its turn is ended, and nobody is asked any more.

use std::io::{self, Read as _};
use std::thread;
use std::time::Duration;

use council_agents::StopSignal;

use crate::council::CancelCause;
use crate::council::outcome::{Outcome, Verdict, VerdictReason};
use crate::run::error::RunError;
use crate::session::InterruptRelay;

/// How often a side looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// Hears Ctrl-C and SIGTERM from now on, instead of being ended by them.
pub(super) fn hear_interrupts() -> Result<InterruptRelay, RunError> {
    InterruptRelay::listen_to_signals()
        .map_err(|error| RunError::run(format!("cannot listen to Ctrl-C: {error}")))
}

/// Raises `stop` once this process is interrupted.
pub(super) fn stop_when_interrupted(interrupts: &InterruptRelay, stop: &StopSignal) {
    let (interrupts, stop) = (interrupts.clone(), stop.clone());
    thread::spawn(move || {
        while !interrupts.was_interrupted() {
            thread::sleep(LOOK);
        }
        stop.raise();
    });
}

/// Raises `stop` once the process that started this side is gone, or lets go of it: it holds the other end of standard
/// input, and writes nothing to it.
pub(super) fn stop_when_left(stop: &StopSignal) {
    let stop = stop.clone();
    thread::spawn(move || {
        // An end and an error say the same.
        let _ = io::stdin().lock().read(&mut [0]);
        stop.raise();
    });
}

/// What a duel that was interrupted came to: no verdict, unless it is FAIL already.
pub(super) fn cut_outcome(outcome: &mut Outcome, next: String) {
    if outcome.verdict != Verdict::Fail {
        outcome.verdict = Verdict::Inconclusive;
        outcome.reason = VerdictReason::from(CancelCause::Interrupted);
    }
    outcome.notes.push(next);
}
