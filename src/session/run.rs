//! The one loop: it waits, and every source becomes one kind of input. Decisions are made elsewhere.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use council_protocol::Millis;
use council_protocol::message::Ending;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::close::{MARGIN, close};
use super::drive::{Drive, Tagged};
use super::error::SessionError;
use super::interrupts::{Interrupts, Listening};
use super::journal::Journal;
use super::setting::{Finished, Offer, Setting};
use super::world::World;
use crate::council::{CancelCause, Input};

/// How many events are heard before the clock is looked at again.
const AT_ONCE: usize = 256;

/// Runs a council in the first of the offered backends, or in the second when the first cannot seat anybody.
///
/// Whatever happens (an outcome, an error, a panic, an interruption), every judge is asked to end and every backend is closed
/// before this returns, or left behind after the grace and two seconds.
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
        None,
        world,
        interrupts,
    )
}

/// Goes on with the council of a journal, in a backend that runs the plan which the journal names.
///
/// Judges that had sat sit again; what was answered is not asked again; what was waited for is waited for anew.
pub fn resume(
    setting: &Setting,
    offer: Offer,
    journal: &Journal,
    world: &dyn World,
    interrupts: Interrupts,
) -> Result<Finished, SessionError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    run_on(
        &runtime.map_err(SessionError::Runtime)?,
        setting,
        vec![offer],
        Some(journal),
        world,
        interrupts,
    )
}

/// The same on a runtime that may have a clock of its own.
pub(super) fn run_on(
    runtime: &Runtime,
    setting: &Setting,
    offers: Vec<Offer>,
    left: Option<&Journal>,
    world: &dyn World,
    interrupts: Interrupts,
) -> Result<Finished, SessionError> {
    let mut spare = VecDeque::from(offers);
    let first = spare.pop_front().ok_or(SessionError::NoOffer)?;
    let grace = Duration::from_millis(first.plan.timeouts.shutdown_ms);
    let (sender, events) = unbounded_channel();
    let mut sources = {
        let _inside = runtime.enter();
        let interrupts = interrupts.listen().map_err(SessionError::Runtime)?;
        Sources {
            events,
            interrupts,
            interrupted: 0,
        }
    };
    let mut drive = Drive::new(world, setting, first, spare, sender);
    let driven = guarded(|| runtime.block_on(go(&mut drive, left, &mut sources)));
    if driven.is_err() {
        // The error that brought us here is the one to tell.
        let _ = guarded(|| runtime.block_on(dismiss(&mut drive, &mut sources, grace)));
    }
    let bound = if sources.interrupted > 1 {
        MARGIN
    } else {
        grace + MARGIN
    };
    for left in close(drive.backends(), bound) {
        drive.say(format!("{left} did not close in time and was left behind"));
    }
    driven?;
    drive.finish().ok_or(SessionError::Stalled)
}

/// A panic is an error like any other: there is still something to clean up.
fn guarded(body: impl FnOnce() -> Result<(), SessionError>) -> Result<(), SessionError> {
    let done = catch_unwind(AssertUnwindSafe(body));
    done.unwrap_or_else(|panic| Err(SessionError::Panicked(text_of(&*panic))))
}

/// Brings the council to its end.
async fn go(
    drive: &mut Drive<'_>,
    left: Option<&Journal>,
    sources: &mut Sources,
) -> Result<(), SessionError> {
    match left {
        None => drive.begin()?,
        Some(journal) => drive.go_on(journal)?,
    }
    loop {
        drive.settle()?;
        if drive.outcome.is_some() {
            return Ok(());
        }
        let quiet_ms = drive.quiet_ms().ok_or(SessionError::Stalled)?;
        match sources.next(quiet_ms).await {
            Happened::Interrupt => drive.interrupt(sources.interrupted),
            Happened::Event(event) => {
                drive.hear(event);
                // What came together is written down together.
                let more = std::iter::from_fn(|| sources.events.try_recv().ok());
                more.take(AT_ONCE).for_each(|event| drive.hear(event));
            }
            Happened::Nothing => {}
        }
        drive.ring();
    }
}

/// Ends the judges of a council that broke off: whoever is there is asked, and has its grace (3-debate.md, rule 12).
async fn dismiss(
    drive: &mut Drive<'_>,
    sources: &mut Sources,
    grace: Duration,
) -> Result<(), SessionError> {
    drive.shut_down(grace);
    let until = tokio::time::Instant::now() + grace;
    while drive.roll.has_seated() {
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        let left_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        match sources.next(left_ms).await {
            Happened::Event(event) => drive.hear(event),
            Happened::Interrupt | Happened::Nothing => break,
        }
    }
    Ok(())
}

/// Everything that can happen, from outside.
struct Sources {
    events: UnboundedReceiver<Tagged>,
    interrupts: Listening,
    /// How often somebody wanted the run to end.
    interrupted: u32,
}

/// What ended a wait.
enum Happened {
    Interrupt,
    Event(Tagged),
    /// Time has passed.
    Nothing,
}

impl Sources {
    /// Waits for the next thing, at most so many milliseconds.
    async fn next(&mut self, quiet_ms: Millis) -> Happened {
        tokio::select! {
            biased;
            () = self.interrupts.next() => {
                self.interrupted += 1;
                Happened::Interrupt
            }
            Some(event) = self.events.recv() => Happened::Event(event),
            () = tokio::time::sleep(Duration::from_millis(quiet_ms)) => Happened::Nothing,
        }
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
