//! Pull requests as targets and GitHub as a place to publish: wires the publish room to the environment of this process.

mod args;
mod job;
mod publishing;
mod review;

pub(crate) use args::GitHubArgs;
pub(crate) use publishing::{find_proposal, publish_run};
pub(crate) use review::review_pull_request;
