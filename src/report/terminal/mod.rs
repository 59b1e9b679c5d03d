//! The report for a person at a terminal: quiet when clean, findings in words worth reading, the verdict last.

mod finding;
mod foot;
mod receipt;
mod verdict;

use council_protocol::Location;

use super::page::Page;
use super::words::{self, Names};
use super::{Gate, Look, Report, Verbosity};
use crate::text::{self, Ellipsis, Untrusted};

/// The most notes that stand in an ordinary report, one line each.
const MOST_NOTES: usize = 10;

/// The most columns that a path with its line takes.
const MOST_PLACE: usize = 240;

/// The report as text, ended by a newline. Escape sequences stand in it only when `look.colour` says so.
pub fn render(report: &Report, look: Look) -> String {
    let mut page = Page::new(look);
    if look.verbosity > Verbosity::Quiet {
        let names = Names::of(&report.judges);
        findings(&mut page, report, &names);
        foot::disagreements(&mut page, report);
        foot::moves(&mut page, report, &names);
        foot::remarks(&mut page, report, &names);
        if look.verbosity == Verbosity::Verbose {
            receipt::show(&mut page, report, &names);
        }
        page.gap();
    }
    ending(&mut page, report);
    page.finish()
}

/// The verdict, who looked, and what was not reviewed: the last lines of everything that a terminal shows of a run.
pub(super) fn ending(page: &mut Page, report: &Report) {
    verdict::lines(page, report, &report.bottom_line(Gate::default()));
}

/// Those that weigh in full, those that are listed only in a line each, the rejected ones only when asked for.
fn findings(page: &mut Page, report: &Report, names: &Names<'_>) {
    let verbose = page.look().verbosity == Verbosity::Verbose;
    for found in report.weighty() {
        finding::full(page, found, names);
    }
    let most = if verbose { usize::MAX } else { MOST_NOTES };
    page.gap();
    for found in report.noted().take(most) {
        if verbose {
            finding::full(page, found, names)
        } else {
            finding::brief(page, found)
        }
    }
    let left = report.noted().count().saturating_sub(most);
    if left > 0 {
        page.line(&format!(
            "{} {left} more (-v shows them all)",
            page.mark("…", "...")
        ));
    }
    if verbose {
        for found in report.rejected() {
            page.gap();
            finding::rejected(page, found, names);
        }
    }
}

/// A path and its line, cleaned. It may be wider than the page, so that it can be clicked on, but not without bound.
fn place(location: &Location) -> String {
    let place = Untrusted::new(&words::place(location)).name();
    text::fit(&place, MOST_PLACE, Ellipsis::Ascii)
}
