//! From a report to its surfaces: standard output, a file of the user's, the run's own files.

use std::io::Write as _;
use std::path::Path;

use crate::config::{Format, Settings};
use crate::report::{self, Gate, Look, Report};

use super::console::Console;
use super::error::{CliError, Kind};

/// Where one report goes.
pub(crate) struct Surfaces<'a> {
    pub(crate) format: Format,
    /// `-o FILE`; standard output then shows the report for a person.
    pub(crate) file: Option<&'a Path>,
    pub(crate) gate: Gate,
}

impl<'a> Surfaces<'a> {
    pub(crate) fn of(settings: &Settings, file: Option<&'a Path>) -> Self {
        let gate = Gate {
            fail_on: settings.review.fail_on,
            ..Gate::default()
        };
        Self {
            format: settings.output.format,
            file,
            gate,
        }
    }

    /// Shows a report everywhere it was asked for, and says how the program ends. A report that cannot be written where
    /// it was asked for is shown on standard output; only when that fails, too, is it not published.
    pub(crate) fn deliver(&self, report: &Report, console: &Console) -> u8 {
        let line = report.bottom_line(self.gate);
        let shown = match self.file {
            None => console.print(&render(report, self.format, console.look(), self.gate)),
            Some(file) => {
                let text = render(report, self.format, plain(console.look()), self.gate);
                match write(file, &text) {
                    Ok(()) => console.print(&report::terminal::render(report, console.look())),
                    Err(error) => {
                        console.warning(&error.message);
                        console.print(&text)
                    }
                }
            }
        };
        match shown {
            Ok(()) => line.exit_code,
            Err(error) if error.kind == Kind::BrokenPipe => line.exit_code,
            Err(error) => {
                console.error(&error);
                line.unpublished()
            }
        }
    }
}

/// The report in one format.
pub(crate) fn render(report: &Report, format: Format, look: Look, gate: Gate) -> String {
    match format {
        Format::Terminal => report::terminal::render(report, look),
        Format::Story => report::story::render(report, look),
        Format::Markdown => report::markdown::render(report, report::markdown::Options::default()),
        Format::Json => report::json::render(report, gate),
        Format::Sarif => report::sarif::render(report),
        Format::Rdjson => report::rdjson::render(report),
    }
}

fn plain(look: Look) -> Look {
    Look {
        colour: false,
        ..look
    }
}

/// Writes beside the file and renames, so that nobody reads half a report.
fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut beside| {
        beside.write_all(text.as_bytes())?;
        beside.persist(file).map_err(|error| error.error)
    });
    written
        .map(drop)
        .map_err(|error| CliError::output(&file.display().to_string(), &error))
}
