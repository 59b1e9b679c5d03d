//! Pull requests as targets and GitHub as a place to publish: wires the publish room to the environment of this process.

pub(crate) mod args;
mod job;
pub(crate) mod publishing;
pub(crate) mod review;
