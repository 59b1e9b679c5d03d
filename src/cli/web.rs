//! A page in the user's browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use council_agents::private;

use crate::cli::context::CommandContext;
use crate::report::Report;
use crate::run::error::RunError;
use crate::run::output_file::write_output;
use crate::run::page::{page_path, render_page};
use crate::run::store::StoredRun;
use crate::safe_file::{self, FileWriter};

/// What the names of temporary folders with a page begin with.
pub(crate) const LOOSE_PAGE_PREFIX: &str = "council-page-";

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

/// Opens a page that belongs to no run. It stays, because the browser reads it after we have ended: one file in the folder
/// where the user's state is kept, which the next page replaces. Without such a folder it lies among the temporary files,
/// from where `gc` removes it.
pub(crate) fn open_loose_page(
    page: &str,
    name: &str,
    start: &CommandContext,
) -> Result<(), RunError> {
    let path = loose_page_folder(start)?.join(name);
    // The code under review may be in it.
    let writer = FileWriter::new(&path).for_owner();
    let written = writer.write(page.as_bytes());
    written.map_err(|error| RunError::output(&path.display().to_string(), &error))?;
    start.console.print(&format!("{}\n", path.display()))?;
    open_file(&path, start);
    Ok(())
}

fn loose_page_folder(start: &CommandContext) -> Result<PathBuf, RunError> {
    let kept = start.environment.state_dir();
    if let Some(folder) = kept.filter(|folder| safe_file::make_folder_for_owner(folder).is_ok()) {
        return Ok(folder);
    }
    let folder = private::temporary_folder_in(&start.temporary, LOOSE_PAGE_PREFIX);
    let cannot = |error| RunError::output(&start.temporary.display().to_string(), &error);
    folder.map(|folder| folder.keep()).map_err(cannot)
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
