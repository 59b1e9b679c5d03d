//! `git council schema`: the JSON Schemas of what goes in and comes out.

use clap::{Args, ValueEnum};
use council_protocol::{Answer, Event, Packet, Request};
use schemars::schema_for;

use crate::cli::console::Console;
use crate::report;
use crate::run::error::RunError;

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
        SchemaName::Report => report::json::schema().to_value(),
        SchemaName::Answer => schema_for!(Answer).to_value(),
        SchemaName::Packet => schema_for!(Packet).to_value(),
        SchemaName::Config => crate::config::config_schema(),
        SchemaName::BackendRequest => schema_for!(Request).to_value(),
        SchemaName::BackendEvent => schema_for!(Event).to_value(),
    };
    console.print(&format!("{schema:#}\n"))
}
