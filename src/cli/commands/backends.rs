//! `git council backends`: the ways to run judges.

use clap::Args;

use crate::cli::Start;
use crate::cli::columns::Columns;
use crate::cli::convene::Table;
use crate::cli::error::CliError;
use crate::registry::Origin;

/// List the ways to run judges, and what each can do
#[derive(Debug, Clone, Args)]
pub(crate) struct BackendsArgs {}

pub(crate) fn run(_: &BackendsArgs, start: &Start) -> Result<(), CliError> {
    let mut rows = Columns::default();
    for listed in Table::bare(start).backends() {
        let manifest = listed.backend.manifest();
        let origin = match listed.origin {
            Origin::BuiltIn => "built-in".to_owned(),
            Origin::Configured(place) => place,
        };
        rows.push([
            listed.name,
            origin,
            listed.about,
            manifest.capabilities.to_string(),
        ]);
    }
    let hint = "\nThe first that can do what is asked is taken; --backend NAME asks for one. \
                `git council doctor` says which it would be here, and why.\n";
    start.console.print(&(rows.render("") + hint))
}
