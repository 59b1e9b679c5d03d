//! From a report to its surfaces: standard output, a file of the user's, the run's own files.

use std::path::Path;

use crate::config::{ReportFormat, Settings};
use crate::report::{self, DisplayOptions, GatePolicy, Report};

use crate::cli::context::CommandContext;
use crate::run::error::RunErrorKind;
use crate::run::output_file::write_output;
use crate::run::page::{render_page, shown_files};

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

    /// Whether findings are shown under their ids: in what stands on the screen, beside a file the report for a person.
    pub(crate) fn shows_findings(&self) -> bool {
        self.file.is_some() || self.format.names_findings()
    }

    /// Shows a report everywhere it was asked for, and says how the program ends. A report that cannot be written where
    /// it was asked for is shown on standard output, so that nothing is lost, and is not published all the same: whoever
    /// reads the file next must not read an older one.
    pub(crate) fn deliver_report(&self, report: &Report, start: &CommandContext) -> u8 {
        let console = &start.console;
        let line = report.bottom_line(self.gate);
        let without_notes = [
            ReportFormat::Rdjson,
            ReportFormat::Checkstyle,
            ReportFormat::Gitlab,
        ];
        if without_notes.contains(&self.format) {
            // Their forms have no place for them.
            report
                .outcome
                .notes
                .iter()
                .for_each(|note| console.warning(note));
        }
        let mut unwritten = false;
        let shown = match self.file {
            None => console.print(&render_report(report, self.format, self.gate, start)),
            Some(file) => {
                let look = without_color(console.stdout_look());
                let text = render_with(report, self.format, self.gate, look, start);
                match write_output(file, &text) {
                    Ok(()) => {
                        let files = shown_files(report, start);
                        let look = console.stdout_look();
                        console.print(&report::terminal::render(report, look, &files))
                    }
                    Err(error) => {
                        unwritten = true;
                        console.error(&error);
                        console.print(&text)
                    }
                }
            }
        };
        match shown {
            _ if unwritten => line.unpublished_code(),
            Ok(()) => line.exit_code,
            Err(error) if error.kind == RunErrorKind::BrokenPipe => line.exit_code,
            Err(error) => {
                console.error(&error);
                line.unpublished_code()
            }
        }
    }
}

impl ReportOutput<'_> {
    /// The same where something else has standard output: people read the report on standard error.
    pub(crate) fn deliver_beside(&self, report: &Report, start: &CommandContext) -> u8 {
        let console = &start.console;
        let look = console.stderr_look();
        if let Some(file) = self.file {
            let look = without_color(look);
            let text = render_with(report, self.format, self.gate, look, start);
            if let Err(error) = write_output(file, &text) {
                console.error(&error);
                return report.bottom_line(self.gate).unpublished_code();
            }
        }
        let shown = match self.file {
            None => render_with(report, self.format, self.gate, look, start),
            Some(_) => report::terminal::render(report, look, &shown_files(report, start)),
        };
        console.write_stderr(&shown);
        report.bottom_line(self.gate).exit_code
    }
}

/// The report in one format, for standard output.
pub(crate) fn render_report(
    report: &Report,
    format: ReportFormat,
    gate: GatePolicy,
    start: &CommandContext,
) -> String {
    let look = start.console.stdout_look();
    render_with(report, format, gate, look, start)
}

fn render_with(
    report: &Report,
    format: ReportFormat,
    gate: GatePolicy,
    look: DisplayOptions,
    start: &CommandContext,
) -> String {
    match format {
        ReportFormat::Terminal => {
            report::terminal::render(report, look, &shown_files(report, start))
        }
        ReportFormat::Story => {
            report::terminal::render_all(report, look, &shown_files(report, start))
        }
        ReportFormat::Markdown => {
            report::markdown::render(report, report::markdown::MarkdownOptions::default())
        }
        ReportFormat::Json => report::json::render(report, gate),
        ReportFormat::Sarif => report::sarif::render(report, gate),
        ReportFormat::Rdjson => report::rdjson::render(report, gate),
        ReportFormat::Html => render_page(report, start),
        ReportFormat::Agent => report::agent::render(report, gate),
        ReportFormat::Junit => report::junit::render(report, gate),
        ReportFormat::Checkstyle => report::checkstyle::render(report, gate),
        ReportFormat::Gitlab => report::gitlab::render(report, gate),
    }
}

fn without_color(look: DisplayOptions) -> DisplayOptions {
    DisplayOptions {
        colour: false,
        links: None,
        ..look
    }
}
