//! `git council schema`: the JSON Schemas of what goes in and comes out.

use clap::{Args, ValueEnum};

use crate::cli::console::Console;
use crate::run::error::RunError;

// As committed: generating them here took more of the program than the texts do. A test holds them against the types.
const REPORT: &str = include_str!("../../../docs/schemas/report.schema.json");
const ANSWER: &str = include_str!("../../../docs/schemas/answer.schema.json");
const PACKET: &str = include_str!("../../../docs/schemas/packet.schema.json");
const CONFIG: &str = include_str!("../../../docs/schemas/config.schema.json");
const BACKEND_REQUEST: &str = include_str!("../../../docs/schemas/backend-request.schema.json");
const BACKEND_EVENT: &str = include_str!("../../../docs/schemas/backend-event.schema.json");

/// Print the JSON Schema of the report, an answer, the packet, the configuration or a backend's messages
#[derive(Debug, Clone, Args)]
pub(crate) struct SchemaArgs {
    /// Which format
    #[arg(value_enum, default_value = "report")]
    of: SchemaName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaName {
    /// What `review --json` prints
    Report,
    /// A judge's answer
    Answer,
    /// The packet: the change as judges get it
    Packet,
    /// `council.toml` and `config.toml`
    Config,
    /// What a backend is sent (docs/backends.md)
    BackendRequest,
    /// What a backend sends
    BackendEvent,
}

pub(crate) fn run(args: &SchemaArgs, console: &Console) -> Result<(), RunError> {
    let schema = match args.of {
        SchemaName::Report => REPORT,
        SchemaName::Answer => ANSWER,
        SchemaName::Packet => PACKET,
        SchemaName::Config => CONFIG,
        SchemaName::BackendRequest => BACKEND_REQUEST,
        SchemaName::BackendEvent => BACKEND_EVENT,
    };
    console.print(schema)
}
