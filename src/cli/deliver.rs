//! From a report to its surfaces: standard output, a file of the user's, the run's own files.

use std::path::Path;

use crate::config::{ReportFormat, Settings};
use crate::report::{self, DisplayOptions, GatePolicy, Report};

use crate::cli::console::Console;
use crate::run::error::{RunError, RunErrorKind};
use crate::safe_file;

/// Where one report goes.
pub(crate) struct ReportOutput<'a> {
    pub(crate) format: ReportFormat,
    /// `-o FILE`; standard output then shows the report for a person.
    pub(crate) file: Option<&'a Path>,
    pub(crate) gate: GatePolicy,
}

impl<'a> ReportOutput<'a> {
    pub(crate) fn from_settings(settings: &Settings, file: Option<&'a Path>) -> Self {
        let gate = GatePolicy {
            fail_on: settings.review.fail_on,
            ..GatePolicy::default()
        };
        Self {
            format: settings.output.format,
            file,
            gate,
        }
    }

    /// Shows a report everywhere it was asked for, and says how the program ends. A report that cannot be written where
    /// it was asked for is shown on standard output; only when that fails, too, is it not published.
    pub(crate) fn deliver_report(&self, report: &Report, console: &Console) -> u8 {
        let line = report.bottom_line(self.gate);
        if self.format == ReportFormat::Rdjson {
            // Its form has no place for them.
            report
                .outcome
                .notes
                .iter()
                .for_each(|note| console.warning(note));
        }
        let shown = match self.file {
            None => console.print(&render_report(
                report,
                self.format,
                console.stdout_look(),
                self.gate,
            )),
            Some(file) => {
                let text = render_report(
                    report,
                    self.format,
                    without_color(console.stdout_look()),
                    self.gate,
                );
                match write_output(file, &text) {
                    Ok(()) => {
                        console.print(&report::terminal::render(report, console.stdout_look()))
                    }
                    Err(error) => {
                        console.warning(&error.message);
                        console.print(&text)
                    }
                }
            }
        };
        match shown {
            Ok(()) => line.exit_code,
            Err(error) if error.kind == RunErrorKind::BrokenPipe => line.exit_code,
            Err(error) => {
                console.error(&error);
                line.unpublished_code()
            }
        }
    }
}

/// The report in one format.
pub(crate) fn render_report(
    report: &Report,
    format: ReportFormat,
    look: DisplayOptions,
    gate: GatePolicy,
) -> String {
    match format {
        ReportFormat::Terminal => report::terminal::render(report, look),
        ReportFormat::Story => report::terminal::render_all(report, look),
        ReportFormat::Markdown => {
            report::markdown::render(report, report::markdown::MarkdownOptions::default())
        }
        ReportFormat::Json => report::json::render(report, gate),
        ReportFormat::Sarif => report::sarif::render(report),
        ReportFormat::Rdjson => report::rdjson::render(report),
    }
}

fn without_color(look: DisplayOptions) -> DisplayOptions {
    DisplayOptions {
        colour: false,
        ..look
    }
}

/// Writes a file that the user asked for.
pub(crate) fn write_output(file: &Path, text: impl AsRef<[u8]>) -> Result<(), RunError> {
    safe_file::write_file(file, text)
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}
