//! The one loop: it waits, and every source becomes one kind of input. Decisions are made elsewhere.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use council_protocol::Millis;
use council_protocol::message::Ending;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::close::{CLOSE_MARGIN, close_backends};
use super::drive::{SessionState, TaggedEvent};
use super::error::SessionError;
use super::interrupts::{InterruptListener, InterruptSource};
use super::journal::RunJournal;
use super::reproduce::TrialDesk;
use super::setting::{BackendOffer, FinishedSession, SessionSetup};
use super::world::SessionWorld;
use crate::council::{CancelCause, Input};

/// How many events are heard before the clock is looked at again.
const MAX_EVENTS_AT_ONCE: usize = 256;

/// Runs a council in the first of the offered backends, or in the second when the first cannot seat anybody.
///
/// Whatever happens (an outcome, an error, a panic, an interruption), every judge is asked to end and every backend is closed
/// before this returns, or left behind after the grace and two seconds.
pub fn run_session(
    setting: &SessionSetup,
    offers: Vec<BackendOffer>,
    world: &dyn SessionWorld,
    interrupts: InterruptSource,
) -> Result<FinishedSession, SessionError> {
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
pub fn resume_session(
    setting: &SessionSetup,
    offer: BackendOffer,
    journal: &RunJournal,
    world: &dyn SessionWorld,
    interrupts: InterruptSource,
) -> Result<FinishedSession, SessionError> {
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
    setting: &SessionSetup,
    offers: Vec<BackendOffer>,
    left: Option<&RunJournal>,
    world: &dyn SessionWorld,
    interrupts: InterruptSource,
) -> Result<FinishedSession, SessionError> {
    let mut spare = VecDeque::from(offers);
    let first = spare.pop_front().ok_or(SessionError::NoOffer)?;
    let grace = Duration::from_millis(first.plan.timeouts.shutdown_ms);
    let (sender, events) = unbounded_channel();
    let (reporter, reports) = unbounded_channel();
    let mut sources = {
        let _inside = runtime.enter();
        let interrupts = interrupts.listen().map_err(SessionError::Runtime)?;
        InputSources {
            events,
            reports,
            interrupts,
            interrupted: 0,
        }
    };
    let trials = TrialDesk::new(setting.runner.clone(), reporter);
    let mut drive = SessionState::new(world, setting, first, spare, sender, trials);
    let driven = catch_panics(|| runtime.block_on(run_loop(&mut drive, left, &mut sources)));
    if driven.is_err() {
        // The error that brought us here is the one to tell.
        let _ = catch_panics(|| runtime.block_on(dismiss_judges(&mut drive, &mut sources, grace)));
    }
    let bound = if sources.interrupted > 1 {
        CLOSE_MARGIN
    } else {
        grace + CLOSE_MARGIN
    };
    for left in close_backends(drive.take_backends(), bound) {
        drive.log_line(format!("{left} did not close in time and was left behind"));
    }
    driven?;
    drive.into_finished().ok_or(SessionError::Stalled)
}

/// A panic is an error like any other: there is still something to clean up.
fn catch_panics(body: impl FnOnce() -> Result<(), SessionError>) -> Result<(), SessionError> {
    let done = catch_unwind(AssertUnwindSafe(body));
    done.unwrap_or_else(|panic| Err(SessionError::Panicked(panic_text(&*panic))))
}

/// Brings the council to its end.
async fn run_loop(
    drive: &mut SessionState<'_>,
    left: Option<&RunJournal>,
    sources: &mut InputSources,
) -> Result<(), SessionError> {
    match left {
        None => drive.begin_council()?,
        Some(journal) => drive.resume_journal(journal)?,
    }
    loop {
        drive.process_inputs()?;
        if drive.outcome.is_some() {
            return Ok(());
        }
        let quiet_ms = drive.quiet_ms().ok_or(SessionError::Stalled)?;
        match sources.wait_next(quiet_ms).await {
            WaitResult::Interrupt => drive.on_interrupt(sources.interrupted),
            WaitResult::Event(event) => {
                drive.on_event(*event);
                // What came together is written down together.
                let more = std::iter::from_fn(|| sources.events.try_recv().ok());
                more.take(MAX_EVENTS_AT_ONCE)
                    .for_each(|event| drive.on_event(event));
            }
            WaitResult::Report(input) => drive.queue_input(*input),
            WaitResult::Nothing => {}
        }
        drive.fire_due_timers();
    }
}

/// Ends the judges of a council that broke off: whoever is there is asked, and has its grace.
async fn dismiss_judges(
    drive: &mut SessionState<'_>,
    sources: &mut InputSources,
    grace: Duration,
) -> Result<(), SessionError> {
    drive.shut_down_judges(grace);
    let until = tokio::time::Instant::now() + grace;
    while drive.roll.has_seated() {
        let left = until.saturating_duration_since(tokio::time::Instant::now());
        let left_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        match sources.wait_next(left_ms).await {
            WaitResult::Event(event) => drive.on_event(*event),
            WaitResult::Report(_) => {}
            WaitResult::Interrupt | WaitResult::Nothing => break,
        }
    }
    Ok(())
}

/// Everything that can happen, from outside.
struct InputSources {
    events: UnboundedReceiver<TaggedEvent>,
    /// What came of tests that judges brought.
    reports: UnboundedReceiver<Input>,
    interrupts: InterruptListener,
    /// How often somebody wanted the run to end.
    interrupted: u32,
}

/// What ended a wait.
enum WaitResult {
    Interrupt,
    Event(Box<TaggedEvent>),
    Report(Box<Input>),
    /// Time has passed.
    Nothing,
}

impl InputSources {
    /// Waits for the next thing, at most so many milliseconds.
    async fn wait_next(&mut self, quiet_ms: Millis) -> WaitResult {
        tokio::select! {
            biased;
            () = self.interrupts.next() => {
                self.interrupted += 1;
                WaitResult::Interrupt
            }
            Some(event) = self.events.recv() => WaitResult::Event(Box::new(event)),
            Some(input) = self.reports.recv() => WaitResult::Report(Box::new(input)),
            () = tokio::time::sleep(Duration::from_millis(quiet_ms)) => WaitResult::Nothing,
        }
    }
}

impl SessionState<'_> {
    /// Somebody wants the run to end: in good order the first time, at once from the second time on.
    fn on_interrupt(&mut self, time: u32) {
        if time == 1 {
            return self.queue_input(Input::Cancel {
                cause: CancelCause::Interrupted,
            });
        }
        if let Some(current) = self.current.take() {
            close_backends(vec![current], CLOSE_MARGIN);
            self.lost = true;
            self.abandon_judges(Ending::Forced, "the run was interrupted");
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}
