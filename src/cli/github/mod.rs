//! Pull requests as targets and GitHub as a place to publish: wires the publish room to the environment of this process.

mod args;
mod forge;
mod job;
mod open_check;
mod publishing;
mod review;
mod subject;

pub(crate) use args::ForgeArgs;
pub(crate) use publishing::{proposal, publish};
pub(crate) use review::review;
