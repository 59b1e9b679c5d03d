//! `git council status`: reviews that go on.

use clap::Args;

use crate::cli::Start;
use crate::cli::error::CliError;
use crate::cli::history::{self, State};
use crate::cli::hook::background::{self, Standing};

/// Say which reviews of this repository go on, and which were cut off
#[derive(Debug, Clone, Args)]
pub(crate) struct StatusArgs {}

pub(crate) fn run(_: &StatusArgs, start: &Start) -> Result<(), CliError> {
    let mut out = String::new();
    for (past, _) in history::all(start)? {
        let line = match past.state() {
            State::GoingOn => "goes on".to_owned(),
            State::CutOff => format!(
                "was cut off; `git council resume {}` goes on with it",
                past.name
            ),
            State::Finished => continue,
        };
        out.push_str(&format!("{}  {line}\n", past.name));
    }
    if let Standing::Waiting(why) = background::standing(start)? {
        out.push_str(&format!("a review of the last commit waits: {why}\n"));
    }
    if out.is_empty() {
        out.push_str("no review goes on; `git council log` lists those that ended\n");
    }
    start.console.print(&out)
}
