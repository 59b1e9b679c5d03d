//! A review that goes on without us: the whole orchestrator as a process of its own, over any backend.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use super::context::CommandContext;
use crate::report::exit;
use crate::run::error::RunError;
use crate::run::request::ReviewRequest;
use crate::run::shown::UNSEEN;

/// How long a detached review may take when nothing else bounds it, in milliseconds.
pub(crate) const DEADLINE_MS: u64 = 30 * 60_000;

/// Starts the same command line again, as a leader of its own process group, and waits until its run has a name.
pub(crate) fn launch_detached(
    request: &ReviewRequest,
    start: &CommandContext,
) -> Result<u8, RunError> {
    if request.target.is_standard_input() {
        return Err(
            RunError::usage("standard input cannot be reviewed in the background")
                .hint("write it to a file first"),
        );
    }
    let cannot = |error| RunError::run(format!("cannot start a review in the background: {error}"));
    let told = tempfile::tempfile().map_err(cannot)?;
    let program = start.program.as_deref().ok_or_else(|| {
        cannot(std::io::Error::other(
            "the program does not know its own path",
        ))
    })?;
    let again = std::env::args_os().skip(1).map(|word| {
        if word == "--detach" {
            "--announce".into()
        } else {
            word
        }
    });
    let mut command = Command::new(program);
    command
        .args(again)
        .env(UNSEEN, "1")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command
        .stderr(told.try_clone().map_err(cannot)?)
        .spawn()
        .map_err(cannot)?;
    let mut name = String::new();
    let mut output = child.stdout.take().map(BufReader::new);
    if let Some(output) = &mut output {
        output.read_line(&mut name).map_err(cannot)?;
    }
    if let Some(name) = name.strip_prefix(NAMED) {
        let name = name.trim();
        start
            .console
            .write_stderr(&said_so_far(&told).map_err(cannot)?);
        start.console.print(&format!(
            "{name} runs in the background: `git council wait {name}` waits for its verdict\n"
        ))?;
        return Ok(exit::OK);
    }
    // There is no run: what was said instead is for the user.
    let mut rest = String::new();
    if let Some(mut output) = output {
        output.read_to_string(&mut rest).map_err(cannot)?;
    }
    let status = child.wait().map_err(cannot)?;
    let said = said_so_far(&told).map_err(cannot)?;
    start.console.print(&(name + &rest))?;
    start.console.write_stderr(&said);
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(exit::INCONCLUSIVE))
}

/// What was told to people in the background: what is sent to whom, and what is wrong with the configuration.
fn said_so_far(told: &std::fs::File) -> std::io::Result<String> {
    let length = told.metadata()?.len();
    let mut said = vec![0; usize::try_from(length).unwrap_or_default()];
    // Not by the handle's own place, which is the other process's as well: it writes on from there.
    told.read_exact_at(&mut said, 0)?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// Stands before the name of a run, so that nothing else is taken for one.
const NAMED: &str = "run: ";

/// Tells whoever started us the run's name. That it is gone already is its own affair.
pub(crate) fn announce_run(name: &str, start: &CommandContext) {
    let _ = start.console.print(&format!("{NAMED}{name}\n"));
    let _ = std::io::stdout().flush();
}
