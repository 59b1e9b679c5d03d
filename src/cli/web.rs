//! A page in the user's browser.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::context::CommandContext;
use crate::cli::deliver::write_output;
use crate::report::Report;
use crate::run::error::RunError;
use crate::run::page::{page_path, render_page};
use crate::run::store::StoredRun;

/// Writes the page of a run beside its report, says where, and opens it. Where nothing can open it, its place is enough.
pub(crate) fn open_page(
    past: &StoredRun,
    report: &Report,
    start: &CommandContext,
) -> Result<(), RunError> {
    let path = page_path(past);
    write_output(&path, render_page(report, start))?;
    start.console.print(&format!("{}\n", path.display()))?;
    open_file(&path, start);
    Ok(())
}

/// Opens a page that belongs to no run, from a new folder of the user's own. It stays, because the browser reads it after we
/// have ended.
pub(crate) fn open_loose_page(
    page: &str,
    name: &str,
    start: &CommandContext,
) -> Result<(), RunError> {
    let folder = council_agents::private::temporary_folder("git-council-");
    let cannot = |error| RunError::output(&start.temporary.display().to_string(), &error);
    let path = folder.map_err(cannot)?.keep().join(name);
    write_output(&path, page)?;
    start.console.print(&format!("{}\n", path.display()))?;
    open_file(&path, start);
    Ok(())
}

/// Starts `$BROWSER`, else the desktop's own opener. Never a program that a repository names.
fn open_file(path: &Path, start: &CommandContext) {
    let browser = start.environment.get("BROWSER");
    let browser = browser.map(|name| name.to_string_lossy().into_owned());
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let program = browser.filter(|name| !name.is_empty());
    let mut command = Command::new(program.as_deref().unwrap_or(opener));
    command.arg(path).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // A machine without a desktop has none, and the place was told.
    let _ = command.spawn();
}
