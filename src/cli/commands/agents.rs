//! `git council agents`: what can think for a judge, and which coding agents can call the council.

use clap::{Args, Subcommand};

use crate::cli::agent_setup::{self, SetupArgs};
use crate::cli::context::CommandContext;
use crate::run::agent_survey::{AgentState, survey_agents};
use crate::run::error::RunError;
use crate::text::Columns;

/// List the agents that can act as judges; set up coding agents to call the council
#[derive(Debug, Clone, Args)]
pub(crate) struct AgentsArgs {
    #[command(subcommand)]
    action: Option<AgentsAction>,
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Subcommand)]
enum AgentsAction {
    /// Show the files that let a coding agent ask for reviews; `--write` writes them
    Install(SetupArgs),
    /// Show what would be removed of what `install` wrote; `--write` removes it
    Remove(SetupArgs),
    /// Offer a review where a change has no verdict yet; a coding agent calls this as a hook
    #[command(hide = true)]
    Offer,
}

pub(crate) fn run(args: &AgentsArgs, start: &CommandContext) -> Result<(), RunError> {
    match &args.action {
        None => list_agents(args.json, start),
        Some(AgentsAction::Install(setup)) => agent_setup::install(setup, start),
        Some(AgentsAction::Remove(setup)) => agent_setup::remove(setup, start),
        Some(AgentsAction::Offer) => agent_setup::offer(start),
    }
}

fn list_agents(json: bool, start: &CommandContext) -> Result<(), RunError> {
    let agents = survey_agents(start)?;
    if json {
        return start.console.print_json(&agents);
    }
    let verbose = start.console.is_verbose();
    start.console.print(&describe_agents(
        &agents,
        verbose,
        start.console.stdout_columns(),
    ))
}

fn describe_agents(agents: &[AgentState], verbose: bool, columns: Option<usize>) -> String {
    let mut rows = Columns::default();
    for agent in agents {
        rows.push([&agent.name, &agent.driver, &agent.vendor, &agent.state]);
        if verbose && !agent.capabilities.is_empty() {
            rows.push(["", "", "", &agent.capabilities]);
        }
    }
    let mut out = rows.render_within("", columns);
    let is_model = |agent: &&AgentState| agent.ready && agent.driver != "builtin";
    out.push_str(match agents.iter().find(is_model) {
        Some(_) => "\nWho would judge here: git council doctor\n",
        None => "\nTo set one up: git council init\n",
    });
    out
}
