//! Drives a council over a backend: clock, disk, journal, cleanup.
//!
//! [`run`] is the one loop. It turns what happens (an event of the backend, a deadline, an interruption) into one kind of
//! input, writes it to the journal, hands it to the engine and does what the engine wants done. All waiting is in `run`;
//! what is known between two moments is a `Drive`, whose `hear` takes in and whose `perform` carries out. Clock, disk and
//! randomness come from a [`World`].

mod close;
mod drive;
mod error;
mod explore;
mod hear;
mod holder;
mod interrupts;
pub mod journal;
pub mod matrix;
mod opened;
mod perform;
mod places;
mod prove;
mod purse;
mod real;
mod record;
mod replay;
mod resume;
mod roll;
mod run;
mod seating;
mod setting;
pub mod stage;
pub mod stored;
#[cfg(test)]
mod tests;
pub mod worker;
mod world;

pub use error::SessionError;
pub use holder::{LOCK_FILE, LockAttempt, RunLock};
pub use interrupts::InterruptSource;
pub use opened::SessionBackend;
pub use places::{RunFolder, RunFolders, RunRef, artefact_stem, prune_runs};
pub use prove::QuoteProver;
pub use purse::{BudgetLimits, CALLS_FILE};
pub use real::RealWorld;
pub use record::record_council;
pub use replay::{ReplayError, replay_council};
pub use resume::before_losses;
pub use run::{resume_session, run_session};
pub use setting::{
    AnswerFileName, AnswerFiling, AnswerPage, BackendFallback, BackendOffer, ExportFolders,
    FinishedSession, LogListener, MINUTES_FILE, MinutesPage, PromptRenderer, SessionSetup,
};
pub use world::{
    CalendarMoment, FileAppender, SessionDisk, SessionWorld, WriteDurability, draw_seed,
};
