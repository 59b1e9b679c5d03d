//! Drives a council over a backend: clock, disk, journal, cleanup.
//!
//! [`run`] is the one loop. It turns what happens (an event of the backend, a deadline, an interruption) into one kind of
//! input, writes it to the journal, hands it to the engine and does what the engine wants done. All waiting is in `run`;
//! what is known between two moments is a `Drive`, whose `hear` takes in and whose `perform` carries out. Clock, disk and
//! randomness come from a [`World`].

mod close;
mod drive;
pub mod duel;
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
pub use holder::{HOLDER, Held, Lock};
pub use interrupts::Interrupts;
pub use opened::Opened;
pub use places::{Place, Places, RunRef, prune};
pub use prove::{Prover, Redact};
pub use purse::{CALLS_FILE, EXPECTED_OUTPUT, Money, Price, tokens};
pub use real::RealWorld;
pub use replay::{ReplayError, replay};
pub use resume::before_losses;
pub use run::{resume, run};
pub use setting::{
    FileName, Filing, Finished, GaveWay, Listener, MINUTES, MinutesPage, Offer, Page, Prompter,
    Rooms, Setting,
};
pub use world::{Appender, Disk, Durability, Moment, World, draw_seed};
