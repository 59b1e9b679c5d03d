//! What may be installed somewhere, for tests.

use council_agents::installed::{InstalledClient, InstalledTool};
use council_agents::known::KnownClient;
use council_agents::known_tools::find_tool;
use council_protocol::{Failure, FailureKind};

use super::SetupOptions;

/// These clients and tools, in a repository and a home that are nowhere.
pub(crate) fn options(clients: &'static [KnownClient], tools: &[&str]) -> SetupOptions {
    let client = |known: &'static KnownClient| InstalledClient {
        known,
        program: "/usr/bin/x".into(),
        version: match known.name {
            "gemini" => Err(Failure::new(FailureKind::Empty, "told nothing\u{1b}[0m")),
            _ => Ok("1.2.3 (a \"version\"\n)".to_owned()),
        },
    };
    let tool = |name: &&str| InstalledTool {
        tool: find_tool(name).unwrap(),
        problem: (*name == "golangci-lint").then(|| "its version is 1; 2 is needed".to_owned()),
    };
    SetupOptions {
        clients: clients.iter().map(client).collect(),
        apis: Vec::new(),
        tools: tools.iter().map(tool).collect(),
        worktree: Some("/nowhere/project".into()),
        own_file: Some("/nowhere/home/config.toml".into()),
    }
}
