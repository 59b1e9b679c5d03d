//! `git council conclude`: the last job of a matrix.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Start;
use crate::cli::deliver::Surfaces;
use crate::cli::error::CliError;
use crate::cli::github::{self, ForgeArgs};
use crate::cli::matrix;
use crate::config::Format;
use crate::report::Gate;

/// Make the verdict from the replies that judges in other jobs left
#[derive(Debug, Clone, Args)]
pub(crate) struct ConcludeArgs {
    /// The folder of the run, with the replies in it
    #[arg(long, value_name = "FOLDER")]
    run: PathBuf,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    forge: ForgeArgs,
}

pub(crate) fn run(args: &ConcludeArgs, start: &Start) -> Result<u8, CliError> {
    let concluded = matrix::conclude(&matrix::folder(start, &args.run))?;
    let gate = Gate {
        advisory: args.forge.advisory,
        ..concluded.gate
    };
    let format = if args.json {
        Format::Json
    } else {
        Format::Terminal
    };
    let surfaces = Surfaces {
        format,
        file: None,
        gate,
    };
    let code = surfaces.deliver(&concluded.report, &start.console);
    if !args.forge.is_asked() {
        return Ok(code);
    }
    let published = github::publish(
        &concluded.report,
        Some(&concluded.packet.files),
        &args.forge,
        gate,
        false,
        start,
    )?;
    Ok(code.max(published))
}
