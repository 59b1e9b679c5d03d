//! Pull requests as targets and GitHub as a place to publish: the flags, and the job that this process runs in.

pub(crate) mod args;
pub(crate) mod job;
