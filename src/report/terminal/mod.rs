//! The report for a person at a terminal: quiet when clean, findings in words worth reading, the verdict last.

mod finding;
mod foot;
mod receipt;
mod verdict;

use super::page::Page;
use super::words::Names;
use super::{Gate, Look, MOST_DOCUMENT, Report, Verbosity, group};
use crate::text::{self, Ellipsis, Untrusted};

/// The most notes that stand in an ordinary report, one line each.
const MOST_NOTES: usize = 10;

/// The most columns that paths with their lines take.
const MOST_PLACE: usize = 240;

/// The report as text, ended by a newline. Escape sequences stand in it only when `look.colour` says so.
pub fn render(report: &Report, look: Look) -> String {
    let mut page = Page::new(look);
    if look.verbosity > Verbosity::Quiet {
        let names = Names::of(&report.judges);
        document(&mut page, report);
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

/// What came out of a debate without a verdict, behind a gutter: it is somebody's text, and none of ours.
pub(super) fn document(page: &mut Page, report: &Report) {
    let Some(synthesis) = &report.ledger.synthesis else {
        return;
    };
    page.gap();
    let gutter = page.mark("\u{2502}", "|");
    for line in Untrusted::new(synthesis.document.trim())
        .code_lines()
        .take(MOST_DOCUMENT)
    {
        page.line(format!("{gutter} {line}").trim_end());
    }
}

/// The verdict, who looked, and what was not reviewed: the last lines of everything that a terminal shows of a run.
pub(super) fn ending(page: &mut Page, report: &Report) {
    verdict::lines(page, report, &report.bottom_line(Gate::default()));
}

/// Those that weigh in full, those that are listed only in a line each, the rejected ones only when asked for.
fn findings(page: &mut Page, report: &Report, names: &Names<'_>) {
    let verbose = page.look().verbosity == Verbosity::Verbose;
    for group in group::findings(report.weighty(), verbose) {
        finding::full(page, &group, names);
    }
    page.gap();
    let noted = group::findings(report.noted(), verbose);
    let most = if verbose { usize::MAX } else { MOST_NOTES };
    for group in noted.iter().take(most) {
        if verbose {
            finding::full(page, group, names);
        } else {
            finding::brief(page, group);
        }
    }
    let left: usize = noted
        .iter()
        .skip(most)
        .map(|group| group.all().count())
        .sum();
    if left > 0 {
        page.line(&format!(
            "{} {left} more (-v shows them all)",
            page.mark("…", "...")
        ));
    }
    for found in report.rejected().filter(|_| verbose) {
        page.gap();
        finding::rejected(page, found, names);
    }
}

/// Places, cleaned. They may be wider than the page, so that they can be clicked on, but not without bound.
fn clean(places: &str) -> String {
    text::fit(&Untrusted::new(places).name(), MOST_PLACE, Ellipsis::Ascii)
}
