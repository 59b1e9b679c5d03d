//! `git council agents`: what can think for a judge.

use clap::Args;
use council_protocol::seat::Perspective;
use council_protocol::{JudgeId, Seat};

use crate::cli::Start;
use crate::cli::bench::Bench;
use crate::cli::columns::Columns;
use crate::cli::convene::Table;
use crate::cli::error::CliError;
use crate::cli::settings;

/// List what can think for a judge, and whether it can be used here
#[derive(Debug, Clone, Args)]
pub(crate) struct AgentsArgs {}

pub(crate) fn run(_: &AgentsArgs, start: &Start) -> Result<(), CliError> {
    let config = settings::of_the_branch(start)?;
    let bench = Bench {
        config: &config,
        deep: false,
    };
    let table = Table::bare(start);
    let mut rows = Columns::default();
    for agent in bench.known_agents()? {
        let driver = agent.kind.driver().to_owned();
        let (name, vendor) = (agent.name.clone(), agent.vendor.clone());
        let seat = Seat {
            judge: JudgeId(name.clone()),
            perspective: Perspective::default(),
            agent,
        };
        let found = table
            .kit
            .agents
            .find(&seat.agent.kind)
            .and_then(|agent| agent.probe(&seat));
        let state = match found {
            Ok(probe) if probe.note.is_empty() => format!("ready: {}", probe.capabilities),
            Ok(probe) => format!("ready: {} ({})", probe.capabilities, probe.note),
            Err(failure) => format!("not here: {}", failure.detail),
        };
        rows.push([name, driver, vendor, state]);
    }
    start.console.print(&rows.render(""))
}
