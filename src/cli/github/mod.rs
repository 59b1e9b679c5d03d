//! Pull requests as targets and GitHub as a place to publish: wires the publish room to the environment of this process.

mod args;
mod forge;
mod job;
mod open_check;
mod publishing;
mod review;
mod subject;

pub(crate) use args::GitHubArgs;
pub(crate) use publishing::{find_proposal, publish_run};
pub(crate) use review::review_pull_request;
