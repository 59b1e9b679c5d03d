//! Ctrl-C, SIGTERM and the death of whoever started a process: the turn that it takes is ended.

use std::io::{self, Read as _};
use std::thread;
use std::time::Duration;

use council_agents::StopSignal;

use crate::run::error::RunError;
use crate::session::InterruptRelay;

/// How often it is looked whether the process was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// Hears Ctrl-C and SIGTERM from now on, instead of being ended by them.
pub(crate) fn hear_interrupts() -> Result<InterruptRelay, RunError> {
    InterruptRelay::listen_to_signals()
        .map_err(|error| RunError::run(format!("cannot listen to Ctrl-C: {error}")))
}

/// Raises `stop` once this process is interrupted.
pub(crate) fn stop_when_interrupted(interrupts: &InterruptRelay, stop: &StopSignal) {
    let (interrupts, stop) = (interrupts.clone(), stop.clone());
    thread::spawn(move || {
        while !interrupts.was_interrupted() {
            thread::sleep(LOOK);
        }
        stop.raise();
    });
}

/// Raises `stop` once the process that started this one is gone, or lets go of it: it holds the other end of standard
/// input, and writes nothing to it.
pub(crate) fn stop_when_left(stop: &StopSignal) {
    let stop = stop.clone();
    thread::spawn(move || {
        // An end and an error say the same.
        let _ = io::stdin().lock().read(&mut [0]);
        stop.raise();
    });
}
