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
mod handed;
mod hear;
mod holder;
mod interrupts;
pub mod journal;
mod looked_up;
pub(crate) mod matrix;
mod opened;
mod perform;
mod places;
mod progress;
mod progress_teller;
mod prove;
mod purse;
mod real;
mod record;
mod replay;
mod reproduce;
mod resume;
mod roll;
mod run;
mod sealed_log;
mod seating;
mod setting;
pub(crate) mod stage;
pub(crate) mod stored;
#[cfg(test)]
mod tests;
pub(crate) mod worker;
mod worker_reply;
mod world;

pub(crate) use error::SessionError;
pub(crate) use handed::HandedValues;
pub use holder::LockAttempt;
pub(crate) use holder::{LOCK_FILE, RunLock};
pub use interrupts::InterruptSource;
pub(crate) use interrupts::{InterruptRelay, call_when_held, is_heard};
pub use opened::SessionBackend;
pub(crate) use places::{RETIRED_SUFFIX, WORKTREE_FILE, artefact_stem, retired_name};
pub use places::{RunFolders, RunRef};
pub(crate) use progress::{
    AskedTask, CouncilClock, ProgressEvent, ProgressKind, ProgressObserver, RunLabel, SeatedJudge,
    UsedTokens,
};
pub(crate) use progress_teller::JournalFollower;
pub(crate) use prove::{QuoteProver, stands_in_change};
pub(crate) use purse::{Budget, BudgetLimits, CALLS_FILE};
pub use real::RealWorld;
pub(crate) use record::record_council;
pub(crate) use replay::{SaidInTurn, replay_council, replay_cut_council};
pub(crate) use resume::before_losses;
pub use run::{resume_session, run_session};
pub(crate) use sealed_log::SealedLog;
pub(crate) use setting::ReproductionRunner;
pub(crate) use setting::{AnswerFiling, ExportFolders, FinishedSession, MINUTES_FILE, MinutesPage};
pub use setting::{BackendOffer, PromptRenderer, SessionSetup};
pub(crate) use world::LineSeal;
pub(crate) use world::draw_seed;
pub use world::{CalendarMoment, FileAppender, SessionDisk, SessionWorld, WriteDurability};
