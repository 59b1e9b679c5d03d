//! `git council mcp`: the council for coding agents, or the mailbox of a judge, over the Model Context Protocol.

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::error::RunError;

/// Let a coding agent call the council over MCP; the agent starts this, not you
#[derive(Debug, Clone, Args)]
pub(crate) struct McpArgs {
    /// Serve one judge instead: its agent reads messages and hands in its answer through FOLDER (git-council starts this)
    #[arg(long, value_name = "FOLDER")]
    mailbox: Option<PathBuf>,
}

#[cfg(feature = "mcp")]
pub(crate) fn run(args: &McpArgs, start: &CommandContext) -> Result<(), RunError> {
    let Some(mailbox) = &args.mailbox else {
        return crate::server::serve(start);
    };
    let folder = start.dir.join(mailbox);
    if !folder.is_dir() {
        return Err(
            RunError::usage(format!("there is no mailbox {}", folder.display()))
                .hint("the client of a judge starts this with the mailbox that it was given"),
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| RunError::run(format!("cannot serve the mailbox: {error}")))?;
    runtime
        .block_on(council_agents::mailbox::serve_mailbox(&folder))
        .map_err(|error| RunError::run(format!("cannot serve the mailbox: {error}")))
}

#[cfg(not(feature = "mcp"))]
pub(crate) fn run(_: &McpArgs, _: &CommandContext) -> Result<(), RunError> {
    Err(RunError::usage(
        "this program was built without the feature `mcp`",
    ))
}
