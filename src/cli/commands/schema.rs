//! `git council schema`: the JSON Schemas of what goes in and comes out.

use clap::{Args, ValueEnum};
use council_protocol::{Answer, Packet};
use schemars::schema_for;

use crate::cli::console::Console;
use crate::cli::error::CliError;
use crate::report;

/// Print a JSON Schema
#[derive(Debug, Clone, Args)]
pub(crate) struct SchemaArgs {
    /// Of which format
    #[arg(value_enum, default_value = "report")]
    of: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// What `review --json` prints
    Report,
    /// What a judge answers
    Answer,
    /// What the judges are given
    Packet,
    /// `council.toml` and `config.toml`
    Config,
}

pub(crate) fn run(args: &SchemaArgs, console: &Console) -> Result<(), CliError> {
    let schema = match args.of {
        Format::Report => report::json::schema().to_value(),
        Format::Answer => schema_for!(Answer).to_value(),
        Format::Packet => schema_for!(Packet).to_value(),
        Format::Config => crate::config::schema(),
    };
    console.print(&format!("{schema:#}\n"))
}
