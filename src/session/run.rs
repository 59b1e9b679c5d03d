//! The one loop: it waits, and every source becomes one kind of input. Decisions are made elsewhere.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use council_protocol::message::Ending;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::close::{MARGIN, close};
use super::drive::{Drive, Tagged};
use super::error::SessionError;
use super::interrupts::{Interrupts, Listening};
use super::setting::{Finished, Offer, Setting};
use super::world::World;
use crate::council::{CancelCause, Input};

/// How many events are heard before the clock is looked at again.
const AT_ONCE: usize = 256;

/// Runs a council in the first of the offered backends, or in the second when the first cannot seat anybody.
///
/// Whatever happens (an outcome, an error, a panic, an interruption), every backend is closed before this returns, or left
/// behind after the grace and two seconds.
pub fn run(
    setting: &Setting,
    offers: Vec<Offer>,
    world: &dyn World,
    interrupts: Interrupts,
) -> Result<Finished, SessionError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    run_on(
        &runtime.map_err(SessionError::Runtime)?,
        setting,
        offers,
        world,
        interrupts,
    )
}

/// The same on a runtime that may have a clock of its own.
pub(super) fn run_on(
    runtime: &Runtime,
    setting: &Setting,
    offers: Vec<Offer>,
    world: &dyn World,
    interrupts: Interrupts,
) -> Result<Finished, SessionError> {
    let mut spare = VecDeque::from(offers);
    let first = spare.pop_front().ok_or(SessionError::NoOffer)?;
    let grace = Duration::from_millis(first.plan.timeouts.shutdown_ms);
    let (sender, events) = unbounded_channel();
    let mut drive = Drive::new(world, setting, first, spare, sender);
    let driven = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(go(&mut drive, events, interrupts))
    }));
    for left in close(drive.backends(), grace + MARGIN) {
        drive.say(format!("{left} did not close in time and was left behind"));
    }
    driven.unwrap_or_else(|panic| Err(SessionError::Panicked(text_of(&*panic))))?;
    drive.finish().ok_or(SessionError::Stalled)
}

async fn go(
    drive: &mut Drive<'_>,
    mut events: UnboundedReceiver<Tagged>,
    interrupts: Interrupts,
) -> Result<(), SessionError> {
    let mut interrupts = interrupts.listen().map_err(SessionError::Runtime)?;
    let mut interrupted = 0;
    drive.begin()?;
    loop {
        drive.settle()?;
        if drive.outcome.is_some() {
            return Ok(());
        }
        match wait(drive, &mut events, &mut interrupts).await? {
            Happened::Interrupt => {
                interrupted += 1;
                drive.interrupt(interrupted);
            }
            Happened::Event(event) => {
                drive.hear(event);
                // What came together is written down together.
                let more = std::iter::from_fn(|| events.try_recv().ok());
                more.take(AT_ONCE).for_each(|event| drive.hear(event));
            }
            Happened::Nothing => {}
        }
        drive.ring();
    }
}

/// What ended a wait.
enum Happened {
    Interrupt,
    Event(Tagged),
    /// Time has passed.
    Nothing,
}

async fn wait(
    drive: &Drive<'_>,
    events: &mut UnboundedReceiver<Tagged>,
    interrupts: &mut Listening,
) -> Result<Happened, SessionError> {
    let quiet = drive.quiet_ms().ok_or(SessionError::Stalled)?;
    tokio::select! {
        biased;
        () = interrupts.next() => Ok(Happened::Interrupt),
        Some(event) = events.recv() => Ok(Happened::Event(event)),
        () = tokio::time::sleep(Duration::from_millis(quiet)) => Ok(Happened::Nothing),
    }
}

impl Drive<'_> {
    /// Somebody wants the run to end: in good order the first time, at once from the second time on.
    fn interrupt(&mut self, time: u32) {
        if time == 1 {
            return self.arrive(Input::Cancel {
                cause: CancelCause::Interrupted,
            });
        }
        if let Some(current) = self.current.take() {
            close(vec![current], MARGIN);
            self.lost = true;
            self.abandon(Ending::Forced, "the run was interrupted");
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}
