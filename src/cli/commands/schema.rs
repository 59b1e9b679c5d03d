//! `git council schema`: the JSON Schemas of what goes in and comes out.

use clap::{Args, ValueEnum};
use council_protocol::{Answer, Packet};
use schemars::schema_for;

use crate::cli::console::Console;
use crate::report;
use crate::run::error::RunError;

/// Print a JSON Schema
#[derive(Debug, Clone, Args)]
pub(crate) struct SchemaArgs {
    /// The format
    #[arg(value_enum, default_value = "report")]
    of: SchemaName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaName {
    /// What `review --json` prints
    Report,
    /// A judge's answer
    Answer,
    /// The packet that judges are given
    Packet,
    /// `council.toml` and `config.toml`
    Config,
}

pub(crate) fn run(args: &SchemaArgs, console: &Console) -> Result<(), RunError> {
    let schema = match args.of {
        SchemaName::Report => report::json::schema().to_value(),
        SchemaName::Answer => schema_for!(Answer).to_value(),
        SchemaName::Packet => schema_for!(Packet).to_value(),
        SchemaName::Config => crate::config::config_schema(),
    };
    console.print(&format!("{schema:#}\n"))
}
