//! `git council doctor`: who would sit, how they would be run, and why.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::run::doctor::examine_setup;
use crate::run::error::RunError;

/// Show which judges a review would use here, how they would run, and why
#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DoctorArgs, start: &CommandContext) -> Result<(), RunError> {
    let found = examine_setup(start)?;
    match args.json {
        true => start.console.print_json(&found.state)?,
        false => {
            let width = start.console.stdout_columns();
            let verbose = start.console.is_verbose();
            start.console.print(&found.describe(width, verbose))?;
        }
    }
    found.check_setup()
}
