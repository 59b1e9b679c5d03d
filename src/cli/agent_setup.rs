//! Coding agents that call the council: what is written for them, what goes again, and what their hook says.

use std::io::Read as _;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::agent_files::setup::{SetupRequest, carry_out, lacks_verdict};
use crate::run::agent_files::{Piece, Step};
use crate::run::error::RunError;

/// The most bytes of what a hook is told that are read.
const MAX_HOOK_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone, Args)]
pub(crate) struct SetupArgs {
    /// The coding agent: claude, codex, gemini, cursor, copilot or opencode
    #[arg(value_name = "NAME")]
    name: String,
    /// Use this worktree, for everybody who works in it, instead of your home
    #[arg(long)]
    project: bool,
    /// Do it; without this nothing is changed
    #[arg(long)]
    write: bool,
}

pub(crate) fn install(args: &SetupArgs, start: &CommandContext) -> Result<(), RunError> {
    set_up(args, start, Piece::install_step)
}

pub(crate) fn remove(args: &SetupArgs, start: &CommandContext) -> Result<(), RunError> {
    set_up(args, start, Piece::remove_step)
}

fn set_up(
    args: &SetupArgs,
    start: &CommandContext,
    decide: fn(&Piece, Option<&str>) -> Step,
) -> Result<(), RunError> {
    let request = SetupRequest {
        name: args.name.clone(),
        in_project: args.project,
        write: args.write,
    };
    let done = carry_out(&request, start, decide)?;
    start.console.print(&done.told)?;
    done.left.map_or(Ok(()), Err)
}

/// Says in the words of Claude Code's hooks that a change has no verdict yet. A hook that fails would be in the way of the
/// work: then it says nothing.
pub(crate) fn offer(start: &CommandContext) -> Result<(), RunError> {
    let mut told = String::new();
    let _ = std::io::stdin()
        .take(MAX_HOOK_BYTES)
        .read_to_string(&mut told);
    let told: serde_json::Value = serde_json::from_slice(told.as_bytes()).unwrap_or_default();
    // The agent goes on because a hook asked it to: it has been offered already.
    if told["stop_hook_active"] == true || !lacks_verdict(start).unwrap_or(false) {
        return Ok(());
    }
    let words = "This change has no verdict of the council yet: /git-council:council reviews it, or ask for a review.";
    let said = serde_json::json!({ "systemMessage": words });
    start.console.print(&format!("{said}\n"))
}
