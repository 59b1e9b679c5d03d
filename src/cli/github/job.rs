//! The job of a workflow that we run in: its summary, its log, its outputs.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::cli::console::Console;
use crate::cli::context::CommandContext;
use crate::publish::WorkflowJob;
use crate::safe_file;

/// The surfaces of the job; those that are missing say so.
pub(crate) struct JobSurfaces {
    summary: Option<PathBuf>,
    output: Option<PathBuf>,
    in_job: bool,
    console: Console,
}

impl JobSurfaces {
    pub(crate) fn from_environment(start: &CommandContext) -> Self {
        let path = |name: &str| start.environment.get(name).map(PathBuf::from);
        Self {
            summary: path("GITHUB_STEP_SUMMARY"),
            output: path("GITHUB_OUTPUT"),
            in_job: start.environment.get("GITHUB_ACTIONS").is_some(),
            console: start.console,
        }
    }
}

impl WorkflowJob for JobSurfaces {
    fn append_summary(&mut self, markdown: &str) -> io::Result<bool> {
        append_file(self.summary.as_ref(), &format!("{markdown}\n"))
    }

    fn write_commands(&mut self, lines: &[String]) -> io::Result<bool> {
        if !self.in_job {
            return Ok(false);
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        // The runner reads commands there as well, and standard output may be a document of JSON or XML.
        self.console.write_stderr(&text);
        Ok(true)
    }

    fn set_outputs(&mut self, pairs: &[(&'static str, String)]) -> io::Result<bool> {
        let mut text = String::new();
        for (name, value) in pairs {
            let mark = random_delimiter()?;
            text.push_str(&format!("{name}<<{mark}\n{value}\n{mark}\n"));
        }
        append_file(self.output.as_ref(), &text)
    }
}

fn append_file(path: Option<&PathBuf>, text: &str) -> io::Result<bool> {
    let Some(path) = path else { return Ok(false) };
    safe_file::open_append(path)?.write_all(text.as_bytes())?;
    Ok(true)
}

/// A mark that no value can hold, because it did not exist when the value was made.
fn random_delimiter() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("council_{}", hex::encode(bytes)))
}
