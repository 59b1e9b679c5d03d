//! `git council mcp`: the mailbox of a judge, as a server of the Model Context Protocol.

use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::error::RunError;

/// Let a judge hand in its answer over MCP; the judge's agent starts this, not you
#[derive(Debug, Clone, Args)]
pub(crate) struct McpArgs {
    /// The folder through which answers are handed over
    #[arg(long, value_name = "FOLDER")]
    mailbox: PathBuf,
}

#[cfg(feature = "mcp")]
pub(crate) fn run(args: &McpArgs, start: &CommandContext) -> Result<(), RunError> {
    let folder = start.dir.join(&args.mailbox);
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
